// SPDX-License-Identifier: Apache-2.0
// The map from rates to the momentum, with time derivatives.
#pragma once

#include "momentum.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K, n) and the motion of a free base. Out: A (K, 6, m).
template <class V, class Order> HOD_INLINE bool momentum_matrix(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    Whole<V> whole(tree, memory, K);
    if (memory.counts())
        return true;
    if (!whole.move(tree, given.in[0], given.in[1], given.in[2], K, previous(previous(K)), previous(K)))
        return false;
    momentum_columns(tree, whole, given.out[0], 0, 1.0, K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
