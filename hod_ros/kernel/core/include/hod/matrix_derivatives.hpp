// SPDX-License-Identifier: Apache-2.0
// Derivatives of M, C and g by q and q', 001 (24), in axes at rest.
//
// Where joint h moves, its subtree turns as one, and the velocity of all in it gains S_h'. With P, F, R and B of matrices.hpp, i from j to the base:
// C_ij = S_i . F_j and C_ji = S_i' . P_j + S_i . R_j change by what lies below h, by S_h x* before a wrench and [S_h, ] before a screw, and F_j by
// I_j [S_h', S_j] + S_h' x* P_j, R_j by -I_j [S_h', S_j]; by q_h' they change as by that velocity alone, S_h in place of S_h'.
#pragma once

#include "load_gradients.hpp"
#include "matrices.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> HOD_INLINE Wrench<V> operator+(const Wrench<V> &a, const Wrench<V> &b) { return {a.n + b.n, a.f + b.f}; }
template <class V> HOD_INLINE Wrench<V> operator-(const Wrench<V> &a, const Wrench<V> &b) { return {a.n - b.n, a.f - b.f}; }

// q (2, n) of a robot on a fixed base. Out: M_q, C_q, C_dq (n, n, n), the last axis that of the derivative, and g_q (n, n).
template <class V, class Order> HOD_INLINE bool matrix_derivatives(const Tree &tree, const Arguments<V> &given, Memory &memory, Order)
{
    using Number = typename V::Number;
    const int N = tree.bodies;
    const ptrdiff_t n = tree.columns;
    const Moving<V> moving(tree, memory, 2, 1);
    Coriolis<V> *B = memory.take<Coriolis<V>>(N + 1);
    Momenta<V> *own = memory.take<Momenta<V>>(N);
    if (memory.counts())
        return true;
    if (tree.free_base)
        return false;
    Number *M_q = given.out[0], *C_q = given.out[1], *C_dq = given.out[2], *g_q = given.out[3];
    for (ptrdiff_t i = 0; i < n * n * n; i++)
        C_q[i] = C_dq[i] = Number{};
    for (ptrdiff_t i = 0; i < n * n; i++)
        g_q[i] = Number{};
    moving.move(tree, given.in[0], nullptr, Fixed<2>{}, Fixed<0>{}, Fixed<0>{});
    const SpatialBodies<V> &bodies = moving.bodies;
    const V gravity = gravity_at_rest<V>(tree, nullptr);
    for (int i = 0; i < N; i++)
        B[i] = coriolis(bodies[i], 0);
    for (int i = N - 1; i >= 0; i--) {
        const int up = tree.body[i].parent;
        own[i] = momenta(bodies[i], B + i, bodies[i].S + 1, 0);
        if (up < N) {
            bodies.add_inertia(i, up, 1);
            B[up] += B[i];
        }
    }
    const auto inertia = [&](int i, const Screw<V> &x) { return momentum(bodies[i], 0, &x); };
    const auto at = [&](int i, int j, int h) { return (tree.body[i].column * n + tree.body[j].column) * n + tree.body[h].column; };
    const auto along = [](const Screw<V> &S, const Wrench<V> &W) { return sum(paired(S, W)); };
    for (int j = 0; j < N; j++) {
        const Screw<V> S = bodies[j].S[0];
        const Momenta<V> &wrench = own[j];
        for (int h = j; h < N; h = tree.body[h].parent) {                       // h bears j, or is it
            const Screw<V> S_h = bodies[h].S[0], rate_h = bodies[h].S[1];
            const Wrench<V> spin = inertia(j, bracket(rate_h, S)), turn = inertia(j, bracket(S_h, S));
            const Wrench<V> F_rate = spin + carried(rate_h, wrench.P), F_turn = turn + carried(S_h, wrench.P);
            const Wrench<V> P_moved = carried(S_h, wrench.P), F_moved = carried(S_h, wrench.F), R_moved = carried(S_h, wrench.R);
            for (int i = j; i < N; i = tree.body[i].parent) {
                const Screw<V> S_i = bodies[i].S[0], rate_i = bodies[i].S[1];
                const double scale = tree.body[i].multiplier * tree.body[j].multiplier * tree.body[h].multiplier;
                const bool within = h <= i;                                     // i too moves with h
                C_q[at(i, j, h)] += scale * along(S_i, within ? F_rate : F_rate + F_moved);
                C_dq[at(i, j, h)] += scale * along(S_i, F_turn);
                if (i == j)
                    continue;
                C_q[at(j, i, h)] += scale * (within ? along(bracket(rate_h, S_i), wrench.P) - along(S_i, spin)
                                                    : along(rate_i, P_moved) + along(S_i, R_moved - spin));
                C_dq[at(j, i, h)] += scale * ((within ? along(bracket(S_h, S_i), wrench.P) : Number{}) - along(S_i, turn));
            }
            const Number weight = (tree.body[j].multiplier * tree.body[h].multiplier) * sum(wrench.P.f * cross(S_h.s, gravity));
            g_q[tree.body[j].column * n + tree.body[h].column] += weight;
            if (h != j)
                g_q[tree.body[h].column * n + tree.body[j].column] += weight;
        }
    }
    for (int h = 0; h < N; h++) {
        const Screw<V> S_h = bodies[h].S[0], rate_h = bodies[h].S[1];
        for (int j = tree.body[h].parent; j < N; j = tree.body[j].parent) {     // h is borne by j
            const Screw<V> S = bodies[j].S[0], rate = bodies[j].S[1], turned = bracket(S_h, S);
            const Wrench<V> P = inertia(h, S), P_turned = inertia(h, turned);
            const Wrench<V> by_I = carried(S_h, P) - P_turned, by_I_rate = carried(S_h, inertia(h, rate)) - inertia(h, bracket(S_h, rate));
            const Wrench<V> by_B = carried(S_h, times(B[h], S)) - times(B[h], turned) + carried(rate_h, P);
            const Wrench<V> by_Bt = carried(S_h, times_transposed(B[h], S)) - times_transposed(B[h], turned) - inertia(h, bracket(rate_h, S));
            for (int i = j; i < N; i = tree.body[i].parent) {
                const Screw<V> S_i = bodies[i].S[0], rate_i = bodies[i].S[1];
                const double scale = tree.body[i].multiplier * tree.body[j].multiplier * tree.body[h].multiplier;
                C_q[at(i, j, h)] += scale * along(S_i, by_I_rate + by_B);
                C_dq[at(i, j, h)] += scale * along(S_i, carried(S_h, P));
                if (i == j)
                    continue;
                C_q[at(j, i, h)] += scale * (along(rate_i, by_I) + along(S_i, by_Bt));
                C_dq[at(j, i, h)] -= scale * along(S_i, P_turned);
            }
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int h = 0; h < n; h++)                                         // M' = C + C^T, whatever q'
                M_q[(i * n + j) * n + h] = C_dq[(i * n + j) * n + h] + C_dq[(j * n + i) * n + h];
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
