/* n-th order recursive Newton-Euler on Taylor series: the recursion of recursive.py in its cheapest known form.
 *
 * With w the angular velocity, a the classical acceleration of the body's origin less gravity and O = [w']x + [w]x[w]x, all in the body's
 * frame: force m a + O c, moment c x a plus the axial part of O S. K is the number of coefficients of the result; q has K + 2, w has K + 1.
 * Included for T = double and for vectors of samples, with FN(name), INLINE and T0 (zero) defined. */

/* The series of one body, each `row` = K + 1 long, component after component. */
#define BODY_SERIES 21
#define SLOT(i) (work + (size_t)(i) * BODY_SERIES * row)
#define RATE(i) SLOT(i)                         /* w, 3 */
#define ACCELERATION(i) (SLOT(i) + 3 * row)     /* a, 3 */
#define ROTATION(i) (SLOT(i) + 6 * row)         /* O, 9, row major */
#define FORCE(i) (SLOT(i) + 15 * row)           /* 3 */
#define MOMENT(i) (SLOT(i) + 18 * row)          /* 3 */
#define SCRATCH SLOT(N + 1)                     /* 6, in the joint's frame before it turns */

/* (u, v) = (x, y) turned about z by the angle whose cosine and sine series are c and s (stride apart); sign -1 turns back. */
INLINE void FN(turn)(const T *x, const T *y, const T *c, const T *s, ptrdiff_t stride, double sign, T *u, T *v, int length)
{
    for (int k = 0; k < length; k++) {
        T xc = T0, ys = T0, yc = T0, xs = T0;
        for (int j = 0; j <= k; j++) {
            const T cosine = c[j * stride], sine = s[j * stride];
            xc += cosine * x[k - j];
            ys += sine * y[k - j];
            yc += cosine * y[k - j];
            xs += sine * x[k - j];
        }
        u[k] = xc - sign * ys;
        v[k] = yc + sign * xs;
    }
}

INLINE void FN(rotation_matrix_rates)(const T *w, T *o, int row, int K)
{
    const T *x = w, *y = w + row, *z = w + 2 * row;
    for (int k = 0; k < K; k++) {
        T xx = T0, yy = T0, zz = T0, xy = T0, xz = T0, yz = T0;
        for (int j = 0; j <= k; j++) {
            xx += x[j] * x[k - j];
            yy += y[j] * y[k - j];
            zz += z[j] * z[k - j];
            xy += x[j] * y[k - j];
            xz += x[j] * z[k - j];
            yz += y[j] * z[k - j];
        }
        const double next = k + 1;
        const T dx = next * x[k + 1], dy = next * y[k + 1], dz = next * z[k + 1];
        o[k] = -(yy + zz);
        o[row + k] = xy - dz;
        o[2 * row + k] = xz + dy;
        o[3 * row + k] = xy + dz;
        o[4 * row + k] = -(xx + zz);
        o[5 * row + k] = yz - dx;
        o[6 * row + k] = xz - dy;
        o[7 * row + k] = yz + dx;
        o[8 * row + k] = -(xx + yy);
    }
}

/* Acceleration of a frame that moves along z by d = h q while it turns with rate w: O z d + 2 w x z d' + z d''. */
INLINE void FN(add_sliding)(const Body *body, const T *o, const T *w, T *a, const T *q, ptrdiff_t stride, int row, int K)
{
    const double *R = body->R, h = body->h;
    for (int k = 0; k < K; k++) {
        T sum[3] = {T0, T0, T0};
        for (int j = 0; j <= k; j++) {
            const T d = h * q[(k - j) * stride], rate = (2 * h * (k - j + 1)) * q[(k - j + 1) * stride];
            T Oz[3];
            for (int r = 0; r < 3; r++)
                Oz[r] = o[3 * r * row + j] * R[2] + o[(3 * r + 1) * row + j] * R[5] + o[(3 * r + 2) * row + j] * R[8];
            for (int r = 0; r < 3; r++)
                sum[r] += d * (R[r] * Oz[0] + R[3 + r] * Oz[1] + R[6 + r] * Oz[2]);
            sum[0] += rate * w[row + j];
            sum[1] -= rate * w[j];
        }
        a[k] += sum[0];
        a[row + k] += sum[1];
        a[2 * row + k] += sum[2] + (h * (k + 1) * (k + 2)) * q[(k + 2) * stride];
    }
}

/* w and a of a body from its parent's w, a and O. */
INLINE void FN(move)(const Body *body, const T *w, const T *a, const T *o, T *scratch, T *own_w, T *own_a,
                     const T *q, const T *c, const T *s, ptrdiff_t stride, int row, int K)
{
    const double *R = body->R, *p = body->p;
    T *rate = scratch, *acceleration = scratch + 3 * row;
    for (int k = 0; k <= K; k++)
        for (int r = 0; r < 3; r++)
            rate[r * row + k] = R[r] * w[k] + R[3 + r] * w[row + k] + R[6 + r] * w[2 * row + k];
    for (int k = 0; k < K; k++) {
        T at[3];
        for (int r = 0; r < 3; r++)
            at[r] = a[r * row + k] + p[0] * o[3 * r * row + k] + p[1] * o[(3 * r + 1) * row + k] + p[2] * o[(3 * r + 2) * row + k];
        for (int r = 0; r < 3; r++)
            acceleration[r * row + k] = R[r] * at[0] + R[3 + r] * at[1] + R[6 + r] * at[2];
    }
    if (body->h != 0)
        FN(add_sliding)(body, o, rate, acceleration, q, stride, row, K);
    for (int k = 0; k <= K; k++)
        own_w[2 * row + k] = rate[2 * row + k];
    for (int k = 0; k < K; k++)
        own_a[2 * row + k] = acceleration[2 * row + k];
    if (body->turns) {
        FN(turn)(rate, rate + row, c, s, stride, -1, own_w, own_w + row, K + 1);
        FN(turn)(acceleration, acceleration + row, c, s, stride, -1, own_a, own_a + row, K);
        for (int k = 0; k <= K; k++)
            own_w[2 * row + k] += (double)(k + 1) * q[(k + 1) * stride];
    } else {
        for (int r = 0; r < 2; r++) {
            for (int k = 0; k <= K; k++)
                own_w[r * row + k] = rate[r * row + k];
            for (int k = 0; k < K; k++)
                own_a[r * row + k] = acceleration[r * row + k];
        }
    }
}

/* Force and moment about the body's origin that its motion takes. */
INLINE void FN(newton_euler)(const Body *body, const T *a, const T *o, T *f, T *n, int row, int K)
{
    const double m = body->m, *c = body->c, *S = body->S;
    for (int k = 0; k < K; k++) {
        const T xx = o[k], xy = o[row + k], xz = o[2 * row + k];
        const T yx = o[3 * row + k], yy = o[4 * row + k], yz = o[5 * row + k];
        const T zx = o[6 * row + k], zy = o[7 * row + k], zz = o[8 * row + k];
        const T x = a[k], y = a[row + k], z = a[2 * row + k];
        f[k] = m * x + (xx * c[0] + xy * c[1] + xz * c[2]);
        f[row + k] = m * y + (yx * c[0] + yy * c[1] + yz * c[2]);
        f[2 * row + k] = m * z + (zx * c[0] + zy * c[1] + zz * c[2]);
        n[k] = (c[1] * z - c[2] * y) + (zx * S[3] + zy * S[1] + zz * S[5]) - (yx * S[4] + yy * S[5] + yz * S[2]);
        n[row + k] = (c[2] * x - c[0] * z) + (xx * S[4] + xy * S[5] + xz * S[2]) - (zx * S[0] + zy * S[3] + zz * S[4]);
        n[2 * row + k] = (c[0] * y - c[1] * x) + (yx * S[0] + yy * S[3] + yz * S[4]) - (xx * S[3] + xy * S[1] + xz * S[5]);
    }
}

/* The wrench of a body, added to its parent's. */
INLINE void FN(pass_on)(const Body *body, const T *f, const T *n, T *scratch, T *parent_f, T *parent_n,
                        const T *q, const T *c, const T *s, ptrdiff_t stride, int row, int K)
{
    const double *R = body->R, *p = body->p;
    const T *force = f, *moment = n;
    if (body->turns || body->h != 0) {
        T *turned_f = scratch, *turned_n = scratch + 3 * row;
        if (body->turns) {
            FN(turn)(f, f + row, c, s, stride, 1, turned_f, turned_f + row, K);
            FN(turn)(n, n + row, c, s, stride, 1, turned_n, turned_n + row, K);
        } else {
            for (int r = 0; r < 2; r++)
                for (int k = 0; k < K; k++) {
                    turned_f[r * row + k] = f[r * row + k];
                    turned_n[r * row + k] = n[r * row + k];
                }
        }
        for (int k = 0; k < K; k++) {
            turned_f[2 * row + k] = f[2 * row + k];
            turned_n[2 * row + k] = n[2 * row + k];
        }
        if (body->h != 0)
            for (int k = 0; k < K; k++)
                for (int j = 0; j <= k; j++) {
                    const T d = body->h * q[(k - j) * stride];
                    turned_n[k] -= d * turned_f[row + j];
                    turned_n[row + k] += d * turned_f[j];
                }
        force = turned_f;
        moment = turned_n;
    }
    for (int k = 0; k < K; k++) {
        T pf[3], pn[3];
        for (int r = 0; r < 3; r++) {
            pf[r] = R[3 * r] * force[k] + R[3 * r + 1] * force[row + k] + R[3 * r + 2] * force[2 * row + k];
            pn[r] = R[3 * r] * moment[k] + R[3 * r + 1] * moment[row + k] + R[3 * r + 2] * moment[2 * row + k];
        }
        for (int r = 0; r < 3; r++)
            parent_f[r * row + k] += pf[r];
        parent_n[k] += pn[0] + (p[1] * pf[2] - p[2] * pf[1]);
        parent_n[row + k] += pn[1] + (p[2] * pf[0] - p[0] * pf[2]);
        parent_n[2 * row + k] += pn[2] + (p[0] * pf[1] - p[1] * pf[0]);
    }
}

/* The joint forces of all bodies, tau[k * stride + body], in joint coordinates q, c, s of which coefficient k of body i stands at
 * [k * stride + i]. The base slot holds w and a. external: NULL or the wrenches (moment 3, force 3) that the environment exerts,
 * coefficient k of component r of slot i at [(i * 6 + r) * K + k]. */
INLINE void FN(recursion_of_samples)(const Tree *tree, const T *q, const T *c, const T *s, ptrdiff_t stride, const T *external, T *work, T *tau, int K)
{
    const int N = tree->bodies, row = K + 1;
    FN(rotation_matrix_rates)(RATE(N), ROTATION(N), row, K);
    FN(newton_euler)(tree->body + N, ACCELERATION(N), ROTATION(N), FORCE(N), MOMENT(N), row, K);
    for (int i = 0; i < N; i++) {
        const Body *body = tree->body + i;
        const int up = body->parent;
        FN(move)(body, RATE(up), ACCELERATION(up), ROTATION(up), SCRATCH, RATE(i), ACCELERATION(i), q + i, c + i, s + i, stride, row, K);
        FN(rotation_matrix_rates)(RATE(i), ROTATION(i), row, K);
        FN(newton_euler)(body, ACCELERATION(i), ROTATION(i), FORCE(i), MOMENT(i), row, K);
    }
    if (external)
        for (int i = 0; i <= N; i++)
            for (int r = 0; r < 3; r++)
                for (int k = 0; k < K; k++) {
                    MOMENT(i)[r * row + k] -= external[(i * 6 + r) * K + k];
                    FORCE(i)[r * row + k] -= external[(i * 6 + 3 + r) * K + k];
                }
    for (int i = N - 1; i >= 0; i--) {
        const Body *body = tree->body + i;
        const T *f = FORCE(i), *n = MOMENT(i);
        for (int k = 0; k < K; k++)
            tau[k * stride + i] = body->turns ? n[2 * row + k] + body->h * f[2 * row + k] : body->h * f[2 * row + k];
        FN(pass_on)(body, f, n, SCRATCH, FORCE(body->parent), MOMENT(body->parent), q + i, c + i, s + i, stride, row, K);
    }
}
