// SPDX-License-Identifier: Apache-2.0
// Sine and cosine, of numbers and of series, and whether numbers are finite.
#pragma once

#include <math.h>
#include <string.h>

#include "series.hpp"

namespace hod {
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

// Of every lane.
HOD_INLINE double square_root(double number) { return ::sqrt(number); }
HOD_INLINE double absolute(double number) { return ::fabs(number); }
template <class Number> HOD_INLINE Number square_root(Number number)
{
    for (int i = 0; i < (int)(sizeof number / sizeof(double)); i++)
        number[i] = ::sqrt(number[i]);
    return number;
}
template <class Number> HOD_INLINE Number absolute(Number number) { return number < 0.0 ? -number : number; }

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
    Number s = Number{} + 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = y + y * z * s;
    Number c = Number{} + 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = (1.0 - 0.5 * z) + z * z * c;
    const Word swap = -(quadrant & 1), s_bits = (Word)s, c_bits = (Word)c;
    sine = (Number)(((s_bits & ~swap) | (c_bits & swap)) ^ ((quadrant & 2) << 62));
    cosine = (Number)(((c_bits & ~swap) | (s_bits & swap)) ^ (((quadrant + 1) & 2) << 62));
    for (int i = 0; i < W; i++)
        if (far[i]) {
            sine[i] = ::sin(x[i]);
            cosine[i] = ::cos(x[i]);
        }
}
HOD_INLINE void sin_cos(const Samples::Number &angle, Samples::Number &sine, Samples::Number &cosine)
{
    sin_cos_lanes<HOD_WIDTH>(angle, sine, cosine);
}
HOD_INLINE void sin_cos(double angle, double &sine, double &cosine)
{
    Samples::Number s, c;
    sin_cos_lanes<HOD_WIDTH>(Samples::Number{} + angle, s, c);
    sine = s[0];
    cosine = c[0];
}

// k s[k] = sum_j j q[j] c[k-j], k c[k] = -sum_j j q[j] s[k-j]; coefficient k of a series stands at k * stride.
template <class Number, class Length> HOD_INLINE void sin_cos_series(const Number *q, Number *s, Number *c, int stride, Length length)
{
    sin_cos(q[0], s[0], c[0]);
    for (int k = 1; k < length; k++) {
        Number up{}, down{};
        for (int j = 1; j <= k; j++) {
            const Number rate = double(j) * q[j * stride];
            up += rate * c[(k - j) * stride];
            down -= rate * s[(k - j) * stride];
        }
        s[k * stride] = (1.0 / k) * up;
        c[k * stride] = (1.0 / k) * down;
    }
}

// The same for `count` angles side by side; doubles by a register full, for which the stride is a multiple of HOD_WIDTH.
template <class Number, class Length> HOD_INLINE void sin_cos_series_of_all(const Number *q, Number *s, Number *c, int count, int stride, Length length)
{
    for (int i = 0; i < count; i++)
        sin_cos_series(q + i, s + i, c + i, stride, length);
}
template <class Length> HOD_INLINE void sin_cos_series_of_all(const double *q, double *s, double *c, int count, int stride, Length length)
{
    using Number = Samples::Number;
    sin_cos_series_of_all((const Number *)q, (Number *)s, (Number *)c, (count + HOD_WIDTH - 1) / HOD_WIDTH, stride / HOD_WIDTH, length);
}

}  // namespace HOD_TARGET
}  // namespace hod
