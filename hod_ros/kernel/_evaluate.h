/* From raw derivatives to Taylor coefficients, through the recursion, and back.
 * q: (K + 2) rows of n. base: NULL or (K + 1) rows of (w, a). external: NULL or K rows of (N + 1) wrenches. out: K rows of n.
 * base_wrench: NULL or K rows of 6. */

INLINE void FN(single)(const Tree *tree, const double *q, const double *base, const double *external, double *out, double *base_wrench,
                       double *work, int K)
{
    const int N = tree->bodies, n = tree->columns, row = K + 1;
    const ptrdiff_t stride = padded(N);
    double *theta = work, *s = theta + (K + 2) * stride, *c = s + row * stride, *tau = c + row * stride;
    Vec3 *motion = (Vec3 *)(tau + K * stride), *loads = motion + (size_t)(N + 1) * 7 * row + 5 * row;
    for (int k = 0; k < K + 2; k++)
        for (int i = 0; i < N; i++)
            theta[k * stride + i] = q[k * n + tree->body[i].column] * (tree->body[i].multiplier * inverse_factorial[k]);
    for (int k = 0; k < K + 2; k++)
        for (ptrdiff_t i = N; i < stride; i++)
            theta[k * stride + i] = 0;
    if (tree->offsets)
        for (int i = 0; i < N; i++)
            theta[i] += tree->body[i].offset;
    for (ptrdiff_t i = 0; i < stride; i += LANES)
        FN(sin_cos_series)((VEC *)(theta + i), (VEC *)(s + i), (VEC *)(c + i), stride / LANES, row);
    Motion root = series_of(motion, N, row);
    for (int k = 0; k < row; k++) {
        root.w[k] = root.a[k] = (Vec3){0};
        if (base) {
            const double *x = base + 6 * k, f = inverse_factorial[k];
            root.w[k] = (Vec3){f * x[0], f * x[1], f * x[2], 0};
            if (k < K)
                root.a[k] = (Vec3){f * x[3], f * x[4], f * x[5], 0};
        }
    }
    if (!base)
        root.a[0] = (Vec3){-tree->gravity[0], -tree->gravity[1], -tree->gravity[2], 0};
    if (external)
        for (int k = 0; k < K; k++)
            for (int i = 0; i <= N; i++) {
                const double *x = external + ((size_t)k * (N + 1) + i) * 6, f = inverse_factorial[k];
                loads[(2 * i + 1) * K + k] = (Vec3){f * x[0], f * x[1], f * x[2], 0};
                loads[2 * i * K + k] = (Vec3){f * x[3], f * x[4], f * x[5], 0};
            }
    FN(recursion_of_components)(tree->lanes, N, theta, c, s, stride, external ? loads : NULL, motion, tau, K);
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < n; j++)
            out[k * n + j] = tree->armature[j] * q[(k + 2) * n + j];
        for (int i = 0; i < N; i++)
            out[k * n + tree->body[i].column] += tau[k * stride + i] * (tree->body[i].multiplier * factorial[k]);
        if (base_wrench)
            for (int r = 0; r < 3; r++) {
                base_wrench[6 * k + r] = factorial[k] * root.n[k][r];
                base_wrench[6 * k + 3 + r] = factorial[k] * root.f[k][r];
            }
    }
}

/* The orders that robots run at get code of their own; the rest share a loop. */
#define BY_ORDER(call) \
    switch (K) { \
    case 1: call(1); break; \
    case 2: call(2); break; \
    case 3: call(3); break; \
    default: call(K); \
    }

HOT void FN(evaluate_single)(const Tree *tree, const double *q, const double *base, const double *external, double *out,
                             double *base_wrench, double *work, int K)
{
#define CALL(length) FN(single)(tree, q, base, external, out, base_wrench, work, length)
    BY_ORDER(CALL)
#undef CALL
}
