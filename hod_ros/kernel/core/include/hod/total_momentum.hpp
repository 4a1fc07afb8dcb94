// SPDX-License-Identifier: Apache-2.0
// The momentum of the whole robot with time derivatives.
#pragma once

#include "momentum.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 1, n), about (1), and the motion of a free base. Out: h (K, 6), about the world's origin where `about` is 0, else about the centre of
// mass, which moves; none of that without mass.
template <class V, class Order> HOD_INLINE bool total_momentum(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    Whole<V> whole(tree, memory, K);
    V *p = memory.take<V>(K), *f = memory.take<V>(K);
    if (memory.counts())
        return true;
    const bool central = *given.shared[1] != 0;
    if (!whole.move(tree, given.in[0], given.in[2], given.in[3], next(K), previous(K), previous(K)) || (central && !(whole.mass() > 0)))
        return false;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < 6; i++)
            given.out[0][6 * k + i] = typename V::Number{};
        Wrench<V> h = whole.momentum_of_all(k);
        f[k] = h.f;
        if (central) {
            p[k] = (1 / whole.mass()) * whole.first_moment(k);
            h.n -= product(k, HOD_OF(i, j) { return cross(p[i], f[j]); });
        }
        add_components(factorial.of[k], h, given.out[0] + 6 * k, 1);
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
