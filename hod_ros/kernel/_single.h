/* The recursion of _recursion.h for one sample: the lanes of a vector are components in space instead of samples.
 *
 * O = [w']x + [w]x[w]x is kept as three vectors, its diagonal D and the off-diagonals E = (xy, yz, zx), G = (xz, yx, zy), so that
 * O v = D v + E v_yzx + G v_zxy lane by lane. Included once for every instruction set, with FN(name) and INLINE defined. */

/* Four numbers, two plane vectors, turned about z by the angle whose cosine and sine series are c and s; sign -1 turns back. */
INLINE void FN(turn_component)(const Vec3 *x, Vec3 *scratch, const double *c, const double *s, ptrdiff_t stride, double sign, Vec3 *out, int length)
{
    const Vec3 signs = {-sign, sign, -sign, sign};
    for (int k = 0; k < length; k++)
        scratch[k] = SHUFFLE(x[k], x[k], 1, 0, 3, 2) * signs;
    for (int k = 0; k < length; k++) {
        Vec3 even = {0}, odd = {0};
        for (int j = 0; j <= k; j++) {
            even += c[j * stride] * x[k - j];
            odd += s[j * stride] * scratch[k - j];
        }
        out[k] = even + odd;
    }
}

INLINE void FN(rotation_matrix_rates_component)(Motion b, int K)
{
    for (int k = 0; k < K; k++) {
        Vec3 squares = {0}, off = {0};
        for (int j = 0; j <= k; j++) {
            squares += b.w[j] * b.w[k - j];
            off += b.w[j] * YZX(b.w[k - j]);
        }
        const Vec3 rate = (double)(k + 1) * b.w[k + 1];
        b.D[k] = -(YZX(squares) + ZXY(squares));
        b.E[k] = off - ZXY(rate);
        b.G[k] = ZXY(off) + YZX(rate);
    }
}

INLINE void FN(move_component)(const LaneBody *body, Motion up, Motion own, Vec3 *scratch, const double *q, const double *c,
                     const double *s, ptrdiff_t stride, int row, int K)
{
    Vec3 *packed = scratch, *turned = scratch + row, *spare = scratch + 2 * row, *rate = scratch + 3 * row, *acceleration = scratch + 4 * row;
    for (int k = 0; k <= K; k++)
        rate[k] = body->row[0] * LANE(up.w[k], 0) + body->row[1] * LANE(up.w[k], 1) + body->row[2] * LANE(up.w[k], 2);
    for (int k = 0; k < K; k++) {
        const Vec3 at = up.a[k] + MATRIX_TIMES(up.D[k], up.E[k], up.G[k], body->p);
        acceleration[k] = body->row[0] * LANE(at, 0) + body->row[1] * LANE(at, 1) + body->row[2] * LANE(at, 2);
    }
    if (body->h != 0) {
        Vec3 *along = packed;       /* O z in the joint's frame */
        for (int k = 0; k < K; k++) {
            const Vec3 at = MATRIX_TIMES(up.D[k], up.E[k], up.G[k], body->axis);
            along[k] = body->row[0] * LANE(at, 0) + body->row[1] * LANE(at, 1) + body->row[2] * LANE(at, 2);
        }
        for (int k = 0; k < K; k++) {
            Vec3 sum = {0, 0, body->h * (k + 1) * (k + 2) * q[(k + 2) * stride], 0};
            for (int j = 0; j <= k; j++) {
                const double d = body->h * q[(k - j) * stride], twice_rate = 2 * body->h * (k - j + 1) * q[(k - j + 1) * stride];
                sum += d * along[j] + twice_rate * (SHUFFLE(rate[j], rate[j], 1, 0, 3, 3) * (Vec3){1, -1, 0, 0});
            }
            acceleration[k] += sum;
        }
    }
    if (!body->turns) {
        for (int k = 0; k <= K; k++)
            own.w[k] = rate[k];
        for (int k = 0; k < K; k++)
            own.a[k] = acceleration[k];
        return;
    }
    acceleration[K] = (Vec3){0};
    for (int k = 0; k <= K; k++)
        packed[k] = SHUFFLE(rate[k], acceleration[k], 0, 1, 4, 5);
    FN(turn_component)(packed, spare, c, s, stride, -1, turned, K + 1);
    for (int k = 0; k <= K; k++)
        own.w[k] = SHUFFLE(turned[k], rate[k], 0, 1, 6, 7) + (Vec3){0, 0, (k + 1) * q[(k + 1) * stride], 0};
    for (int k = 0; k < K; k++)
        own.a[k] = SHUFFLE(turned[k], acceleration[k], 2, 3, 6, 7);
}

INLINE void FN(newton_euler_component)(const LaneBody *body, Motion b, int K)
{
    for (int k = 0; k < K; k++) {
        const Vec3 D = b.D[k], E = b.E[k], G = b.G[k], a = b.a[k];
        b.f[k] = body->m * a + MATRIX_TIMES(D, E, G, body->c);
        b.n[k] = (body->c[1] * ZXY(a) - body->c[2] * YZX(a)) + (ZXY(D) - YZX(D)) * body->S[0]
            + (ZXY(E) * body->S[1] - YZX(E) * body->S[2]) + (ZXY(G) * body->S[3] - YZX(G) * body->S[4]);
    }
}

INLINE void FN(pass_on_component)(const LaneBody *body, Motion own, Motion up, Vec3 *scratch, const double *q, const double *c,
                        const double *s, ptrdiff_t stride, int row, int K)
{
    Vec3 *packed = scratch, *turned = scratch + row, *spare = scratch + 2 * row, *f = scratch + 3 * row, *n = scratch + 4 * row;
    if (body->turns) {
        for (int k = 0; k < K; k++)
            packed[k] = SHUFFLE(own.f[k], own.n[k], 0, 1, 4, 5);
        FN(turn_component)(packed, spare, c, s, stride, 1, turned, K);
        for (int k = 0; k < K; k++) {
            f[k] = SHUFFLE(turned[k], own.f[k], 0, 1, 6, 7);
            n[k] = SHUFFLE(turned[k], own.n[k], 2, 3, 6, 7);
        }
    } else {
        for (int k = 0; k < K; k++) {
            f[k] = own.f[k];
            n[k] = own.n[k];
        }
    }
    if (body->h != 0)
        for (int k = 0; k < K; k++)
            for (int j = 0; j <= k; j++)
                n[k] += (body->h * q[(k - j) * stride]) * (SHUFFLE(f[j], f[j], 1, 0, 3, 3) * (Vec3){-1, 1, 0, 0});
    for (int k = 0; k < K; k++) {
        const Vec3 force = body->column[0] * LANE(f[k], 0) + body->column[1] * LANE(f[k], 1) + body->column[2] * LANE(f[k], 2);
        const Vec3 moment = body->column[0] * LANE(n[k], 0) + body->column[1] * LANE(n[k], 1) + body->column[2] * LANE(n[k], 2);
        up.f[k] += force;
        up.n[k] += moment + (body->p[1] * ZXY(force) - body->p[2] * YZX(force));
    }
}

/* The joint forces of all bodies, tau[k * stride + body]: see _recursion.h. external: coefficient k of the force and the moment on slot i
 * at [(i * 2) * K + k] and [(i * 2 + 1) * K + k], or NULL. */
INLINE void FN(recursion_of_components)(const LaneBody *bodies, int N, const double *q, const double *c, const double *s, ptrdiff_t stride,
                          const Vec3 *external, Vec3 *work, double *tau, int K)
{
    const int row = K + 1;
    Vec3 *scratch = work + (size_t)(N + 1) * 7 * row;
    Motion base = series_of(work, N, row);
    FN(rotation_matrix_rates_component)(base, K);
    FN(newton_euler_component)(bodies + N, base, K);
    for (int i = 0; i < N; i++) {
        Motion own = series_of(work, i, row);
        FN(move_component)(bodies + i, series_of(work, bodies[i].parent, row), own, scratch, q + i, c + i, s + i, stride, row, K);
        FN(rotation_matrix_rates_component)(own, K);
        FN(newton_euler_component)(bodies + i, own, K);
    }
    if (external)
        for (int i = 0; i <= N; i++) {
            Motion own = series_of(work, i, row);
            for (int k = 0; k < K; k++) {
                own.f[k] -= external[2 * i * K + k];
                own.n[k] -= external[(2 * i + 1) * K + k];
            }
        }
    for (int i = N - 1; i >= 0; i--) {
        Motion own = series_of(work, i, row);
        const LaneBody *body = bodies + i;
        for (int k = 0; k < K; k++)
            tau[k * stride + i] = (body->turns ? own.n[k][2] : 0) + body->h * own.f[k][2];
        FN(pass_on_component)(body, own, series_of(work, body->parent, row), scratch, q + i, c + i, s + i, stride, row, K);
    }
}
