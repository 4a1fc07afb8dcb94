// SPDX-License-Identifier: Apache-2.0
// dQ/dq, dQ/dq' and dQ/dq'' = M.
#pragma once

#include "arguments.hpp"
#include "gradients.hpp"
#include "load_gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (3, n), and where given: the values (K, L, 6), of which row 0 counts, and places (L, 14) of loads, the pose (4, 4) and twists (2, 6) of a free
// base. With m = n, or n + 6 for the base: by_q, by_dq, by_ddq, (m, m) each.
template <class V, class Order> HOD_INLINE bool inverse_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    const Moving<V> moving(tree, memory, 3, 1);
    V *origin = memory.take<V>(tree.bodies + 7);
    LoadSums<V> *sums = memory.take<LoadSums<V>>(given.L ? tree.bodies + 1 : 0);
    const double *places = given.shared[2];
    if (!memory.counts() && (!given.in[1] != !places || (places && !are_places(tree, places, given.L))))
        return false;
    bool rest = false;
    const auto held = [&](Wrench<V> *W) {
        if (!places)
            return;
        moving.find_origins(tree, origin);
        rest = hold_loads(tree, moving, origin, given.in[1], places, given.L, given.in[3], sums, W); };
    if (!gradients(tree, moving, given.in[0], given.in[3], given.in[4], given.out[0], given.out[1], given.out[2], memory, Fixed<1>{}, held))
        return false;
    if (rest)
        load_gradients(tree, moving.bodies, sums, given.out[0]);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
