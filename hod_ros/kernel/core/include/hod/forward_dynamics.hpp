// SPDX-License-Identifier: Apache-2.0
// n-th order forward dynamics: order by order, M q^(k+2) = Q^(k) - (inverse dynamics with q^(k+2) = 0)^(k), one factorisation of M for all.
#pragma once

#include "inverse_dynamics.hpp"
#include "mass_matrix.hpp"

namespace hod {
inline namespace HOD_TARGET {

// As forward_dynamics, with M (m, m), which becomes its own factor.
template <class V, class Order>
HOD_INLINE bool accelerations(const Tree &tree, const Arguments<V> &given, typename V::Number *M, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int n = tree.columns, size = rates(tree);
    Number *q = memory.take<Number>((size_t)(K + 2) * n), *twists = memory.take<Number>((size_t)(K + 1) * 6);
    Number *x = memory.take<Number>(size);
    Number *bias = memory.take<Number>((size_t)K * n), *base_bias = memory.take<Number>((size_t)K * 6);
    const Moving<V> moving(tree, memory, 1, 0);
    Arguments<V> inner = {};
    if (memory.counts())
        return inverse_dynamics(tree, inner, memory, K);
    const Number *Q = given.in[1], *pose = given.in[2], *twist = given.in[3], *drive = given.in[4];
    Number *ddq = given.out[0], *dtwist = given.out[1];
    if (!fits_base<V>(tree, pose, twist) || (drive && !pose))
        return false;

    mass_matrix(tree, moving, given.in[0], M, x, size);
    if (!factorise(M, x, size))
        return false;
    for (int i = 0; i < (K + 2) * n; i++)
        q[i] = i < 2 * n ? given.in[0][i] : Number{};
    for (int i = 0; i < (K + 1) * 6; i++)
        twists[i] = pose && i < 6 ? twist[i] : Number{};
    inner.in[0] = q;
    inner.in[1] = pose;
    inner.in[2] = pose ? twists : nullptr;
    inner.in[3] = given.in[5];
    inner.shared[4] = given.shared[6];
    inner.L = given.L;
    inner.out[0] = bias;
    inner.out[1] = pose ? base_bias : nullptr;
    for (int k = 0; k < K; k++) {
        Memory rest = memory;
        if (!inverse_dynamics(tree, inner, rest, K))
            return false;
        for (int j = 0; j < n; j++)
            x[j] = Q[k * n + j] - bias[k * n + j];
        for (int r = n; r < size; r++)
            x[r] = (drive ? drive[k * 6 + r - n] : Number{}) - base_bias[k * 6 + r - n];
        solve<1>(M, x, 1, 0, size);
        for (int j = 0; j < n; j++)
            ddq[k * n + j] = q[(k + 2) * n + j] = x[j];
        for (int r = n; r < size; r++)
            dtwist[k * 6 + r - n] = twists[(k + 1) * 6 + r - n] = x[r];
    }
    return true;
}

// q (2, n), Q (K, n), and where given: the pose (4, 4), twist (6) and driving wrench (K, 6) of a free base, the values (K, L, 6) and places
// (L, 14) of loads. Out: ddq (K, n), and dtwist (K, 6), the base's twist from its first derivative on. None where M is singular.
template <class V, class Order> HOD_INLINE bool forward_dynamics(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    return accelerations(tree, given, memory.take<typename V::Number>((size_t)rates(tree) * rates(tree)), memory, K);
}

}  // namespace HOD_TARGET
}  // namespace hod
