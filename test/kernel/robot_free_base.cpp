// SPDX-License-Identifier: Apache-2.0
// M, C, g of order 1 and derivatives of Q under two loads, of a hod::Robot with a free base, of rows of numbers: q (3 n), pose (16), twists (2 x 6),
// loads (2 x 6). It writes each bit for bit, and ends with 1 where a call allocated or took what the robot's base is not.
#include <cstdio>
#include <vector>

#include "../../examples/cpp/counted_allocations.hpp"
#include "robot.hpp"

int main()
{
    hod::Robot machine(robot, 1, 2);
    const int n = machine.joints(), m = n + 6;
    std::vector<double> in(3 * n + 16 + 24), out(2 * m * (2 * m + 1) + 3 * m * m);
    double *const q = in.data(), *const pose = q + 3 * n, *const twists = pose + 16, *const values = twists + 12;
    const hod::BaseMotion base = {pose, twists};
    const hod::Load loads[] = {{machine.link("last"), hod::LINK_AXES, values}, {machine.link("last"), hod::WORLD_AXES_AT_WORLD, values + 6}};
    double *const M = out.data(), *const C = M + 2 * m * m, *const g = C + 2 * m * m;
    double *const by_q = g + 2 * m, *const by_dq = by_q + m * m, *const by_ddq = by_dq + m * m;
    const long before = allocations;
    bool faithful = machine.valid();
    for (size_t i = 0; faithful && std::scanf("%la", &in[i]) == 1;)
        if (++i == in.size()) {
            i = 0;
            faithful = machine.matrices(q, 1, &base, M, C, g)
                && machine.inverse_dynamics_derivatives(q, loads, 2, &base, by_q, by_dq, by_ddq) && !machine.matrices(q, 1, M, C, g)
                && !machine.inverse_dynamics_derivatives(q, by_q, by_dq, by_ddq);
            for (double value : out)
                std::printf("%a ", value);
            std::puts("");
        }
    return faithful && allocations == before ? 0 : 1;
}
