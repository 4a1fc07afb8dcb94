// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of series.
#pragma once

#include "series.hpp"

namespace hod {
inline namespace HOD_TARGET {

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
