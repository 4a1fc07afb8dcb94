// SPDX-License-Identifier: Apache-2.0
// Rotors that spin on moving links: what they take from joints and motors beyond Spong's model.
//
// A rotor of inertia B about its axis s, fixed in a body of angular velocity w, that turns by theta relative to it exerts the couple
// B (theta'' s + w x s theta') on that body, which the joints towards the base must bring, and asks its motor for B s . w'. The body holds its
// rotors' inertia as if they stood still.
#pragma once

#include "arguments.hpp"
#include "joints.hpp"

namespace hod {

struct Rotor { double body, axis[3], inertia; };    // of one motor: N, it spins as if about a fixed axis; the axis in the body's joint frame

enum { ROTOR_NUMBERS = sizeof(Rotor) / sizeof(double) };

inline bool are_rotors(const Tree &tree, const Rotor *rotors, int L)
{
    for (int l = 0; l < L; l++)
        if (!(rotors[l].body >= 0 && rotors[l].body <= tree.bodies && rotors[l].body == (int)rotors[l].body))
            return false;
    return true;
}

inline namespace HOD_TARGET {

template <class V> struct Turning {
    using Number = typename V::Number;
    Joints<Number> joints;
    V *w, *couple, *scratch;        // of bodies: angular velocities, K + 1 coefficients each; couples, K each
    HOD_INLINE Turning(const Tree &tree, Memory &memory, int K)
        : joints(take_joints<Number>(tree, memory, K + 2, K + 1)), w(memory.take<V>((size_t)tree.bodies * (K + 1))),
          couple(memory.take<V>((size_t)tree.bodies * K)), scratch(memory.take<V>(K + 1))
    {
    }
};

// Outwards: w.
template <class V, class Order> HOD_INLINE void angular_velocities(const Tree &tree, const Turning<V> &run, Order K)
{
    const auto &joints = run.joints;
    Passing<V, decltype(next(K))> carried(run.scratch, next(K));
    for (int i = 0; i < tree.bodies; i++) {
        const Body &body = tree.body[i];
        const V *up = run.w + (ptrdiff_t)body.parent * (K + 1);
        V *own = run.w + (ptrdiff_t)i * (K + 1);
        for (int k = 0; k <= K; k++)
            carried[k] = body.parent == tree.bodies ? V::zero() : combined(body.to_own, up[k]);
        if (!body.turns)
            for (int k = 0; k <= K; k++)
                own[k] = carried[k];
        else if (body.parent != tree.bodies)
            turn(carried.at, joints.c + i, joints.s + i, joints.stride, -1, own, next(K));
        for (int k = 0; body.turns && k <= K; k++)
            own[k] = plus_z(body.parent == tree.bodies ? V::zero() : own[k], double(k + 1) * joints.q[(k + 1) * joints.stride + i]);
    }
}

// What one rotor does to its body; torque: of its motor, K derivatives, L apart; theta: K + 2 derivatives, L apart.
template <class V, class Order>
HOD_INLINE void spin(const Rotor &rotor, const V *w, const typename V::Number *theta, V *couple, typename V::Number *torque, int L, V *scratch, Order K)
{
    using Number = typename V::Number;
    const V s = V::of(Number{} + rotor.axis[0], Number{} + rotor.axis[1], Number{} + rotor.axis[2]);
    Passing<V, Order> tilting(scratch, K);
    for (int k = 0; k < K; k++) {
        tilting[k] = cross(w[k], s);
        const Number acceleration = factorial.inverse[k] * theta[(k + 2) * L];
        couple[k] += rotor.inertia * (acceleration * s + product(k, HOD_OF(i, j) { return (factorial.inverse[i] * theta[(i + 1) * L]) * tilting[j]; }));
        torque[k * L] = (rotor.inertia * factorial.of[k] * (k + 1)) * sum(s * w[k + 1]);
    }
}

// Inwards: the couples, added to Q.
template <class V, class Order>
HOD_INLINE void add_couples(const Tree &tree, const Turning<V> &run, typename V::Number *Q, Order K)
{
    const auto &joints = run.joints;
    Passing<V, Order> passed(run.scratch, K);
    for (int i = tree.bodies - 1; i >= 0; i--) {
        const Body &body = tree.body[i];
        V *own = run.couple + (ptrdiff_t)i * K, *up = run.couple + (ptrdiff_t)body.parent * K;
        for (int k = 0; k < K; k++)
            Q[k * tree.columns + body.column] += (body.multiplier * factorial.of[k] * body.turns) * z(own[k]);
        if (body.parent == tree.bodies)
            continue;
        if (body.turns)
            turn(own, joints.c + i, joints.s + i, joints.stride, 1, passed.at, K);
        for (int k = 0; k < K; k++)
            up[k] += combined(body.to_parent, body.turns ? passed[k] : own[k]);
    }
}

// Adds to Q (K, n) what the rotors of L motors that turn by theta (K + 2, L) take from the joints; torques (K, L): what they ask of the motors.
template <class V, class Order>
HOD_INLINE void couple_rotors(const Tree &tree, const Turning<V> &run, const typename V::Number *q, const typename V::Number *theta,
                              const Rotor *rotors, int L, typename V::Number *Q, typename V::Number *torques, Order K)
{
    joint_series(tree, q, run.joints, K + 2, K + 1);
    angular_velocities(tree, run, K);
    for (int i = 0; i < tree.bodies * K; i++)
        run.couple[i] = V::zero();
    for (int l = 0; l < L; l++) {
        const ptrdiff_t body = (ptrdiff_t)rotors[l].body;
        if (body < tree.bodies)
            spin(rotors[l], run.w + body * (K + 1), theta + l, run.couple + body * K, torques + l, L, run.scratch, K);
        else
            for (int k = 0; k < K; k++)
                torques[k * L + l] = typename V::Number{};
    }
    add_couples(tree, run, Q, K);
}

// q (K + 2, n), theta (K + 2, L) on the motors' side, rotors (L, ROTOR_NUMBERS). Out: Q (K, n), what they take from the joints, and
// torques (K, L), what they ask of the motors beyond Spong's model. None for a free base.
template <class V, class Order> HOD_INLINE bool rotor_coupling(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
{
    const Turning<V> run(tree, memory, K);
    if (memory.counts())
        return true;
    const Rotor *rotors = (const Rotor *)given.shared[2];
    if (tree.free_base || !are_rotors(tree, rotors, given.L))
        return false;
    for (int i = 0; i < K * tree.columns; i++)
        given.out[0][i] = typename V::Number{};
    couple_rotors(tree, run, given.in[0], given.in[1], rotors, given.L, given.out[0], given.out[1], K);
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
