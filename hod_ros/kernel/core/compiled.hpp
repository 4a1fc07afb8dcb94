// SPDX-License-Identifier: Apache-2.0
// An algorithm as compiled for one instruction set: what the doorway calls, whatever the vector type.
#pragma once

#include "hod/arguments.hpp"

namespace hod {

// The arguments of a call, for one sample or a whole batch.
struct Call {
    const Tree *tree;
    Sizes sizes;
    int inputs, outputs;
    const double *in[MOST_ARGUMENTS];       // nullptr: left out
    double *out[MOST_ARGUMENTS];
    size_t in_size[MOST_ARGUMENTS], out_size[MOST_ARGUMENTS];       // numbers a sample
    bool shared[MOST_ARGUMENTS];            // by all samples, and no Numbers but doubles for the algorithm
    bool once[MOST_ARGUMENTS];              // given once for all samples
};

// Both only count where the memory does, and return false where a number, given or resulting, is not finite or no result exists.
struct Compiled {
    bool (*single)(const Call &call, Memory &memory);
    bool (*samples)(const Call &call, size_t first, size_t count, Memory &memory);
};

}  // namespace hod
