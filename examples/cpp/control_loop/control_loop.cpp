// SPDX-License-Identifier: Apache-2.0
// A loop of 1 kHz: torques and motor positions of a robot with elastic joints, without allocation. It writes every answer, so that it can be
// compared with Python's, and ends with 1 where anything was allocated or refused.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "../counted_allocations.hpp"
#include ROBOT_HEADER

int main(int count, char **arguments)
{
    const int cycles = count > 1 ? std::atoi(arguments[1]) : 1000, order = 2;
    hod::Robot robot(panda);                                            // allocates, here alone
    const int n = robot.joints(), tool = robot.link("panda_link7");
    if (!robot.valid() || tool < 0 || robot.motors() == 0)
        return 1;
    std::vector<double> q((order + 3) * n), Q((order + 1) * n), motors(2 * order * robot.motors()), wrench((order + 1) * 6);
    wrench[5] = -10;                                                    // 10 N downwards at the tool, in the world's axes
    const hod::Load load = {tool, hod::WORLD_AXES_AT_LINK, wrench.data()};

    const long before = allocations;
    bool right = true;
    auto due = std::chrono::steady_clock::now();
    for (int i = 0; i < cycles && right; i++) {
        const double t = i * 1e-3;
        for (int j = 0; j < n; j++)                                     // q_j = sin(w t), whose derivatives are known
            for (int k = 0; k < order + 3; k++) {
                const double w = 0.5 + 0.1 * j, phase = w * t + 1.5707963267948966 * k;
                q[k * n + j] = std::pow(w, k) * std::sin(phase);
            }
        right = robot.inverse_dynamics(q.data(), order, &load, 1, Q.data())
            && robot.motor_feedforward(q.data(), Q.data(), nullptr, order, motors.data());
        for (double value : q)
            std::printf("%a ", value);
        for (double value : Q)
            std::printf("%a ", value);
        for (double value : motors)
            std::printf("%a ", value);
        std::printf("\n");
        due += std::chrono::milliseconds(1);
        std::this_thread::sleep_until(due);
    }
    q[0] = NAN;
    const double kept = Q[0];
    const bool refused = !robot.inverse_dynamics(q.data(), order, Q.data()) && Q[0] == kept;
    std::fprintf(stderr, "%d cycles, %ld allocations\n", cycles, allocations - before);
    return right && refused && allocations == before ? 0 : 1;
}
