// SPDX-License-Identifier: Apache-2.0
// A vector of one sample with its slopes in W directions: an algorithm that runs on it gives its own exact gradient.
#pragma once

#include "series.hpp"
#include "sines.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <int W> struct Slopes {
    struct Number {
        using Slope = typename Spread<W>::Number;
        double value;
        Slope slope;
        Number() = default;
        HOD_INLINE Number(double value) : value(value), slope{} {}
        HOD_INLINE Number(double value, Slope slope) : value(value), slope(slope) {}
        HOD_INLINE Number &operator+=(Number o) { value += o.value; slope += o.slope; return *this; }
        HOD_INLINE Number &operator-=(Number o) { value -= o.value; slope -= o.slope; return *this; }
        friend HOD_INLINE Number operator*(double a, Number b) { return {a * b.value, a * b.slope}; }
        friend HOD_INLINE Number operator*(Number a, double b) { return b * a; }
        friend HOD_INLINE Number operator*(Number a, Number b) { return {a.value * b.value, a.value * b.slope + b.value * a.slope}; }
        friend HOD_INLINE Number operator+(Number a, Number b) { return {a.value + b.value, a.slope + b.slope}; }
        friend HOD_INLINE Number operator-(Number a, Number b) { return {a.value - b.value, a.slope - b.slope}; }
        friend HOD_INLINE Number operator-(Number a) { return {-a.value, -a.slope}; }
    };
    Spread<1> value;
    Spread<W> slope;

    static HOD_INLINE Slopes zero() { return {Spread<1>::zero(), Spread<W>::zero()}; }
    static HOD_INLINE Slopes of(Number x, Number y, Number z) { return {{x.value, y.value, z.value}, {x.slope, y.slope, z.slope}}; }
    HOD_INLINE Slopes &operator+=(Slopes o) { value += o.value; slope += o.slope; return *this; }
    HOD_INLINE Slopes &operator-=(Slopes o) { value -= o.value; slope -= o.slope; return *this; }
    friend HOD_INLINE Slopes operator+(Slopes a, Slopes b) { return {a.value + b.value, a.slope + b.slope}; }
    friend HOD_INLINE Slopes operator-(Slopes a, Slopes b) { return {a.value - b.value, a.slope - b.slope}; }
    friend HOD_INLINE Slopes operator-(Slopes a) { return {-a.value, -a.slope}; }
    friend HOD_INLINE Slopes operator*(Slopes a, Slopes b) { return {a.value * b.value, scaled(a.value, b.slope) + scaled(b.value, a.slope)}; }
    friend HOD_INLINE Slopes operator*(double a, Slopes b) { return {a * b.value, a * b.slope}; }
    friend HOD_INLINE Slopes operator*(Number a, Slopes b)
    {
        return {a.value * b.value, a.value * b.slope + Spread<W>{a.slope * b.value.x, a.slope * b.value.y, a.slope * b.value.z}};
    }
    friend HOD_INLINE Slopes operator*(const Constant &a, Slopes b) { return {a * b.value, a * b.slope}; }
    friend HOD_INLINE Slopes yzx(Slopes a) { return {yzx(a.value), yzx(a.slope)}; }
    friend HOD_INLINE Slopes zxy(Slopes a) { return {zxy(a.value), zxy(a.slope)}; }
    friend HOD_INLINE Slopes quarter_turn(Slopes a) { return {quarter_turn(a.value), quarter_turn(a.slope)}; }
    friend HOD_INLINE Slopes combined(const Constant *column, Slopes a) { return {combined(column, a.value), combined(column, a.slope)}; }
    friend HOD_INLINE Slopes plus_z(Slopes a, Number z) { return {plus_z(a.value, z.value), plus_z(a.slope, z.slope)}; }
    friend HOD_INLINE Number x(Slopes a) { return {a.value.x, a.slope.x}; }
    friend HOD_INLINE Number y(Slopes a) { return {a.value.y, a.slope.y}; }
    friend HOD_INLINE Number z(Slopes a) { return {a.value.z, a.slope.z}; }
    friend HOD_INLINE Number sum(Slopes a) { return {sum(a.value), sum(a.slope)}; }
    friend HOD_INLINE void copy_z(const Slopes &from, Slopes &to) { to.value.z = from.value.z; to.slope.z = from.slope.z; }

private:
    static HOD_INLINE Spread<W> scaled(Spread<1> a, Spread<W> b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
};

template <class Number, class = typename Number::Slope> HOD_INLINE void sin_cos(const Number &angle, Number &sine, Number &cosine)
{
    double s, c;
    sin_cos(angle.value, s, c);
    sine = {s, c * angle.slope};
    cosine = {c, -s * angle.slope};
}

}  // namespace HOD_TARGET
}  // namespace hod
