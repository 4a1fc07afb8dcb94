// SPDX-License-Identifier: Apache-2.0
// From q to the coordinates of all joints as series, and from the joints' forces back to Q. Coefficient k of joint i stands at [k * stride + i].
#pragma once

#include "sines.hpp"
#include "tree.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class Number> struct Joints {
    Number *q, *c, *s;          // coordinates, their cosines and sines
    int stride;
};

template <class Number> HOD_INLINE int stride_of(const Tree &tree)
{
    return sizeof(Number) == sizeof(double) ? (tree.bodies + HOD_WIDTH - 1) / HOD_WIDTH * HOD_WIDTH : tree.bodies;
}

template <class Number> HOD_INLINE Joints<Number> take_joints(const Tree &tree, Memory &memory, int rows, int angles)
{
    const int stride = stride_of<Number>(tree);
    Number *q = memory.take<Number>((size_t)rows * stride), *c = memory.take<Number>((size_t)angles * stride);
    return {q, c, memory.take<Number>((size_t)angles * stride), stride};
}

// q: `rows` rows of n derivatives; cosines and sines get `angles` coefficients.
template <class Number, class Rows, class Angles>
HOD_INLINE void joint_series(const Tree &tree, const Number *q, const Joints<Number> &to, Rows rows, Angles angles)
{
    const int N = tree.bodies, n = tree.columns, stride = to.stride;
    for (int i = 0; i < N; i++) {
        const Body &body = tree.body[i];
        const Number *from = q + body.column;
        to.q[i] = body.multiplier * from[0] + body.offset;
        for (int k = 1; k < rows; k++)
            to.q[k * stride + i] = (body.multiplier * factorial.inverse[k]) * from[k * n];
    }
    for (int i = N; i < stride; i++)
        for (int k = 0; k < rows; k++)
            to.q[k * stride + i] = Number{};
    sin_cos_series_of_all(to.q, to.s, to.c, N, stride, angles);
}

// Q (K rows of n derivatives) of the joints' forces tau, with what the rotors take; ddq: q from its second derivative on.
template <class Number, class Order>
HOD_INLINE void collect_forces(const Tree &tree, const Number *tau, int stride, const Number *ddq, Number *Q, Order K)
{
    const int N = tree.bodies, n = tree.columns;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < n; j++)
            Q[k * n + j] = tree.armature[j] * ddq[k * n + j];
    for (int i = 0; i < N; i++) {
        const Body &body = tree.body[i];
        for (int k = 0; k < K; k++)
            Q[k * n + body.column] += (body.multiplier * factorial.of[k]) * tau[k * stride + i];
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
