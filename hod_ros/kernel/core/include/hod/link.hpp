// SPDX-License-Identifier: Apache-2.0
// A link, and the chain of joints that leads to it, seen from the link.
//
// In the link's own frame, which moves, a joint's screw changes by S' = [V, S], where V is the twist of what bears the joint as the link sees it:
// from the link inwards, V falls by S_i q_i'. What is left of it at the base, less the base's own twist, is minus the link's twist.
#pragma once

#include "arguments.hpp"
#include "loads.hpp"
#include "spatial.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> struct Chain {
    Joints<typename V::Number> joints;      // whose rates have their signs turned
    Frame<V> *frame;                // of the bodies on it
    Screw<V> *S, *seen, *twist, *scratch;   // of each step inwards, K + 1 coefficients each, a free base's six screws last; the link's twist
    V *axes, *p;                    // the world's axes in the link's frame, K each; the link's position
    int *path;                      // its bodies, from the link inwards
    int row;
    HOD_INLINE Chain(const Tree &tree, Memory &memory, int K)
        : joints(take_joints<typename V::Number>(tree, memory, K, 1)), frame(memory.take<Frame<V>>(tree.bodies + 1)),
          S(memory.take<Screw<V>>((size_t)(screws(tree) + 1) * (K + 1))),
          seen(memory.take<Screw<V>>((size_t)(tree.bodies + 1) * (K + 1))), twist(memory.take<Screw<V>>(K + 1)),
          scratch(memory.take<Screw<V>>(K + 1)),
          axes(memory.take<V>(3 * (K + 1))), p(memory.take<V>(K + 1)), path(memory.take<int>(tree.bodies + 1)), row(K + 1)
    {
    }
};

// Coefficient k of the series a seen in axes that move with the series X, Y, Z.
template <class V> HOD_INLINE V turned(const V *X, int row, int i, V a)
{
    return V::of(sum(X[i] * a), sum(X[row + i] * a), sum(X[2 * row + i] * a));
}

// The world's axes in the link's frame, X' = X x w, and its position, for `changed`; up to coefficients last + 1.
template <class V, class Last> HOD_INLINE void world_series(const Chain<V> &chain, const Frame<V> &at, Last last)
{
    V *X = chain.axes, *p = chain.p;
    X[0] = V::of(x(at.x), x(at.y), x(at.z));
    X[chain.row] = V::of(y(at.x), y(at.y), y(at.z));
    X[2 * chain.row] = V::of(z(at.x), z(at.y), z(at.z));
    p[0] = at.p;
    for (int k = 0; k <= last; k++) {
        for (V *axis = X; axis < X + 3 * chain.row; axis += chain.row)
            axis[k + 1] = (1.0 / (k + 1)) * product(k, HOD_OF(i, j) { return cross(axis[i], chain.twist[j].s); });
        p[k + 1] = (1.0 / (k + 1)) * product(k, HOD_OF(i, j) { return turned(X, chain.row, i, chain.twist[j].u); });
    }
}

// The link's frame in the world, and the chain's screws and the link's twist up to coefficients K - 1 and K - 2, in its frame. Returns the steps.
// given: q (K, n), link: LOAD_NUMBERS, as of a load's place, and the motion of a free base.
template <class V, class Order> HOD_INLINE int chain_of_link(const Tree &tree, const Arguments<V> &given, const Chain<V> &chain, Frame<V> &at, Order K)
{
    const auto *pose = given.in[2], *twists = given.in[3];
    const double *link = given.shared[1];
    const auto last = previous(previous(K));
    const Joints<typename V::Number> &joints = chain.joints;
    joint_series(tree, given.in[0], joints, K, Fixed<1>{});
    const int N = tree.bodies;
    int steps = 0;
    for (int i = (int)link[0]; i < N; i = tree.body[i].parent)
        chain.path[steps++] = i;
    V origin = V::zero();           // of what positions are counted from
    chain.frame[N] = frame_at_rest<V>();
    for (int step = steps - 1; step >= 0; step--) {
        const int i = chain.path[step];
        const Body &body = tree.body[i];
        const Frame<V> &up = chain.frame[body.parent];
        if (body.at_origin)
            origin += step_of(body, up, joints.q[i]);
        chain.frame[i] = placed(body, up, joints.q[i], joints.c[i], joints.s[i]);
        for (int k = 1; k <= last + 1; k++)
            joints.q[k * joints.stride + i] = -joints.q[k * joints.stride + i];
    }
    const Frame<V> &own = chain.frame[steps ? chain.path[0] : N];
    const double *R = link + 2, *p = link + 11;
    at = {combined(own, R[0], R[3], R[6]), combined(own, R[1], R[4], R[7]), combined(own, R[2], R[5], R[8]), own.p + combined(own, p[0], p[1], p[2])};
    const V inwards[3] = {V::of(x(at.x), x(at.y), x(at.z)), V::of(y(at.x), y(at.y), y(at.z)), V::of(z(at.x), z(at.y), z(at.z))};
    const auto seen = [&](V a) { return x(a) * inwards[0] + y(a) * inwards[1] + z(a) * inwards[2]; };
    for (int k = 0; k <= last; k++)
        chain.seen[k] = {V::zero(), V::zero()};
    for (int step = 0; step < steps; step++) {
        const int i = chain.path[step];
        Spatial<V> b = {};
        b.S = chain.S + step * chain.row;
        b.twist = chain.seen + (step + 1) * chain.row;
        b.S[0] = screw_at(tree.body[i], Frame<V>{V::zero(), V::zero(), seen(chain.frame[i].z), seen(chain.frame[i].p - at.p)});
        motion_series(chain.seen + step * chain.row, b, joints.q + i, joints.stride, last);
    }
    const Screw<V> *left = chain.seen + steps * chain.row;
    for (int k = 0; k <= last; k++)
        chain.twist[k] = {-left[k].s, -left[k].u};
    if (!pose)
        at.p += origin;
    if (pose) {
        for (int r = 0; r < 6; r++) {
            Screw<V> *S = chain.S + (steps + r) * chain.row;
            const V e = inwards[r % 3];
            S[0] = {r < 3 ? e : V::zero(), r < 3 ? cross(seen(-at.p), e) : e};
            for (int k = 0; k <= last; k++) {
                const auto rate = product(k, HOD_OF(i, j) { return bracket(left[i], S[j]); });
                S[k + 1] = {(1.0 / (k + 1)) * rate.s, (1.0 / (k + 1)) * rate.u};
                chain.twist[k] += product(k, HOD_OF(i, j) {
                    const auto speed = factorial.inverse[j] * twists[6 * j + r];
                    return Screw<V>{speed * S[i].s, speed * S[i].u}; });
            }
        }
        at = in_world(pose, at);
    }
    if (link[1] != LINK_AXES)
        world_series(chain, at, last);
    return steps;
}

// A screw's or twist's coefficients 0 to `last` + 1 as the frame (of loads) says.
template <class V, class Last> HOD_INLINE const Screw<V> *changed(const Chain<V> &chain, const Screw<V> *a, int frame, Last last)
{
    Screw<V> *const scratch = chain.scratch;
    if (frame == LINK_AXES)
        return a;
    for (int k = 0; k <= last + 1; k++)
        scratch[k] = product(k, HOD_OF(i, j) {
            return Screw<V>{turned(chain.axes, chain.row, i, a[j].s), turned(chain.axes, chain.row, i, a[j].u)}; });
    for (int k = 0; frame == WORLD_AXES_AT_WORLD && k <= last + 1; k++)
        scratch[k].u += product(k, HOD_OF(i, j) { return cross(chain.p[i], scratch[j].s); });
    return scratch;
}

}  // namespace HOD_TARGET
}  // namespace hod
