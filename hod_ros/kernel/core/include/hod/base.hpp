// The motion of the base: at rest, or free with given twists.
#pragma once

#include "recursion.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> HOD_INLINE V vector_at(const typename V::Number *at) { return V::of(at[0], at[1], at[2]); }

// The acceleration less gravity of a base at rest.
template <class V> HOD_INLINE V less_gravity(const Tree &tree)
{
    using Number = typename V::Number;
    return V::of(Number{} - tree.gravity[0], Number{} - tree.gravity[1], Number{} - tree.gravity[2]);
}

// pose (4, 4); twists (K + 1, 6) body-fixed (w, v) with derivatives. a = v' + w x v + G, where G = -R^T g turns as G' = G x w.
template <class V, class Order>
HOD_INLINE void base_in_motion(const Tree &tree, const typename V::Number *pose, const typename V::Number *twists, Motion<V> base, V *scratch, Order K)
{
    using Number = typename V::Number;
    V *v = scratch, *G = scratch + K + 1;
    for (int k = 0; k <= K; k++) {
        base.w[k] = factorial.inverse[k] * vector_at<V>(twists + 6 * k);
        v[k] = factorial.inverse[k] * vector_at<V>(twists + 6 * k + 3);
    }
    const double *g = tree.gravity;
    const auto along = [&](int i) { return Number{} - (g[0] * pose[i] + g[1] * pose[4 + i] + g[2] * pose[8 + i]); };
    G[0] = V::of(along(0), along(1), along(2));
    for (int k = 0; k < K; k++) {
        const auto both = product(k, HOD_OF(i, j) { return Pair<V>{cross(base.w[i], v[j]), cross(G[i], base.w[j])}; });
        base.a[k] = double(k + 1) * v[k + 1] + both.a + G[k];
        if (k + 1 < K)
            G[k + 1] = (1.0 / (k + 1)) * both.b;
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
