// SPDX-License-Identifier: Apache-2.0
// Pose and twists of a link.
#pragma once

#include "link.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K, n), link (14) as in link.hpp, and the motion of a free base. Out: the pose (4, 4), and twists (K - 1, 6) in the frame that link says.
template <class V, class Order> HOD_INLINE bool forward_kinematics(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const Chain<V> chain(tree, memory, K);
    if (memory.counts())
        return true;
    const double *link = given.shared[1];
    if (!fits_base<V>(tree, given.in[2], given.in[3]) || !are_places(tree, link, 1))
        return false;

    Frame<V> at;
    chain_of_link(tree, given, chain, at, K);
    Number *pose = given.out[0], *out = given.out[1];
    const V columns[4] = {at.x, at.y, at.z, at.p};
    for (int i = 0; i < 4; i++) {
        pose[i] = x(columns[i]), pose[4 + i] = y(columns[i]), pose[8 + i] = z(columns[i]);
        pose[12 + i] = Number{} + double(i == 3);
    }
    const Screw<V> *twist = changed(chain, chain.twist, (int)link[1], previous(previous(previous(K))));
    for (int i = 0; i < 6 * (K - 1); i++)
        out[i] = Number{};
    for (int k = 0; k + 1 < K; k++)
        add_components(factorial.of[k], Wrench<V>{twist[k].s, twist[k].u}, out + 6 * k, 1);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
