// SPDX-License-Identifier: Apache-2.0
// dQ/dq, dQ/dq' and dQ/dq'' = M under loads, each of which is held in its own frame, as a function of time.
//
// A load W on a subtree gives Q_i = -S_i . W. One in the link's axes turns with the link, as the wrench that the body's own motion takes: the sweep of
// gradients.hpp serves it. One in the world's axes at the world's origin stays: dQ_i/dq_j gets -S_j . (S_i x* W) for j above i. One in the world's axes at the link's origin p
// moves with that: as the first, less T s = (s x n + p x (s x f), s x f), the turning that it does not take part in, which is summed over subtrees
// and gives S_i . T s_j for j above i, and S_j . T s_i for j from i on. All of them are series.
#pragma once

#include "gradients.hpp"
#include "loads.hpp"

namespace hod {
inline namespace HOD_TARGET {

// Loads of a subtree beside those that move with links: those that stay; and T = [n] + A on angular parts, [f] on linear ones.
template <class V> struct LoadSums {
    Wrench<V> staying, turning;
    Matrix<V> A;
    HOD_INLINE LoadSums &operator+=(const LoadSums &o) { staying += o.staying; turning += o.turning; A += o.A; return *this; }
};

// Of a screw, or of a subtree below it: S x* W of loads that stay; T s and its adjoint, less [.] S, of those that turn.
template <class V> struct RestGradients {
    Wrench<V> stayed, turned;
    V back;
    HOD_INLINE RestGradients &operator+=(const RestGradients &o) { stayed += o.stayed; turned += o.turned; back += o.back; return *this; }
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

// Axes and origin of a link as series, of its pose (R row major, p) in the frame of its body: x' = w x x, p' = v + w x p.
template <class V, class Order> HOD_INLINE void link_series(const Frame<V> &at, const Screw<V> *twist, const double *R, const double *place, V *X, V *p, Order K)
{
    V *Y = X + K, *Z = Y + K;
    X[0] = combined(at, R[0], R[3], R[6]);
    Y[0] = combined(at, R[1], R[4], R[7]);
    Z[0] = combined(at, R[2], R[5], R[8]);
    p[0] = at.p + combined(at, place[0], place[1], place[2]);
    for (int k = 0; k + 1 < K; k++) {
        const double each = 1.0 / (k + 1);
        X[k + 1] = each * product(k, HOD_OF(i, j) { return cross(twist[i].s, X[j]); });
        Y[k + 1] = each * product(k, HOD_OF(i, j) { return cross(twist[i].s, Y[j]); });
        Z[k + 1] = each * product(k, HOD_OF(i, j) { return cross(twist[i].s, Z[j]); });
        p[k + 1] = each * (twist[k].u + product(k, HOD_OF(i, j) { return cross(twist[i].s, p[j]); }));
    }
}

// Of bodies that have moved: takes what moves with links off the wrenches W (N + 1, K) of bodies and sums up the rest, whose presence it returns.
// values (K, L, 6), places (L, LOAD_NUMBERS), origin as of find_origins, the pose of a free base or nullptr, sums (N + 1, K), scratch 6 K.
template <class V, class Order>
HOD_INLINE bool hold_loads(const Tree &tree, const Moving<V> &moving, const V *origin, const typename V::Number *values, const double *places, int L,
                           const typename V::Number *pose, LoadSums<V> *sums, V *scratch, Wrench<V> *W, Order K)
{
    const V none = V::zero();
    V *const X = scratch, *const p = X + 3 * K, *const n = p + K, *const f = n + K;
    bool rest = false;
    for (int l = 0; l < L; l++)
        rest = rest || places[(ptrdiff_t)l * LOAD_NUMBERS + 1] != LINK_AXES;
    for (int i = 0; rest && i < (tree.bodies + 1) * K; i++)
        sums[i] = {{none, none}, {none, none}, {none, none, none}};
    for (int l = 0; l < L; l++) {
        const double *place = places + (ptrdiff_t)l * LOAD_NUMBERS;
        const int body = (int)place[0], axes = (int)place[1];
        LoadSums<V> *const sum = sums + body * K;
        if (body == tree.bodies && !tree.free_base)
            continue;                               // a base at rest is held
        for (int k = 0; k < K; k++) {
            const auto *from = values + ((ptrdiff_t)k * L + l) * 6;
            n[k] = factorial.inverse[k] * vector_at<V>(from);
            f[k] = factorial.inverse[k] * vector_at<V>(from + 3);
            if (pose && axes == WORLD_AXES_AT_WORLD)
                n[k] -= cross(V::of(pose[3], pose[7], pose[11]), f[k]);
            if (pose && axes != LINK_AXES) {
                n[k] = in_base(pose, n[k]);
                f[k] = in_base(pose, f[k]);
            }
        }
        if (axes == WORLD_AXES_AT_WORLD) {
            for (int k = 0; k < K; k++)
                sum[k].staying += {n[k] - cross(origin[body], f[k]), f[k]};
            continue;
        }
        link_series(moving.frame[body], moving.bodies[body].twist, place + 2, place + 11, X, p, K);
        if (axes == LINK_AXES)
            turn_to_axes(X, f, n, K);
        for (int k = 0; k < K; k++) {
            if (axes == WORLD_AXES_AT_LINK) {
                sum[k].turning += {n[k], f[k]};
                sum[k].A += product(k, HOD_OF(i, j) {                           // (p . f) 1 - f p^T
                    const V along = p[i] * f[j];
                    return Matrix<V>{yzx(along) + zxy(along), -(f[j] * yzx(p[i])), -(f[j] * zxy(p[i]))}; });
            }
            W[body * K + k] += {product(k, HOD_OF(i, j) { return cross(f[i], p[j]); }) - n[k], -f[k]};
        }
    }
    return rest;
}

// What the rest adds. The screws of a free base turn each other, so what holds for j above i serves any two of them. scratch: K
template <class V, class Order>
HOD_INLINE void load_gradients(const Tree &tree, const SpatialBodies<V> &bodies, LoadSums<V> *sums, RestGradients<V> *scratch, typename V::Number *by_q, Order K)
{
    const int N = tree.bodies, m = rates(tree);
    for (int each = 0; each < screws(tree); each++) {
        const int i = inwards(tree, each), body = i < N ? i : N;
        const LoadSums<V> *sum_i = sums + body * K;
        const Screw<V> *S = bodies[i].S;
        for (int k = 0; k < K; k++)
            scratch[k] = product(k, HOD_OF(l, r) {
                const LoadSums<V> &at = sum_i[l];
                const Screw<V> &own = S[r];
                return RestGradients<V>{carried(own, at.staying), {cross(own.s, at.turning.n) + at.A * own.s, cross(own.s, at.turning.f)},
                                        cross(at.turning.n, own.s) + transposed(at.A) * own.s + cross(at.turning.f, own.u)}; });
        for (int j = body; j < screws(tree); j = above(tree, j)) {
            const Screw<V> *higher = bodies[j].S;
            for (int k = 0; k < K; k++) {
                const double scale = multiplier(tree, i) * multiplier(tree, j) * factorial.of[k];
                const auto both = product(k, HOD_OF(l, r) {
                    return Pair<V>{paired(higher[r], scratch[l].turned), higher[r].s * scratch[l].back - paired(higher[r], scratch[l].stayed)}; });
                typename V::Number *const to = by_q + (ptrdiff_t)k * m * m;
                if (i < N)
                    to[column(tree, j) * m + column(tree, i)] += scale * sum(both.a);
                if (i >= N || j != i)
                    to[column(tree, i) * m + column(tree, j)] += scale * sum(both.b);
            }
        }
        for (int k = 0; i < N && k < K; k++)
            sums[above(tree, i) * K + k] += sum_i[k];
    }
}

// As gradients, and of loads where there are places (L, LOAD_NUMBERS): values (K, L, 6).
template <class V, class Order>
HOD_INLINE bool loaded_gradients(const Tree &tree, const typename V::Number *q, const typename V::Number *values, const double *places, int L,
                                 const typename V::Number *pose, const typename V::Number *twists, typename V::Number *by_q, typename V::Number *by_dq,
                                 typename V::Number *by_ddq, Memory &memory, Order K)
{
    const Moving<V> moving(tree, memory, K + 2, K);
    V *origin = memory.take<V>(tree.bodies + 7), *scratch = memory.take<V>(L ? 6 * K : 0);
    LoadSums<V> *sums = memory.take<LoadSums<V>>(L ? (size_t)(tree.bodies + 1) * K : 0);
    RestGradients<V> *of_rest = memory.take<RestGradients<V>>(L ? K : 0);
    if (!memory.counts() && (!values != !places || (places && !are_places(tree, places, L))))
        return false;
    bool rest = false;
    const auto held = [&](Wrench<V> *W) {
        if (!places)
            return;
        moving.find_origins(tree, origin);
        rest = hold_loads(tree, moving, origin, values, places, L, pose, sums, scratch, W, K); };
    if (!gradients(tree, moving, q, pose, twists, by_q, by_dq, by_ddq, memory, K, held))
        return false;
    if (rest)
        load_gradients(tree, moving.bodies, sums, of_rest, by_q, K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
