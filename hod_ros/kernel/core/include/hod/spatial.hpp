// SPDX-License-Identifier: Apache-2.0
// Spatial representation: screws, twists and inertias of all bodies in axes at rest, about one point at rest (003 II).
//
// There a joint's screw S is the same for every body that it moves, S' = [V, S], and inertias of a subtree simply add. Screws and twists are
// S = (s, u), V = (w, v), angular and linear; wrenches W = (n, f), moment and force. An inertia is its mass m, first moment h and second
// moments P = integral of r r^T dm, of which P holds the diagonal and `off` (xy, yz, zx); h' = w x h + m v, P' = [w] P + v h^T + ( )^T.
#pragma once

#include "joints.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> struct Screw { V s, u; HOD_INLINE Screw &operator+=(Screw o) { s += o.s; u += o.u; return *this; } };
template <class V> struct Wrench { V n, f; HOD_INLINE Wrench &operator+=(Wrench o) { n += o.n; f += o.f; return *this; } };
template <class V> struct Frame { V x, y, z, p; };              // axes and origin

// Series of a body, or of its subtree once that is summed: S up to coefficient K + 1, V and the inertia up to K.
template <class V> struct Spatial { Screw<V> *S, *twist; V *h, *P, *off; double m; };

// Screws of all joints and, of a free base, its own axes after them: screw N + r is the base's screw r. i goes up by one joint to the base.
HOD_INLINE int screws(const Tree &tree) { return tree.bodies + (tree.free_base ? 6 : 0); }
HOD_INLINE int above(const Tree &tree, int i) { return i < tree.bodies ? tree.body[i].parent : i + 1; }
HOD_INLINE int column(const Tree &tree, int i) { return i < tree.bodies ? tree.body[i].column : tree.columns + i - tree.bodies; }
HOD_INLINE double multiplier(const Tree &tree, int i) { return i < tree.bodies ? tree.body[i].multiplier : 1; }
// The i-th from the leaves to the base, which comes after all joints.
HOD_INLINE int inwards(const Tree &tree, int i) { return i < tree.bodies ? tree.bodies - 1 - i : i; }

// The series of all bodies, K as above; m: masses, of subtrees once they are summed. [N + r] is a free base along its screw r.
template <class V> struct SpatialBodies {
    Screw<V> *S, *twist;
    V *h, *P, *off;
    double *m;
    int N, K;

    HOD_INLINE SpatialBodies(const Tree &tree, Memory &memory, int K)
        : S(memory.take<Screw<V>>((size_t)(screws(tree) + 1) * (K + 2))), twist(memory.take<Screw<V>>((size_t)(tree.bodies + 1) * (K + 1))),
          h(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))), P(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))),
          off(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))), m(memory.take<double>(tree.bodies + 1)), N(tree.bodies), K(K)
    {
    }
    HOD_INLINE Spatial<V> operator[](int i) const
    {
        const int body = i < N ? i : N;
        const ptrdiff_t at = (ptrdiff_t)body * (K + 1);
        return {S + (ptrdiff_t)i * (K + 2), twist + at, h + at, P + at, off + at, m[body]};
    }
    // Adds coefficients 0 to `count` - 1 of a body's inertia to its parent's.
    HOD_INLINE void add_inertia(int i, int up, int count) const
    {
        const Spatial<V> from = (*this)[i], to = (*this)[up];
        for (int k = 0; k < count; k++) {
            to.h[k] += from.h[k];
            to.P[k] += from.P[k];
            to.off[k] += from.off[k];
        }
        m[up] += m[i];
    }
};

template <class V> HOD_INLINE V combined(const Frame<V> &at, double x, double y, double z) { return x * at.x + y * at.y + z * at.z; }
template <class V> HOD_INLINE V combined(const Frame<V> &at, const Constant &v) { return combined(at, v.x, v.y, v.z); }

// Of the frame of a base with this pose (4, 4), in the world's.
template <class V> HOD_INLINE V in_world(const typename V::Number *pose, V a)
{
    return x(a) * V::of(pose[0], pose[4], pose[8]) + y(a) * V::of(pose[1], pose[5], pose[9]) + z(a) * V::of(pose[2], pose[6], pose[10]);
}
template <class V> HOD_INLINE Frame<V> in_world(const typename V::Number *pose, const Frame<V> &at)
{
    return {in_world(pose, at.x), in_world(pose, at.y), in_world(pose, at.z), in_world(pose, at.p) + V::of(pose[3], pose[7], pose[11])};
}

// The axes at rest, at the origin.
template <class V> HOD_INLINE Frame<V> frame_at_rest()
{
    using Number = typename V::Number;
    const Number one = Number{} + 1.0, none = Number{};
    return {V::of(one, none, none), V::of(none, one, none), V::of(none, none, one), V::zero()};
}

// A body's origin from its parent's.
template <class V> HOD_INLINE V step_of(const Body &body, const Frame<V> &up, typename V::Number theta)
{
    return combined(up, body.p.xyz) + (body.h * theta) * combined(up, body.to_parent[2]);
}

// A body's frame from its parent's, at the coordinate theta with its cosine and sine.
template <class V> HOD_INLINE Frame<V> placed(const Body &body, const Frame<V> &up, typename V::Number theta, typename V::Number c, typename V::Number s)
{
    const Constant *R = body.to_own;                            // its columns: the parent's axes in the joint's
    const V x = combined(up, R[0].x, R[1].x, R[2].x), y = combined(up, R[0].y, R[1].y, R[2].y), z = combined(up, R[0].z, R[1].z, R[2].z);
    const V p = body.at_origin ? V::zero() : up.p + (combined(up, body.p.xyz) + (body.h * theta) * z);
    return body.turns ? Frame<V>{c * x + s * y, c * y - s * x, z, p} : Frame<V>{x, y, z, p};
}

template <class V> HOD_INLINE Screw<V> screw_at(const Body &body, const Frame<V> &at)
{
    return {double(body.turns) * at.z, double(body.turns) * cross(at.p, at.z) + body.h * at.z};
}

// Coefficient 0 of a body's inertia.
template <class V> HOD_INLINE void inertia_at(const Body &body, const Frame<V> &at, const Spatial<V> &b)
{
    const Constant *S = body.S;
    const double xx = S[2].y, yy = S[2].z, zz = S[2].x, xy = S[0].z, yz = S[0].x, zx = S[0].y;
    const V first = combined(at, body.c.xyz), X = combined(at, xx, xy, zx), Y = combined(at, xy, yy, yz), Z = combined(at, zx, yz, zz);
    b.h[0] = first + body.m * at.p;
    b.P[0] = X * at.x + Y * at.y + Z * at.z + first * at.p + at.p * b.h[0];
    b.off[0] = X * yzx(at.x) + Y * yzx(at.y) + Z * yzx(at.z) + first * yzx(at.p) + at.p * yzx(b.h[0]);
}

// A twist or screw on a wrench, before its components are summed.
template <class V> HOD_INLINE V paired(const Screw<V> &S, const Wrench<V> &W) { return S.s * W.n + S.u * W.f; }

// Adds the six numbers of a wrench or screw, `stride` apart.
template <class V> HOD_INLINE void add_components(double scale, const Wrench<V> &W, typename V::Number *to, int stride)
{
    to[0] += scale * x(W.n), to[stride] += scale * y(W.n), to[2 * stride] += scale * z(W.n);
    to[3 * stride] += scale * x(W.f), to[4 * stride] += scale * y(W.f), to[5 * stride] += scale * z(W.f);
}

// [V, S]
template <class V> HOD_INLINE Screw<V> bracket(const Screw<V> &a, const Screw<V> &b)
{
    return {cross(a.s, b.s), cross(a.s, b.u) + cross(a.u, b.s)};
}

// I x of coefficient i of an inertia, without the mass's part m u.
template <class V> HOD_INLINE Wrench<V> times(const Spatial<V> &b, int i, const Screw<V> &x)
{
    const V P = b.P[i], off = b.off[i];
    return {(yzx(P) + zxy(P)) * x.s - (off * yzx(x.s) + zxy(off) * zxy(x.s)) + cross(b.h[i], x.u), cross(x.s, b.h[i])};
}

// Coefficient k of I x, of a series of screws.
template <class V> HOD_INLINE Wrench<V> momentum(const Spatial<V> &b, int k, const Screw<V> *x)
{
    Wrench<V> total = product(k, HOD_OF(i, j) { return times(b, i, x[j]); });
    total.f += b.m * x[k].u;
    return total;
}

// The series of S up to coefficient `last` + 1 and of V up to `last`, from coefficient 0 of S and the parent's V, 003 (6), (9).
template <class V, class Last>
HOD_INLINE void motion_series(const Screw<V> *up, const Spatial<V> &b, const typename V::Number *q, int stride, Last last)
{
    for (int k = 0; k <= last; k++) {
        const auto rate = product(k, HOD_OF(i, j) { return bracket(up[i], b.S[j]); });          // [V, S]: S itself adds nothing to V
        b.S[k + 1] = {(1.0 / (k + 1)) * rate.s, (1.0 / (k + 1)) * rate.u};
        b.twist[k] = product(k, HOD_OF(i, j) {
            const auto speed = double(j + 1) * q[(j + 1) * stride];
            return Screw<V>{speed * b.S[i].s, speed * b.S[i].u}; });
        b.twist[k] += up[k];
    }
}

// The same of a base at rest, or of a free one in its own axes, of its body-fixed twists V = sum of x_r S_r; x (last + 1, 6): raw derivatives.
template <class V> void base_series(const Tree &tree, const SpatialBodies<V> &bodies, const typename V::Number *x, int last)
{
    Screw<V> *twist = bodies[tree.bodies].twist;
    const Frame<V> at = frame_at_rest<V>();
    const V unit[6] = {at.x, at.y, at.z, V::zero(), V::zero(), V::zero()};
    for (int i = tree.bodies, r = 0; i < screws(tree); i++, r++)
        bodies[i].S[0] = {unit[r], unit[(r + 3) % 6]};
    for (int k = 0; k <= last; k++) {
        twist[k] = {V::zero(), V::zero()};
        for (int i = tree.bodies, r = 0; i < screws(tree); i++, r++)
            twist[k] += product(k, HOD_OF(l, j) {
                const auto speed = factorial.inverse[j] * x[6 * j + r];
                return Screw<V>{speed * bodies[i].S[l].s, speed * bodies[i].S[l].u}; });
        for (int i = tree.bodies; i < screws(tree); i++) {
            Screw<V> *S = bodies[i].S;
            const auto rate = product(k, HOD_OF(l, j) { return bracket(twist[l], S[j]); });
            S[k + 1] = {(1.0 / (k + 1)) * rate.s, (1.0 / (k + 1)) * rate.u};
        }
    }
}

// The series of the inertia up to coefficient `last`, 003 (14).
template <class V, class Last> HOD_INLINE void inertia_series(const Spatial<V> &b, Last last)
{
    for (int k = 0; k < last; k++) {
        struct Rates { V h, P, off; HOD_INLINE Rates &operator+=(Rates o) { h += o.h; P += o.P; off += o.off; return *this; } };
        const Rates rate = product(k, HOD_OF(i, j) {
            const V w = b.twist[i].s, v = b.twist[i].u, h = b.h[j], P = b.P[j], off = b.off[j];
            return Rates{cross(w, h), yzx(w) * zxy(off) - zxy(w) * off + v * h,
                         yzx(w) * yzx(off) - w * zxy(off) + zxy(w) * (P - yzx(P)) + (v * yzx(h) + yzx(v) * h)}; });
        b.h[k + 1] = (1.0 / (k + 1)) * (rate.h + b.m * b.twist[k].u);
        b.P[k + 1] = (2.0 / (k + 1)) * rate.P;
        b.off[k + 1] = (1.0 / (k + 1)) * rate.off;
    }
}

// All bodies of a robot that moves: frames and series. The axes at rest are the world's, or those of a free base, whose origin is then the point.
template <class V> struct Moving {
    using Number = typename V::Number;
    Joints<Number> joints;
    Frame<V> *frame;
    SpatialBodies<V> bodies;

    // For `rows` rows of q and series as SpatialBodies says.
    HOD_INLINE Moving(const Tree &tree, Memory &memory, int rows, int K)
        : joints(take_joints<Number>(tree, memory, rows, 1)), frame(memory.take<Frame<V>>(tree.bodies + 1)), bodies(tree, memory, K)
    {
    }
    // S up to coefficient `last` + 1, V up to `last`, inertias up to `inertias`, of q (rows, n) and a free base's body-fixed twists (last + 1, 6).
    template <class Rows, class Last, class Inertias>
    HOD_INLINE void move(const Tree &tree, const Number *q, const Number *twists, Rows rows, Last last, Inertias inertias) const
    {
        const int N = tree.bodies;
        joint_series(tree, q, joints, rows, Fixed<1>{});
        frame[N] = frame_at_rest<V>();
        base_series(tree, bodies, twists, last);
        if (tree.free_base) {
            bodies.m[N] = tree.body[N].m;
            inertia_at(tree.body[N], frame[N], bodies[N]);
            inertia_series(bodies[N], inertias);
        }
        for (int i = 0; i < N; i++) {
            const Body &body = tree.body[i];
            bodies.m[i] = body.m;
            const Spatial<V> own = bodies[i];
            frame[i] = placed(body, frame[body.parent], joints.q[i], joints.c[i], joints.s[i]);
            own.S[0] = screw_at(body, frame[i]);
            motion_series(bodies[body.parent].twist, own, joints.q + i, joints.stride, last);
            inertia_at(body, frame[i], own);
            inertia_series(own, inertias);
        }
    }
    // What the positions of bodies are counted from, from the world's origin or from a free base's; N + 1 of them and, of a free base, its screws'.
    HOD_INLINE void find_origins(const Tree &tree, V *origin) const
    {
        for (int i = tree.bodies; i <= screws(tree); i++)
            origin[i] = V::zero();
        for (int i = 0; i < tree.bodies; i++) {
            const Body &body = tree.body[i];
            origin[i] = origin[body.parent];
            if (body.at_origin)
                origin[i] += step_of(body, frame[body.parent], joints.q[i]);
        }
    }
};

// Coefficient k of the wrench that a body's motion takes less gravity g: (I V)' - I (0, g), 003 (16), (23).
template <class V> HOD_INLINE Wrench<V> wrench_of_motion(const Spatial<V> &b, int k, V g)
{
    const Wrench<V> next = momentum(b, k + 1, b.twist);
    return {double(k + 1) * next.n - cross(b.h[k], g), double(k + 1) * next.f - (k ? V::zero() : b.m * g)};
}

}  // namespace HOD_TARGET
}  // namespace hod
