// SPDX-License-Identifier: Apache-2.0
// The part of hod::Robot that feedforward takes: inverse dynamics with loads, and the motors of elastic joints.
#pragma once

#include "motor_feedforward.hpp"
#include "rigid_feedforward.hpp"

namespace hod {
inline namespace HOD_TARGET {

class Feedforward : public RigidFeedforward {
public:
    explicit Feedforward(const RobotConstants &constants, int most_order = 4, int most_loads = 4)
        : Feedforward(constants, most_order, most_loads, [](auto) {})
    {
    }

    int motors() const noexcept { return constants_.motors; }
    const char *motor_name(int i) const noexcept { return constants_.motor_names[i]; }

    // What the motors of the drives do that the constants have, (2 order) x motors for order >= 2: order + 1 rows of theta, order - 1 of tau,
    // of q and Q as above, nullptr: that of inverse_dynamics; of each its last rows are 0 where dampers are approximated, as many as there are
    // terms. What rotors on moving links take is added to Q in the five-row form. stiffness: a motion
    // (order + 1) x n for joints whose stiffness is an input, nullptr: as configured. stiffnesses: n, unless nullptr. No result exists where
    // springs lose their co-contraction.
    bool motor_feedforward(const double *q, const double *Q, const double *stiffness, int order, double *motion, double *stiffnesses = nullptr) noexcept
    {
        const int K = order + 1, n = constants_.columns;
        if (!fits(order) || order < 2 || constants_.motors == 0)
            return false;
        Run run(*this, K, constants_.motors);
        run.in(0, q, (K + 2) * n);
        if (Q)
            run.in(1, Q, K * n);
        run.given.shared[2] = constants_.drives;
        run.given.shared[3] = constants_.motor_figures;
        run.given.shared[5] = constants_.rotors;
        if (stiffness)
            run.in(4, stiffness, K * n);
        run.out(0, motion, (2 * K - 2) * constants_.motors);
        run.out(1, stiffnesses, n);
        run.out(2, nullptr, K * n);
        return run.with<3>([](auto &...given) { return hod::motor_feedforward(given...); });
    }

protected:
    template <class More> Feedforward(const RobotConstants &constants, int most_order, int most_loads, More count_more)
        : RigidFeedforward(constants, most_order, most_loads, [&](auto count) {
              const size_t K = most_order + 1;
              count(2 * K * constants.motors + (K + 1) * constants.columns, [](auto &...given) { return hod::motor_feedforward(given...); });
              count_more(count);
          })
    {
        if (constants.motors && !are_whole_drives(constants))
            refuse();
    }

    static bool are_whole_drives(const RobotConstants &from)
    {
        return all_finite(from.drives, (size_t)from.columns * DRIVE_NUMBERS) && all_finite(from.motor_figures, (size_t)from.motors * MOTOR_NUMBERS)
            && (!from.rotors || all_finite(from.rotors, (size_t)from.motors * ROTOR_NUMBERS));
    }
};

}  // namespace HOD_TARGET
}  // namespace hod
