/* Spatial representation on Taylor series: screws, twists and inertias of all bodies resolved in world axes about the world's origin.
 *
 * There a joint's screw S is the same for every body it moves, S' = [V, S], and inertias of a subtree simply add. An inertia is kept as its
 * mass, first moment h and second moments P = integral of r r^T dm (xx yy zz xy xz yz), with h' = w x h + m v and P' = w~ P + v h^T + ()^T.
 * Twists and screws are (angular, linear), wrenches (moment, force). Series are component after component, each `row` = K + 1 long.
 * Included once for every instruction set, with FN(name) and INLINE defined. */

#define SPATIAL_SERIES 47       /* of one body: S 6, V 6, h 3, P 6, wrench 6 or A 9, H 9, mv 3, mw 3 */
#define SCREW(i) (work + (size_t)(i) * SPATIAL_SERIES * row)
#define TWIST(i) (SCREW(i) + 6 * row)
#define FIRST(i) (SCREW(i) + 12 * row)
#define SECOND(i) (SCREW(i) + 15 * row)
#define WRENCH(i) (SCREW(i) + 21 * row)
#define RATES_A(i) (SCREW(i) + 21 * row)
#define RATES_H(i) (SCREW(i) + 30 * row)
#define RATES_MV(i) (SCREW(i) + 39 * row)
#define RATES_MW(i) (SCREW(i) + 42 * row)
#define MASS(i) (SCREW(i)[45 * row])

/* Coefficient k of component c of a x b. */
INLINE double FN(cross)(const double *a, const double *b, int c, int k, int row)
{
    const double *ay = a + other[c][0] * row, *az = a + other[c][1] * row, *by = b + other[c][0] * row, *bz = b + other[c][1] * row;
    double sum = 0;
    for (int j = 0; j <= k; j++)
        sum += ay[j] * bz[k - j] - az[j] * by[k - j];
    return sum;
}

INLINE double FN(dot)(const double *a, const double *b, int components, int k, int row)
{
    double sum = 0;
    for (int c = 0; c < components; c++)
        for (int j = 0; j <= k; j++)
            sum += a[c * row + j] * b[c * row + k - j];
    return sum;
}

/* Coefficient k of component c of (tr P - P) w + h x v, and of m v + w x h. */
INLINE double FN(angular_momentum)(const double *P, const double *h, const double *w, const double *v, int c, int k, int row)
{
    const int a = other[c][0], b = other[c][1];
    double sum = FN(cross)(h, v, c, k, row);
    for (int j = 0; j <= k; j++)
        sum += (P[a * row + j] + P[b * row + j]) * w[c * row + k - j] - P[packed[c][a] * row + j] * w[a * row + k - j]
            - P[packed[c][b] * row + j] * w[b * row + k - j];
    return sum;
}

/* Screw, twist and inertia of body i; without twists (moving 0) only their values. pose: 12 numbers a slot, rotation (row major) and
 * position. theta: K + 2 coefficients of the joint's motion, `stride` apart, then its sine and cosine. */
INLINE void FN(spatial_motion)(const Tree *tree, int i, double *pose, const double *theta, ptrdiff_t stride, double *work, int K, int moving)
{
    const Body *body = tree->body + i;
    const int row = K + 1;
    const double *R0 = pose + 12 * body->parent, *p0 = R0 + 9, *Q = body->R;
    double *R = pose + 12 * i, *p = R + 9, turned[9], sine = 0, cosine = 1;
    if (body->turns) {
        sine = theta[stride * (K + 2)];
        cosine = theta[stride * (K + 3)];
    }
    for (int r = 0; r < 3; r++) {
        turned[3 * r] = Q[3 * r] * cosine + Q[3 * r + 1] * sine;
        turned[3 * r + 1] = Q[3 * r + 1] * cosine - Q[3 * r] * sine;
        turned[3 * r + 2] = Q[3 * r + 2];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            R[3 * r + c] = R0[3 * r] * turned[c] + R0[3 * r + 1] * turned[3 + c] + R0[3 * r + 2] * turned[6 + c];
        p[r] = p0[r] + (R0[3 * r] * body->p[0] + R0[3 * r + 1] * body->p[1] + R0[3 * r + 2] * body->p[2]) + R[3 * r + 2] * body->h * theta[0];
    }
    double *S = SCREW(i), *V = TWIST(i), *h = FIRST(i), *P = SECOND(i);
    const double e[3] = {R[2], R[5], R[8]}, m = body->m;
    MASS(i) = m;
    for (int c = 0; c < 3; c++) {
        const int a = other[c][0], b = other[c][1];
        S[c * row] = body->turns ? e[c] : 0;
        S[(3 + c) * row] = (body->turns ? p[a] * e[b] - p[b] * e[a] : 0) + body->h * e[c];
    }
    double first[3], half[9];
    for (int r = 0; r < 3; r++) {
        first[r] = R[3 * r] * body->c[0] + R[3 * r + 1] * body->c[1] + R[3 * r + 2] * body->c[2];
        for (int c = 0; c < 3; c++)
            half[3 * r + c] = R[3 * r] * body->S[packed[0][c]] + R[3 * r + 1] * body->S[packed[1][c]] + R[3 * r + 2] * body->S[packed[2][c]];
    }
    for (int r = 0; r < 3; r++) {
        h[r * row] = first[r] + m * p[r];
        for (int c = r; c < 3; c++)
            P[packed[r][c] * row] = half[3 * r] * R[3 * c] + half[3 * r + 1] * R[3 * c + 1] + half[3 * r + 2] * R[3 * c + 2]
                + first[r] * p[c] + p[r] * first[c] + m * p[r] * p[c];
    }
    if (!moving)
        return;
    const double *up = TWIST(body->parent);
    for (int k = 0; k < K; k++) {
        const double share = 1.0 / (k + 1);
        for (int c = 0; c < 3; c++) {
            S[c * row + k + 1] = share * FN(cross)(up, S, c, k, row);
            S[(3 + c) * row + k + 1] = share * (FN(cross)(up + 3 * row, S, c, k, row) + FN(cross)(up, S + 3 * row, c, k, row));
        }
    }
    for (int c = 0; c < 6; c++)
        for (int k = 0; k <= K; k++) {
            double sum = up[c * row + k];
            for (int j = 0; j <= k; j++)
                sum += S[c * row + j] * ((k - j + 1) * theta[(k - j + 1) * stride]);
            V[c * row + k] = sum;
        }
    const double *v = V + 3 * row;
    for (int k = 0; k < K; k++) {
        const double share = 1.0 / (k + 1);
        double drift[9];
        for (int r = 0; r < 3; r++) {
            h[r * row + k + 1] = share * (FN(cross)(V, h, r, k, row) + m * v[r * row + k]);
            const int a = other[r][0], b = other[r][1];
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int j = 0; j <= k; j++)
                    sum += V[a * row + j] * P[packed[b][c] * row + k - j] - V[b * row + j] * P[packed[a][c] * row + k - j]
                        + v[r * row + j] * h[c * row + k - j];
                drift[3 * r + c] = sum;
            }
        }
        for (int r = 0; r < 3; r++)
            for (int c = r; c < 3; c++)
                P[packed[r][c] * row + k + 1] = share * (drift[3 * r + c] + drift[3 * c + r]);
    }
}

INLINE void FN(world)(const Tree *tree, double *pose, double *work, int row)
{
    const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    memcpy(pose + 12 * tree->bodies, identity, sizeof identity);
    memset(SCREW(tree->bodies), 0, SPATIAL_SERIES * row * sizeof(double));
}

/* theta of all bodies from `rows` <= K + 2 rows of q; what is beyond is zero. */
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
}

/* Joint forces by 003's second-order inverse dynamics, for any order: W = (Lambda V)' - gravity, Q = S^T sum of W. */
INLINE void FN(spatial_recursion)(const Tree *tree, const double *theta, ptrdiff_t stride, double *pose, double *work, double *tau, int K)
{
    const int N = tree->bodies, row = K + 1;
    const double *g = tree->gravity;
    FN(world)(tree, pose, work, row);
    for (int i = 0; i < N; i++) {
        FN(spatial_motion)(tree, i, pose, theta + i, stride, work, K, 1);
        const double *V = TWIST(i), *v = V + 3 * row, *h = FIRST(i), *P = SECOND(i), m = MASS(i);
        double *W = WRENCH(i);
        for (int k = 0; k < K; k++)
            for (int c = 0; c < 3; c++) {
                const int a = other[c][0], b = other[c][1];
                W[c * row + k] = (k + 1) * FN(angular_momentum)(P, h, V, v, c, k + 1, row) - (h[a * row + k] * g[b] - h[b * row + k] * g[a]);
                W[(3 + c) * row + k] = (k + 1) * (m * v[c * row + k + 1] + FN(cross)(V, h, c, k + 1, row)) - (k == 0 ? m * g[c] : 0);
            }
    }
    for (int i = N - 1; i >= 0; i--) {
        const int up = tree->body[i].parent;
        const double *W = WRENCH(i);
        for (int k = 0; k < K; k++)
            tau[k * stride + i] = FN(dot)(SCREW(i), W, 6, k, row);
        if (up < N)
            for (int c = 0; c < 6 * row; c++)
                WRENCH(up)[c] += W[c];
    }
}

/* M, C (001 (6b), M' - 2 C skew), g and derivatives as raw time derivatives: M, C (K, n, n), g (K, n), all zero before; C, g may be NULL: then
 * only M of K = 1. With B = -ad_V^T Lambda in blocks [[A, H + mv~], [-H, mw~]], summed over subtrees like Lambda: on the path from
 * body j to the base M_ij = S_i^T Lambda_j S_j, C_ij = S_i^T (Lambda_j S_j' + B_j S_j), C_ji = S_j^T (Lambda_j S_i' + B_j S_i). */
INLINE void FN(matrices)(const Tree *tree, const double *theta, ptrdiff_t stride, double *pose, double *work, double *M, double *C,
                         double *g, int K)
{
    const int N = tree->bodies, n = tree->columns, row = K + 1, full = C != NULL;
    FN(world)(tree, pose, work, row);
    for (int i = 0; i < N; i++) {
        FN(spatial_motion)(tree, i, pose, theta + i, stride, work, K, full);
        if (!full)
            continue;
        const double *w = TWIST(i), *v = w + 3 * row, *h = FIRST(i), *P = SECOND(i), m = MASS(i);
        double *A = RATES_A(i), *H = RATES_H(i);
        for (int k = 0; k < K; k++) {
            const double along = FN(dot)(w, h, 3, k, row), drift = FN(dot)(v, h, 3, k, row);
            for (int r = 0; r < 3; r++) {
                const int a = other[r][0], b = other[r][1];
                RATES_MV(i)[r * row + k] = m * v[r * row + k];
                RATES_MW(i)[r * row + k] = m * w[r * row + k];
                for (int c = 0; c < 3; c++) {
                    double outer = 0, inner = 0, turning = 0;
                    for (int j = 0; j <= k; j++) {
                        const double trace = P[k - j] + P[row + k - j] + P[2 * row + k - j];
                        outer += h[r * row + k - j] * w[c * row + j];
                        inner += h[r * row + k - j] * v[c * row + j];
                        turning += w[b * row + j] * P[packed[a][c] * row + k - j] - w[a * row + j] * P[packed[b][c] * row + k - j];
                        if (c == b)
                            turning += w[a * row + j] * trace;
                        else if (c == a)
                            turning -= w[b * row + j] * trace;
                    }
                    H[(3 * r + c) * row + k] = outer - (r == c ? along : 0);
                    A[(3 * r + c) * row + k] = turning - inner + (r == c ? drift : 0);
                }
            }
        }
    }
    for (int j = N - 1; j >= 0; j--) {
        const double *S = SCREW(j), *s = S + 3 * row, *h = FIRST(j), *P = SECOND(j), *A = RATES_A(j), *H = RATES_H(j);
        const double *mv = RATES_MV(j), *mw = RATES_MW(j), m = MASS(j);
        double rate[6 * row], p[6 * row], f[6 * row], r[6 * row];
        for (int k = 0; k < (full ? K : 1); k++)
            for (int c = 0; c < 3; c++) {
                p[c * row + k] = FN(angular_momentum)(P, h, S, s, c, k, row);
                p[(3 + c) * row + k] = m * s[c * row + k] - FN(cross)(h, S, c, k, row);
            }
        if (full) {
            for (int c = 0; c < 6; c++)
                for (int k = 0; k < K; k++)
                    rate[c * row + k] = (k + 1) * S[c * row + k + 1];
            for (int k = 0; k < K; k++)
                for (int c = 0; c < 3; c++) {
                    double as = 0, hs = 0, hw = 0, ats = 0, hts = 0, htw = 0;
                    for (int l = 0; l < 3; l++)
                        for (int q = 0; q <= k; q++) {
                            as += A[(3 * c + l) * row + q] * S[l * row + k - q];
                            hs += H[(3 * c + l) * row + q] * s[l * row + k - q];
                            hw += H[(3 * c + l) * row + q] * S[l * row + k - q];
                            ats += A[(3 * l + c) * row + q] * S[l * row + k - q];
                            hts += H[(3 * l + c) * row + q] * s[l * row + k - q];
                            htw += H[(3 * l + c) * row + q] * S[l * row + k - q];
                        }
                    const double mvs = FN(cross)(mv, s, c, k, row), mws = FN(cross)(mw, s, c, k, row), mvw = FN(cross)(mv, S, c, k, row);
                    f[c * row + k] = FN(angular_momentum)(P, h, rate, rate + 3 * row, c, k, row) + as + hs + mvs;
                    f[(3 + c) * row + k] = m * rate[(3 + c) * row + k] - FN(cross)(h, rate, c, k, row) - hw + mws;
                    r[c * row + k] = ats - hts;
                    r[(3 + c) * row + k] = htw - mvw - mws;
                }
            double weight[6 * row];
            const double *a = tree->gravity;
            for (int k = 0; k < K; k++)
                for (int c = 0; c < 3; c++) {
                    weight[c * row + k] = -(h[other[c][0] * row + k] * a[other[c][1]] - h[other[c][1] * row + k] * a[other[c][0]]);
                    weight[(3 + c) * row + k] = k ? 0 : -m * a[c];
                }
            for (int k = 0; k < K; k++)
                g[k * n + tree->body[j].column] += tree->body[j].multiplier * factorial[k] * FN(dot)(S, weight, 6, k, row);
        }
        const int column = tree->body[j].column;
        for (int i = j; i < N; i = tree->body[i].parent) {
            const double scale = tree->body[i].multiplier * tree->body[j].multiplier;
            const double *Si = SCREW(i);
            const int line = tree->body[i].column;
            const double mass = scale * FN(dot)(Si, p, 6, 0, row);
            M[line * n + column] += mass;
            if (i != j)
                M[column * n + line] += mass;
            if (!full)
                continue;
            double rate_i[6 * row];
            for (int c = 0; c < 6; c++)
                for (int k = 0; k < K; k++)
                    rate_i[c * row + k] = (k + 1) * Si[c * row + k + 1];
            for (int k = 0; k < K; k++) {
                C[((size_t)k * n + line) * n + column] += scale * factorial[k] * FN(dot)(Si, f, 6, k, row);
                if (i != j)
                    C[((size_t)k * n + column) * n + line] += scale * factorial[k] * (FN(dot)(rate_i, p, 6, k, row) + FN(dot)(Si, r, 6, k, row));
            }
        }
        const int up = tree->body[j].parent;
        if (up < N) {
            for (int c = 0; c < (full ? 33 : 9) * row; c++)
                FIRST(up)[c] += FIRST(j)[c];
            MASS(up) += m;
        }
    }
    for (int i = 0; i < n; i++)
        M[i * n + i] += tree->armature[i];
    if (full)
        for (int k = 1; k < K; k++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    M[((size_t)k * n + i) * n + j] = C[((size_t)(k - 1) * n + i) * n + j] + C[((size_t)(k - 1) * n + j) * n + i];
}

HOT void FN(evaluate_spatial)(const Tree *tree, const double *q, double *out, double *work, int K)
{
    const int N = tree->bodies, n = tree->columns;
    const ptrdiff_t stride = padded(N);
    double *theta = work, *tau = theta + (K + 4) * stride, *pose = tau + K * stride, *series = pose + 12 * (N + 1);
    FN(joint_motions)(tree, q, K + 2, theta, stride, K);
#define CALL(length) FN(spatial_recursion)(tree, theta, stride, pose, series, tau, length)
    BY_ORDER(CALL)
#undef CALL
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < n; j++)
            out[k * n + j] = tree->armature[j] * q[(k + 2) * n + j];
        for (int i = 0; i < N; i++)
            out[k * n + tree->body[i].column] += tau[k * stride + i] * (tree->body[i].multiplier * factorial[k]);
    }
}

/* q: K + 1 rows, or one where C is NULL. */
HOT void FN(evaluate_matrices)(const Tree *tree, const double *q, double *M, double *C, double *g, double *work, int K)
{
    const int N = tree->bodies;
    const ptrdiff_t stride = padded(N);
    double *theta = work, *pose = theta + (K + 4) * stride, *series = pose + 12 * (N + 1);
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
