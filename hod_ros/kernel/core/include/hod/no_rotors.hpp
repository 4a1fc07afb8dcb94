// SPDX-License-Identifier: Apache-2.0
// rotor_coupling.hpp of an export whose rotors all spin as if about fixed axes.
#pragma once

#include "arguments.hpp"

namespace hod {

struct Rotor {};

enum { ROTOR_NUMBERS = 0 };

inline bool are_rotors(const Tree &, const Rotor *, int) { return false; }

inline namespace HOD_TARGET {

template <class V> struct Turning { HOD_INLINE Turning(const Tree &, Memory &, int) {} };

template <class V, class Order>
HOD_INLINE void couple_rotors(const Tree &, const Turning<V> &, const typename V::Number *, const typename V::Number *, const Rotor *, int,
                              typename V::Number *, typename V::Number *, Order)
{
}

}  // namespace HOD_TARGET
}  // namespace hod
