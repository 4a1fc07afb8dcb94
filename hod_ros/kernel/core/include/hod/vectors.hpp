// SPDX-License-Identifier: Apache-2.0
// Vectors in space, over which every algorithm is written once.
//
// Packed: the components x, y, z of one sample in one register. Spread<W>: W samples a component, for batches; Spread<1> is one sample in
// plain doubles. Number is what one component holds: a double or W of them. Products of two vectors are componentwise.
#pragma once

#include <type_traits>

#include "target.hpp"

namespace hod {

struct alignas(32) Constant { double x, y, z, idle; };      // of a body: the same for all samples

inline namespace HOD_TARGET {

HOD_INLINE Constant yzx(const Constant &a) { return {a.y, a.z, a.x, 0}; }
HOD_INLINE Constant zxy(const Constant &a) { return {a.z, a.x, a.y, 0}; }

template <int W> struct Lanes { typedef double Number __attribute__((vector_size(sizeof(double) * W), may_alias)); };
template <> struct Lanes<1> { using Number = double; };

HOD_INLINE double lane(double number, int) { return number; }
template <class Number> HOD_INLINE double lane(const Number &number, int i) { return number[i]; }
HOD_INLINE void set_lane(double &number, int, double value) { number = value; }
template <class Number> HOD_INLINE void set_lane(Number &number, int i, double value) { number[i] = value; }

#if HOD_PACKED
#if defined(__clang__) || __GNUC__ >= 12
#define HOD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef long long Places __attribute__((vector_size(32)));
#define HOD_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, Places{i, j, k, l})
#endif

struct Packed {
    using Number = double;
    using Register = Lanes<4>::Number;
    Register v;                                             // the fourth number idles

    static HOD_INLINE Packed zero() { return {Register{}}; }
    static HOD_INLINE Packed of(double x, double y, double z) { return {Register{x, y, z, 0}}; }
    HOD_INLINE Packed &operator+=(Packed o) { v += o.v; return *this; }
    HOD_INLINE Packed &operator-=(Packed o) { v -= o.v; return *this; }
};
HOD_INLINE Packed operator+(Packed a, Packed b) { return {a.v + b.v}; }
HOD_INLINE Packed operator-(Packed a, Packed b) { return {a.v - b.v}; }
HOD_INLINE Packed operator-(Packed a) { return {-a.v}; }
HOD_INLINE Packed operator*(Packed a, Packed b) { return {a.v * b.v}; }
HOD_INLINE Packed operator*(double a, Packed b) { return {a * b.v}; }
HOD_INLINE Packed operator*(const Constant &a, Packed b) { return {*(const Packed::Register *)&a * b.v}; }
HOD_INLINE Packed yzx(Packed a) { return {HOD_SHUFFLE(a.v, a.v, 1, 2, 0, 3)}; }
HOD_INLINE Packed zxy(Packed a) { return {HOD_SHUFFLE(a.v, a.v, 2, 0, 1, 3)}; }
HOD_INLINE Packed quarter_turn(Packed a) { return {HOD_SHUFFLE(a.v, a.v, 1, 0, 3, 3) * Packed::Register{1, -1, 0, 0}}; }    // -z x a
HOD_INLINE Packed plus_z(Packed a, double z) { return {a.v + Packed::Register{0, 0, z, 0}}; }
HOD_INLINE double x(Packed a) { return a.v[0]; }
HOD_INLINE double y(Packed a) { return a.v[1]; }
HOD_INLINE double z(Packed a) { return a.v[2]; }
HOD_INLINE double sum(Packed a) { return a.v[0] + a.v[1] + a.v[2]; }
HOD_INLINE Packed combined(const Constant *column, Packed a)    // the matrix of these columns times a
{
    const auto *c = (const Packed::Register *)column;
    return {c[0] * HOD_SHUFFLE(a.v, a.v, 0, 0, 0, 0) + c[1] * HOD_SHUFFLE(a.v, a.v, 1, 1, 1, 1) + c[2] * HOD_SHUFFLE(a.v, a.v, 2, 2, 2, 2)};
}
#endif

template <int W> struct Spread {
    using Number = typename Lanes<W>::Number;
    Number x, y, z;

    static HOD_INLINE Spread zero() { return {Number{}, Number{}, Number{}}; }
    static HOD_INLINE Spread of(Number x, Number y, Number z) { return {x, y, z}; }
    HOD_INLINE Spread &operator+=(Spread o) { x += o.x; y += o.y; z += o.z; return *this; }
    HOD_INLINE Spread &operator-=(Spread o) { x -= o.x; y -= o.y; z -= o.z; return *this; }
    friend HOD_INLINE Spread operator+(Spread a, Spread b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend HOD_INLINE Spread operator-(Spread a, Spread b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend HOD_INLINE Spread operator-(Spread a) { return {-a.x, -a.y, -a.z}; }
    friend HOD_INLINE Spread operator*(Spread a, Spread b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
    friend HOD_INLINE Spread operator*(const Constant &a, Spread b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
    template <class Factor>         // a double or a Number
    friend HOD_INLINE std::enable_if_t<!std::is_class_v<Factor>, Spread> operator*(Factor a, Spread b) { return {a * b.x, a * b.y, a * b.z}; }
    friend HOD_INLINE Spread yzx(Spread a) { return {a.y, a.z, a.x}; }
    friend HOD_INLINE Spread zxy(Spread a) { return {a.z, a.x, a.y}; }
    friend HOD_INLINE Spread quarter_turn(Spread a) { return {a.y, -a.x, Number{}}; }
    friend HOD_INLINE Spread plus_z(Spread a, Number z) { return {a.x, a.y, a.z + z}; }
    friend HOD_INLINE Number x(Spread a) { return a.x; }
    friend HOD_INLINE Number y(Spread a) { return a.y; }
    friend HOD_INLINE Number z(Spread a) { return a.z; }
    friend HOD_INLINE Number sum(Spread a) { return a.x + a.y + a.z; }
    friend HOD_INLINE Spread combined(const Constant *c, Spread a)
    {
        return {c[0].x * a.x + c[1].x * a.y + c[2].x * a.z, c[0].y * a.x + c[1].y * a.y + c[2].y * a.z,
                c[0].z * a.x + c[1].z * a.y + c[2].z * a.z};
    }
};

template <class V> HOD_INLINE V cross(V a, V b) { return yzx(a) * zxy(b) - zxy(a) * yzx(b); }

// One sample, and a register full of samples, on this instruction set.
#if HOD_PACKED
using Single = Packed;
#else
using Single = Spread<1>;
#endif
using Samples = Spread<HOD_WIDTH>;

}  // namespace HOD_TARGET
}  // namespace hod
