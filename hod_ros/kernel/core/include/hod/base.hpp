// SPDX-License-Identifier: Apache-2.0
// The motion of the base: at rest, or free with given twists.
#pragma once

#include "recursion.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> HOD_INLINE V vector_at(const typename V::Number *at) { return V::of(at[0], at[1], at[2]); }

// The acceleration less gravity of a base at rest.
template <class V> HOD_INLINE V less_gravity(const Tree &tree)
{
    using Number = typename V::Number;
    return V::of(Number{} - tree.gravity[0], Number{} - tree.gravity[1], Number{} - tree.gravity[2]);
}

// Gravity in the world's axes, or in those of a base with this pose.
template <class V> HOD_INLINE V gravity_at_rest(const Tree &tree, const typename V::Number *pose)
{
    const double *g = tree.gravity;
    if (!pose)
        return -less_gravity<V>(tree);
    const auto along = [&](int i) { return g[0] * pose[i] + g[1] * pose[4 + i] + g[2] * pose[8 + i]; };
    return V::of(along(0), along(1), along(2));
}

// Whether a pose (4, 4) is a rotation, to 1e-6, and a displacement, in every sample.
template <class V> inline bool is_pose(const typename V::Number *pose)
{
    for (int l = 0; l < (int)(sizeof *pose / sizeof(double)); l++) {
        double R[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                R[i][j] = lane(pose[4 * i + j], l);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                if (!(fabs(R[i][0] * R[j][0] + R[i][1] * R[j][1] + R[i][2] * R[j][2] - (i == j)) <= 1e-6))
                    return false;
        const double volume = R[0][0] * (R[1][1] * R[2][2] - R[1][2] * R[2][1]) + R[0][1] * (R[1][2] * R[2][0] - R[1][0] * R[2][2])
            + R[0][2] * (R[1][0] * R[2][1] - R[1][1] * R[2][0]);
        if (volume < 0 || lane(pose[12], l) != 0 || lane(pose[13], l) != 0 || lane(pose[14], l) != 0 || lane(pose[15], l) != 1)
            return false;
    }
    return true;
}

// Whether pose and twists are there for a free base, and for no other.
template <class V> inline bool fits_base(const Tree &tree, const typename V::Number *pose, const typename V::Number *twists)
{
    return !tree.free_base == !pose && !pose == !twists && (!pose || is_pose<V>(pose));
}

// pose (4, 4); twists (K + 1, 6) body-fixed (w, v) with derivatives. a = v' + w x v + G, where G = -R^T g turns as G' = G x w.
template <class V, class Order>
HOD_INLINE void base_in_motion(const Tree &tree, const typename V::Number *pose, const typename V::Number *twists, Motion<V> base, V *scratch, Order K)
{
    V *v = scratch, *G = scratch + K + 1;
    for (int k = 0; k <= K; k++) {
        base.w[k] = factorial.inverse[k] * vector_at<V>(twists + 6 * k);
        v[k] = factorial.inverse[k] * vector_at<V>(twists + 6 * k + 3);
    }
    G[0] = -gravity_at_rest<V>(tree, pose);
    for (int k = 0; k < K; k++) {
        const auto both = product(k, HOD_OF(i, j) { return Pair<V>{cross(base.w[i], v[j]), cross(G[i], base.w[j])}; });
        base.a[k] = double(k + 1) * v[k + 1] + both.a + G[k];
        if (k + 1 < K)
            G[k + 1] = (1.0 / (k + 1)) * both.b;
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
