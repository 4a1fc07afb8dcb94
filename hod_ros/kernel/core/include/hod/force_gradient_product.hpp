// SPDX-License-Identifier: Apache-2.0
// The adjoint of the gradients: sum over k of v[k] dQ^(k)/dq^(j).
#pragma once

#include "arguments.hpp"
#include "gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n), v (K, n) of a robot on a fixed base. Out: g (K + 2, n), by Leibniz' rule as in force_gradients.
template <class V, class Order> HOD_INLINE bool force_gradient_product(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int n = tree.columns;
    const ptrdiff_t square = (ptrdiff_t)n * n;
    Number *by[3];
    for (int part = 0; part < 3; part++)
        by[part] = memory.take<Number>(K * square);
    const Moving<V> moving(tree, memory, K + 2, K);
    if (!gradients(tree, moving, given.in[0], nullptr, nullptr, by[0], by[1], by[2], memory, K) || memory.counts())
        return memory.counts();
    const Number *v = given.in[1];
    Number *g = given.out[0];
    for (int i = 0; i < (K + 2) * n; i++)
        g[i] = Number{};
    for (int part = 0; part < 3; part++)
        for (int left = 0; left < K; left++)
            for (int chosen = 0; chosen + left < K; chosen++) {
                const double ways = factorial.of[chosen + left] * factorial.inverse[chosen] * factorial.inverse[left];
                Number *to = g + (chosen + part) * n;
                for (int i = 0; i < n; i++) {
                    const Number weight = ways * v[(chosen + left) * n + i];
                    const Number *row = by[part] + left * square + (ptrdiff_t)i * n;
                    for (int j = 0; j < n; j++)
                        to[j] += weight * row[j];
                }
            }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
