/* n-th order forward dynamics: order by order, M x = Q^(k) - (inverse dynamics with q^(k+2) = 0)^(k), one factorisation of M for all.
 * Included once for every instruction set, after _evaluate.h and _spatial.h. */

/* What M's diagonal could be at most, were nothing in it to cancel: its rounding errors are of this size. series: of _spatial.h, summed over
 * subtrees, of one coefficient. */
INLINE void FN(magnitudes)(const Tree *tree, Vec3 *series, double *magnitude)
{
    memset(magnitude, 0, tree->columns * sizeof *magnitude);
    for (int i = 0; i < tree->bodies; i++) {
        const Body *body = tree->body + i;
        const Spatial b = spatial_of(series, i, 2);
        const Vec3 P = b.P[0], hh = b.h[0] * b.h[0], uu = b.u[0] * b.u[0];
        const double u = sqrt(SUM(uu)), second = fabs(P[0]) + fabs(P[1]) + fabs(P[2]);
        const double most = (body->turns ? second + 2 * sqrt(SUM(hh)) * u : 0) + fabs(*b.m) * u * u;
        magnitude[body->column] += fabs(body->multiplier) * sqrt(most);
    }
    for (int j = 0; j < tree->columns; j++)
        magnitude[j] = magnitude[j] * magnitude[j] + tree->armature[j];
}

/* M = L L^T in place, lower triangle, with the inverse of L's diagonal; 0 where M is singular to rounding. */
INLINE int FN(factorise)(double *M, const double *magnitude, int n)
{
    for (int j = 0; j < n; j++) {
        double *row = M + (size_t)j * n;
        for (int i = 0; i < j; i++) {
            const double *above = M + (size_t)i * n;
            double sum = row[i];
            for (int k = 0; k < i; k++)
                sum -= row[k] * above[k];
            row[i] = sum * above[i];
        }
        double pivot = row[j];
        for (int k = 0; k < j; k++)
            pivot -= row[k] * row[k];
        if (!(pivot > 1e-12 * magnitude[j]))
            return 0;
        row[j] = 1 / sqrt(pivot);
    }
    return 1;
}

INLINE void FN(solve)(const double *L, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= L[(size_t)i * n + k] * x[k];
        x[i] = sum * L[(size_t)i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] *= L[(size_t)i * n + i];
        for (int k = 0; k < i; k++)
            x[k] -= L[(size_t)i * n + k] * x[i];
    }
}

/* rows: K + 2 rows of n, the first two the joints' positions and velocities, the rest filled here. Q: K rows. M: memory for n x n numbers,
 * bias: for K x n. 0 where M is singular. */
HOT int FN(evaluate_forward)(const Tree *tree, double *rows, const double *Q, double *M, double *bias, double *work, int K)
{
    const int n = tree->columns;
    const ptrdiff_t stride = padded(tree->bodies);
    memset(M, 0, (size_t)n * n * sizeof *M);
    FN(evaluate_matrices)(tree, rows, M, NULL, NULL, work, 1);
    FN(magnitudes)(tree, (Vec3 *)(work + 5 * stride + padded(12 * (tree->bodies + 1))), bias);
    if (!FN(factorise)(M, bias, n))
        return 0;
    for (int k = 0; k < K; k++) {
        double *x = rows + (k + 2) * n;
        memset(x, 0, n * sizeof *x);
        FN(evaluate_single)(tree, rows, NULL, NULL, bias, NULL, work, k + 1);
        for (int j = 0; j < n; j++)
            x[j] = Q[k * n + j] - bias[k * n + j];
        FN(solve)(M, x, n);
    }
    return 1;
}
