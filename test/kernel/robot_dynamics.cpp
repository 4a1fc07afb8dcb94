// SPDX-License-Identifier: Apache-2.0
// Everything that a hod::Robot computes, of rows of a sample's numbers: q (5 n), Q (3 n), k (3 n). It writes M, C, g, ddq, loaded ddq, dQ/dq,
// dQ/dq', motion and stiffnesses of each bit for bit, and ends with 1 where a call allocated, or wrote anything though it refused.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../../examples/cpp/counted_allocations.hpp"
#include "robot.hpp"

int main()
{
    hod::Robot machine(robot, 2);
    const int n = machine.joints(), m = machine.motors();
    std::vector<double> in(11 * n), out(3 * n * n * 2 + 3 * n + 3 * n + 3 * n + 3 * n * n + 4 * m + n), wrench(18, 0.5), other;
    const hod::Load load = {0, hod::WORLD_AXES_AT_LINK, wrench.data()};
    const auto compute = [&] {
        double *const q = in.data(), *Q = q + 5 * n, *k = Q + 3 * n, *to = out.data();
        const auto next = [&](int size) { to += size; return to - size; };
        double *M = next(3 * n * n), *C = next(3 * n * n), *g = next(3 * n), *ddq = next(3 * n), *loaded = next(3 * n);
        double *by_q = next(n * n), *by_dq = next(n * n), *by_ddq = next(n * n), *motion = next(4 * m), *stiffnesses = next(n);
        const int right = machine.matrices(q, 2, M, C, g) + machine.forward_dynamics(q, Q, 2, ddq)
            + machine.forward_dynamics(q, Q, 2, &load, 1, loaded) + machine.inverse_dynamics_derivatives(q, by_q, by_dq, by_ddq)
            + machine.motor_feedforward(q, Q, k, 2, motion, stiffnesses);
        return right; };
    const long before = allocations;
    bool faithful = machine.valid();
    for (int i = 0; faithful && std::scanf("%la", &in[i]) == 1;)
        if (++i == 11 * n) {
            i = 0;
            faithful = compute() == 5;
            for (double value : out)
                std::printf("%a ", value);
            std::puts("");
        }
    faithful = faithful && allocations == before;
    std::vector<double> Q(3 * n), given(4 * m), alone(4 * m);
    const double *const q = in.data(), *const k = q + 8 * n;
    faithful = faithful && machine.inverse_dynamics(q, 2, Q.data()) && machine.motor_feedforward(q, Q.data(), k, 2, given.data())
        && machine.motor_feedforward(q, nullptr, k, 2, alone.data());
    for (int i = 0; i < 4 * m; i++)                 // without Q, that of the inverse dynamics
        faithful = faithful && std::fabs(alone[i] - given[i]) <= 1e-9 * (1 + std::fabs(given[i]));
    for (int i = 0; i < 2 * n; i++) {               // none of these finite: nothing may change
        other = out;
        const double kept = in[i];
        in[i] = i % 2 ? NAN : INFINITY;
        faithful = faithful && compute() == 0 && std::equal(out.begin(), out.end(), other.begin());
        in[i] = kept;
    }
    in[8 * n + 3] = -1;                             // a stiffness that no spring has
    faithful = faithful && compute() == 4;
    double *beyond = out.data();
    faithful = faithful && !machine.inverse_dynamics(in.data(), 3, beyond) && !machine.matrices(in.data(), 3, beyond, beyond, beyond);
    return faithful ? 0 : 1;
}
