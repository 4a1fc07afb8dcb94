// SPDX-License-Identifier: Apache-2.0
// Reads a robot's bytes and rows of q, one sample a line, and writes Q bit for bit; without robot, what the bytes were refused for.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include <hod/robot.hpp>

int main(int, char **arguments)
{
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<double> aligned(bytes.size() / 8 + 1);
    memcpy(aligned.data(), bytes.data(), bytes.size());
    hod::RobotConstants constants;
    if (!hod::constants_in(aligned.data(), bytes.size(), constants)) {
        std::puts("refused");
        return 0;
    }
    hod::Robot robot(constants, 5);
    std::printf("%s %s %s\n", constants.name, robot.hash(), robot.valid() ? robot.joint_name(0) : "damaged");
    const int n = robot.joints(), order = 5;
    std::vector<double> q((order + 3) * n), Q((order + 1) * n);
    for (std::size_t i = 0; robot.valid() && std::scanf("%la", &q[i]) == 1;)
        if (++i == q.size()) {
            if (!robot.inverse_dynamics(q.data(), order, Q.data()))
                return 1;
            for (double value : Q)
                std::printf("%a ", value);
            std::puts("");
            i = 0;
        }
    return 0;
}
