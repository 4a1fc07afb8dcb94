// SPDX-License-Identifier: Apache-2.0
// dQ/dq, dQ/dq' and dQ/dq'' = M with their time derivatives, in one sweep: the composite method of Singh, Russo and Wensing
// (arXiv 2105.05102) on Taylor series.
//
// Their 2 B = [V x*] I - I [V x] + [(I V) x*] shrinks, in axes at rest, to 2 B (s, u) = -2 (T s + h' x u', ...) on angular parts: with
// T = [w] P + v h^T - (h . v) 1, linear parts don't enter. For a body i with its subtree's I, T and W, and j from i itself to the base, where
// S^ = S'' - (0, g x s) is S'' as seen in free fall:
//     dQ_i/dq_j   = b . s_j' + a . S^_j        dQ_j/dq_i   = S_j . (2 B S_i' + I S^_i + S_i x* W)        a = I S_i
//     dQ_i/dq'_j  = b . s_j + 2 a . S_j'       dQ_j/dq'_i  = S_j . (2 B S_i + 2 I S_i')                  b = 2 B^T S_i
//     dQ_i/dq''_j = a . S_j
//
// A free base's coordinates are displacements along its own axes, its rates the components of its twist. Nothing above them moves, so S' is 0 in
// dQ/dq and half of itself in dQ/dq'; they all move each other's axes, so dQ_i/dq_j serves any two of them.
#pragma once

#include "base.hpp"
#include "matrix.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// Coefficient k of T.
template <class V> HOD_INLINE Matrix<V> turning(const Spatial<V> &b, int k)
{
    return product(k, HOD_OF(i, j) {
        const V w1 = yzx(b.twist[i].s), w2 = zxy(b.twist[i].s), v = b.twist[i].u, h = b.h[j], hv = h * v, P = b.P[j], off = b.off[j];
        return Matrix<V>{w1 * zxy(off) - w2 * off - (yzx(hv) + zxy(hv)), w1 * yzx(off) - w2 * yzx(P) + v * yzx(h),
                         w1 * zxy(P) - w2 * yzx(off) + v * zxy(h)}; });
}

template <class V> struct GradientSums {
    V back;
    Wrench<V> B, B_rate, carried;
    HOD_INLINE GradientSums &operator+=(const GradientSums &o) { back += o.back; B += o.B; B_rate += o.B_rate; carried += o.carried; return *this; }
};
template <class V> struct GradientParts {
    V M, q, dq, Mq, Mdq;
    HOD_INLINE GradientParts &operator+=(const GradientParts &o) { M += o.M; q += o.q; dq += o.dq; Mq += o.Mq; Mdq += o.Mdq; return *this; }
};

struct Unloaded { template <class V> HOD_INLINE void operator()(Wrench<V> *) const {} };

// Of `moving` for K + 2 rows and K; q (K + 2, n) and, of a free base, its pose (4, 4) and twists (K + 1, 6). With m = n, or n + 6 for the base:
// by_q, by_dq, by_ddq, (K, m, m) each, raw derivatives. held(W) changes the wrenches W (N + 1, K) that are held against bodies, by loads that turn with them.
template <class V, class Order, class Held = Unloaded>
HOD_INLINE bool gradients(const Tree &tree, const Moving<V> &moving, const typename V::Number *q, const typename V::Number *pose,
                          const typename V::Number *twists, typename V::Number *by_q, typename V::Number *by_dq, typename V::Number *by_ddq,
                          Memory &memory, Order K, const Held &held = {})
{
    using Number = typename V::Number;
    const int N = tree.bodies, m = rates(tree), all = screws(tree);
    const SpatialBodies<V> &bodies = moving.bodies;
    Screw<V> *rate_of = memory.take<Screw<V>>((size_t)all * K), *fall_of = memory.take<Screw<V>>((size_t)all * K);
    Wrench<V> *W = memory.take<Wrench<V>>((size_t)(N + 1) * K);
    Matrix<V> *T = memory.take<Matrix<V>>((size_t)(N + 1) * K);
    Wrench<V> *a = memory.take<Wrench<V>>(K), *for_q = memory.take<Wrench<V>>(K), *for_dq = memory.take<Wrench<V>>(K);
    V *b = memory.take<V>(K);
    if (memory.counts())
        return true;
    if (!fits_base<V>(tree, pose, twists))
        return false;

    for (int i = 0; i < K * m * m; i++)
        by_q[i] = by_dq[i] = by_ddq[i] = Number{};
    moving.move(tree, q, twists, K + 2, K, K);
    const V g = gravity_at_rest<V>(tree, pose);
    for (int i = 0; i < all; i++) {
        const Spatial<V> own = bodies[i];
        const bool joint = i < N;
        for (int k = 0; k < K; k++) {
            const double once = joint ? k + 1 : 0.5 * (k + 1), twice = joint ? (k + 1) * (k + 2) : 0;
            rate_of[i * K + k] = {once * own.S[k + 1].s, once * own.S[k + 1].u};
            fall_of[i * K + k] = {twice * own.S[k + 2 * joint].s, twice * own.S[k + 2 * joint].u - cross(g, own.S[k].s)};
            if (i <= N) {
                W[i * K + k] = wrench_of_motion(own, k, g);
                T[i * K + k] = turning(own, k);
            }
        }
    }
    held(W);
    for (int each = 0; each < all; each++) {
        const int i = inwards(tree, each), body = i < N ? i : N, across = column(tree, i);
        const Spatial<V> own = bodies[i];
        const Screw<V> *rate = rate_of + i * K, *fall = fall_of + i * K;
        for (int k = 0; k < K; k++) {
            const GradientSums<V> sum = product(k, HOD_OF(l, r) {
                const Matrix<V> &Tl = T[body * K + l];
                const Wrench<V> &Wl = W[body * K + l];
                const V p = double(l + 1) * own.h[l + 1], s = own.S[r].s, u = own.S[r].u, ds = rate[r].s;
                return GradientSums<V>{transposed(Tl) * s + cross(u, p), {Tl * s, cross(p, s)}, {Tl * ds, cross(p, ds)},
                            {cross(s, Wl.n) + cross(u, Wl.f), cross(s, Wl.f)}}; });
            const Wrench<V> along_rate = momentum(own, k, rate), along_fall = momentum(own, k, fall);
            a[k] = momentum(own, k, own.S);
            b[k] = -2.0 * sum.back;
            for_dq[k] = {2.0 * (along_rate.n - sum.B.n), 2.0 * (along_rate.f - sum.B.f)};
            for_q[k] = {along_fall.n + sum.carried.n - 2.0 * sum.B_rate.n, along_fall.f + sum.carried.f - 2.0 * sum.B_rate.f};
        }
        const auto pair_with = [&](int j, int at, double scale, bool moves, bool both) __attribute__((always_inline)) {
            const Screw<V> *S = bodies.S + (ptrdiff_t)j * (bodies.K + 2), *rate_j = rate_of + j * K, *fall_j = fall_of + j * K;
            for (int k = 0; k < K; k++) {
                const GradientParts<V> t = product(k, HOD_OF(l, r) {
                    const V along = paired(fall_j[r], a[l]);
                    return GradientParts<V>{paired(S[r], a[l]), moves ? b[l] * rate_j[r].s + along : along,
                                b[l] * S[r].s + 2.0 * paired(rate_j[r], a[l]), paired(S[r], for_q[l]), paired(S[r], for_dq[l])}; });
                const double size = scale * factorial.of[k];
                const ptrdiff_t below = ((ptrdiff_t)k * m + across) * m + at, beyond = ((ptrdiff_t)k * m + at) * m + across;
                const Number M = size * sum(t.M);
                by_ddq[below] += M;
                by_q[below] += size * sum(t.q);
                by_dq[below] += size * sum(t.dq);
                if (both) {
                    by_ddq[beyond] += M;
                    by_q[beyond] += size * sum(t.Mq);
                    by_dq[beyond] += size * sum(t.Mdq);
                }
            } };
        for (int j = i; j < N; j = tree.body[j].parent)
            pair_with(j, tree.body[j].column, tree.body[i].multiplier * tree.body[j].multiplier, true, i != j);
        for (int j = N; j < all; j++)
            pair_with(j, column(tree, j), multiplier(tree, i), false, i < N);
        if (i < N && (pose || above(tree, i) < N)) {
            const int up = above(tree, i);
            bodies.add_inertia(i, up, K + 1);
            for (int k = 0; k < K; k++) {
                W[up * K + k] += W[i * K + k];
                T[up * K + k] += T[i * K + k];
            }
        }
    }
    for (int j = 0; j < tree.columns; j++)
        by_ddq[j * m + j] += tree.armature[j];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
