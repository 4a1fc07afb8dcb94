/* The code for every instruction set, and the choice among them. */
#ifndef HOD_DISPATCH_H
#define HOD_DISPATCH_H

#define MOST_ROWS 128           /* of q: factorials stay finite well beyond */
#define WIDEST 8                /* doubles in the widest vector */
#define ALIGNMENT 64

static double factorial[MOST_ROWS], inverse_factorial[MOST_ROWS];

static ptrdiff_t padded(int bodies)
{
    return ((ptrdiff_t)bodies + WIDEST - 1) / WIDEST * WIDEST;
}

#define ISA baseline
#define TARGET
#define WIDTH 2
#include "_isa.h"

#if defined(__x86_64__) && !defined(HOD_PORTABLE)
#define DISPATCH 1
#define ISA avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 4
#include "_isa.h"

#define ISA avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#define WIDTH 8
#include "_isa.h"
#endif

typedef struct {
    const char *name;
    int width;
    void (*single)(const Tree *, const double *, const double *, const double *, double *, double *, double *, int);
    void (*matrices)(const Tree *, const double *, double *, double *, double *, double *, int);
    int (*forward)(const Tree *, double *, const double *, double *, double *, double *, int);
    int (*finite)(const double *, size_t);
} Isa;

static const Isa isas[] = {
#ifdef DISPATCH
    {"avx512", 8, evaluate_single_avx512, evaluate_matrices_avx512,
     evaluate_forward_avx512, all_finite_avx512},
    {"avx2", 4, evaluate_single_avx2, evaluate_matrices_avx2,
     evaluate_forward_avx2, all_finite_avx2},
#endif
    {"baseline", 2, evaluate_single_baseline, evaluate_matrices_baseline,
     evaluate_forward_baseline, all_finite_baseline},
};
static const Isa *isa;

static int supported(const char *name)
{
#ifdef DISPATCH
    __builtin_cpu_init();
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(name, "baseline") == 0;
}

static const Isa *choose_isa(const char *wanted)
{
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        if ((wanted == NULL || strcmp(wanted, isas[i].name) == 0) && supported(isas[i].name))
            return isas + i;
    return NULL;
}

#endif
