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

// The series of all bodies, K as above; m: masses, of subtrees once they are summed.
template <class V> struct SpatialBodies {
    Screw<V> *S, *twist;
    V *h, *P, *off;
    double *m;
    int K;

    HOD_INLINE SpatialBodies(const Tree &tree, Memory &memory, int K)
        : S(memory.take<Screw<V>>((size_t)(tree.bodies + 1) * (K + 2))), twist(memory.take<Screw<V>>((size_t)(tree.bodies + 1) * (K + 1))),
          h(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))), P(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))),
          off(memory.take<V>((size_t)(tree.bodies + 1) * (K + 1))), m(memory.take<double>(tree.bodies + 1)), K(K)
    {
    }
    HOD_INLINE Spatial<V> operator[](int i) const
    {
        const ptrdiff_t at = (ptrdiff_t)i * (K + 1);
        return {S + at + i, twist + at, h + at, P + at, off + at, m[i]};
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

// The axes at rest, at the origin.
template <class V> HOD_INLINE Frame<V> frame_at_rest()
{
    using Number = typename V::Number;
    const Number one = Number{} + 1.0, none = Number{};
    return {V::of(one, none, none), V::of(none, one, none), V::of(none, none, one), V::zero()};
}

// A body's frame from its parent's, at the coordinate theta with its cosine and sine.
template <class V> HOD_INLINE Frame<V> placed(const Body &body, const Frame<V> &up, typename V::Number theta, typename V::Number c, typename V::Number s)
{
    const Constant *R = body.to_own;                            // its columns: the parent's axes in the joint's
    const V x = combined(up, R[0].x, R[1].x, R[2].x), y = combined(up, R[0].y, R[1].y, R[2].y), z = combined(up, R[0].z, R[1].z, R[2].z);
    const V p = body.at_origin ? V::zero() : up.p + combined(up, body.p.xyz) + (body.h * theta) * z;
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

// Coefficient k of the wrench that a body's motion takes less gravity g: (I V)' - I (0, g), 003 (16), (23).
template <class V> HOD_INLINE Wrench<V> wrench_of_motion(const Spatial<V> &b, int k, V g)
{
    const Wrench<V> next = momentum(b, k + 1, b.twist);
    return {double(k + 1) * next.n - cross(b.h[k], g), double(k + 1) * next.f - (k ? V::zero() : b.m * g)};
}

}  // namespace HOD_TARGET
}  // namespace hod
