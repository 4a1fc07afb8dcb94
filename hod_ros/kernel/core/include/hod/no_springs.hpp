// SPDX-License-Identifier: Apache-2.0
// springs.hpp of an export whose drives are all linear, or have their stiffness given.
#pragma once

#include "stretch.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class Number>
inline bool pair_series(int, const Spring *, const Number *, const Number *, Stretch<Number>, Stretch<Number>, int)
{
    return false;
}

template <class Number> inline bool polynomial_series(double, double, double, const Number *, Number *, Number *, Number *, int) { return false; }

}  // namespace HOD_TARGET
}  // namespace hod
