// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics Q = M q'' + C q' + g - J^T W with derivatives, of a base at rest or in motion.
#pragma once

#include "arguments.hpp"
#include "loads.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n), and where given: the pose (4, 4) and twists (K + 1, 6) of a free base, the values (K, L, 6) and places (L, 14) of loads. Out:
// Q (K, n), and W (K, 6), the wrench on a free base in its frame. None for a free base without motion, or a fixed one with it.
template <class V, class Order> HOD_INLINE bool inverse_dynamics(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const Joints<Number> joints = take_joints<Number>(tree, memory, K + 2, K + 1);
    const Recursion<V> run(tree, memory, K);
    const Loads<V> load(tree, memory, K);
    if (memory.counts())
        return true;
    const Number *q = given.in[0], *pose = given.in[1], *twists = given.in[2], *values = given.in[3];
    const double *places = given.shared[4];
    Number *Q = given.out[0], *W = given.out[1];
    if (!fits_base<V>(tree, pose, twists) || !values != !places || (places && !are_places(tree, places, given.L)))
        return false;

    joint_series(tree, q, joints, K + 2, K + 1);
    const Motion<V> base = run.motion(tree.body[tree.bodies]);
    if (pose)
        base_in_motion(tree, pose, twists, base, run.scratch, K);
    else
        base.a[0] = less_gravity<V>(tree);
    wrenches_of_motion(tree, joints, run, !pose, K);
    if (values)
        take_off_loads(tree, joints, run, load, values, places, given.L, pose, twists, K);
    forces_of_wrenches(tree, joints, run, !pose, K);
    collect_forces(tree, run.tau, joints.stride, q + 2 * tree.columns, Q, K);
    if (W)
        for (int k = 0; k < K; k++) {
            const V n = factorial.of[k] * run.force(tree.bodies).n[k], f = factorial.of[k] * run.force(tree.bodies).f[k];
            const Number wrench[6] = {x(n), y(n), z(n), x(f), y(f), z(f)};
            for (int i = 0; i < 6; i++)
                W[6 * k + i] = wrench[i];
        }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
