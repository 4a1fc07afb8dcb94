// SPDX-License-Identifier: Apache-2.0
// dQ/dq, dQ/dq' and dQ/dq'' = M.
#pragma once

#include "arguments.hpp"
#include "load_gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (3, n), and where given: the values (K, L, 6), of which row 0 counts, and places (L, 14) of loads, the pose (4, 4) and twists (2, 6) of a free
// base. With m = n, or n + 6 for the base: by_q, by_dq, by_ddq, (m, m) each.
template <class V, class Order> HOD_INLINE bool inverse_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    return loaded_gradients<V>(tree, given.in[0], given.in[1], given.shared[2], given.L, given.in[3], given.in[4], given.out[0], given.out[1],
                               given.out[2], memory, Fixed<1>{});
}

}  // namespace HOD_TARGET
}  // namespace hod
