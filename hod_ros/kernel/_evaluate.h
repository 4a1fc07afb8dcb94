/* From raw derivatives to Taylor coefficients, through the recursion, and back: one sample, and LANES samples at once.
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

/* `count` <= LANES samples, `*_step` numbers apart in q, base, external and the results; the lanes beyond repeat the last one. */
INLINE void FN(block)(const Tree *tree, const double *q, const double *base, const double *external, double *out, double *base_wrench,
                      int count, VEC *work, int K)
{
    const int N = tree->bodies, n = tree->columns, row = K + 1;
    VEC *theta = work, *s = theta + (K + 2) * N, *c = s + row * N, *tau = c + row * N, *motion = tau + K * N;
    VEC *loads = motion + ((size_t)(N + 1) * BODY_SERIES + 6) * row;
    for (int lane = 0; lane < LANES; lane++) {
        const int sample = lane < count ? lane : count - 1;
        const double *from = q + (size_t)sample * (K + 2) * n;
        for (int k = 0; k < K + 2; k++)
            for (int i = 0; i < N; i++)
                ((double *)(theta + k * N + i))[lane] = from[k * n + tree->body[i].column];
        if (base)
            for (int k = 0; k < row; k++)
                for (int r = 0; r < 6; r++)
                    ((double *)(motion + ((size_t)N * BODY_SERIES + r) * row + k))[lane] =
                        inverse_factorial[k] * base[((size_t)sample * row + k) * 6 + r];
        if (external)
            for (int k = 0; k < K; k++)
                for (int i = 0; i <= N; i++)
                    for (int r = 0; r < 6; r++)
                        ((double *)(loads + (i * 6 + r) * K + k))[lane] =
                            inverse_factorial[k] * external[(((size_t)sample * K + k) * (N + 1) + i) * 6 + r];
    }
    for (int k = 0; k < K + 2; k++)
        for (int i = 0; i < N; i++)
            theta[k * N + i] *= tree->body[i].multiplier * inverse_factorial[k];
    for (int i = 0; i < N; i++) {
        theta[i] += tree->body[i].offset;
        FN(sin_cos_series)(theta + i, s + i, c + i, N, row);
    }
    if (!base) {
        VEC *w = motion + (size_t)N * BODY_SERIES * row;
        for (int k = 0; k < 6 * row; k++)
            w[k] = SPLAT(0);
        for (int r = 0; r < 3; r++)
            w[(3 + r) * row] = SPLAT(-tree->gravity[r]);
    }
    FN(recursion_of_samples)(tree, theta, c, s, N, external ? loads : NULL, motion, tau, K);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < N; i++)
            tau[k * N + i] *= tree->body[i].multiplier * factorial[k];
    const VEC *f = motion + ((size_t)N * BODY_SERIES + 15) * row, *moment = f + 3 * row;
    for (int lane = 0; lane < count; lane++) {
        const double *from = q + (size_t)lane * (K + 2) * n;
        double *to = out + (size_t)lane * K * n;
        for (int k = 0; k < K; k++) {
            for (int j = 0; j < n; j++)
                to[k * n + j] = tree->armature[j] * from[(k + 2) * n + j];
            for (int i = 0; i < N; i++)
                to[k * n + tree->body[i].column] += ((const double *)(tau + k * N + i))[lane];
            if (base_wrench)
                for (int r = 0; r < 3; r++) {
                    base_wrench[((size_t)lane * K + k) * 6 + r] = factorial[k] * ((const double *)(moment + r * row + k))[lane];
                    base_wrench[((size_t)lane * K + k) * 6 + 3 + r] = factorial[k] * ((const double *)(f + r * row + k))[lane];
                }
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

HOT void FN(evaluate_samples)(const Tree *tree, const double *q, const double *base, const double *external, double *out,
                              double *base_wrench, size_t samples, void *work, int K)
{
    const int N = tree->bodies, n = tree->columns;
    for (size_t first = 0; first < samples; first += LANES) {
        const int count = samples - first < LANES ? (int)(samples - first) : LANES;
#define CALL(length) \
    FN(block)(tree, q + first * (K + 2) * n, base ? base + first * (K + 1) * 6 : NULL, \
              external ? external + first * K * (N + 1) * 6 : NULL, out + first * K * n, base_wrench ? base_wrench + first * K * 6 : NULL, \
              count, work, length)
        BY_ORDER(CALL)
#undef CALL
    }
}
