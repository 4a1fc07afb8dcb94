// SPDX-License-Identifier: Apache-2.0
// Motors of rigid and elastic drives: 003 (2)-(3), Q = f(e) + damping e' with e = theta - q, tau = B theta'' + F(theta') + Q / g.
#pragma once

#include "inverse_dynamics.hpp"
#include "rotor_coupling.hpp"
#include "springs.hpp"

namespace hod {

enum DriveKind { LINEAR, HARDENING, ADJUSTABLE, PAIR };     // PAIR + a SpringLaw: two motors

// What stands between a joint and its motor or motors. A damper is approximated by `terms` terms in damping / stiffness.
struct Drive {
    double kind;
    double stiffness;               // ADJUSTABLE, PAIR: where none is given; -1: one must be
    double compliance;              // LINEAR: 1 / stiffness; 0: rigid
    double cubic, quintic, damping, terms;
    double lowest, highest;         // stiffness that can be asked for
    Spring spring[2];
};

// Values on the motor's own side of the gear; dry friction s(v) tanh(v / width), s = coulomb + excess exp(-(v / slow)^2).
struct Motor {
    double ratio, inverse_ratio;    // theta_motor = ratio theta
    double inertia, viscous, coulomb, excess, slow, width;
};

enum { DRIVE_NUMBERS = sizeof(Drive) / sizeof(double), MOTOR_NUMBERS = sizeof(Motor) / sizeof(double) };

inline int motors_of(const Drive &drive) { return drive.kind >= PAIR ? 2 : 1; }

inline namespace HOD_TARGET {

// One drive's series: deflections e and pulls f of both motors, stiffnesses; Q and k are what is asked for.
template <class Number> struct DriveSeries {
    Number *Q, *k, *held, *square;
    Stretch<Number> motor[2];
    Number *friction[5];
    DriveSeries(Memory &memory, int K)
        : Q(memory.take<Number>(K)), k(memory.take<Number>(K)), held(memory.take<Number>(K)), square(memory.take<Number>(K))
    {
        for (Stretch<Number> &one : motor)
            one = {memory.take<Number>(K), memory.take<Number>(K), memory.take<Number>(K)};
        for (Number *&one : friction)
            one = memory.take<Number>(K);
    }
};

// The deflection and stiffness of a single spring without its damper that exerts Q.
template <class Number> inline void spring_deflection(const Drive &drive, const Number *Q, DriveSeries<Number> &s, int length)
{
    Number *e = s.motor[0].e, *k = s.motor[0].k;
    switch ((int)drive.kind) {
    case LINEAR:
        for (int m = 0; m < length; m++)
            e[m] = drive.compliance * Q[m];
        k[0] = Number{} + drive.stiffness;
        break;
    case HARDENING: polynomial_series(drive.stiffness, drive.cubic, drive.quintic, Q, e, k, s.square, length); break;
    default:                        // Q = k e
        for (int m = 0; m < length; m++) {
            Number rest = Q[m];
            for (int j = 0; j < m; j++)
                rest -= e[j] * s.k[m - j];
            e[m] = rest / s.k[0];
        }
        k[0] = s.k[0];
    }
}

// Deflections of all motors of a drive, `terms` coefficients fewer than K; false where springs cannot do it.
template <class Number> inline bool deflections(const Drive &drive, DriveSeries<Number> &s, int K)
{
    if (drive.kind >= PAIR)
        return pair_series((int)drive.kind - PAIR, drive.spring, s.Q, s.k, s.motor[0], s.motor[1], K);
    spring_deflection(drive, s.Q, s, K);
    for (int term = 1; term <= drive.terms; term++) {
        for (int m = 0; m < K - term; m++)
            s.held[m] = s.Q[m] - (drive.damping * (m + 1)) * s.motor[0].e[m + 1];
        spring_deflection(drive, s.held, s, K - term);
    }
    return true;
}

// Adds the derivatives of dry friction at the velocities v (`rows` rows, `step` apart) to tau.
template <class Number> inline void add_dry_friction(const Motor &motor, const Number *v, Number *tau, int step, int rows, Number *const *scratch)
{
    Number *x = scratch[0], *y = scratch[1], *slope = scratch[2], *strength = scratch[3], *square = scratch[4];
    for (int k = 0; k < rows; k++)
        x[k] = (factorial.inverse[k] / motor.width) * v[k * step];
    for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++) {
        const double at = lane(x[0], l), slow = at * motor.width / motor.slow, cosine = cosh(fmin(fabs(at), 350.0));
        set_lane(y[0], l, tanh(at));
        set_lane(slope[0], l, 1 / (cosine * cosine));
        set_lane(strength[0], l, exp(-slow * slow));
    }
    const double ratio = motor.width / motor.slow;
    square[0] = -(ratio * ratio) * x[0] * x[0];
    for (int k = 1; k < rows; k++) {                // y' = (1 - y^2) x', strength' = strength square'
        Number rise{}, fade{};
        square[k] = -(ratio * ratio) * product(k, HOD_OF(i, j) { return x[i] * x[j]; });
        for (int j = 1; j <= k; j++) {
            rise += double(j) * x[j] * slope[k - j];
            fade += double(j) * square[j] * strength[k - j];
        }
        y[k] = (1.0 / k) * rise;
        strength[k] = (1.0 / k) * fade;
        slope[k] = -product(k, HOD_OF(i, j) { return y[i] * y[j]; });
    }
    for (int k = 0; k < rows; k++) {
        const Number dry = motor.coulomb * y[k] + motor.excess * product(k, HOD_OF(i, j) { return strength[i] * y[j]; });
        tau[k * step] += factorial.of[k] * dry;
    }
}

template <class V> struct Coupled {
    using Number = typename V::Number;
    Turning<V> turning;
    Number *theta, *torques;        // of motors, at most two a joint
    Coupled(const Tree &tree, Memory &memory, int K)
        : turning(tree, memory, K), theta(memory.take<Number>((size_t)(K + 2) * 2 * tree.columns)),
          torques(memory.take<Number>((size_t)K * 2 * tree.columns))
    {
    }
};

// Adds to Q what rotors on moving links take, as if springs were rigid: the five-row form, theta = g q.
template <class V, class Order>
HOD_INLINE bool with_rotors(const Tree &tree, const Coupled<V> &run, const typename V::Number *q, const Drive *drives, const Motor *motor,
                            const Rotor *rotors, int L, typename V::Number *Q, Order K)
{
    if (tree.free_base || !are_rotors(tree, rotors, L))
        return false;
    for (int j = 0, i = 0; j < tree.columns; j++)
        for (int end = i + motors_of(drives[j]); i < end; i++)
            for (int k = 0; k < K + 2; k++)
                run.theta[k * L + i] = motor[i].ratio * q[k * tree.columns + j];
    couple_rotors(tree, run.turning, q, run.theta, rotors, L, Q, run.torques, K);
    return true;
}

// q (K + 2, n), drives (n, DRIVE_NUMBERS), motors (L, MOTOR_NUMBERS), and where given: Q (K, n), else of inverse dynamics; the stiffness motion
// (K, n) of drives whose stiffness is an input; rotors (L, ROTOR_NUMBERS). Out: motion (2 K - 2, L), K rows of theta and K - 2 of tau, the last
// as many rows of each 0 as the drive with the most terms has; stiffnesses (n); total (K, n), Q with what rotors take. None where springs
// cannot do it.
template <class V, class Order> HOD_INLINE bool motor_feedforward(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    using Number = typename V::Number;
    const int n = tree.columns, L = given.L;
    const Number *q = given.in[0], *asked = given.in[4];
    Number *theta = given.out[0], *tau = theta + (ptrdiff_t)K * L, *stiffnesses = given.out[1], *Q = given.out[2];
    Arguments<V> dynamics = {};
    dynamics.in[0] = q;
    dynamics.out[0] = Q;
    if (!given.in[1] && !inverse_dynamics(tree, dynamics, memory, K))
        return false;
    const Coupled<V> run(tree, memory, K);
    DriveSeries<Number> s(memory, K);
    if (memory.counts())
        return true;
    const Drive *drives = (const Drive *)given.shared[2];
    const Motor *motor = (const Motor *)given.shared[3];
    const Rotor *rotors = (const Rotor *)given.shared[5];
    int most_terms = 0, needed = 0;
    for (int j = 0; j < n; j++) {
        most_terms = drives[j].terms > most_terms ? (int)drives[j].terms : most_terms;
        needed += motors_of(drives[j]);
    }
    const int rows = K - most_terms;
    if (rows < 3 || needed != L)
        return false;
    for (int i = 0; given.in[1] && i < K * n; i++)
        Q[i] = given.in[1][i];
    if (rotors && !with_rotors(tree, run, q, drives, motor, rotors, L, Q, K))
        return false;
    for (int j = 0, i = 0; j < n; j++) {
        const Drive &drive = drives[j];
        const bool linear = drive.kind == LINEAR && drive.terms == 0;
        const int pair = motors_of(drive) == 2;
        if (!linear) {
            for (int k = 0; k < K; k++)
                s.Q[k] = factorial.inverse[k] * Q[k * n + j];
            if (drive.kind >= ADJUSTABLE) {
                for (int k = 0; k < K; k++)
                    s.k[k] = asked ? factorial.inverse[k] * asked[k * n + j] : k ? Number{} : Number{} + drive.stiffness;
                for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++)
                    if (!(lane(s.k[0], l) > 0 && lane(s.k[0], l) >= drive.lowest && lane(s.k[0], l) <= drive.highest))
                        return false;
            }
            if (!deflections(drive, s, K))
                return false;
        }
        stiffnesses[j] = linear ? Number{} + drive.stiffness : pair ? s.k[0] : s.motor[0].k[0];
        for (int side = 0; side <= pair; side++, i++) {
            const Motor &m = motor[i];
            for (int k = 0; k < rows; k++) {
                const Number e = linear ? drive.compliance * Q[k * n + j] : factorial.of[k] * s.motor[side].e[k];
                theta[k * L + i] = m.ratio * (q[k * n + j] + (side ? -e : e));
            }
            for (int k = 0; k < rows - 2; k++) {
                const Number pull = pair ? (side ? -factorial.of[k] : factorial.of[k]) * s.motor[side].f[k] : Q[k * n + j];
                tau[k * L + i] = m.inertia * theta[(k + 2) * L + i] + m.viscous * theta[(k + 1) * L + i] + m.inverse_ratio * pull;
                if (rotors)
                    tau[k * L + i] += run.torques[k * L + i];
            }
            if (m.coulomb > 0 || m.excess > 0)
                add_dry_friction(m, theta + L + i, tau + i, L, rows - 2, s.friction);
            for (int k = rows; k < K; k++)
                theta[k * L + i] = tau[(k - 2) * L + i] = Number{};
        }
    }
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
