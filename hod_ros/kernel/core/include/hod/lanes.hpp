// SPDX-License-Identifier: Apache-2.0
// Functions of a Number: of a double, or of each of a register full of samples.
#pragma once

#include "precision.hpp"

namespace hod {
inline namespace HOD_TARGET {

HOD_INLINE double square_root(double number) { return ::sqrt(number); }
HOD_INLINE double absolute(double number) { return ::fabs(number); }
template <class Number> HOD_INLINE Number square_root(Number number)
{
    for (int i = 0; i < (int)(sizeof number / sizeof(double)); i++)
        number[i] = ::sqrt(number[i]);
    return number;
}
template <class Number> HOD_INLINE Number absolute(Number number) { return number < 0.0 ? -number : number; }
template <class Number> HOD_INLINE Number larger(Number a, Number b) { return a > b ? a : b; }

HOD_INLINE bool everywhere(bool truth) { return truth; }
template <class Mask> HOD_INLINE bool everywhere(Mask truth)
{
    bool all = true;
    for (int i = 0; i < (int)(sizeof truth / sizeof truth[0]); i++)
        all &= truth[i] != 0;
    return all;
}

HOD_INLINE Samples::Number log1p_of(Samples::Number x) { return log1p_lanes<HOD_WIDTH>(x); }
HOD_INLINE double log1p_of(double x) { return log1p_of(Samples::Number{} + x)[0]; }
HOD_INLINE Samples::Number cube_root(Samples::Number x) { return cbrt_lanes<HOD_WIDTH>(x); }
HOD_INLINE double cube_root(double x) { return cube_root(Samples::Number{} + x)[0]; }
template <class Number> HOD_INLINE Number inverse_sinh(Number x)
{
    const Number size = absolute(x), found = log1p_of(size + size * size / (1.0 + square_root(1.0 + size * size)));
    return x < 0.0 ? -found : found;
}

}  // namespace HOD_TARGET
}  // namespace hod
