// SPDX-License-Identifier: Apache-2.0
// target.hpp of an export to float: the same code for all machines.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HOD_INLINE inline __attribute__((always_inline))
#define HOD_TARGET floats
#define HOD_WIDTH 4
#define HOD_PACKED 0
