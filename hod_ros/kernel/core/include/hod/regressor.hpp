// SPDX-License-Identifier: Apache-2.0
// The regressor: Q is linear in the inertial parameters, 001 (15).
//
// A body's force and moment are m a + O c and c x a + I w' + w x I w; along a screw (s, u) the mass gives u . a, the first moment O^T u + a x s,
// and the tensor about the origin what follows of s . (I w' + w x I w): in its own terms, so that a column that is small beside others of its
// body has rounding errors as small.
#pragma once

#include "inverse_dynamics.hpp"
#include "matrix.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// A screw of the parent's frame in the body's, as its motion in `move`. from, to: K coefficients; scratch: 4 K
template <class V, class Order>
HOD_INLINE void carry_screw(const Body &body, const Screw<V> *from, Screw<V> *to, V *scratch, const typename V::Number *q,
                            const typename V::Number *c, const typename V::Number *s, int stride, Order K)
{
    V *turning = scratch, *sliding = turning + K, *a = sliding + K, *b = a + K;
    for (int k = 0; k < K; k++) {
        turning[k] = combined(body.to_own, from[k].s);
        sliding[k] = combined(body.to_own, from[k].u - crossed(body.p, from[k].s));
    }
    if (body.h != 0)
        for (int k = 0; k < K; k++)
            sliding[k] += product(k, HOD_OF(i, j) { return (body.h * q[j * stride]) * quarter_turn(turning[i]); });
    if (body.turns)
        turn_both(turning, sliding, c, s, stride, -1, a, b, b + K, K, 0);
    for (int k = 0; k < K; k++)
        to[k] = {body.turns ? a[k] : turning[k], body.turns ? b[k] : sliding[k]};
}

template <class V> struct Sums {
    V mass, moment, diagonal, beside;
    HOD_INLINE Sums &operator+=(const Sums &o) { mass += o.mass; moment += o.moment; diagonal += o.diagonal; beside += o.beside; return *this; }
};

// q (K + 2, n), slots (N + 1): where each body's ten parameters stand, and the motion of a free base. Out: Y (K, m, p).
template <class V, class Order> HOD_INLINE bool regressor(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int N = tree.bodies, n = tree.columns, m = rates(tree), p = parameters(tree), six = m - n;
    const Joints<Number> joints = take_joints<Number>(tree, memory, K + 2, K + 1);
    const Recursion<V> run(tree, memory, K);
    Screw<V> *table = memory.take<Screw<V>>((size_t)tree.places * (screws(tree) + 1) * K), *along = memory.take<Screw<V>>(K);
    V *scratch = memory.take<V>(8 * K), *rate = memory.take<V>(K), *both = memory.take<V>(K);
    const Motion<V> seen = {memory.take<V>(K + 1), memory.take<V>(K), memory.take<V>(K), memory.take<V>(K), memory.take<V>(K)};
    int *depth = memory.take<int>(N + 1);
    if (memory.counts())
        return true;
    const Number *q = given.in[0], *pose = given.in[2], *twists = given.in[3];
    const double *slots = given.shared[1];
    if (!fits_base<V>(tree, pose, twists))
        return false;
    for (int i = 0; i <= N; i++)
        if (!(slots[i] >= 0 && slots[i] <= N - (i < N)))
            return false;

    joint_series(tree, q, joints, K + 2, K + 1);
    Number *Y = given.out[0];
    for (ptrdiff_t i = 0; i < (ptrdiff_t)K * m * p; i++)
        Y[i] = Number{};
    for (int k = 0; k < K; k++)
        for (int j = 0, rotor = 10 * (N + (six != 0)); j < n; j++)
            if (tree.armature[j] != 0)
                Y[((ptrdiff_t)k * m + j) * p + rotor++] = q[(k + 2) * n + j];
    const Motion<V> base = run.motion(tree.body[N]);
    if (pose) {
        base_in_motion(tree, pose, twists, base, run.scratch, K);
        rotation_rates(base, K);
    } else {
        base.a[0] = less_gravity<V>(tree);
    }
    depth[N] = six;
    const auto screw = [&](int i, int d) { return table + ((ptrdiff_t)tree.body[i].place * (screws(tree) + 1) + d) * K; };
    const Frame<V> rest = frame_at_rest<V>();
    const V unit[6] = {rest.x, rest.y, rest.z, V::zero(), V::zero(), V::zero()};
    for (int each = six ? -1 : 0; each < N; each++) {
        const int i = each < 0 ? N : each;
        const Body &body = tree.body[i];
        const Motion<V> own = run.motion(body);
        const Number *qi = joints.q + i, *c = joints.c + i, *s = joints.s + i;
        if (i < N) {
            if (body.parent == N && !pose)
                move_from_rest(body, base.a[0], own, qi, c, s, joints.stride, K);
            else
                move(body, run.motion(tree.body[body.parent]), own, run.scratch, qi, c, s, joints.stride, K);
            rotation_rates(own, K);
            depth[i] = depth[body.parent] + 1;
            for (int d = 0; d < depth[body.parent]; d++)
                carry_screw(body, screw(body.parent, d), screw(i, d), scratch, qi, c, s, joints.stride, K);
        }
        for (int k = 0; k < K; k++) {
            for (int d = 0; i == N && d < 6; d++)
                screw(i, d)[k] = {k ? V::zero() : unit[d], k ? V::zero() : unit[(d + 3) % 6]};
            if (i < N)
                screw(i, depth[i] - 1)[k] = {(k || !body.turns) ? V::zero() : rest.z, k ? V::zero() : body.h * rest.z};
        }
        // in the frame that the model gives to the body
        const double *R = body.frame;
        const Constant columns[3] = {{R[0], R[3], R[6], 0}, {R[1], R[4], R[7], 0}, {R[2], R[5], R[8], 0}};
        const Vector arm = spread(R + 9);
        for (int k = 0; k <= K; k++)
            seen.w[k] = combined(columns, own.w[k]);
        rotation_rates(seen, K);
        for (int k = 0; k < K; k++) {
            seen.a[k] = combined(columns, own.a[k]) - moved(seen, k, arm);
            rate[k] = double(k + 1) * seen.w[k + 1];
            both[k] = product(k, HOD_OF(i, j) { return seen.w[i] * yzx(seen.w[j]); });
        }
        Number *const block = Y + 10 * (ptrdiff_t)slots[i];
        for (int j = i, d = depth[i] - 1; d >= 0; d--, j = j < N ? above(tree, j) : j) {
            const int row = d < six ? n + d : tree.body[j].column;
            const double scale = d < six ? 1 : tree.body[j].multiplier;
            const Screw<V> *from = screw(i, d);
            for (int k = 0; k < K; k++) {
                const V turning = combined(columns, from[k].s);
                along[k] = {turning, combined(columns, from[k].u) + crossed(arm, turning)};
            }
            for (int k = 0; k < K; k++) {
                const Sums<V> t = product(k, HOD_OF(l, r) {
                    const V s = along[l].s, s1 = yzx(s), s2 = zxy(s), u = along[l].u, D = seen.D[r], E = seen.E[r], G = seen.G[r];
                    return Sums<V>{u * seen.a[r], transposed(Matrix<V>{D, E, G}) * u + cross(seen.a[r], s),
                                   s * rate[r] + (s1 * zxy(both[r]) - s2 * both[r]), s2 * (yzx(D) - D) - s1 * zxy(G) + s * zxy(E)}; });
                const double size = scale * factorial.of[k];
                Number *to = block + ((ptrdiff_t)k * m + row) * p;
                to[0] += size * sum(t.mass);
                to[1] += size * x(t.moment), to[2] += size * y(t.moment), to[3] += size * z(t.moment);
                to[4] += size * x(t.diagonal), to[5] += size * y(t.diagonal), to[6] += size * z(t.diagonal);
                to[7] -= size * x(t.beside), to[8] -= size * z(t.beside), to[9] -= size * y(t.beside);
            }
        }
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
