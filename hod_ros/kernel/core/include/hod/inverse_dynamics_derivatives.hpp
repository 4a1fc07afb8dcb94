// SPDX-License-Identifier: Apache-2.0
// dQ/dq, dQ/dq' and dQ/dq'' = M.
#pragma once

#include "arguments.hpp"
#include "gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (3, n) of a robot on a fixed base. Out: by_q, by_dq, by_ddq, (n, n) each.
template <class V, class Order> HOD_INLINE bool inverse_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    return gradients<V>(tree, given.in[0], given.out[0], given.out[1], given.out[2], memory, Fixed<1>{});
}

}  // namespace HOD_TARGET
}  // namespace hod
