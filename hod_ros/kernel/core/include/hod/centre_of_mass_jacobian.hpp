// SPDX-License-Identifier: Apache-2.0
// The Jacobian of the centre of mass with time derivatives, 001 (7).
#pragma once

#include "momentum.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K, n) and the motion of a free base. Out: J (K, 3, m); none without mass.
template <class V, class Order> HOD_INLINE bool centre_of_mass_jacobian(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    Whole<V> whole(tree, memory, K);
    if (memory.counts())
        return true;
    if (!whole.move(tree, given.in[0], given.in[1], given.in[2], K, previous(previous(K)), previous(K)) || !(whole.mass() > 0))
        return false;
    momentum_columns(tree, whole, given.out[0], 3, 1 / whole.mass(), K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
