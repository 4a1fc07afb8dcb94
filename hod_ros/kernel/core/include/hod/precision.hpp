// SPDX-License-Identifier: Apache-2.0
// What depends on numbers being doubles: rounding, ranges, bits, and functions made of them. An export to float has float_precision.hpp in its place.
#pragma once

#include <math.h>
#include <string.h>

#include "vectors.hpp"

namespace hod {

enum { MOST_ROWS = 128 };       // of a motion: factorials stay finite well beyond
inline constexpr double ROUNDING = 2e-16;
inline constexpr double SETTLED = 1e-9;     // of Newton's steps: the next one would be within rounding

inline namespace HOD_TARGET {

template <int W> struct Bits { typedef long long Number __attribute__((vector_size(8 * W), may_alias)); };

// Whether all numbers are finite: by their bits, so that no compiler flag can argue it away.
inline bool all_finite(const double *numbers, size_t count)
{
    using Word = Bits<HOD_WIDTH>::Number;
    const Word exponent = Word{} + 0x7ff0000000000000;
    Word found = {};
    size_t i = 0;
    for (; i + HOD_WIDTH <= count; i += HOD_WIDTH) {
        Word bits;
        memcpy(&bits, numbers + i, sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    Word rest = {};
    if (i < count)
        memcpy(&rest, numbers + i, (count - i) * sizeof *numbers);
    found |= (rest & exponent) == exponent;
    long long any = 0;
    for (int j = 0; j < HOD_WIDTH; j++)
        any |= found[j];
    return any == 0;
}

// Coefficients from the highest power down.
template <class Number, int COUNT> HOD_INLINE Number polynomial(const Number &z, const double (&coefficients)[COUNT])
{
    Number total = Number{} + coefficients[0];
    for (int i = 1; i < COUNT; i++)
        total = total * z + coefficients[i];
    return total;
}

// To 1 unit in the last place (0.8 measured) up to 2^20, where the argument is reduced by multiples of pi/2 in three parts whose products
// with the multiple are exact; by the C library beyond.
template <int W> HOD_INLINE void sin_cos_lanes(const typename Lanes<W>::Number &angle, typename Lanes<W>::Number &sine, typename Lanes<W>::Number &cosine)
{
    using Number = typename Lanes<W>::Number;
    using Word = typename Bits<W>::Number;
    const double limit = 1048576.0, shifter = 6755399441055744.0;
    const double part_1 = 0x1.921fb544p+0, part_2 = 0x1.0b4611a6p-34, part_3 = 0x1.3198a2e037073p-69;
    const Number x = angle, shifted = x * 0x1.45f306dc9c883p-1 + shifter, multiple = shifted - shifter;
    const Word far = (Word)(x > Number{} + limit) | (Word)(x < Number{} - limit), quadrant = (Word)shifted;
    const Number r = x - multiple * part_1, second = multiple * part_2, near = r - second, lost = (r - near) - second;
    const Number y = near + (lost - multiple * part_3), z = y * y;
    const Number s = y + y * z * polynomial(z, {1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                                                1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0});
    const Number c = (1.0 - 0.5 * z) + z * z * polynomial(z, {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                                                              1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0});
    const Word swap = -(quadrant & 1), s_bits = (Word)s, c_bits = (Word)c;
    sine = (Number)(((s_bits & ~swap) | (c_bits & swap)) ^ ((quadrant & 2) << 62));
    cosine = (Number)(((c_bits & ~swap) | (s_bits & swap)) ^ (((quadrant + 1) & 2) << 62));
    for (int i = 0; i < W; i++)
        if (far[i]) {
            sine[i] = ::sin(x[i]);
            cosine[i] = ::cos(x[i]);
        }
}

// log(1 + x) for x > -1, to 2 units in the last place: the exponent of 1 + x, the logarithm of its mantissa m in [0.7, 1.5] as a series in
// (m - 1) / (m + 1), and what 1 + x rounds off.
template <int W> HOD_INLINE typename Lanes<W>::Number log1p_lanes(const typename Lanes<W>::Number &x)
{
    using Number = typename Lanes<W>::Number;
    using Word = typename Bits<W>::Number;
    const long long least = 0x3fe6a09e667f3bcd;                 // of sqrt(1/2)
    const double shifter = 6755399441055744.0;
    const Number u = 1.0 + x, lost = (x - (u - 1.0)) / u;
    const Word exponent = ((Word)u - least) >> 52;
    const Number m = (Number)((Word)u - (exponent << 52)), s = (m - 1.0) / (m + 1.0), z = s * s;
    const Number e = (Number)((Word)(Number{} + shifter) + exponent) - shifter;
    const Number sum = polynomial(z, {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3});
    return e * 0x1.62e42feep-1 + (2.0 * s + (2.0 * s * z * sum + (e * 0x1.a39ef35793c76p-33 + lost)));
}

// The cube root of x > 0: of its exponent by bits, then Halley's steps, each of which triples the digits; to 4 units in the last place.
template <int W> HOD_INLINE typename Lanes<W>::Number cbrt_lanes(const typename Lanes<W>::Number &x)
{
    using Number = typename Lanes<W>::Number;
    using Word = typename Bits<W>::Number;
    Number root = (Number)((((((Word)x >> 32) * 0x55555556) >> 32) + 0x2a9f7893) << 32);
    for (int i = 0; i < 3; i++) {
        const Number cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    return root;
}
}  // namespace HOD_TARGET
}  // namespace hod
