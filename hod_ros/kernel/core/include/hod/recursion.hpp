// SPDX-License-Identifier: Apache-2.0
// n-th order recursive Newton-Euler on Taylor series: 000 II with classical accelerations.
//
// w: angular velocity; a: acceleration of the body's origin less gravity; O = [w']x + [w]x [w]x, all in the body's frame. Force m a + O c,
// moment c x a + the axial part of O S. O is kept as three vectors, O v = D v + E yzx(v) + G zxy(v).
// K is the number of coefficients of forces; q has K + 2, w has K + 1, everything else K.
#pragma once

#include "joints.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> struct Motion { V *w, *a, *D, *E, *G; };
template <class V> struct Force { V *f, *n; };

template <class V> struct Recursion {
    using Number = typename V::Number;
    V *motions, *forces, *scratch;
    Number *tau;                    // coefficient k of joint i at [k * stride + i]
    int row;

    HOD_INLINE Recursion(const Tree &tree, Memory &memory, int K)
        : motions(memory.take<V>((size_t)tree.places * 5 * (K + 1))), forces(memory.take<V>((size_t)(tree.bodies + 1) * 2 * K)),
          scratch(memory.take<V>(5 * (K + 1))), tau(memory.take<Number>((size_t)K * stride_of<Number>(tree))), row(K + 1)
    {
    }
    HOD_INLINE Motion<V> motion(const Body &body) const
    {
        V *at = motions + (ptrdiff_t)body.place * 5 * row;
        return {at, at + row, at + 2 * row, at + 3 * row, at + 4 * row};
    }
    HOD_INLINE Force<V> force(int i) const
    {
        V *at = forces + (ptrdiff_t)i * 2 * (row - 1);
        return {at, at + row - 1};
    }
};

template <class V> HOD_INLINE V moved(const Motion<V> &b, int k, const Vector &v)       // O v
{
    return v.xyz * b.D[k] + (v.yzx * b.E[k] + v.zxy * b.G[k]);
}

template <class V> HOD_INLINE V crossed(const Vector &v, V a)                           // v x a
{
    return v.yzx * zxy(a) - v.zxy * yzx(a);
}

template <class V, class Order> HOD_INLINE void rotation_rates(Motion<V> b, Order K)
{
    for (int k = 0; k < K; k++) {
        const auto ww = product(k, HOD_OF(i, j) { return Pair<V>{b.w[i] * b.w[j], b.w[i] * yzx(b.w[j])}; });
        const V rate = double(k + 1) * b.w[k + 1];
        b.D[k] = -(yzx(ww.a) + zxy(ww.a));
        b.E[k] = ww.b - zxy(rate);
        b.G[k] = zxy(ww.b) + yzx(rate);
    }
}

template <class V, class Order> HOD_INLINE void newton_euler(const Body &body, Motion<V> b, Force<V> to, Order K)
{
    for (int k = 0; k < K; k++) {
        const V D = b.D[k], E = b.E[k], G = b.G[k];
        to.f[k] = body.m * b.a[k] + moved(b, k, body.c);
        to.n[k] = crossed(body.c, b.a[k]) + body.S[0] * (zxy(D) - yzx(D)) + (body.S[1] * zxy(E) - body.S[2] * yzx(E))
            + (body.S[3] * zxy(G) - body.S[4] * yzx(G));
    }
}

// w and a of a body from its parent's motion.
template <class V, class Order>
HOD_INLINE void move(const Body &body, Motion<V> up, Motion<V> own, V *scratch, const typename V::Number *q, const typename V::Number *c,
                     const typename V::Number *s, int stride, Order K)
{
    Passing<V, decltype(next(K))> rate(scratch, next(K));
    Passing<V, Order> acceleration(scratch + K + 1, K);
    for (int k = 0; k <= K; k++)
        rate[k] = combined(body.to_own, up.w[k]);
    for (int k = 0; k < K; k++)
        acceleration[k] = combined(body.to_own, up.a[k] + moved(up, k, body.p));
    if (body.h != 0)            // slides by d = h q: O z d + 2 w x z d' + z d''
        for (int k = 0; k < K; k++) {
            acceleration[k] += product(k, HOD_OF(i, j) {
                const V along = combined(body.to_own, moved(up, i, body.axis));
                return (body.h * q[j * stride]) * along + (2 * body.h * (j + 1) * q[(j + 1) * stride]) * quarter_turn(rate[i]); });
            acceleration[k] = plus_z(acceleration[k], (body.h * ((k + 1) * (k + 2))) * q[(k + 2) * stride]);
        }
    if (body.turns) {
        turn_both(rate.at, acceleration.at, c, s, stride, -1, own.w, own.a, scratch + 2 * (K + 1), next(K), 1);
        for (int k = 0; k <= K; k++)
            own.w[k] = plus_z(own.w[k], double(k + 1) * q[(k + 1) * stride]);
    } else {
        for (int k = 0; k <= K; k++)
            own.w[k] = rate[k];
        for (int k = 0; k < K; k++)
            own.a[k] = acceleration[k];
    }
}

// The same on a base at rest, whose a is constant.
template <class V, class Order>
HOD_INLINE void move_from_rest(const Body &body, V a, Motion<V> own, const typename V::Number *q, const typename V::Number *c,
                               const typename V::Number *s, int stride, Order K)
{
    const V along = combined(body.to_own, a), across = quarter_turn(along);
    for (int k = 0; k <= K; k++)
        own.w[k] = body.turns ? plus_z(V::zero(), double(k + 1) * q[(k + 1) * stride]) : V::zero();
    for (int k = 0; k < K; k++) {
        own.a[k] = body.turns ? c[k * stride] * along + s[k * stride] * across : k ? V::zero() : along;
        if (body.turns)
            copy_z(k ? V::zero() : along, own.a[k]);
        if (body.h != 0)
            own.a[k] = plus_z(own.a[k], (body.h * ((k + 1) * (k + 2))) * q[(k + 2) * stride]);
    }
}

// The wrench of a body, added to its parent's.
template <class V, class Order>
HOD_INLINE void pass_on(const Body &body, Force<V> own, Force<V> up, V *scratch, const typename V::Number *q, const typename V::Number *c,
                        const typename V::Number *s, int stride, Order K)
{
    Passing<V, Order> f(scratch, K), n(scratch + K, K);
    if (body.turns) {
        turn_both(own.f, own.n, c, s, stride, 1, f.at, n.at, scratch + 2 * K, K, 0);
    } else {
        for (int k = 0; k < K; k++) {
            f[k] = own.f[k];
            n[k] = own.n[k];
        }
    }
    if (body.h != 0)
        for (int k = 0; k < K; k++)
            n[k] -= product(k, HOD_OF(i, j) { return (body.h * q[j * stride]) * quarter_turn(f[i]); });
    for (int k = 0; k < K; k++) {
        const V force = combined(body.to_parent, f[k]);
        up.f[k] += force;
        up.n[k] += combined(body.to_parent, n[k]) + crossed(body.p, force);
    }
}

// Forward: the wrench that every body's own motion takes. The base's w and a are there; at rest, a is constant and nothing is asked of it.
template <class V, class Order>
HOD_INLINE void wrenches_of_motion(const Tree &tree, const Joints<typename V::Number> &joints, const Recursion<V> &run, bool at_rest, Order K)
{
    const int N = tree.bodies;
    const Motion<V> base = run.motion(tree.body[N]);
    if (!at_rest) {
        rotation_rates(base, K);
        newton_euler(tree.body[N], base, run.force(N), K);
    }
    for (int i = 0; i < N; i++) {
        const Body &body = tree.body[i];
        const Motion<V> own = run.motion(body);
        const auto *q = joints.q + i, *c = joints.c + i, *s = joints.s + i;
        if (at_rest && body.parent == N)
            move_from_rest(body, base.a[0], own, q, c, s, joints.stride, K);
        else
            move(body, run.motion(tree.body[body.parent]), own, run.scratch, q, c, s, joints.stride, K);
        rotation_rates(own, K);
        newton_euler(body, own, run.force(i), K);
    }
}

// Backward: the joints' forces; the wrench on a base that is not at rest is left in its force.
template <class V, class Order>
HOD_INLINE void forces_of_wrenches(const Tree &tree, const Joints<typename V::Number> &joints, const Recursion<V> &run, bool at_rest, Order K)
{
    for (int i = tree.bodies - 1; i >= 0; i--) {
        const Body &body = tree.body[i];
        const Force<V> own = run.force(i);
        for (int k = 0; k < K; k++)
            run.tau[k * joints.stride + i] = double(body.turns) * z(own.n[k]) + body.h * z(own.f[k]);
        if (!at_rest || body.parent != tree.bodies)
            pass_on(body, own, run.force(body.parent), run.scratch, joints.q + i, joints.c + i, joints.s + i, joints.stride, K);
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
