// SPDX-License-Identifier: Apache-2.0
// Springs: the stretches that make them exert given forces, as series.
//
// A law f has the stiffness k = f' and the curvature c = f''; along a stretch e(t), f' = k e' as time derivatives, whatever the law:
// m f[m] = sum_j j e[j] k[m-j]. So e[m] follows from f[m] and what is known, and each law only has to say k[m]. Pairs pull a joint by
// Q = f1(e1) - f2(e2) with the stiffness k = k1 + k2. As functions of f1 both stiffnesses are simple, and k grows with f1 by c1 / k1 + c2 / k2:
// where that is positive the pair is co-contracted. The least stiffness at a torque lies where that branch begins.
#pragma once

#include "sines.hpp"

namespace hod {

enum SpringLaw { EXPONENTIAL, QUADRATIC, HYPERBOLIC_SINE, CUBIC };

// t (exp(r e) - 1), a e^2 + b e, t sinh(r e), b e + a e^3 with (a, b) = (t, r), (a, b), (t, r), (a, b); the first two only pull.
struct Spring { double a, b; };

inline constexpr double CLOSEST_TO_SLACK = 1.001;       // times the least stiffness; below, the inverse is singular

inline namespace HOD_TARGET {

// The stretch of 0 or more at which stiffness e + cubic e^3 + quintic e^5 is `force`: Newton's steps from above, where it is convex.
inline double polynomial_stretch(double stiffness, double cubic, double quintic, double force)
{
    double e = force / stiffness;
    if (cubic * e * e > stiffness)
        e = cbrt(force / cubic);
    if (quintic * e * e * e * e > stiffness)
        e = fmin(e, pow(force / quintic, 0.2));
    for (int i = 0; i < 60; i++) {
        const double before = e, square = e * e;
        e -= (e * (stiffness + square * (cubic + square * quintic)) - force) / (stiffness + square * (3 * cubic + 5 * quintic * square));
        if (fabs(before - e) <= ROUNDING * e)
            break;
    }
    return e;
}

// A law at one instant.
template <int LAW> struct Law {
    Spring s;

    double force(double e) const
    {
        return LAW == EXPONENTIAL ? s.a * expm1(s.b * e) : LAW == QUADRATIC ? e * (s.b + s.a * e) : LAW == HYPERBOLIC_SINE ? s.a * sinh(s.b * e)
                                                                                               : e * (s.b + s.a * e * e);
    }
    double stretch(double f) const
    {
        switch (LAW) {
        case EXPONENTIAL: return log1p(f / s.a) / s.b;
        case QUADRATIC: return f > 0 ? 2 * f / (s.b + ::sqrt(s.b * s.b + 4 * s.a * f)) : 0;
        case HYPERBOLIC_SINE: return asinh(f / s.a) / s.b;
        default: return copysign(polynomial_stretch(s.b, s.a, 0, fabs(f)), f);
        }
    }
    double stiffness(double f, double e) const      // where it exerts f at the stretch e
    {
        switch (LAW) {
        case EXPONENTIAL: return s.b * (f + s.a);
        case QUADRATIC: return ::sqrt(s.b * s.b + 4 * s.a * fmax(f, 0.0));
        case HYPERBOLIC_SINE: return s.b * ::sqrt(s.a * s.a + f * f);
        default: return s.b + 3 * s.a * e * e;
        }
    }
    double curvature(double f, double e, double k) const
    {
        return LAW == EXPONENTIAL ? s.b * k : LAW == QUADRATIC ? 2 * s.a : LAW == HYPERBOLIC_SINE ? s.b * s.b * f : 6 * s.a * e;
    }
    double force_of_stiffness(double k) const       // of 0 or more; 0 where k is less than that at rest
    {
        switch (LAW) {
        case EXPONENTIAL: return fmax(0.0, k / s.b - s.a);
        case QUADRATIC: return k > s.b ? (k * k - s.b * s.b) / (4 * s.a) : 0;
        case HYPERBOLIC_SINE: return ::sqrt(fmax(0.0, k / s.b * (k / s.b) - s.a * s.a));
        default: return force(::sqrt(fmax(0.0, (k - s.b) / (3 * s.a))));
        }
    }
};

struct AtForce { double stiffness, slope; };            // of a pair: k, dk/df1

template <int LAW> inline AtForce pair_at(Law<LAW> first, Law<LAW> second, double f1, double f2)
{
    const double e1 = LAW == CUBIC ? first.stretch(f1) : 0, e2 = LAW == CUBIC ? second.stretch(f2) : 0;     // the others need none
    const double k1 = first.stiffness(f1, e1), k2 = second.stiffness(f2, e2);
    return {k1 + k2, first.curvature(f1, e1, k1) / k1 + second.curvature(f2, e2, k2) / k2};
}

// f1 where the co-contracted branch begins: the largest at which k does not change along the torque Q; laws that only pull go slack there.
template <int LAW> inline double least_force(Law<LAW> first, Law<LAW> second, double Q)
{
    if (LAW == EXPONENTIAL || LAW == QUADRATIC)
        return fmax(Q, 0.0);
    enum { PLACES = 60 };
    const auto slope = [&](double f1) { return pair_at(first, second, f1, f1 - Q).slope; };
    double low = fmin(0.0, Q), high = fmax(0.0, Q);
    if (LAW == CUBIC) {                             // there may be several: the first from above
        const double bottom = first.stretch(low), top = first.stretch(high);
        for (int i = 1; i < PLACES; i++) {
            const double place = first.force(top - (top - bottom) * (double(i) / PLACES) * (double(i) / PLACES));
            if (slope(place) < 0) {
                low = place;
                break;
            }
        }
    }
    double at_low = slope(low), at_high = slope(high);
    if (!(at_low < 0 && at_high > 0))
        return at_low >= 0 ? low : high;
    for (int i = 0, stayed = 0; i < 200; i++) {     // the secant with halved weights of an end that stays
        double f1 = high - at_high * (high - low) / (at_high - at_low);
        if (!(low < f1 && f1 < high))
            f1 = 0.5 * (low + high);
        const double value = slope(f1);
        if (value == 0 || high - low <= 2 * ROUNDING * fmax(fabs(low), fabs(high)))
            return f1;
        if (value > 0) {
            high = f1, at_high = value;
            at_low *= stayed == 1 ? 0.5 : 1;
            stayed = 1;
        } else {
            low = f1, at_low = value;
            at_high *= stayed == -1 ? 0.5 : 1;
            stayed = -1;
        }
    }
    return high;
}

// f1 with which a pair exerts Q with the stiffness k; false where that is below CLOSEST_TO_SLACK times the least.
template <int LAW> inline bool pair_force(Law<LAW> first, Law<LAW> second, double Q, double k, double &f1)
{
    double low = fmax(Q, 0.0);                        // where one spring is at rest: on the branch, for k grows from here on in any case
    if (!(k >= CLOSEST_TO_SLACK * pair_at(first, second, low, low - Q).stiffness)) {
        low = least_force(first, second, Q);
        if (!(k >= CLOSEST_TO_SLACK * pair_at(first, second, low, low - Q).stiffness))
            return false;
    }
    const Spring a = first.s, b = second.s;
    if (LAW == EXPONENTIAL) {
        f1 = (k - a.b * a.a - b.b * b.a + b.b * Q) / (a.b + b.b);
        return true;
    }
    if (LAW == QUADRATIC) {                         // k1^2 - 4 a1 f1 = b1^2, (k - k1)^2 - 4 a2 (f1 - Q) = b2^2: of k1's two roots that below k
        const double ratio = b.a / a.a, rest = k * k - b.b * b.b + ratio * a.b * a.b + 4 * b.a * Q;
        const double k1 = rest / (k + ::sqrt(k * k - (1 - ratio) * rest));
        f1 = (k1 * k1 - a.b * a.b) / (4 * a.a);
        return true;
    }
    double high = fmax(low, first.force_of_stiffness(k)), x = high;
    for (int i = 0; i < 200; i++) {                 // Newton's steps, halving where they leave
        const AtForce at = pair_at(first, second, x, x - Q);
        const double excess = at.stiffness - k;
        (excess > 0 ? high : low) = x;
        double next = x - excess / at.slope;
        const bool leaves = !(at.slope > 0 && at.slope < 1e30 && low <= next && next <= high);
        if (leaves)
            next = 0.5 * (low + high);
        f1 = next;
        if (fabs(next - x) <= ROUNDING * (fabs(x) + fabs(Q)) || ((leaves || next == low || next == high) && high - low <= 2 * ROUNDING * fmax(fabs(low), fabs(high))))
            return true;
        if (excess == 0) {
            f1 = x;
            return true;
        }
        x = next;
    }
    return true;
}

// m f[m] = sum of j e[j] k[m-j] over j = 1 .. m - 1: without what e[m] adds, which is k[0] e[m].
template <class Number> HOD_INLINE Number force_but_last(const Number *e, const Number *k, int m)
{
    Number total{};
    for (int j = 1; j < m; j++)
        total += double(j) * e[j] * k[m - j];
    return (1.0 / m) * total;
}

// k[m] without what e[m] adds, which is c e[m].
template <int LAW, class Number> HOD_INLINE Number stiffness_but_last(const Spring &s, const Number *e, const Number *f, Number force, int m)
{
    Number total{};
    switch (LAW) {
    case EXPONENTIAL: return s.b * force;
    case QUADRATIC: return total;
    case HYPERBOLIC_SINE:                           // k' = r^2 f e'
        for (int j = 1; j < m; j++)
            total += double(j) * e[j] * f[m - j];
        return (s.b * s.b / m) * total;
    default:
        for (int j = 1; j < m; j++)
            total += e[j] * e[m - j];
        return (3 * s.a) * total;
    }
}

template <class Number> struct Stretch { Number *e, *f, *k; };      // series of a spring

// The stretches of a pair and its forces, of series Q and k with `length` coefficients; false where it loses its co-contraction.
template <int LAW, class Number>
inline bool pair_series(const Spring *springs, const Number *Q, const Number *k, Stretch<Number> one, Stretch<Number> two, int length)
{
    const Law<LAW> first{springs[0]}, second{springs[1]};
    Number c1{}, c2{};
    for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++) {
        double f1;
        if (!pair_force(first, second, lane(Q[0], l), lane(k[0], l), f1))
            return false;
        const double f2 = f1 - lane(Q[0], l), e1 = first.stretch(f1), e2 = second.stretch(f2);
        const double k1 = first.stiffness(f1, e1), k2 = second.stiffness(f2, e2);
        set_lane(one.f[0], l, f1), set_lane(two.f[0], l, f2), set_lane(one.e[0], l, e1), set_lane(two.e[0], l, e2);
        set_lane(one.k[0], l, k1), set_lane(two.k[0], l, k2);
        set_lane(c1, l, first.curvature(f1, e1, k1)), set_lane(c2, l, second.curvature(f2, e2, k2));
    }
    const Number k1 = one.k[0], k2 = two.k[0], determinant = 1.0 / (k1 * c2 + k2 * c1);
    for (int m = 1; m < length; m++) {
        const Number f1 = force_but_last(one.e, one.k, m), f2 = force_but_last(two.e, two.k, m);
        const Number s1 = stiffness_but_last<LAW>(springs[0], one.e, one.f, f1, m), s2 = stiffness_but_last<LAW>(springs[1], two.e, two.f, f2, m);
        const Number force = Q[m] - f1 + f2, stiffness = k[m] - s1 - s2;
        one.e[m] = (c2 * force + k2 * stiffness) * determinant;
        two.e[m] = (k1 * stiffness - c1 * force) * determinant;
        one.f[m] = f1 + k1 * one.e[m], one.k[m] = s1 + c1 * one.e[m];
        two.f[m] = f2 + k2 * two.e[m], two.k[m] = s2 + c2 * two.e[m];
    }
    return true;
}

// The stretch and stiffness of a spring stiffness e + cubic e^3 + quintic e^5 that exerts the series Q; square: e^2 on its way.
template <class Number>
inline void polynomial_series(double stiffness, double cubic, double quintic, const Number *Q, Number *e, Number *k, Number *square, int length)
{
    for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++)
        set_lane(e[0], l, copysign(polynomial_stretch(stiffness, cubic, quintic, fabs(lane(Q[0], l))), lane(Q[0], l)));
    for (int m = 0; m < length; m++) {
        if (m)
            e[m] = (Q[m] - force_but_last(e, k, m)) / k[0];
        square[m] = product(m, HOD_OF(i, j) { return e[i] * e[j]; });
        k[m] = 3 * cubic * square[m] + 5 * quintic * product(m, HOD_OF(i, j) { return square[i] * square[j]; });
        if (m == 0)
            k[0] += stiffness;
    }
}

}  // namespace HOD_TARGET
}  // namespace hod
