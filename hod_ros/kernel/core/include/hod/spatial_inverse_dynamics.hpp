// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics in spatial representation: 003's second-order algorithm, for any order.
#pragma once

#include "arguments.hpp"
#include "base.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n) of a robot on a fixed base. Out: Q (K, n).
template <class V, class Order> HOD_INLINE bool spatial_inverse_dynamics(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int N = tree.bodies;
    const Moving<V> moving(tree, memory, K + 2, K);
    const SpatialBodies<V> &bodies = moving.bodies;
    Wrench<V> *wrenches = memory.take<Wrench<V>>((size_t)(N + 1) * K);
    Number *tau = memory.take<Number>((size_t)K * moving.joints.stride);
    if (memory.counts())
        return true;
    if (tree.free_base)
        return false;

    moving.move(tree, given.in[0], nullptr, K + 2, K, K);
    const V g = gravity_at_rest<V>(tree, nullptr);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++)
            wrenches[i * K + k] = wrench_of_motion(bodies[i], k, g);
    for (int i = N - 1; i >= 0; i--) {                          // Q_i = S_i^T of what it bears, 003 (29)-(31)
        const int up = tree.body[i].parent;
        for (int k = 0; k < K; k++) {
            tau[k * moving.joints.stride + i] = sum(product(k, HOD_OF(l, r) { return paired(bodies[i].S[l], wrenches[i * K + r]); }));
            if (up < N)
                wrenches[up * K + k] += wrenches[i * K + k];
        }
    }
    collect_forces(tree, tau, moving.joints.stride, given.in[0] + 2 * tree.columns, given.out[0], K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
