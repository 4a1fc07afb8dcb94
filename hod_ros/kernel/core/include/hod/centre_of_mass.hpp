// SPDX-License-Identifier: Apache-2.0
// The centre of mass with time derivatives.
#pragma once

#include "momentum.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K, n) and the motion of a free base. Out: p (K, 3); none without mass.
template <class V, class Order> HOD_INLINE bool centre_of_mass(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    Whole<V> whole(tree, memory, K);
    if (memory.counts())
        return true;
    if (!whole.move(tree, given.in[0], given.in[1], given.in[2], K, previous(previous(K)), previous(K)) || !(whole.mass() > 0))
        return false;
    for (int k = 0; k < K; k++) {
        const V p = (factorial.of[k] / whole.mass()) * whole.first_moment(k);
        auto *out = given.out[0] + 3 * k;
        out[0] = x(p), out[1] = y(p), out[2] = z(p);
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
