// SPDX-License-Identifier: Apache-2.0
// Motors of rigid and linear elastic drives, 003 (2)-(3): theta^(k) = g (q^(k) + c Q^(k)), tau^(k) = B theta^(k+2) + F theta^(k+1) + Q^(k) / g.
#pragma once

#include "arguments.hpp"

namespace hod {
inline namespace HOD_TARGET {

// q (K + 2, n), Q (K, n), figures (5, n): gear ratio g, compliance c = 1 / stiffness (0: rigid), motor inertia B, viscous friction F, 1 / g.
// Out: motors (2 K - 2, n), K rows of theta and K - 2 of tau.
template <class V, class Order> HOD_INLINE bool linear_drives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    if (memory.counts())
        return true;
    const int n = tree.columns;
    const auto *q = given.in[0], *Q = given.in[1];
    const double *ratio = given.shared[2], *compliance = ratio + n, *inertia = compliance + n, *friction = inertia + n, *inverse = friction + n;
    auto *theta = given.out[0], *tau = theta + K * n;
    if (K < 3)
        return false;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < n; j++)
            theta[k * n + j] = ratio[j] * (q[k * n + j] + compliance[j] * Q[k * n + j]);
    for (int k = 0; k < K - 2; k++)
        for (int j = 0; j < n; j++)
            tau[k * n + j] = inertia[j] * theta[(k + 2) * n + j] + friction[j] * theta[(k + 1) * n + j] + inverse[j] * Q[k * n + j];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
