/* The constants of a tree in normal form: every joint turns about and slides along z of its own frame.
 * Vectors in the frame of their body; base: the last slot. */
#ifndef HOD_TREE_H
#define HOD_TREE_H

#include <stddef.h>

#include "_lanes.h"

typedef struct {
    double R[9];            /* rotation from the joint frame at zero to the parent's frame, row major */
    double p[3];            /* its origin in the parent's frame */
    double m, c[3];         /* mass, first moment */
    double S[6];            /* pseudo-inertia, integral of r r^T dm: xx yy zz xy xz yz */
    double h;               /* displacement along z per unit of q */
    double multiplier, offset;
    int turns;              /* 1: rotates by q, 0: only slides */
    int parent;             /* slot of the parent; the number of bodies: the base */
    int column;             /* column of q */
} Body;

/* The same constants for a single sample, spread over lanes as _single.h takes them. */
typedef struct {
    Vec3 row[3], column[3];     /* of R */
    Vec3 p[3], axis[3], c[3];   /* p, the joint's axis in the parent's frame, the first moment: each as xyz, yzx, zxy */
    Vec3 S[5];                  /* (yz zx xy), (xy yz zx), (zz xx yy), (yy zz xx), (zx xy yz) */
    double m, h;
    int turns, parent;
} LaneBody;

/* The series of one body of a single sample; w has K + 1 coefficients, the others K. */
typedef struct {
    Vec3 *w, *a, *D, *E, *G, *f, *n;
} Motion;

static inline Motion series_of(Vec3 *work, int slot, int row)
{
    Vec3 *at = work + (size_t)slot * 7 * row;
    return (Motion){at, at + row, at + 2 * row, at + 3 * row, at + 4 * row, at + 5 * row, at + 6 * row};
}

/* The series of one body or subtree in world axes, see _spatial.h: screw, twist, inertia, then B, or a wrench in its place. */
typedef struct {
    Vec3 *s, *u, *w, *v, *h, *P, *off, *A[3], *H[3], *mv, *mw, *about, *along;
    double *m;
} Spatial;

#define SPATIAL_VECTORS(row) (15 * (row) + 1)

static inline Spatial spatial_of(Vec3 *work, int slot, int row)
{
    Vec3 *at = work + (size_t)slot * SPATIAL_VECTORS(row);
    return (Spatial){
        at, at + row, at + 2 * row, at + 3 * row, at + 4 * row, at + 5 * row, at + 6 * row,
        {at + 7 * row, at + 8 * row, at + 9 * row}, {at + 10 * row, at + 11 * row, at + 12 * row}, at + 13 * row, at + 14 * row,
        at + 7 * row, at + 8 * row, (double *)(at + 15 * row),
    };
}

typedef struct {
    int bodies;             /* N; slots 0 .. N - 1 are moving bodies, slot N is the base */
    int columns;            /* n */
    int offsets;            /* whether any offset is not zero */
    double gravity[3];
    double *armature;       /* n */
    Body *body;             /* N + 1 */
    LaneBody *lanes;        /* N + 1 */
} Tree;

#endif
