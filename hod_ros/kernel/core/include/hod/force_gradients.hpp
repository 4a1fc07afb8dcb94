// SPDX-License-Identifier: Apache-2.0
// dQ^(k)/dq^(j) of all rows of Q by all rows of q.
#pragma once

#include "arguments.hpp"
#include "load_gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// Hands out what dQ^(k)/dq^(j) is made of: f(k, j, ways, matrix) for q (K + 2, n) of a robot on a fixed base, under loads as in loaded_gradients. For Q of q, q', q'' alone it follows by
// Leibniz' rule from A = dQ/dq, B = dQ/dq', M and their time derivatives: (k over j) A^(k-j) + (k over j-1) B^(k-j+1) + (k over j-2) M^(k-j+2).
template <class V, class Order, class F>
HOD_INLINE bool gradient_parts(const Tree &tree, const typename V::Number *q, const typename V::Number *loads, const double *places, int L, Memory &memory,
                               Order K, F f)
{
    using Number = typename V::Number;
    const ptrdiff_t square = (ptrdiff_t)tree.columns * tree.columns;
    Number *by[3];
    for (int part = 0; part < 3; part++)
        by[part] = memory.take<Number>(K * square);
    if (!loaded_gradients<V>(tree, q, loads, places, L, nullptr, nullptr, by[0], by[1], by[2], memory, K) || memory.counts())
        return memory.counts();
    for (int part = 0; part < 3; part++)
        for (int left = 0; left < K; left++)
            for (int chosen = 0; chosen + left < K; chosen++)
                f(chosen + left, chosen + part, factorial.of[chosen + left] * factorial.inverse[chosen] * factorial.inverse[left], by[part] + left * square);
    return true;
}

// q (K + 2, n), and where given: the values (K, L, 6) and places (L, 14) of loads. Out: G (K, K + 2, n, n), G[k, j] = dQ^(k)/dq^(j).
template <class V, class Order> HOD_INLINE bool force_gradients(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const ptrdiff_t square = (ptrdiff_t)tree.columns * tree.columns;
    Number *const G = given.out[0];
    for (ptrdiff_t i = 0; !memory.counts() && i < K * (K + 2) * square; i++)
        G[i] = Number{};
    return gradient_parts<V>(tree, given.in[0], given.in[1], given.shared[2], given.L, memory, K, [&](int k, int j, double ways, const Number *matrix) {
        Number *const to = G + (k * (K + 2) + j) * square;
        for (ptrdiff_t i = 0; i < square; i++)
            to[i] += ways * matrix[i]; });
}

}  // namespace HOD_TARGET
}  // namespace hod
