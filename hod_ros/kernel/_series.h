/* Truncated Taylor series, x[k] = x^(k) / k!, of LANES independent numbers: samples of a batch, or joints of one sample.
 * Included once for every instruction set, with VEC (vector of doubles), INT (vector of 64-bit integers), LANES, FN(name) and HOT defined. */

#define SPLAT(x) ((VEC){0} + (double)(x))

/* Whether all numbers are finite: by their bits, so that no compiler flag can argue it away. */
HOT int FN(all_finite)(const double *x, size_t count)
{
    const INT exponent = (INT){0} + 0x7ff0000000000000;
    INT found = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        INT bits;
        memcpy(&bits, x + i, sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    VEC rest = SPLAT(0);
    memcpy(&rest, x + i, (count - i) * sizeof *x);
    found |= ((INT)rest & exponent) == exponent;
    long long any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any |= found[lane];
    return any == 0;
}

/* sin and cos to about one unit in the last place. The argument is reduced by multiples of pi/2 in three parts whose products with the
 * multiple are exact up to 2^20; lanes beyond go to the C library. */
HOT void FN(sin_cos)(VEC x, VEC *sine, VEC *cosine)
{
    const double limit = 1048576.0, shifter = 6755399441055744.0;
    const double part_1 = 0x1.921fb544p+0, part_2 = 0x1.0b4611a6p-34, part_3 = 0x1.3198a2e037073p-69;
    INT far = (x > SPLAT(limit)) | (x < SPLAT(-limit));
    VEC shifted = x * 0x1.45f306dc9c883p-1 + shifter;
    VEC multiple = shifted - shifter;
    INT quadrant = (INT)shifted;
    VEC r = x - multiple * part_1;
    VEC second = multiple * part_2;
    VEC near = r - second;
    VEC lost = (r - near) - second;
    VEC y = near + (lost - multiple * part_3);
    VEC z = y * y;
    VEC s = SPLAT(1.0 / 355687428096000.0);
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = y + y * z * s;
    VEC c = SPLAT(1.0 / 20922789888000.0);
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = (1.0 - 0.5 * z) + z * z * c;
    INT swap = -(quadrant & 1);
    INT s_bits = (INT)s, c_bits = (INT)c;
    INT sine_bits = (s_bits & ~swap) | (c_bits & swap), cosine_bits = (c_bits & ~swap) | (s_bits & swap);
    sine_bits ^= (quadrant & 2) << 62;
    cosine_bits ^= ((quadrant + 1) & 2) << 62;
    *sine = (VEC)sine_bits;
    *cosine = (VEC)cosine_bits;
    for (int lane = 0; lane < LANES; lane++)
        if (far[lane]) {
            (*sine)[lane] = sin(x[lane]);
            (*cosine)[lane] = cos(x[lane]);
        }
}

/* k s[k] = sum_j j q[j] c[k-j], k c[k] = -sum_j j q[j] s[k-j]; coefficient k of a series stands at k * stride. */
HOT void FN(sin_cos_series)(const VEC *q, VEC *s, VEC *c, ptrdiff_t stride, int length)
{
    FN(sin_cos)(q[0], s, c);
    for (int k = 1; k < length; k++) {
        VEC up = SPLAT(0), down = SPLAT(0);
        for (int j = 1; j <= k; j++) {
            VEC rate = (double)j * q[j * stride];
            up += rate * c[(k - j) * stride];
            down -= rate * s[(k - j) * stride];
        }
        s[k * stride] = up * (1.0 / k);
        c[k * stride] = down * (1.0 / k);
    }
}
