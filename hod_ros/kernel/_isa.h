/* The whole computation for one instruction set. Included with TARGET (function attribute), ISA (suffix) and WIDTH (doubles in a vector). */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define FN(name) GLUE(name, ISA)
#define HOT static TARGET
#define INLINE static inline __attribute__((always_inline)) TARGET
#define LANES WIDTH
#define VEC GLUE(Vec, ISA)
#define INT GLUE(Int, ISA)

typedef double VEC __attribute__((vector_size(WIDTH * 8), may_alias));
typedef long long INT __attribute__((vector_size(WIDTH * 8), may_alias));

#include "_series.h"
#include "_single.h"
#include "_evaluate.h"
#include "_spatial.h"
#include "_forward.h"

#undef FN
#undef HOT
#undef INLINE
#undef LANES
#undef VEC
#undef INT
#undef ISA
#undef TARGET
#undef WIDTH
