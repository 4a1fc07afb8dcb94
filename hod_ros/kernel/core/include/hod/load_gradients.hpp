// SPDX-License-Identifier: Apache-2.0
// What loads add to dQ/dq while each is held constant in its own frame.
//
// A load W on a subtree gives Q_i = -S_i . W. One in the link's axes turns with the link, as the wrench that the body's own motion takes: the sweep of
// gradients.hpp serves it. One in the world's axes at the world's origin stays: dQ_i/dq_j gets -S_j . (S_i x* W) for j above i. One in the world's axes at the link's origin p
// moves with that: as the first, less T s = (s x n + p x (s x f), s x f), the turning that it does not take part in, which is summed over subtrees
// and gives S_i . T s_j for j above i, and S_j . T s_i for j from i on.
#pragma once

#include "loads.hpp"
#include "matrix.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// Loads of a subtree beside those that move with links: those that stay; and T = [n] + A on angular parts, [f] on linear ones.
template <class V> struct LoadSums {
    Wrench<V> staying, turning;
    Matrix<V> A;
    HOD_INLINE LoadSums &operator+=(const LoadSums &o) { staying += o.staying; turning += o.turning; A += o.A; return *this; }
};

// S x* W
template <class V> HOD_INLINE Wrench<V> carried(const Screw<V> &S, const Wrench<V> &W)
{
    return {cross(S.s, W.n) + cross(S.u, W.f), cross(S.s, W.f)};
}

// Of the world's axes, in those of a base with this pose (4, 4).
template <class V> HOD_INLINE V in_base(const typename V::Number *pose, V a)
{
    return x(a) * vector_at<V>(pose) + y(a) * vector_at<V>(pose + 4) + z(a) * vector_at<V>(pose + 8);
}

// Of bodies that have moved: takes what moves with links off the wrenches W of bodies and sums up the rest, whose presence it returns.
// values (L, 6), places (L, LOAD_NUMBERS), origin as of find_origins, the pose of a free base or nullptr, sums: N + 1.
template <class V>
HOD_INLINE bool hold_loads(const Tree &tree, const Moving<V> &bodies, const V *origin, const typename V::Number *values, const double *places, int L,
                           const typename V::Number *pose, LoadSums<V> *sums, Wrench<V> *W)
{
    const V none = V::zero();
    bool rest = false;
    for (int l = 0; l < L; l++)
        rest = rest || places[(ptrdiff_t)l * LOAD_NUMBERS + 1] != LINK_AXES;
    for (int i = 0; rest && i <= tree.bodies; i++)
        sums[i] = {{none, none}, {none, none}, {none, none, none}};
    for (int l = 0; l < L; l++) {
        const double *place = places + (ptrdiff_t)l * LOAD_NUMBERS, *R = place + 2;
        const int body = (int)place[0], axes = (int)place[1];
        const Frame<V> &at = bodies.frame[body];
        const V p = at.p + combined(at, place[11], place[12], place[13]);
        V moment = vector_at<V>(values + 6 * l), force = vector_at<V>(values + 6 * l + 3);
        if (pose && axes != LINK_AXES) {
            if (axes == WORLD_AXES_AT_WORLD)
                moment -= cross(V::of(pose[3], pose[7], pose[11]), force);
            moment = in_base(pose, moment);
            force = in_base(pose, force);
        }
        if (axes == WORLD_AXES_AT_WORLD) {
            sums[body].staying += {moment - cross(origin[body], force), force};
            continue;
        }
        if (axes == LINK_AXES) {
            const V X = combined(at, R[0], R[3], R[6]), Y = combined(at, R[1], R[4], R[7]), Z = combined(at, R[2], R[5], R[8]);
            moment = x(moment) * X + y(moment) * Y + z(moment) * Z;
            force = x(force) * X + y(force) * Y + z(force) * Z;
        } else {
            const V along = p * force;
            sums[body].turning += {moment, force};
            sums[body].A += {yzx(along) + zxy(along), -(force * yzx(p)), -(force * zxy(p))};       // (p . f) 1 - f p^T
        }
        if (body < tree.bodies || tree.free_base)
            W[body] += {cross(force, p) - moment, -force};
    }
    return rest;
}

// What the rest adds. The screws of a free base turn each other, so what holds for j above i serves any two of them.
template <class V> HOD_INLINE void load_gradients(const Tree &tree, const SpatialBodies<V> &bodies, LoadSums<V> *sums, typename V::Number *by_q)
{
    const int N = tree.bodies, m = rates(tree);
    for (int each = 0; each < screws(tree); each++) {
        const int i = inwards(tree, each), body = i < N ? i : N;
        const LoadSums<V> &sum_i = sums[body];
        const Screw<V> S = bodies[i].S[0];
        const Wrench<V> stayed = carried(S, sum_i.staying);
        const Wrench<V> turned = {cross(S.s, sum_i.turning.n) + sum_i.A * S.s, cross(S.s, sum_i.turning.f)};
        const V back = cross(sum_i.turning.n, S.s) + transposed(sum_i.A) * S.s + cross(sum_i.turning.f, S.u);
        for (int j = body; j < screws(tree); j = above(tree, j)) {
            const Screw<V> higher = bodies[j].S[0];
            const double scale = multiplier(tree, i) * multiplier(tree, j);
            if (i < N)
                by_q[column(tree, j) * m + column(tree, i)] += scale * sum(paired(higher, turned));
            if (i >= N || j != i)
                by_q[column(tree, i) * m + column(tree, j)] += scale * sum(higher.s * back - paired(higher, stayed));
        }
        if (i < N)
            sums[above(tree, i)] += sum_i;
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
