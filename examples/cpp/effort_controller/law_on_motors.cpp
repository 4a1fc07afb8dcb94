// SPDX-License-Identifier: Apache-2.0
// The law against motors that turn as their torques tell them: follows a motion, loses its setpoints, gets one again, measures nonsense. It
// writes a line for each cycle, state, torques, motion of the motors, and ends with 1 where a cycle allocated.
#include "../counted_allocations.hpp"
#include "feedforward_law.hpp"

#include <cstdio>

#include ROBOT_HEADER

int main()
{
    const int motors = panda.motors, n = panda.columns;
    const std::vector<effort_controller::MotorLimits> limits(motors, {87, 2000, 50, 5});
    effort_controller::FeedforwardLaw law(panda, limits, 0.05);
    std::vector<double> q(5 * n), theta(motors), dtheta(motors), torque(motors);
    if (!law.valid())
        return 1;
    const long before = allocations;
    for (int i = 0; i < 1000; i++) {
        const double now = i * 1e-3;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 5; k++)
                q[k * n + j] = std::pow(1.5, k) * 0.2 * std::sin(1.5 * now + 1.5707963267948966 * k);
        if (i == 200)
            q[2 * n + 3] = NAN;                     // one that must not count
        if (i < 400 || (i >= 600 && i < 800))       // then none for 0.2 s
            law.take(q.data(), now);
        if (i == 700)
            theta[2] = NAN;
        const auto state = law.update(now, 1e-3, theta.data(), dtheta.data(), torque.data());
        if (i == 700)
            theta[2] = 0;
        if (i == 750)
            law.reset();
        std::printf("%d", (int)state);
        for (int m = 0; m < motors; m++)
            std::printf(" %a", torque[m]);
        std::printf("\n");
    }
    return allocations == before ? 0 : 1;
}
