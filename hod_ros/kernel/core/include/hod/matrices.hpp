// SPDX-License-Identifier: Apache-2.0
// M, C and g with time derivatives: 001 (6), (25), with the C of (6b), for which M' - 2 C is skew.
//
// In axes at rest, inertias and B = -ad_V^T I of a subtree are sums of its bodies'. With P_j = I S_j, F_j = I S_j' + B S_j and R_j = B^T S_j of
// the subtree from j on, and i from j to the base: M_ij = S_i . P_j, C_ij = S_i . F_j, C_ji = S_i' . P_j + S_i . R_j, and M' = C + C^T.
#pragma once

#include "arguments.hpp"
#include "base.hpp"
#include "matrix.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// B in blocks [[A, H + [mv]], [-H, [mw]]]: A = [w] (tr P - P) - [v] [h], H = [w] [h].
template <class V> struct Coriolis {
    Matrix<V> A, H;
    V mv, mw;
    HOD_INLINE Coriolis &operator+=(const Coriolis &o) { A += o.A; H += o.H; mv += o.mv; mw += o.mw; return *this; }
};

template <class V> HOD_INLINE Coriolis<V> coriolis(const Spatial<V> &b, int k)
{
    struct Blocks { Matrix<V> A, H; HOD_INLINE Blocks &operator+=(const Blocks &o) { A += o.A; H += o.H; return *this; } };
    const Blocks blocks = product(k, HOD_OF(i, j) {
        const V w1 = yzx(b.twist[i].s), w2 = zxy(b.twist[i].s), v1 = yzx(b.twist[i].u), v2 = zxy(b.twist[i].u);
        const V h = b.h[j], h1 = yzx(h), h2 = zxy(h), P = b.P[j], off = b.off[j];
        return Blocks{{w2 * off - w1 * zxy(off) + (h1 * v1 + h2 * v2), -(w1 * yzx(off) + w2 * (P + zxy(P)) + h * v1),
                       w1 * (P + yzx(P)) + w2 * yzx(off) - h * v2},
                      {-(h1 * w1 + h2 * w2), h * w1, h * w2}}; });
    return {blocks.A, blocks.H, b.m * b.twist[k].u, b.m * b.twist[k].s};
}

// B x and B^T x
template <class V> HOD_INLINE Wrench<V> times(const Coriolis<V> &B, const Screw<V> &x)
{
    return {B.A * x.s + B.H * x.u + cross(B.mv, x.u), cross(B.mw, x.u) - B.H * x.s};
}
template <class V> HOD_INLINE Wrench<V> times_transposed(const Coriolis<V> &B, const Screw<V> &x)
{
    const Matrix<V> H = transposed(B.H);
    return {transposed(B.A) * x.s - H * x.u, H * x.s - cross(B.mv, x.s) - cross(B.mw, x.u)};
}

// What S_j of a subtree gives: P, F and R. rate: S_j'
template <class V> struct Momenta { Wrench<V> P, F, R; };
template <class V> HOD_INLINE Momenta<V> momenta(const Spatial<V> &b, const Coriolis<V> *B, const Screw<V> *rate, int k)
{
    Momenta<V> total = {momentum(b, k, b.S), momentum(b, k, rate), {}};
    struct Both { Wrench<V> F, R; HOD_INLINE Both &operator+=(const Both &o) { F += o.F; R += o.R; return *this; } };
    const Both more = product(k, HOD_OF(i, j) { return Both{times(B[i], b.S[j]), times_transposed(B[i], b.S[j])}; });
    total.F += more.F;
    total.R = more.R;
    return total;
}

// q (K + 1, n) and, of a free base, its pose (4, 4) and twists (K, 6). With m = n, or n + 6 for the base's body-fixed twist last:
// M (K, m, m), C (K, m, m), g (K, m).
template <class V, class Order> HOD_INLINE bool matrices(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int N = tree.bodies, m = rates(tree);
    const Moving<V> moving(tree, memory, K + 1, K);
    const SpatialBodies<V> &bodies = moving.bodies;
    Screw<V> *rate = memory.take<Screw<V>>((size_t)screws(tree) * K);
    Coriolis<V> *B = memory.take<Coriolis<V>>((size_t)(N + 1) * K);
    Momenta<V> *own = memory.take<Momenta<V>>(K);
    if (memory.counts())
        return true;
    const Number *pose = given.in[1], *twists = given.in[2];
    if (!fits_base<V>(tree, pose, twists))
        return false;

    Number *M = given.out[0], *C = given.out[1], *g = given.out[2];
    for (int i = 0; i < K * m * m; i++)
        M[i] = C[i] = Number{};
    for (int i = 0; i < K * m; i++)
        g[i] = Number{};
    moving.move(tree, given.in[0], twists, K + 1, previous(K), previous(K));
    const V gravity = gravity_at_rest<V>(tree, pose);
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < N + (tree.free_base ? 1 : 0); i++)
            B[i * K + k] = coriolis(bodies[i], k);
        for (int i = 0; i < screws(tree); i++)
            rate[i * K + k] = {double(k + 1) * bodies[i].S[k + 1].s, double(k + 1) * bodies[i].S[k + 1].u};
    }
    for (int each = 0; each < screws(tree); each++) {
        const int j = inwards(tree, each), body = j < N ? j : N, across = column(tree, j);
        const Spatial<V> b = bodies[j];
        for (int k = 0; k < K; k++) {
            own[k] = momenta(b, B + body * K, rate + j * K, k);
            const V weight = product(k, HOD_OF(l, r) { return b.S[l].s * cross(b.h[r], gravity); }) + b.S[k].u * (b.m * gravity);
            g[k * m + across] += (-multiplier(tree, j) * factorial.of[k]) * sum(weight);
        }
        for (int i = j; i < screws(tree); i = above(tree, i)) {
            const double scale = multiplier(tree, i) * multiplier(tree, j);
            const int upper = column(tree, i) * m + across, lower = across * m + column(tree, i);
            const Screw<V> *S = bodies[i].S, *rate_i = rate + i * K;
            const Number mass = scale * sum(paired(S[0], own[0].P));
            M[upper] += mass;
            if (i != j)
                M[lower] += mass;
            for (int k = 0; k < K; k++) {
                const double size = scale * factorial.of[k];
                const Number over = size * sum(product(k, HOD_OF(l, r) { return paired(S[l], own[r].F); }));
                Number *Ck = C + k * m * m, *next = M + (k + 1) * m * m, both = over + over;
                Ck[upper] += over;
                if (i != j) {
                    const Number under = size * sum(product(k, HOD_OF(l, r) { return paired(rate_i[l], own[r].P) + paired(S[l], own[r].R); }));
                    Ck[lower] += under;
                    both = over + under;
                }
                if (k + 1 < K) {
                    next[upper] += both;
                    if (i != j)
                        next[lower] += both;
                }
            }
        }
        if (j < N && (tree.free_base || above(tree, j) < N)) {
            bodies.add_inertia(j, above(tree, j), K);
            for (int k = 0; k < K; k++)
                B[above(tree, j) * K + k] += B[j * K + k];
        }
    }
    for (int j = 0; j < tree.columns; j++)
        M[j * m + j] += tree.armature[j];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
