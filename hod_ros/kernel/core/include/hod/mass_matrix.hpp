// SPDX-License-Identifier: Apache-2.0
// The mass matrix alone, by composite inertias, and its factorisation. A free base's six coordinates, its body-fixed twist, come last.
#pragma once

#include "base.hpp"
#include "lanes.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

// M, size x size with size = n, or n + 6 with a free base, and the most that its diagonal could be, were nothing in it to cancel: its rounding
// errors are of this size. In the axes and about the origin of a free base.
template <class V>
HOD_INLINE void mass_matrix(const Tree &tree, const Moving<V> &moving, const typename V::Number *q, typename V::Number *M,
                            typename V::Number *most, int size)
{
    using Number = typename V::Number;
    const int N = tree.bodies;
    const SpatialBodies<V> &bodies = moving.bodies;
    for (int i = 0; i < size * size; i++)
        M[i] = Number{};
    for (int i = 0; i < size; i++)
        most[i] = Number{};
    moving.move(tree, q, nullptr, Fixed<1>{}, Fixed<-1>{}, Fixed<0>{});
    for (int each = 0; each < screws(tree); each++) {
        const int j = inwards(tree, each), across = column(tree, j);
        const Spatial<V> b = bodies[j];
        const Wrench<V> P = momentum(b, 0, b.S);
        for (int i = j; i < screws(tree); i = above(tree, i)) {
            const Number mass = (multiplier(tree, i) * multiplier(tree, j)) * sum(paired(bodies[i].S[0], P));
            M[column(tree, i) * size + across] += mass;
            if (i != j)
                M[across * size + column(tree, i)] += mass;
        }
        const Number ss = sum(b.S[0].s * b.S[0].s), uu = sum(b.S[0].u * b.S[0].u), hh = sum(b.h[0] * b.h[0]);
        const Number turning = ss * (absolute(x(b.P[0])) + absolute(y(b.P[0])) + absolute(z(b.P[0])) + 2.0 * square_root(hh * uu));
        most[across] += fabs(multiplier(tree, j)) * square_root(turning + fabs(b.m) * uu);
        if (j < N && (tree.free_base || above(tree, j) < N))
            bodies.add_inertia(j, above(tree, j), 1);
    }
    for (int j = 0; j < size; j++)
        most[j] = most[j] * most[j];
    for (int j = 0; j < tree.columns; j++) {
        most[j] += tree.armature[j];
        M[j * size + j] += tree.armature[j];
    }
}

// M = U^T U in place, upper triangle, with the inverse of U's diagonal; false where M is singular to rounding.
template <class Number> HOD_INLINE bool factorise(Number *M, const Number *most, int size)
{
    for (int i = 0; i < size; i++) {
        Number *row = M + (ptrdiff_t)i * size;
        for (int k = 0; k < i; k++) {
            const Number *above = M + (ptrdiff_t)k * size, factor = above[i];
            for (int j = i; j < size; j++)
                row[j] -= factor * above[j];
        }
        for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++)
            if (!(lane(row[i], l) > 1e-12 * lane(most[i], l)))
                return false;
        row[i] = 1.0 / square_root(row[i]);
        for (int j = i + 1; j < size; j++)
            row[j] *= row[i];
    }
    return true;
}

// x becomes M^-1 x: rows `stride` apart, whose COUNT numbers stay in registers meanwhile. Rows before `first` are zero, and are left out.
template <int COUNT, class Number, class Wide> HOD_INLINE void solve(const Number *U, Wide *x, int stride, int first, int size)
{
    const auto row = [&](int i, int from, int to, const Number *factor, int step) __attribute__((always_inline)) {
        Wide left[COUNT];
        for (int c = 0; c < COUNT; c++)
            left[c] = x[(ptrdiff_t)i * stride + c];
        for (int k = from; k < to; k++)
            for (int c = 0; c < COUNT; c++)
                left[c] -= factor[(ptrdiff_t)k * step] * x[(ptrdiff_t)k * stride + c];
        for (int c = 0; c < COUNT; c++)
            x[(ptrdiff_t)i * stride + c] = U[(ptrdiff_t)i * size + i] * left[c]; };
    for (int i = first; i < size; i++)
        row(i, first, i, U + i, size);
    for (int i = size - 1; i >= first; i--)
        row(i, i + 1, size, U + (ptrdiff_t)i * size, 1);
}

}  // namespace HOD_TARGET
}  // namespace hod
