// SPDX-License-Identifier: Apache-2.0
// dq''/dq, dq''/dq' and dq''/dQ = M^-1: minus M^-1 times those of Q at the motion that the forces cause.
#pragma once

#include "forward_dynamics.hpp"
#include "inverse_dynamics_derivatives.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (2, n), Q (n), and where given: the values (K, L, 6), of which row 0 counts, and places (L, 14) of loads, the pose (4, 4), twist (6) and driving
// wrench (6) of a free base. With m = n, or n + 6 for the base: by_q, by_dq, by_Q, (m, m) each. None where M is singular.
template <class V, class Order> HOD_INLINE bool forward_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    using Number = typename V::Number;
    using Wide = std::conditional_t<sizeof(Number) == sizeof(double), Lanes<HOD_WIDTH>::Number, Number>;
    constexpr int BLOCK = 4, EACH = sizeof(Wide) / sizeof(Number);
    const int n = tree.columns, m = rates(tree), stride = (3 * m + BLOCK * EACH - 1) / (BLOCK * EACH) * BLOCK, width = stride * EACH;
    Number *q = memory.take<Number>(3 * n), *twists = memory.take<Number>(12);
    Number *U = memory.take<Number>((size_t)m * m), *M = memory.take<Number>((size_t)m * m);
    Number *x = memory.take<Number>((size_t)m * width);             // dQ/dq, dQ/dq' with their signs turned, and the identity, side by side
    Number *const by_q = given.out[0], *const by_dq = given.out[1], *const by_Q = given.out[2];
    const Number *pose = given.in[4], *twist = given.in[5], *drive = given.in[6];
    Arguments<V> forward = {{given.in[0], given.in[1], pose, twist, drive, given.in[2]}, {}, {q + 2 * n, pose ? twists + 6 : nullptr}, given.L};
    Arguments<V> inverse = {{q, given.in[2], nullptr, pose, pose ? twists : nullptr}, {}, {by_q, by_dq, M}, given.L};
    forward.shared[6] = inverse.shared[2] = given.shared[3];
    Memory first = memory;
    if (!accelerations(tree, forward, U, first, Fixed<1>{}))
        return false;
    for (int i = 0; !memory.counts() && i < 2 * n; i++)
        q[i] = given.in[0][i];
    for (int i = 0; !memory.counts() && pose && i < 6; i++)
        twists[i] = twist[i];
    if (!inverse_dynamics_derivatives(tree, inverse, memory, Fixed<1>{}))
        return false;
    if (memory.counts())
        return memory.take<char>(first.used()), true;
    for (int i = 0; i < m; i++) {
        Number *row = x + (ptrdiff_t)i * width;
        for (int j = 0; j < m; j++) {
            row[j] = -by_q[i * m + j];
            row[m + j] = -by_dq[i * m + j];
        }
        for (int j = 2 * m; j < width; j++)
            row[j] = Number{} + double(j == 2 * m + i);
    }
    for (int begin = 0; begin < width; begin += BLOCK * EACH)
        solve<BLOCK>(U, (Wide *)(x + begin), stride, begin < 2 * m ? 0 : begin - 2 * m, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            by_q[i * m + j] = x[(ptrdiff_t)i * width + j];
            by_dq[i * m + j] = x[(ptrdiff_t)i * width + m + j];
            by_Q[i * m + j] = x[(ptrdiff_t)(i > j ? i : j) * width + 2 * m + (i > j ? j : i)];       // above the diagonal it is not solved for
        }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
