// SPDX-License-Identifier: Apache-2.0
// dq''/dq, dq''/dq' and dq''/dQ = M^-1: minus M^-1 times those of Q at the motion that the forces cause.
#pragma once

#include "forward_dynamics.hpp"
#include "gradients.hpp"

namespace hod {
inline namespace HOD_TARGET {

// x becomes M^-1 x of the factor L of M: n rows, `width` Numbers apart, a multiple of BLOCK, which stay in registers while they are solved for.
template <int BLOCK, class Number> HOD_INLINE void solve_blocks(const Number *L, Number *x, int width, int n)
{
    for (int begin = 0; begin < width; begin += BLOCK)
        for (int step = 0; step < 2 * n; step++) {
            const bool down = step < n;
            const int i = down ? step : 2 * n - 1 - step;
            Number *row = x + (ptrdiff_t)i * width + begin, left[BLOCK];
            for (int j = 0; j < BLOCK; j++)
                left[j] = row[j];
            for (int k = down ? 0 : i + 1; k < (down ? i : n); k++) {
                const Number factor = down ? L[(ptrdiff_t)i * n + k] : L[(ptrdiff_t)k * n + i];
                for (int j = 0; j < BLOCK; j++)
                    left[j] -= factor * x[(ptrdiff_t)k * width + begin + j];
            }
            for (int j = 0; j < BLOCK; j++)
                row[j] = L[(ptrdiff_t)i * n + i] * left[j];
        }
}

// q (2, n), Q (n) of a robot on a fixed base. Out: by_q, by_dq, by_Q, (n, n) each. None where M is singular.
template <class V, class Order> HOD_INLINE bool forward_dynamics_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    using Number = typename V::Number;
    const int n = tree.columns;
    constexpr int BLOCK = sizeof(Number) == sizeof(double) ? 2 * HOD_WIDTH : 4;
    const int width = (3 * n + BLOCK - 1) / BLOCK * BLOCK;
    Number *q = memory.take<Number>(3 * n), *M = memory.take<Number>((size_t)n * n), *none = memory.take<Number>(n);
    Number *x = memory.take<Number>((size_t)n * width);
    const Moving<V> moving(tree, memory, 3, 1);
    Memory first = memory;
    Arguments<V> inner = {};
    inner.in[0] = given.in[0];
    inner.in[1] = given.in[1];
    inner.out[0] = q + 2 * n;
    Number *const *by = given.out;              // by_q, by_dq, by_Q
    if (memory.counts()) {
        forward_dynamics(tree, inner, first, Fixed<1>{});
        gradients(tree, moving, q, by[0], by[1], M, memory, Fixed<1>{});
        return memory.take<char>(first.used()) || true;
    }
    if (tree.free_base || !forward_dynamics(tree, inner, first, Fixed<1>{}))
        return false;
    for (int i = 0; i < 2 * n; i++)
        q[i] = given.in[0][i];
    gradients(tree, moving, q, by[0], by[1], M, memory, Fixed<1>{});
    for (int i = 0; i < n; i++)
        none[i] = Number{};
    if (!factorise(M, none, n))
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < width; j++)
            x[i * width + j] = j < 2 * n ? -by[j / n][i * n + j % n] : Number{} + double(j == 2 * n + i);
    solve_blocks<BLOCK>(M, x, width, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3 * n; j++)
            by[j / n][i * n + j % n] = x[i * width + j];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
