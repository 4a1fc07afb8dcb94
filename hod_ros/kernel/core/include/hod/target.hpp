// SPDX-License-Identifier: Apache-2.0
// The instruction set that this translation unit is compiled for. All code stands in a namespace of its own for each, so that units
// compiled with different flags can be linked together.
#pragma once

#define HOD_INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
#define HOD_TARGET avx512
#define HOD_WIDTH 8             // doubles in a register
#define HOD_PACKED 1            // whether one sample's vectors in space are best packed into a register
#elif defined(__AVX2__) && defined(__FMA__)
#define HOD_TARGET avx2
#define HOD_WIDTH 4
#define HOD_PACKED 1
#else
#define HOD_TARGET baseline
#define HOD_WIDTH 2
#define HOD_PACKED 0
#endif
