// SPDX-License-Identifier: Apache-2.0
// Kinetic and potential energy with time derivatives.
#pragma once

#include "momentum.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 1, n) and the motion of a free base. Out: kinetic (K), the rotors' included, and potential (K), 0 where the centre of mass is level with the
// world's origin.
template <class V, class Order> HOD_INLINE bool energy(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    Whole<V> whole(tree, memory, K);
    Wrench<V> *momenta = memory.take<Wrench<V>>(K);
    if (memory.counts())
        return true;
    if (!whole.move(tree, given.in[0], given.in[1], given.in[2], next(K), previous(K), previous(K)))
        return false;
    const int n = tree.columns;
    const V weight = -gravity_at_rest<V>(tree, nullptr);
    Number *kinetic = given.out[0], *potential = given.out[1];
    for (int k = 0; k < K; k++) {
        kinetic[k] = Number{};
        potential[k] = factorial.of[k] * sum(weight * whole.first_moment(k));
        for (int j = 0; j < n; j++)
            kinetic[k] += (0.5 * tree.armature[j]) * product(k, HOD_OF(l, r) {
                return (factorial.of[k] * factorial.inverse[l] * factorial.inverse[r]) * (given.in[0][(l + 1) * n + j] * given.in[0][(r + 1) * n + j]); });
    }
    for (int i = 0; i < whole.moving; i++) {
        const Spatial<V> b = whole.bodies[i];
        for (int k = 0; k < K; k++) {
            momenta[k] = momentum(b, k, b.twist);
            kinetic[k] += (0.5 * factorial.of[k]) * sum(product(k, HOD_OF(l, r) { return paired(b.twist[l], momenta[r]); }));
        }
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
