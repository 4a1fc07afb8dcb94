// SPDX-License-Identifier: Apache-2.0
// dQ^(k)/dq^(j) of all rows of Q by all rows of q.
#pragma once

#include "arguments.hpp"
#include "gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n) of a robot on a fixed base. Out: G (K, K + 2, n, n), G[k, j] = dQ^(k)/dq^(j). For Q of q, q', q'' alone, Leibniz' rule gives it of
// A = dQ/dq, B = dQ/dq', M and their time derivatives: (k over j) A^(k-j) + (k over j-1) B^(k-j+1) + (k over j-2) M^(k-j+2).
template <class V, class Order> HOD_INLINE bool force_gradients(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const ptrdiff_t square = (ptrdiff_t)tree.columns * tree.columns;
    Number *by[3];
    for (int part = 0; part < 3; part++)
        by[part] = memory.take<Number>(K * square);
    const Moving<V> moving(tree, memory, K + 2, K);
    if (!gradients(tree, moving, given.in[0], nullptr, nullptr, by[0], by[1], by[2], memory, K) || memory.counts())
        return memory.counts();
    Number *G = given.out[0];
    for (int k = 0; k < K; k++)
        for (int j = 0; j < K + 2; j++, G += square) {
            for (ptrdiff_t i = 0; i < square; i++)
                G[i] = Number{};
            for (int part = 0; part < 3; part++) {
                const int chosen = j - part, left = k - chosen;         // of k derivatives
                if (chosen < 0 || left < 0)
                    continue;
                const double ways = factorial.of[k] * factorial.inverse[chosen] * factorial.inverse[left];
                const Number *from = by[part] + left * square;
                for (ptrdiff_t i = 0; i < square; i++)
                    G[i] += ways * from[i];
            }
        }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
