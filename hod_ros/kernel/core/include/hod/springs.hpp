// SPDX-License-Identifier: Apache-2.0
// Springs: the stretches that make them exert given forces, as series.
//
// A law f has the stiffness k = f' and the curvature c = f''; along a stretch e(t), f' = k e' as time derivatives, whatever the law:
// m f[m] = sum_j j e[j] k[m-j]. So e[m] follows from f[m] and what is known, and each law only has to say k[m]. Pairs pull a joint by
// Q = f1(e1) - f2(e2) with the stiffness k = k1 + k2. As functions of f1 both stiffnesses are simple, and k grows with f1 by c1 / k1 + c2 / k2:
// where that is positive the pair is co-contracted. The least stiffness at a torque lies where that branch begins.
#pragma once

#include "lanes.hpp"
#include "stretch.hpp"

namespace hod {

// t (exp(r e) - 1), a e^2 + b e, t sinh(r e), b e + a e^3 with a Spring's (a, b) = (t, r), (a, b), (t, r), (a, b); the first two only pull.
enum SpringLaw { EXPONENTIAL, QUADRATIC, HYPERBOLIC_SINE, CUBIC };

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

// The stretch at which linear e + cubic e^3 is `force`: in closed form, and a step of Newton's for what cancels in that of small forces.
template <class Number> HOD_INLINE Number cubic_stretch(double linear, double cubic, Number force)
{
    const double scale = ::sqrt(linear / (3 * cubic));
    const Number size = absolute(force), sine = size * (1.5 / (linear * scale)), root = cube_root(sine + square_root(1.0 + sine * sine));
    const Number e = scale * (root - 1.0 / root), square = cubic * e * e;
    const Number exact = e - (e * (linear + square) - size) / (linear + 3.0 * square);
    return force < 0.0 ? -exact : exact;
}

// A law at one instant.
template <int LAW> struct Law {
    Spring s;

    template <class Number> HOD_INLINE Number stretch(Number f) const
    {
        if constexpr (LAW == EXPONENTIAL)
            return log1p_of((1 / s.a) * f) / s.b;
        else if constexpr (LAW == QUADRATIC)
            return larger(Number{}, 2.0 * f / (s.b + square_root(s.b * s.b + 4 * s.a * larger(Number{}, f))));
        else if constexpr (LAW == HYPERBOLIC_SINE)
            return inverse_sinh((1 / s.a) * f) / s.b;
        else
            return cubic_stretch(s.b, s.a, f);
    }
    template <class Number> HOD_INLINE Number stiffness(Number f, Number e) const      // where it exerts f at the stretch e
    {
        if constexpr (LAW == EXPONENTIAL)
            return s.b * (f + s.a);
        else if constexpr (LAW == QUADRATIC)
            return square_root(s.b * s.b + 4 * s.a * larger(Number{}, f));
        else if constexpr (LAW == HYPERBOLIC_SINE)
            return s.b * square_root(s.a * s.a + f * f);
        else
            return s.b + 3 * s.a * e * e;
    }
    template <class Number> HOD_INLINE Number curvature(Number f, Number e, Number k) const
    {
        return LAW == EXPONENTIAL ? s.b * k : LAW == QUADRATIC ? Number{} + 2 * s.a : LAW == HYPERBOLIC_SINE ? s.b * s.b * f : 6 * s.a * e;
    }
    HOD_INLINE double cubic_force(double e) const { return e * (s.b + s.a * e * e); }
};

template <class Number> struct AtForce { Number stiffness, slope; };            // of a pair: k, dk/df1

template <int LAW, class Number> HOD_INLINE AtForce<Number> pair_at(Law<LAW> first, Law<LAW> second, Number f1, Number f2)
{
    const Number e1 = LAW == CUBIC ? first.stretch(f1) : f1, e2 = LAW == CUBIC ? second.stretch(f2) : f2;       // the others need none
    const Number k1 = first.stiffness(f1, e1), k2 = second.stiffness(f2, e2);
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
            const double place = first.cubic_force(top - (top - bottom) * (double(i) / PLACES) * (double(i) / PLACES));
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

// f1 with which a pair of laws without a closed form exerts Q with the stiffness k, between low and high: Newton's steps, halving where they leave.
template <int LAW, class Number> inline Number pair_force_between(Law<LAW> first, Law<LAW> second, Number Q, Number k, Number low, Number high)
{
    Number x = high;
    auto done = x != x;             // nowhere
    for (int i = 0; i < 200 && !everywhere(done); i++) {
        const AtForce<Number> at = pair_at(first, second, x, x - Q);
        const Number excess = at.stiffness - k;
        high = excess > 0.0 ? x : high;
        low = excess > 0.0 ? low : x;
        const Number newton = x - excess / at.slope, size = absolute(x) + absolute(Q);
        const auto stays = (at.slope > 0.0) & (at.slope < 1e30) & (low <= newton) & (newton <= high);
        const auto closed = (excess == 0.0) | (high - low <= 2 * ROUNDING * size);
        const auto settled = closed | (stays & (absolute(newton - x) <= SETTLED * size));
        const Number next = closed ? x : stays ? newton : 0.5 * (low + high);
        x = done ? x : next;
        done = done | settled;
    }
    return x;
}

// The same of any pair; false where k is below CLOSEST_TO_SLACK times the least.
template <int LAW, class Number> inline bool pair_force(Law<LAW> first, Law<LAW> second, Number Q, Number k, Number &f1)
{
    const Spring a = first.s, b = second.s;
    Number low = larger(Q, Number{});               // where one spring is at rest: on the branch, for k grows from here on in any case
    const Number enough = CLOSEST_TO_SLACK * pair_at(first, second, low, low - Q).stiffness;
    for (int l = 0; l < (int)(sizeof(Number) / sizeof(double)); l++)
        if (!(lane(k, l) >= lane(enough, l))) {
            const double least = least_force(first, second, lane(Q, l));
            if (!(lane(k, l) >= CLOSEST_TO_SLACK * pair_at(first, second, least, least - lane(Q, l)).stiffness))
                return false;
            set_lane(low, l, least);
        }
    if constexpr (LAW == EXPONENTIAL) {
        f1 = (k - (a.b * a.a + b.b * b.a) + b.b * Q) / (a.b + b.b);
    } else if constexpr (LAW == QUADRATIC) {        // k1^2 - 4 a1 f1 = b1^2, (k - k1)^2 - 4 a2 (f1 - Q) = b2^2: of k1's two roots that below k
        const double ratio = b.a / a.a;
        const Number rest = k * k + (ratio * a.b * a.b - b.b * b.b) + 4 * b.a * Q;
        const Number k1 = rest / (k + square_root(k * k - (1 - ratio) * rest));
        f1 = (k1 * k1 - a.b * a.b) / (4 * a.a);
    } else if constexpr (LAW == HYPERBOLIC_SINE) {  // less than where both pull as hard as their stiffness allows
        f1 = pair_force_between(first, second, Q, k, low, larger(low, (k + b.b * Q) / (a.b + b.b)));
    } else {
        const Number e = square_root(larger(Number{}, (k - a.b) / (3 * a.a)));
        f1 = pair_force_between(first, second, Q, k, low, larger(low, e * (a.b + a.a * e * e)));
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

// The stretches of a pair and its forces, of series Q and k with `length` coefficients; false where it loses its co-contraction.
template <int LAW, class Number>
inline bool pair_series(const Spring *springs, const Number *Q, const Number *k, Stretch<Number> one, Stretch<Number> two, int length)
{
    const Law<LAW> first{springs[0]}, second{springs[1]};
    Number f1;
    if (!pair_force(first, second, Q[0], k[0], f1))
        return false;
    one.f[0] = f1, one.e[0] = first.stretch(f1), one.k[0] = first.stiffness(f1, one.e[0]);
    two.f[0] = f1 - Q[0], two.e[0] = second.stretch(two.f[0]), two.k[0] = second.stiffness(two.f[0], two.e[0]);
    const Number c1 = first.curvature(one.f[0], one.e[0], one.k[0]), c2 = second.curvature(two.f[0], two.e[0], two.k[0]);
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

template <class Number>
inline bool pair_series(int law, const Spring *springs, const Number *Q, const Number *k, Stretch<Number> one, Stretch<Number> two, int length)
{
    switch (law) {
    case EXPONENTIAL: return pair_series<EXPONENTIAL>(springs, Q, k, one, two, length);
    case QUADRATIC: return pair_series<QUADRATIC>(springs, Q, k, one, two, length);
    case HYPERBOLIC_SINE: return pair_series<HYPERBOLIC_SINE>(springs, Q, k, one, two, length);
    case CUBIC: return pair_series<CUBIC>(springs, Q, k, one, two, length);
    }
    return false;
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
