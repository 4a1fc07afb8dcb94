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
    const Joints<Number> joints = take_joints<Number>(tree, memory, K + 2, 1);
    Frame<V> *frame = memory.take<Frame<V>>(N + 1);
    const SpatialBodies<V> bodies(tree, memory, K);
    Wrench<V> *wrenches = memory.take<Wrench<V>>((size_t)(N + 1) * K);
    Number *tau = memory.take<Number>((size_t)K * joints.stride);
    if (memory.counts())
        return true;
    if (tree.free_base)
        return false;

    joint_series(tree, given.in[0], joints, K + 2, Fixed<1>{});
    for (int i = 0; i <= N; i++)
        bodies.m[i] = tree.body[i].m;
    frame[N] = frame_at_rest<V>();
    for (int k = 0; k <= K; k++)
        bodies[N].twist[k] = {V::zero(), V::zero()};
    const V g = -less_gravity<V>(tree);
    for (int i = 0; i < N; i++) {
        const Body &body = tree.body[i];
        const Spatial<V> own = bodies[i];
        frame[i] = placed(body, frame[body.parent], joints.q[i], joints.c[i], joints.s[i]);
        own.S[0] = screw_at(body, frame[i]);
        inertia_at(body, frame[i], own);
        motion_series(bodies[body.parent].twist, own, joints.q + i, joints.stride, K);
        inertia_series(own, K);
        for (int k = 0; k < K; k++)
            wrenches[i * K + k] = wrench_of_motion(own, k, g);
    }
    for (int i = N - 1; i >= 0; i--) {                          // Q_i = S_i^T of what it bears, 003 (29)-(31)
        const int up = tree.body[i].parent;
        for (int k = 0; k < K; k++) {
            tau[k * joints.stride + i] = sum(product(k, HOD_OF(l, r) { return paired(bodies[i].S[l], wrenches[i * K + r]); }));
            if (up < N)
                wrenches[up * K + k] += wrenches[i * K + k];
        }
    }
    collect_forces(tree, tau, joints.stride, given.in[0] + 2 * tree.columns, given.out[0], K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
