// SPDX-License-Identifier: Apache-2.0
// Masses and momenta of the whole robot about the world's origin, in the world's axes. All that moves counts: a free base does, a fixed one doesn't.
#pragma once

#include "arguments.hpp"
#include "base.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> struct Whole : Moving<V> {
    using Number = typename V::Number;
    using Moving<V>::bodies;
    V *origin;                  // see find_origins
    const Number *pose;         // of a free base, else nullptr
    int moving;                 // bodies

    // Workspace for series of K coefficients.
    HOD_INLINE Whole(const Tree &tree, Memory &memory, int K)
        : Moving<V>(tree, memory, K + 1, K - 1), origin(memory.take<V>(screws(tree) + 1)), pose(nullptr), moving(tree.bodies + (tree.free_base ? 1 : 0))
    {
    }
    // As Moving; false where the base's motion is missing or too much.
    template <class Rows, class Last, class Inertias>
    HOD_INLINE bool move(const Tree &tree, const Number *q, const Number *pose_given, const Number *twists, Rows rows, Last last, Inertias inertias)
    {
        if (!fits_base<V>(tree, pose_given, twists))
            return false;
        pose = pose_given;
        Moving<V>::move(tree, q, twists, rows, last, inertias);
        this->find_origins(tree, origin);
        return true;
    }
    // A wrench or momentum about the origin of body i, in the axes at rest, about the world's in the world's.
    HOD_INLINE Wrench<V> about_world(int i, Wrench<V> a) const
    {
        a.n += cross(origin[i], a.f);
        if (!pose)
            return a;
        const V n = in_world(pose, a.n), f = in_world(pose, a.f);
        return {n + cross(V::of(pose[3], pose[7], pose[11]), f), f};
    }
    // The position of the centre of mass times the mass, coefficient k.
    HOD_INLINE V first_moment(int k) const
    {
        V total = V::zero();
        for (int i = 0; i < moving; i++)
            total += k ? bodies[i].h[k] : bodies[i].h[0] + bodies.m[i] * origin[i];
        if (pose)
            total = in_world(pose, total);
        return pose && k == 0 ? total + mass() * V::of(pose[3], pose[7], pose[11]) : total;
    }
    // The momentum about the world's origin, coefficient k.
    HOD_INLINE Wrench<V> momentum_of_all(int k) const
    {
        Wrench<V> total = {V::zero(), V::zero()};
        for (int i = 0; i < moving; i++)
            total += about_world(i, momentum(bodies[i], k, bodies[i].twist));
        return total;
    }
    HOD_INLINE double mass() const
    {
        double total = 0;
        for (int i = 0; i < moving; i++)
            total += bodies.m[i];
        return total;
    }
};

// Momenta along all columns, A (K, 6, m), of q (K, n) and a free base's motion; sums the inertias of subtrees. Its rows from `first` on, scaled.
template <class V, class Order>
HOD_INLINE void momentum_columns(const Tree &tree, const Whole<V> &whole, typename V::Number *A, int first, double scale, Order K)
{
    using Number = typename V::Number;
    const int m = rates(tree), rows = 6 - first;
    for (int i = 0; i < K * rows * m; i++)
        A[i] = Number{};
    for (int each = 0; each < screws(tree); each++) {
        const int j = inwards(tree, each);
        const Spatial<V> b = whole.bodies[j];
        for (int k = 0; k < K; k++) {
            Number column_of[6] = {};
            add_components(scale * multiplier(tree, j) * factorial.of[k], whole.about_world(j, momentum(b, k, b.S)), column_of, 1);
            for (int r = first; r < 6; r++)
                A[(k * rows + r - first) * m + column(tree, j)] += column_of[r];
        }
        if (j < tree.bodies && (tree.free_base || above(tree, j) < tree.bodies)) {
            b.h[0] += b.m * (whole.origin[j] - whole.origin[above(tree, j)]);       // of one that slides: its sums are about its own origin
            whole.bodies.add_inertia(j, above(tree, j), K);
        }
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
