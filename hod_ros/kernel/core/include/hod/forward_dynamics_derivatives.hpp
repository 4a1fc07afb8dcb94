// SPDX-License-Identifier: Apache-2.0
// dq''/dq, dq''/dq' and dq''/dQ = M^-1: minus M^-1 times those of Q at the motion that the forces cause.
#pragma once

#include "forward_dynamics.hpp"
#include "gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (2, n), Q (n) of a robot on a fixed base. Out: by_q, by_dq, by_Q, (n, n) each. None where M is singular.
template <class V, class Order> HOD_INLINE bool forward_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    using Number = typename V::Number;
    using Wide = std::conditional_t<sizeof(Number) == sizeof(double), Lanes<HOD_WIDTH>::Number, Number>;
    constexpr int BLOCK = 4, EACH = sizeof(Wide) / sizeof(Number);
    const int n = tree.columns, stride = (3 * n + BLOCK * EACH - 1) / (BLOCK * EACH) * BLOCK, width = stride * EACH;
    Number *q = memory.take<Number>(3 * n), *U = memory.take<Number>((size_t)n * n), *M = memory.take<Number>((size_t)n * n);
    Number *x = memory.take<Number>((size_t)n * width);             // dQ/dq, dQ/dq' with their signs turned, and the identity, side by side
    const Moving<V> moving(tree, memory, 3, 1);
    Memory first = memory;
    Arguments<V> inner = {};
    inner.in[0] = given.in[0];
    inner.in[1] = given.in[1];
    inner.out[0] = q + 2 * n;
    Number *by_q = given.out[0], *by_dq = given.out[1], *by_Q = given.out[2];
    if (memory.counts()) {
        accelerations(tree, inner, U, first, Fixed<1>{});
        gradients(tree, moving, q, by_q, by_dq, M, memory, Fixed<1>{});
        return memory.take<char>(first.used()) || true;
    }
    if (tree.free_base || !accelerations(tree, inner, U, first, Fixed<1>{}))
        return false;
    for (int i = 0; i < 2 * n; i++)
        q[i] = given.in[0][i];
    gradients(tree, moving, q, by_q, by_dq, M, memory, Fixed<1>{});
    for (int i = 0; i < n; i++) {
        Number *row = x + (ptrdiff_t)i * width;
        for (int j = 0; j < n; j++) {
            row[j] = -by_q[i * n + j];
            row[n + j] = -by_dq[i * n + j];
        }
        for (int j = 2 * n; j < width; j++)
            row[j] = Number{} + double(j == 2 * n + i);
    }
    for (int begin = 0; begin < width; begin += BLOCK * EACH)
        solve<BLOCK>(U, (Wide *)(x + begin), stride, begin < 2 * n ? 0 : begin - 2 * n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            by_q[i * n + j] = x[(ptrdiff_t)i * width + j];
            by_dq[i * n + j] = x[(ptrdiff_t)i * width + n + j];
            by_Q[i * n + j] = x[(ptrdiff_t)(i > j ? i : j) * width + 2 * n + (i > j ? j : i)];       // above the diagonal it is not solved for
        }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
