/* Vectors of four doubles whose lanes are the components x, y, z of a vector in space (the fourth idles), and shuffles of them. */
#ifndef HOD_LANES_H
#define HOD_LANES_H

typedef double Vec3 __attribute__((vector_size(32), may_alias, aligned(32)));

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(u, v, i, j, k, l) __builtin_shufflevector(u, v, i, j, k, l)
#else
typedef long long Shuffle __attribute__((vector_size(32)));
#define SHUFFLE(u, v, i, j, k, l) __builtin_shuffle(u, v, (Shuffle){i, j, k, l})
#endif

#define YZX(v) SHUFFLE(v, v, 1, 2, 0, 3)
#define ZXY(v) SHUFFLE(v, v, 2, 0, 1, 3)
#define LANE(v, i) SHUFFLE(v, v, i, i, i, i)

/* A 3x3 matrix in the form of _single.h times a vector that is given as xyz, yzx, zxy. */
#define MATRIX_TIMES(D, E, G, v) ((D) * (v)[0] + ((E) * (v)[1] + (G) * (v)[2]))

#endif
