// SPDX-License-Identifier: Apache-2.0
// The adjoint of the gradients: sum over k of v[k] dQ^(k)/dq^(j).
#pragma once

#include "force_gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n), v (K, n) of a robot on a fixed base, loads as in force_gradients. Out: g (K + 2, n).
template <class V, class Order> HOD_INLINE bool force_gradient_product(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int n = tree.columns;
    const Number *const v = given.in[1];
    Number *const g = given.out[0];
    for (int i = 0; !memory.counts() && i < (K + 2) * n; i++)
        g[i] = Number{};
    return gradient_parts<V>(tree, given.in[0], given.in[2], given.shared[3], given.L, memory, K, [&](int k, int j, double ways, const Number *matrix) {
        for (int i = 0; i < n; i++)
            for (int l = 0; l < n; l++)
                g[j * n + l] += (ways * v[k * n + i]) * matrix[(ptrdiff_t)i * n + l]; });
}

}  // namespace HOD_TARGET
}  // namespace hod
