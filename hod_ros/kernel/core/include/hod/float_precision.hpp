// SPDX-License-Identifier: Apache-2.0
// precision.hpp of an export to float.
#pragma once

#include <math.h>
#include <string.h>

#include "vectors.hpp"

namespace hod {

enum { MOST_ROWS = 34 };        // of a motion: factorials stay finite
inline constexpr float ROUNDING = 6e-8f;
inline constexpr float SETTLED = 1e-4f;     // of Newton's steps: the next one would be within rounding

inline namespace HOD_TARGET {

// Whether all numbers are finite: by their bits, so that no compiler flag can argue it away.
inline bool all_finite(const float *numbers, size_t count)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        finite = finite && (bits & 0x7f800000u) != 0x7f800000u;
    }
    return finite;
}

template <int W> HOD_INLINE void sin_cos_lanes(const typename Lanes<W>::Number &angle, typename Lanes<W>::Number &sine, typename Lanes<W>::Number &cosine)
{
    for (int i = 0; i < W; i++) {
        sine[i] = ::sinf(angle[i]);
        cosine[i] = ::cosf(angle[i]);
    }
}

template <int W> HOD_INLINE typename Lanes<W>::Number log1p_lanes(const typename Lanes<W>::Number &x)
{
    typename Lanes<W>::Number found;
    for (int i = 0; i < W; i++)
        found[i] = ::log1pf(x[i]);
    return found;
}

template <int W> HOD_INLINE typename Lanes<W>::Number cbrt_lanes(const typename Lanes<W>::Number &x)
{
    typename Lanes<W>::Number found;
    for (int i = 0; i < W; i++)
        found[i] = ::cbrtf(x[i]);
    return found;
}

}  // namespace HOD_TARGET
}  // namespace hod
