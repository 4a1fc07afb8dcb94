// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a link with time derivatives.
#pragma once

#include "link.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K, n), link (14) as in link.hpp, and the motion of a free base, which only frames other than the link's ask for. Out: J (K, 6, n).
template <class V, class Order> HOD_INLINE bool jacobian(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const Chain<V> chain(tree, memory, K);
    if (memory.counts())
        return true;
    const int n = tree.columns;
    const double *link = given.shared[1];
    const Number *pose = given.in[2], *twists = given.in[3];
    if (!are_places(tree, link, 1) || !((link[1] == LINK_AXES && !pose && !twists) || fits_base<V>(tree, pose, twists)))
        return false;

    Frame<V> at;
    const int steps = chain_of_link(tree, given, chain, at, K);
    Number *J = given.out[0];
    for (int i = 0; i < K * 6 * n; i++)
        J[i] = Number{};
    for (int step = 0; step < steps; step++) {
        const Body &body = tree.body[chain.path[step]];
        const Screw<V> *S = changed(chain, chain.S + step * chain.row, (int)link[1], previous(previous(K)));
        for (int k = 0; k < K; k++)
            add_components(body.multiplier * factorial.of[k], Wrench<V>{S[k].s, S[k].u}, J + 6 * n * k + body.column, n);
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
