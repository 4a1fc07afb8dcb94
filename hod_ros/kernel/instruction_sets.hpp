// SPDX-License-Identifier: Apache-2.0
// All algorithms as compiled for each instruction set, and which of these run here.
#pragma once

#include "core/algorithms.hpp"
#include "core/compiled.hpp"
#include "core/signature.hpp"

namespace hod {
#define DECLARE_ON(name, target) extern const Compiled name##_##target;
#define LINE(name, lengths, signature) \
    DECLARE_ON(name, baseline) DECLARE_ON(name, avx2) DECLARE_ON(name, avx512)
HOD_ALGORITHMS(LINE)
#undef LINE

namespace {

enum { BASELINE, AVX2, AVX512, INSTRUCTION_SETS };
const char *const instruction_set_names[] = {"baseline", "avx2", "avx512"};

struct Algorithm {
    const char *name, *text;
    const Compiled *on[INSTRUCTION_SETS];
    Signature signature;
    Algorithm(const char *name, const char *text, const Compiled *baseline, const Compiled *avx2, const Compiled *avx512)
        : name(name), text(text), on{baseline, avx2, avx512}, signature(text)
    {
    }
};

#ifdef HOD_DISPATCH
#define ON(name) &name##_baseline, &name##_avx2, &name##_avx512
#else
#define ON(name) &name##_baseline, nullptr, nullptr
#endif
const Algorithm algorithms[] = {
#define LINE(name, lengths, signature) Algorithm(#name, signature, ON(name)),
    HOD_ALGORITHMS(LINE)
#undef LINE
};

int chosen;         // instruction set; read and written under the GIL

bool supported(int instruction_set)
{
#ifdef HOD_DISPATCH
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (instruction_set == AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (instruction_set == AVX2)
        return avx2;
#endif
    return instruction_set == BASELINE;
}

}  // namespace
}  // namespace hod
