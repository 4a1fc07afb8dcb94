// SPDX-License-Identifier: Apache-2.0
// What a spring is, and what it does over time.
#pragma once

#include "series.hpp"

namespace hod {

struct Spring { double a, b; };     // of a SpringLaw

inline namespace HOD_TARGET {

template <class Number> struct Stretch { Number *e, *f, *k; };      // series of a spring: stretch, force, stiffness

}  // namespace HOD_TARGET
}  // namespace hod
