// SPDX-License-Identifier: Apache-2.0
// The mass matrix alone, by composite inertias, and its factorisation. A free base's six coordinates, its body-fixed twist, come last.
#pragma once

#include "base.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> HOD_INLINE void components(const Wrench<V> &W, typename V::Number *to)
{
    to[0] = x(W.n), to[1] = y(W.n), to[2] = z(W.n), to[3] = x(W.f), to[4] = y(W.f), to[5] = z(W.f);
}

// M, size x size with size = n, or n + 6 with a free base, and the most that its diagonal could be, were nothing in it to cancel: its rounding
// errors are of this size. In the axes and about the origin of a free base.
template <class V>
HOD_INLINE void mass_matrix(const Tree &tree, const Joints<typename V::Number> &joints, Frame<V> *frame, const SpatialBodies<V> &bodies,
                            typename V::Number *M, typename V::Number *most, int size)
{
    using Number = typename V::Number;
    const int N = tree.bodies, n = tree.columns;
    for (int i = 0; i < size * size; i++)
        M[i] = Number{};
    for (int i = 0; i < size; i++)
        most[i] = Number{};
    frame[N] = frame_at_rest<V>();
    for (int i = 0; i <= N; i++) {
        const Body &body = tree.body[i];
        bodies.m[i] = body.m;
        if (i < N) {
            frame[i] = placed(body, frame[body.parent], joints.q[i], joints.c[i], joints.s[i]);
            bodies[i].S[0] = screw_at(body, frame[i]);
        }
        inertia_at(body, frame[i], bodies[i]);
    }
    for (int j = N - 1; j >= 0; j--) {
        const Body &body = tree.body[j];
        const Spatial<V> b = bodies[j];
        const Wrench<V> P = momentum(b, 0, b.S);
        for (int i = j; i < N; i = tree.body[i].parent) {
            const Number mass = (tree.body[i].multiplier * body.multiplier) * sum(paired(bodies[i].S[0], P));
            M[tree.body[i].column * size + body.column] += mass;
            if (i != j)
                M[body.column * size + tree.body[i].column] += mass;
        }
        if (size > n) {
            Number along[6];
            components(P, along);
            for (int r = 0; r < 6; r++)
                M[(n + r) * size + body.column] += body.multiplier * along[r];
        }
        const Number uu = sum(b.S[0].u * b.S[0].u), hh = sum(b.h[0] * b.h[0]), second = absolute(x(b.P[0])) + absolute(y(b.P[0])) + absolute(z(b.P[0]));
        const Number turning = double(body.turns) * (second + 2.0 * square_root(hh * uu));
        most[body.column] += fabs(body.multiplier) * square_root(turning + fabs(b.m) * uu);
        if (body.parent < N || size > n)
            bodies.add_inertia(j, body.parent, 1);
    }
    for (int j = 0; j < n; j++) {
        most[j] = most[j] * most[j] + tree.armature[j];
        M[j * size + j] += tree.armature[j];
        for (int r = n; r < size; r++)
            M[j * size + r] = M[r * size + j];
    }
    if (size == n)
        return;
    const Number one = Number{} + 1.0, none = Number{};
    const V unit[3] = {V::of(one, none, none), V::of(none, one, none), V::of(none, none, one)};
    const Spatial<V> all = bodies[N];
    for (int r = 0; r < 6; r++) {
        const Screw<V> e = {r < 3 ? unit[r] : V::zero(), r < 3 ? V::zero() : unit[r - 3]};
        Number column[6];
        components(momentum(all, 0, &e), column);
        for (int i = 0; i < 6; i++)
            M[(n + i) * size + n + r] = column[i];
        most[n + r] = r < 3 ? absolute(x(all.P[0])) + absolute(y(all.P[0])) + absolute(z(all.P[0])) : Number{} + fabs(all.m);
    }
}

// M = L L^T in place, lower triangle, with the inverse of L's diagonal; false where M is singular to rounding.
template <class Number> HOD_INLINE bool factorise(Number *M, const Number *most, int size)
{
    for (int j = 0; j < size; j++) {
        Number *row = M + (ptrdiff_t)j * size;
        for (int i = 0; i < j; i++) {
            const Number *above = M + (ptrdiff_t)i * size;
            Number rest = row[i];
            for (int k = 0; k < i; k++)
                rest -= row[k] * above[k];
            row[i] = rest * above[i];
        }
        Number pivot = row[j];
        for (int k = 0; k < j; k++)
            pivot -= row[k] * row[k];
        for (int l = 0; l < (int)(sizeof pivot / sizeof(double)); l++)
            if (!(lane(pivot, l) > 1e-12 * lane(most[j], l)))
                return false;
        row[j] = 1.0 / square_root(pivot);
    }
    return true;
}

template <class Number> HOD_INLINE void solve(const Number *L, Number *x, int size)
{
    for (int i = 0; i < size; i++) {
        Number rest = x[i];
        for (int k = 0; k < i; k++)
            rest -= L[(ptrdiff_t)i * size + k] * x[k];
        x[i] = rest * L[(ptrdiff_t)i * size + i];
    }
    for (int i = size - 1; i >= 0; i--) {
        x[i] *= L[(ptrdiff_t)i * size + i];
        for (int k = 0; k < i; k++)
            x[k] -= L[(ptrdiff_t)i * size + k] * x[i];
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
