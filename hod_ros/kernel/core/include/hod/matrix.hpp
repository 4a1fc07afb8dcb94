// SPDX-License-Identifier: Apache-2.0
// Matrices in space without symmetry: the diagonal, (xy, yz, zx) and (xz, yx, zy).
#pragma once

#include "series.hpp"

namespace hod {
inline namespace HOD_TARGET {

template <class V> struct Matrix { V D, E, G; HOD_INLINE Matrix &operator+=(Matrix o) { D += o.D; E += o.E; G += o.G; return *this; } };
template <class V> HOD_INLINE V operator*(const Matrix<V> &A, V x) { return A.D * x + (A.E * yzx(x) + A.G * zxy(x)); }
template <class V> HOD_INLINE Matrix<V> transposed(const Matrix<V> &A) { return {A.D, yzx(A.G), zxy(A.E)}; }

}  // namespace HOD_TARGET
}  // namespace hod
