/* Spatial representation on Taylor series: screws, twists and inertias of all bodies resolved in world axes about the world's origin.
 *
 * There a joint's screw S is the same for every body it moves, S' = [V, S], and inertias of a subtree simply add. An inertia is kept as its
 * mass m, first moment h and second moments P = integral of r r^T dm, with h' = w x h + m v and P' = w~ P + v h^T + ()^T. Twists and
 * screws are (angular w, linear v), wrenches (moment, force). The lanes of a vector are components in space; P is its diagonal and
 * off = (xy, yz, zx), a matrix with no symmetry its diagonal D and E = (xy, yz, zx), G = (xz, yx, zy).
 * Included once for every instruction set, with FN(name) and INLINE defined. */

#define CROSS(x, y) (YZX(x) * ZXY(y) - ZXY(x) * YZX(y))

INLINE void FN(place)(const Body *body, const double *from, double *pose, double theta, double sine, double cosine)
{
    const double *R0 = from, *p0 = from + 9, *Q = body->R;
    double *R = pose, *p = pose + 9, turned[9];
    for (int r = 0; r < 3; r++) {
        turned[3 * r] = Q[3 * r] * cosine + Q[3 * r + 1] * sine;
        turned[3 * r + 1] = Q[3 * r + 1] * cosine - Q[3 * r] * sine;
        turned[3 * r + 2] = Q[3 * r + 2];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            R[3 * r + c] = R0[3 * r] * turned[c] + R0[3 * r + 1] * turned[3 + c] + R0[3 * r + 2] * turned[6 + c];
        p[r] = p0[r] + (R0[3 * r] * body->p[0] + R0[3 * r + 1] * body->p[1] + R0[3 * r + 2] * body->p[2]) + R[3 * r + 2] * body->h * theta;
    }
}

/* The screw and the inertia of a body at its pose: coefficient 0 of their series. */
INLINE void FN(spatial_constants)(const Body *body, const double *pose, Spatial b)
{
    const double *R = pose, *S = body->S, *c = body->c, m = body->m;
    const Vec3 p = {pose[9], pose[10], pose[11], 0}, axis = {R[2], R[5], R[8], 0};
    b.s[0] = (double)body->turns * axis;
    b.u[0] = (double)body->turns * CROSS(p, axis) + body->h * axis;
    const Vec3 x = {R[0], R[3], R[6], 0}, y = {R[1], R[4], R[7], 0};
    const Vec3 first = x * c[0] + y * c[1] + axis * c[2], h = first + m * p;
    const Vec3 rows[3] = {x * S[0] + y * S[3] + axis * S[4], x * S[3] + y * S[1] + axis * S[5], x * S[4] + y * S[5] + axis * S[2]};
    b.h[0] = h;
    b.P[0] = rows[0] * x + rows[1] * y + rows[2] * axis + first * p + p * h;
    b.off[0] = rows[0] * YZX(x) + rows[1] * YZX(y) + rows[2] * YZX(axis) + first * YZX(p) + p * YZX(h);
    *b.m = m;
}

/* The series that follow from the twist w, v of the parent and the rates of the joint, `stride` apart: the screw's up to coefficient K, the
 * others up to `last`, K or K - 1. */
INLINE void FN(spatial_motion)(Spatial up, Spatial b, const double *theta, ptrdiff_t stride, int K, int last)
{
    const double m = *b.m;
    for (int k = 0; k < K; k++) {
        Vec3 s = {0}, u = {0};
        for (int j = 0; j <= k; j++) {
            const Vec3 w = up.w[j], v = up.v[j], sj = b.s[k - j], uj = b.u[k - j];
            const Vec3 w1 = YZX(w), w2 = ZXY(w), s1 = YZX(sj), s2 = ZXY(sj);
            s += w1 * s2 - w2 * s1;
            u += (w1 * ZXY(uj) - w2 * YZX(uj)) + (YZX(v) * s2 - ZXY(v) * s1);
        }
        b.s[k + 1] = s * (1.0 / (k + 1));
        b.u[k + 1] = u * (1.0 / (k + 1));
    }
    for (int k = 0; k <= last; k++) {
        Vec3 w = up.w[k], v = up.v[k];
        for (int j = 0; j <= k; j++) {
            const double rate = (k - j + 1) * theta[(k - j + 1) * stride];
            w += rate * b.s[j];
            v += rate * b.u[j];
        }
        b.w[k] = w;
        b.v[k] = v;
    }
    for (int k = 0; k < last; k++) {
        Vec3 h = m * b.v[k], P = {0}, off = {0};
        for (int j = 0; j <= k; j++) {
            const Vec3 w = b.w[j], v = b.v[j], hj = b.h[k - j], Pj = b.P[k - j], offj = b.off[k - j];
            const Vec3 w1 = YZX(w), w2 = ZXY(w), h1 = YZX(hj), cyclic = ZXY(offj);
            h += w1 * ZXY(hj) - w2 * h1;
            P += (w1 * cyclic - w2 * offj) + v * hj;
            off += (w1 * YZX(offj) - w * cyclic) + w2 * (Pj - YZX(Pj)) + (v * h1 + YZX(v) * hj);
        }
        b.h[k + 1] = h * (1.0 / (k + 1));
        b.P[k + 1] = P * (2.0 / (k + 1));
        b.off[k + 1] = off * (1.0 / (k + 1));
    }
}

/* Coefficient k of Lambda (s, u): the momentum of the inertia moving along a screw, angular and linear. */
INLINE void FN(momentum)(Spatial b, const Vec3 *s, const Vec3 *u, int k, Vec3 *angular, Vec3 *linear)
{
    Vec3 about = {0}, along = *b.m * u[k];
    for (int j = 0; j <= k; j++) {
        const Vec3 P = b.P[j], off = b.off[j], h = b.h[j], x = s[k - j], y = u[k - j];
        const Vec3 h1 = YZX(h), h2 = ZXY(h), x1 = YZX(x), x2 = ZXY(x);
        about += (YZX(P) + ZXY(P)) * x - (off * x1 + ZXY(off) * x2) + (h1 * ZXY(y) - h2 * YZX(y));
        along -= h1 * x2 - h2 * x1;
    }
    *angular = about;
    *linear = along;
}

/* Coefficient k of the product of a screw and a wrench, still spread over the lanes. */
#define PAIRING(s, u, about, along, k) \
    for (int l_ = 0; l_ <= (k); l_++) \
        product += (s)[l_] * (about)[(k) - l_] + (u)[l_] * (along)[(k) - l_]
#define SUM(v) ((v)[0] + (v)[1] + (v)[2])

/* theta of all bodies, K + 2 coefficients from `rows` rows of q (what is beyond is zero), then their sines and cosines. */
INLINE void FN(joint_motions)(const Tree *tree, const double *q, int rows, double *theta, ptrdiff_t stride, int K)
{
    const int N = tree->bodies, n = tree->columns;
    memset(theta, 0, (K + 4) * stride * sizeof *theta);
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < N; i++)
            theta[k * stride + i] = q[k * n + tree->body[i].column] * (tree->body[i].multiplier * inverse_factorial[k]);
    if (tree->offsets)
        for (int i = 0; i < N; i++)
            theta[i] += tree->body[i].offset;
    double *sine = theta + (K + 2) * stride, *cosine = sine + stride;
    for (ptrdiff_t i = 0; i < stride; i += LANES)
        FN(sin_cos)(*(VEC *)(theta + i), (VEC *)(sine + i), (VEC *)(cosine + i));
    for (int i = 0; i < N; i++)
        if (!tree->body[i].turns) {
            sine[i] = 0;
            cosine[i] = 1;
        }
}

/* Poses (12 numbers a slot), screws and inertias of all bodies, and their series as far as spatial_motion says; last -1: constants only. */
INLINE void FN(spatial_forward)(const Tree *tree, const double *theta, ptrdiff_t stride, double *pose, Vec3 *work, int K, int last)
{
    const int N = tree->bodies, row = K + 1;
    const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, *sine = theta + (K + 2) * stride, *cosine = sine + stride;
    memcpy(pose + 12 * N, identity, sizeof identity);
    const Spatial world = spatial_of(work, N, row);
    for (int k = 0; k <= K; k++)
        world.w[k] = world.v[k] = (Vec3){0};
    for (int i = 0; i < N; i++) {
        const int up = tree->body[i].parent;
        const Spatial b = spatial_of(work, i, row);
        FN(place)(tree->body + i, pose + 12 * up, pose + 12 * i, theta[i], sine[i], cosine[i]);
        FN(spatial_constants)(tree->body + i, pose + 12 * i, b);
        if (last >= 0)
            FN(spatial_motion)(spatial_of(work, up, row), b, theta + i, stride, K, last);
    }
}

/* B = -ad_V^T Lambda of one body, in blocks [[A, H + mv~], [-H, mw~]] with A = w~ (tr P - P) - v~ h~ and H = w~ h~. */
INLINE void FN(coriolis)(Spatial b, int K)
{
    const double m = *b.m;
    for (int k = 0; k < K; k++) {
        Vec3 D = {0}, E = {0}, G = {0}, HD = {0}, HE = {0}, HG = {0};
        for (int j = 0; j <= k; j++) {
            const Vec3 w = b.w[j], v = b.v[j], h = b.h[k - j], P = b.P[k - j], off = b.off[k - j];
            const Vec3 w1 = YZX(w), w2 = ZXY(w), v1 = YZX(v), v2 = ZXY(v), h1 = YZX(h), h2 = ZXY(h), P1 = YZX(P), P2 = ZXY(P), off2 = ZXY(off);
            D += (w2 * off - w1 * off2) + (h1 * v1 + h2 * v2);
            E -= w1 * YZX(off) + w2 * (P + P2) + h * v1;
            G += w1 * (P + P1) + w2 * YZX(off) - h * v2;
            HD -= h1 * w1 + h2 * w2;
            HE += h * w1;
            HG += h * w2;
        }
        b.A[0][k] = D;
        b.A[1][k] = E;
        b.A[2][k] = G;
        b.H[0][k] = HD;
        b.H[1][k] = HE;
        b.H[2][k] = HG;
        b.mv[k] = m * b.v[k];
        b.mw[k] = m * b.w[k];
    }
}

/* P = Lambda S, F = Lambda S' + B S and R = B^T S of a subtree along the screw of its first body: K moments, K forces each. */
INLINE void FN(momenta)(Spatial b, const Vec3 *rate_s, const Vec3 *rate_u, Vec3 *out, int K)
{
    Vec3 *p = out, *f = out + 2 * K, *r = out + 4 * K;
    for (int k = 0; k < K; k++) {
        FN(momentum)(b, b.s, b.u, k, p + k, p + K + k);
        Vec3 about, along, across = {0}, back = {0};
        FN(momentum)(b, rate_s, rate_u, k, &about, &along);
        for (int j = 0; j <= k; j++) {
            const Vec3 s[3] = {b.s[k - j], YZX(b.s[k - j]), ZXY(b.s[k - j])}, u[3] = {b.u[k - j], YZX(b.u[k - j]), ZXY(b.u[k - j])};
            const Vec3 D = b.A[0][j], E = b.A[1][j], G = b.A[2][j], HD = b.H[0][j], HE = b.H[1][j], HG = b.H[2][j];
            const Vec3 mv1 = YZX(b.mv[j]), mv2 = ZXY(b.mv[j]), swept = YZX(b.mw[j]) * u[2] - ZXY(b.mw[j]) * u[1];
            about += MATRIX_TIMES(D, E, G, s) + MATRIX_TIMES(HD, HE, HG, u) + (mv1 * u[2] - mv2 * u[1]);
            along += swept - MATRIX_TIMES(HD, HE, HG, s);
            const Vec3 TE = YZX(G), TG = ZXY(E), HTE = YZX(HG), HTG = ZXY(HE);
            across += MATRIX_TIMES(D, TE, TG, s) - MATRIX_TIMES(HD, HTE, HTG, u);
            back += MATRIX_TIMES(HD, HTE, HTG, s) - (mv1 * s[2] - mv2 * s[1]) - swept;
        }
        f[k] = about;
        f[K + k] = along;
        r[k] = across;
        r[K + k] = back;
    }
}

/* M, C (001 (6b), M' - 2 C skew) and g with raw time derivatives: M, C (K, n, n), g (K, n), all zero before. C NULL: only M, of K = 1.
 * B = -ad_V^T Lambda is summed over subtrees like Lambda; on the path from body j to the base M_ij = S_i^T P_j, C_ij = S_i^T F_j and
 * C_ji = S_i'^T P_j + S_i^T R_j. Then M' = C + C^T gives the derivatives of M. */
INLINE void FN(matrices)(const Tree *tree, const double *theta, ptrdiff_t stride, double *pose, Vec3 *work, double *M, double *C,
                         double *g, int K)
{
    const int N = tree->bodies, n = tree->columns, row = K + 1, full = C != NULL;
    const Vec3 gravity = {tree->gravity[0], tree->gravity[1], tree->gravity[2], 0};
    Vec3 *rates = work + (size_t)(N + 1) * SPATIAL_VECTORS(row), *momenta = rates + 2 * (size_t)N * K;
    FN(spatial_forward)(tree, theta, stride, pose, work, K, full ? K - 1 : -1);
    for (int i = 0; full && i < N; i++) {
        const Spatial b = spatial_of(work, i, row);
        FN(coriolis)(b, K);
        for (int k = 0; k < K; k++) {
            rates[2 * i * K + k] = (double)(k + 1) * b.s[k + 1];
            rates[(2 * i + 1) * K + k] = (double)(k + 1) * b.u[k + 1];
        }
    }
    for (int j = N - 1; j >= 0; j--) {
        const Spatial b = spatial_of(work, j, row);
        const Body *body = tree->body + j;
        const Vec3 *p = momenta, *f = p + 2 * K, *r = p + 4 * K;
        if (full) {
            FN(momenta)(b, rates + 2 * j * K, rates + (2 * j + 1) * K, momenta, K);
            for (int k = 0; k < K; k++) {
                Vec3 weight = {0};
                for (int l = 0; l <= k; l++)
                    weight -= b.s[l] * CROSS(b.h[k - l], gravity);
                weight -= b.u[k] * (*b.m * gravity);
                g[k * n + body->column] += body->multiplier * factorial[k] * SUM(weight);
            }
        } else {
            FN(momentum)(b, b.s, b.u, 0, momenta, momenta + K);
        }
        for (int i = j; i < N; i = tree->body[i].parent) {
            const Spatial above = spatial_of(work, i, row);
            const double scale = tree->body[i].multiplier * body->multiplier;
            const int line = tree->body[i].column, column = body->column;
            const Vec3 *s = above.s, *u = above.u, *rate_s = rates + 2 * i * K, *rate_u = rate_s + K;
            const Vec3 inertia = s[0] * p[0] + u[0] * p[K];
            const double mass = scale * SUM(inertia);
            M[line * n + column] += mass;
            if (i != j)
                M[column * n + line] += mass;
            for (int k = 0; full && k < K; k++) {
                double *of_C = C + (size_t)k * n * n;
                const double size = scale * factorial[k];
                Vec3 product = {0};
                PAIRING(s, u, f, f + K, k);
                const double upper = size * SUM(product);
                double lower = upper;
                of_C[line * n + column] += upper;
                if (i != j) {
                    product = (Vec3){0};
                    PAIRING(rate_s, rate_u, p, p + K, k);
                    PAIRING(s, u, r, r + K, k);
                    lower = size * SUM(product);
                    of_C[column * n + line] += lower;
                }
                if (k + 1 < K) {
                    double *next = M + (size_t)(k + 1) * n * n;
                    next[line * n + column] += upper + lower;
                    if (i != j)
                        next[column * n + line] += upper + lower;
                }
            }
        }
        if (body->parent < N) {
            const Spatial parent = spatial_of(work, body->parent, row);
            for (int series = 0; series < (full ? 11 : 3); series++)
                for (int k = 0; k < (full ? K : 1); k++)
                    parent.h[series * row + k] += b.h[series * row + k];
            *parent.m += *b.m;
        }
    }
    for (int i = 0; i < n; i++)
        M[i * n + i] += tree->armature[i];
}

/* q: K + 1 rows, or one where C is NULL. */
HOT void FN(evaluate_matrices)(const Tree *tree, const double *q, double *M, double *C, double *g, double *work, int K)
{
    const int N = tree->bodies;
    const ptrdiff_t stride = padded(N);
    double *theta = work, *pose = theta + (K + 4) * stride;
    Vec3 *series = (Vec3 *)(pose + padded(12 * (N + 1)));
    FN(joint_motions)(tree, q, C ? K + 1 : 1, theta, stride, K);
    if (C == NULL)
        FN(matrices)(tree, theta, stride, pose, series, M, NULL, NULL, 1);
    else if (K == 1)
        FN(matrices)(tree, theta, stride, pose, series, M, C, g, 1);
    else if (K == 2)
        FN(matrices)(tree, theta, stride, pose, series, M, C, g, 2);
    else
        FN(matrices)(tree, theta, stride, pose, series, M, C, g, K);
}
