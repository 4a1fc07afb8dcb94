// SPDX-License-Identifier: Apache-2.0
// A robot for controllers in C++: what users include.
//
//     #include <hod/robot.hpp>
//     #include "panda.hpp"                    // what hod_ros.cpp_robot(model, name='panda') wrote
//     hod::Robot robot(panda);                // allocates, here alone
//     bool ok = robot.inverse_dynamics(q, 2, Q);
//
// Arrays are row major, row k the k-th time derivative, columns the robot's joints in the order of `joint_names`; SI units; angular before
// linear, torque before force. Every call is noexcept and answers false, with its results untouched, where a number is not finite, an order
// is beyond the one that the robot was made for, or no result exists. A Robot is for one thread at a time.
#pragma once

#include "feedforward.hpp"
#include "forward_dynamics.hpp"
#include "inverse_dynamics_derivatives.hpp"
#include "matrices.hpp"
#include "robot_bytes.hpp"

namespace hod {
inline namespace HOD_TARGET {

class Robot : public Feedforward {
public:
    explicit Robot(const RobotConstants &constants, int most_order = 4, int most_loads = 4)
        : Feedforward(constants, most_order, most_loads, [&](auto count) {
              const size_t K = most_order + 1, n = constants.columns, m = n + (constants.free_base ? 6 : 0);
              count(K * m * (2 * m + 1), [](auto &...given) { return hod::matrices(given...); });
              count(K * (n + 6), [](auto &...given) { return hod::forward_dynamics(given...); });
              count(3 * m * m, [&](auto &tree, auto given, auto &memory, auto K) {
                  given.L = most_loads;
                  return hod::inverse_dynamics_derivatives(tree, given, memory, K); });
          })
    {
    }

    // M and C, (order + 1) x n x n each, and g, (order + 1) x n, with time derivatives, of q, (order + 2) x n.
    bool matrices(const double *q, int order, double *M, double *C, double *g) noexcept { return matrices(q, order, nullptr, M, C, g); }

    // The same of a free base, of whose twists order + 1 rows are read: n + 6 in place of n, the base's twist last.
    bool matrices(const double *q, int order, const BaseMotion *base, double *M, double *C, double *g) noexcept
    {
        const int K = order + 1, m = rates(tree_);
        if (!fits(order))
            return false;
        Run run(*this, K, 0);
        run.in(0, q, (K + 1) * constants_.columns);
        if (base) {
            run.in(1, base->pose, 16);
            run.in(2, base->twists, K * 6);
        }
        run.out(0, M, K * m * m);
        run.out(1, C, K * m * m);
        run.out(2, g, K * m);
        return run.with<3>([](auto &...given) { return hod::matrices(given...); });
    }

    // q from its second derivative on, (order + 1) x n, of q and q', 2 x n, and Q, (order + 1) x n.
    bool forward_dynamics(const double *q, const double *Q, int order, double *ddq) noexcept
    {
        return forward_dynamics(q, Q, order, nullptr, 0, ddq);
    }

    bool forward_dynamics(const double *q, const double *Q, int order, const Load *loads, int count, double *ddq) noexcept
    {
        return forward_dynamics(q, Q, order, loads, count, nullptr, nullptr, ddq, nullptr);
    }

    // The same of a free base, of whose twists the first row is read, driven by the wrench (order + 1) x 6 in its frame, nullptr: none. Also
    // the derivatives of its twist from the first on, (order + 1) x 6.
    bool forward_dynamics(const double *q, const double *Q, int order, const Load *loads, int count, const BaseMotion *base, const double *wrench,
                          double *ddq, double *dtwist) noexcept
    {
        const int K = order + 1, n = constants_.columns;
        if (!fits(order) || !place(loads, count, K))
            return false;
        Run run(*this, K, count);
        run.in(0, q, 2 * n);
        run.in(1, Q, K * n);
        if (base) {
            run.in(2, base->pose, 16);
            run.in(3, base->twists, 6);
        }
        if (wrench)
            run.in(4, wrench, K * 6);
        run.loads(5, 6);
        run.out(0, ddq, K * n);
        if (base)
            run.out(1, dtwist, K * 6);
        return run.with<1>([](auto &...given) { return hod::forward_dynamics(given...); });
    }

    // dQ/dq, dQ/dq' and dQ/dq'' = M, n x n each, of q, q', q'', 3 x n.
    bool inverse_dynamics_derivatives(const double *q, double *by_q, double *by_dq, double *by_ddq) noexcept
    {
        return inverse_dynamics_derivatives(q, nullptr, 0, nullptr, by_q, by_dq, by_ddq);
    }

    // The same under loads, of which one row is read, and of a free base, of whose twists two rows are read: n + 6 in place of n, the base's
    // twist last.
    bool inverse_dynamics_derivatives(const double *q, const Load *loads, int count, const BaseMotion *base, double *by_q, double *by_dq,
                                      double *by_ddq) noexcept
    {
        const int m = rates(tree_);
        if (!fits(0) || !place(loads, count, 1))
            return false;
        Run run(*this, 1, count);
        run.in(0, q, 3 * constants_.columns);
        run.loads(1, 2);
        if (base) {
            run.in(3, base->pose, 16);
            run.in(4, base->twists, 2 * 6);
        }
        run.out(0, by_q, m * m);
        run.out(1, by_dq, m * m);
        run.out(2, by_ddq, m * m);
        return run.with<0>([](auto &...given) { return hod::inverse_dynamics_derivatives(given...); });
    }
};

}  // namespace HOD_TARGET
}  // namespace hod
