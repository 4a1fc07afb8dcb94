// SPDX-License-Identifier: Apache-2.0
// The law of an effort controller for elastic joints, without ROS: torques of motors from setpoints of joints, whatever comes or does not.
//
// While setpoints are fresh, tau = feedforward + kp (theta_d - theta) + kd (theta_d' - theta') on the motors' side. Where none has come for
// `timeout`, the joints are held at the last setpoint's positions, at rest, by the same law. Where measurements are not finite, or a torque
// asked for is not, the torque fades to zero and stays there until `reset`. Torques are bounded in value and in rate in all of that.
// Nothing allocates after construction; for one thread, that of ros2_control's update().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <hod/robot.hpp>

namespace effort_controller {

struct MotorLimits {
    double torque, torque_rate;     // [N m], [N m/s], above 0
    double kp, kd;                  // [N m/rad], [N m s/rad], on the motor's side
};

enum class State { WAITING, FOLLOWING, HOLDING, FAULT };

class FeedforwardLaw {
public:
    // limits: one for each motor. timeout: [s]
    FeedforwardLaw(const hod::RobotConstants &constants, const std::vector<MotorLimits> &limits, double timeout)
        : robot_(constants, ORDER, 0), limits_(limits), timeout_(timeout), n_(constants.columns), motors_(constants.motors),
          next_q_(5 * n_), next_motion_(ROWS * motors_), next_Q_(3 * n_), motion_(ROWS * motors_), hold_(5 * n_), torques_(motors_)
    {
    }

    // Whether there is a robot with drives, and limits for all of its motors.
    bool valid() const noexcept
    {
        bool right = robot_.valid() && motors_ > 0 && (int)limits_.size() == motors_ && timeout_ > 0;
        for (const MotorLimits &limit : limits_)
            right = right && limit.torque > 0 && limit.torque_rate > 0 && limit.kp >= 0 && limit.kd >= 0;
        return right;
    }
    int joints() const noexcept { return n_; }
    int motors() const noexcept { return motors_; }
    State state() const noexcept { return state_; }
    const char *motor_name(int i) const noexcept { return robot_.motor_name(i); }

    // Takes a setpoint, rows q, q', q'', q''', q'''' of all joints, that has arrived now [s]; false, and nothing changes, where it is not
    // finite, springs cannot do it, or the law is at fault.
    bool take(const double *q, double now) noexcept
    {
        if (state_ == State::FAULT || !motion_of(q, next_motion_))
            return false;
        std::copy_n(q, n_, hold_.begin());          // where to stay: the rows beyond are 0
        motion_.swap(next_motion_);
        arrival_ = now;
        state_ = State::FOLLOWING;
        return true;
    }

    // Torques of the motors at `now`, dt after the last ones, from their measured positions and velocities.
    State update(double now, double dt, const double *theta, const double *dtheta, double *torque) noexcept
    {
        if (state_ == State::FOLLOWING && !(now - arrival_ <= timeout_)) {
            state_ = motion_of(hold_.data(), motion_) ? State::HOLDING : State::FAULT;
        }
        if (!hod::all_finite(theta, motors_) || !hod::all_finite(dtheta, motors_) || !(dt >= 0))
            state_ = State::FAULT;
        for (int i = 0; i < motors_; i++) {
            const MotorLimits &limit = limits_[i];
            double wanted = 0;
            if (state_ == State::FOLLOWING || state_ == State::HOLDING)
                wanted = motion_[3 * motors_ + i] + limit.kp * (motion_[i] - theta[i]) + limit.kd * (motion_[motors_ + i] - dtheta[i]);
            if (!hod::all_finite(&wanted, 1)) {
                state_ = State::FAULT;
                wanted = 0;
            }
            const double step = limit.torque_rate * std::clamp(dt, 0.0, LONGEST_STEP);
            wanted = std::clamp(wanted, -limit.torque, limit.torque);
            torques_[i] += std::clamp(wanted - torques_[i], -step, step);
            torque[i] = torques_[i];
        }
        return state_;
    }

    // Ends a fault: the law waits for a setpoint.
    void reset() noexcept { state_ = state_ == State::FAULT ? State::WAITING : state_; }

private:
    enum { ORDER = 2, ROWS = 2 * ORDER };           // theta, theta', theta'', tau
    static constexpr double LONGEST_STEP = 0.01;    // [s] of torque rate at once, after a late cycle

    bool motion_of(const double *q, std::vector<double> &motion) noexcept
    {
        std::copy_n(q, 5 * n_, next_q_.begin());
        return robot_.inverse_dynamics(next_q_.data(), ORDER, next_Q_.data())
            && robot_.motor_feedforward(next_q_.data(), next_Q_.data(), nullptr, ORDER, motion.data());
    }

    hod::Robot robot_;
    const std::vector<MotorLimits> limits_;
    const double timeout_;
    const int n_, motors_;
    std::vector<double> next_q_, next_motion_, next_Q_, motion_, hold_, torques_;
    double arrival_ = 0;
    State state_ = State::WAITING;
};

}  // namespace effort_controller
