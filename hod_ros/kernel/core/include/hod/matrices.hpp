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

// What S_j of a subtree gives: P, F and R. rate: S_j'
template <class V> struct Momenta { Wrench<V> P, F, R; };
template <class V> HOD_INLINE Momenta<V> momenta(const Spatial<V> &b, const Coriolis<V> *B, const Screw<V> *rate, int k)
{
    Momenta<V> total = {momentum(b, k, b.S), momentum(b, k, rate), {}};
    struct Both { Wrench<V> F, R; HOD_INLINE Both &operator+=(const Both &o) { F += o.F; R += o.R; return *this; } };
    const Both more = product(k, HOD_OF(i, j) {
        const V s = b.S[j].s, u = b.S[j].u, swept = cross(B[i].mw, u);
        const Matrix<V> &A = B[i].A, &H = B[i].H, At = transposed(A), Ht = transposed(H);
        return Both{{A * s + H * u + cross(B[i].mv, u), swept - H * s}, {At * s - Ht * u, Ht * s - cross(B[i].mv, s) - swept}}; });
    total.F += more.F;
    total.R = more.R;
    return total;
}

// q (K + 1, n) of a robot on a fixed base. Out: M (K, n, n), C (K, n, n), g (K, n).
template <class V, class Order> HOD_INLINE bool matrices(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int N = tree.bodies, n = tree.columns;
    const Joints<Number> joints = take_joints<Number>(tree, memory, K + 1, 1);
    Frame<V> *frame = memory.take<Frame<V>>(N + 1);
    const SpatialBodies<V> bodies(tree, memory, K);
    Screw<V> *rates = memory.take<Screw<V>>((size_t)N * K);
    Coriolis<V> *B = memory.take<Coriolis<V>>((size_t)N * K);
    Momenta<V> *own = memory.take<Momenta<V>>(K);
    if (memory.counts())
        return true;
    if (tree.free_base)
        return false;

    joint_series(tree, given.in[0], joints, K + 1, Fixed<1>{});
    Number *M = given.out[0], *C = given.out[1], *g = given.out[2];
    for (int i = 0; i < K * n * n; i++)
        M[i] = C[i] = Number{};
    for (int i = 0; i < K * n; i++)
        g[i] = Number{};
    frame[N] = frame_at_rest<V>();
    for (int k = 0; k <= K; k++)
        bodies[N].twist[k] = {V::zero(), V::zero()};
    const V gravity = -less_gravity<V>(tree);
    for (int i = 0; i < N; i++) {
        const Body &body = tree.body[i];
        bodies.m[i] = body.m;
        const Spatial<V> b = bodies[i];
        frame[i] = placed(body, frame[body.parent], joints.q[i], joints.c[i], joints.s[i]);
        b.S[0] = screw_at(body, frame[i]);
        inertia_at(body, frame[i], b);
        motion_series(bodies[body.parent].twist, b, joints.q + i, joints.stride, previous(K));
        inertia_series(b, previous(K));
        for (int k = 0; k < K; k++) {
            B[i * K + k] = coriolis(b, k);
            rates[i * K + k] = {double(k + 1) * b.S[k + 1].s, double(k + 1) * b.S[k + 1].u};
        }
    }
    for (int j = N - 1; j >= 0; j--) {
        const Body &body = tree.body[j];
        const Spatial<V> b = bodies[j];
        for (int k = 0; k < K; k++) {
            own[k] = momenta(b, B + j * K, rates + j * K, k);
            const V weight = product(k, HOD_OF(l, r) { return b.S[l].s * cross(b.h[r], gravity); }) + b.S[k].u * (b.m * gravity);
            g[k * n + body.column] += (-body.multiplier * factorial.of[k]) * sum(weight);
        }
        for (int i = j; i < N; i = tree.body[i].parent) {
            const double scale = tree.body[i].multiplier * body.multiplier;
            const int above = tree.body[i].column * n + body.column, below = body.column * n + tree.body[i].column;
            const Screw<V> *S = bodies[i].S, *rate = rates + i * K;
            const Number mass = scale * sum(paired(S[0], own[0].P));
            M[above] += mass;
            if (i != j)
                M[below] += mass;
            for (int k = 0; k < K; k++) {
                const double size = scale * factorial.of[k];
                const Number upper = size * sum(product(k, HOD_OF(l, r) { return paired(S[l], own[r].F); }));
                Number *Ck = C + k * n * n, *next = M + (k + 1) * n * n, both = upper + upper;
                Ck[above] += upper;
                if (i != j) {
                    const Number lower = size * sum(product(k, HOD_OF(l, r) { return paired(rate[l], own[r].P) + paired(S[l], own[r].R); }));
                    Ck[below] += lower;
                    both = upper + lower;
                }
                if (k + 1 < K) {
                    next[above] += both;
                    if (i != j)
                        next[below] += both;
                }
            }
        }
        if (body.parent < N) {
            bodies.add_inertia(j, body.parent, K);
            for (int k = 0; k < K; k++)
                B[body.parent * K + k] += B[j * K + k];
        }
    }
    for (int j = 0; j < n; j++)
        M[j * n + j] += tree.armature[j];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
