// SPDX-License-Identifier: Apache-2.0
// Wrenches that the environment exerts on links, in the frames of bodies.
//
// A load's values are (torque, force) with derivatives, and its place is 14 numbers: the body (N: the base), the frame, and the pose (R row
// major, p) of the link in the joint frame of the body. Wrenches in world axes are carried down the chain of joints that leads to the body.
#pragma once

#include "base.hpp"

namespace hod {

enum { LOAD_NUMBERS = 14 };
enum { LINK_AXES, WORLD_AXES_AT_LINK, WORLD_AXES_AT_WORLD };

inline namespace HOD_TARGET {

template <class V> struct Loads {
    V *f, *n;                       // K each: the wrench on its way
    V *columns, *origin;            // 3 x K, K: the world's axes, and the base's origin from the world's, in the base's frame
    int *path;                      // N
    HOD_INLINE Loads(const Tree &tree, Memory &memory, int K)
        : f(memory.take<V>(K)), n(memory.take<V>(K)), columns(memory.take<V>(3 * K)), origin(memory.take<V>(K)),
          path(memory.take<int>(tree.bodies + 1))
    {
    }
};

// Components of two series along axes X, Y, Z, K each, to vectors.
template <class V, class Order> HOD_INLINE void turn_to_axes(const V *X, V *f, V *n, Order K)
{
    const V *Y = X + K, *Z = Y + K;
    for (int k = K - 1; k >= 0; k--) {              // downwards: what is below is still in components
        const auto turned = product(k, HOD_OF(i, j) {
            return Pair<V>{x(f[j]) * X[i] + y(f[j]) * Y[i] + z(f[j]) * Z[i], x(n[j]) * X[i] + y(n[j]) * Y[i] + z(n[j]) * Z[i]}; });
        f[k] = turned.a;
        n[k] = turned.b;
    }
}

// From world axes to the frame of a free base, about its origin where `whole`. What is constant in the world turns as x' = x x w, and the
// base's origin moves as p' = v + p x w. scratch: K + 1
template <class V, class Order>
HOD_INLINE void carry_to_free_base(const Loads<V> &load, const typename V::Number *pose, const typename V::Number *twists, V *scratch, bool whole, Order K)
{
    V *X = load.columns, *Y = X + K, *Z = Y + K, *p = load.origin, *w = scratch;
    X[0] = V::of(pose[0], pose[1], pose[2]);
    Y[0] = V::of(pose[4], pose[5], pose[6]);
    Z[0] = V::of(pose[8], pose[9], pose[10]);
    p[0] = pose[3] * X[0] + pose[7] * Y[0] + pose[11] * Z[0];
    for (int k = 0; k + 1 < K; k++) {
        const double each = 1.0 / (k + 1);
        w[k] = factorial.inverse[k] * vector_at<V>(twists + 6 * k);
        X[k + 1] = each * product(k, HOD_OF(i, j) { return cross(X[i], w[j]); });
        Y[k + 1] = each * product(k, HOD_OF(i, j) { return cross(Y[i], w[j]); });
        Z[k + 1] = each * product(k, HOD_OF(i, j) { return cross(Z[i], w[j]); });
        const V v = factorial.inverse[k] * vector_at<V>(twists + 6 * k + 3);
        p[k + 1] = each * (v + product(k, HOD_OF(i, j) { return cross(p[i], w[j]); }));
    }
    turn_to_axes(X, load.f, load.n, K);
    if (whole)
        for (int k = 0; k < K; k++)
            load.n[k] -= product(k, HOD_OF(i, j) { return cross(p[i], load.f[j]); });
}

// From the parent's frame to the body's, about its origin where `whole`.
template <class V, class Order>
HOD_INLINE void carry(const Body &body, const Loads<V> &load, V *scratch, const typename V::Number *q, const typename V::Number *c,
                      const typename V::Number *s, int stride, bool whole, Order K)
{
    Passing<V, Order> f(scratch, K), n(scratch + K, K);
    for (int k = 0; k < K; k++) {
        const V force = load.f[k], moment = load.n[k];
        f[k] = combined(body.to_own, force);
        n[k] = combined(body.to_own, whole ? moment - crossed(body.p, force) : moment);
    }
    if (whole && body.h != 0)
        for (int k = 0; k < K; k++)
            n[k] += product(k, HOD_OF(i, j) { return (body.h * q[j * stride]) * quarter_turn(f[i]); });
    if (body.turns) {
        turn_both(f.at, n.at, c, s, stride, -1, load.f, load.n, scratch + 2 * K, K, 0);
    } else {
        for (int k = 0; k < K; k++) {
            load.f[k] = f[k];
            load.n[k] = n[k];
        }
    }
}

// Whether every load stands on a body that there is, in a frame that there is.
inline bool are_places(const Tree &tree, const double *places, int L)
{
    for (int l = 0; l < L; l++) {
        const double body = places[(ptrdiff_t)l * LOAD_NUMBERS], frame = places[(ptrdiff_t)l * LOAD_NUMBERS + 1];
        if (!(body >= 0 && body <= tree.bodies && body == (int)body && (frame == LINK_AXES || frame == WORLD_AXES_AT_LINK || frame == WORLD_AXES_AT_WORLD)))
            return false;
    }
    return true;
}

// Takes L loads off the wrenches that motion asks for. values (K, L, 6), places (L, LOAD_NUMBERS); pose and twists of a free base, or nullptr.
template <class V, class Order>
HOD_INLINE void take_off_loads(const Tree &tree, const Joints<typename V::Number> &joints, const Recursion<V> &run, const Loads<V> &load,
                               const typename V::Number *values, const double *places, int L, const typename V::Number *pose,
                               const typename V::Number *twists, Order K)
{
    for (int l = 0; l < L; l++) {
        const double *place = places + (ptrdiff_t)l * LOAD_NUMBERS, *R = place + 2, *p = place + 11;
        const int body = (int)place[0], frame = (int)place[1];
        const bool whole = frame == WORLD_AXES_AT_WORLD;
        for (int k = 0; k < K; k++) {
            const auto *from = values + ((ptrdiff_t)k * L + l) * 6;
            load.n[k] = factorial.inverse[k] * vector_at<V>(from);
            load.f[k] = factorial.inverse[k] * vector_at<V>(from + 3);
        }
        if (frame == LINK_AXES) {
            const Constant columns[3] = {{R[0], R[3], R[6], 0}, {R[1], R[4], R[7], 0}, {R[2], R[5], R[8], 0}};
            for (int k = 0; k < K; k++) {
                load.f[k] = combined(columns, load.f[k]);
                load.n[k] = combined(columns, load.n[k]);
            }
        } else {
            if (pose)
                carry_to_free_base(load, pose, twists, run.scratch, whole, K);
            int steps = 0;
            for (int i = body; i < tree.bodies; i = tree.body[i].parent)
                load.path[steps++] = i;
            while (steps--) {
                const int i = load.path[steps];
                carry(tree.body[i], load, run.scratch, joints.q + i, joints.c + i, joints.s + i, joints.stride, whole, K);
            }
        }
        if (body == tree.bodies && !pose)
            continue;                               // a base at rest is held
        const Vector arm = spread(p);
        const Force<V> to = run.force(body);
        for (int k = 0; k < K; k++) {
            to.f[k] -= load.f[k];
            to.n[k] -= load.n[k];
            if (!whole)
                to.n[k] -= crossed(arm, load.f[k]);
        }
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
