// SPDX-License-Identifier: Apache-2.0
// Truncated Taylor series x[k] = x^(k) / k!, as pointers to their coefficients. A length is an int, or Fixed<n> where the compiler shall
// unroll its loops.
#pragma once

#include "precision.hpp"

namespace hod {

inline namespace HOD_TARGET {

template <int N> struct Fixed { constexpr HOD_INLINE operator int() const { return N; } };
template <int N> HOD_INLINE Fixed<N + 1> next(Fixed<N>) { return {}; }
HOD_INLINE int next(int n) { return n + 1; }
template <int N> HOD_INLINE Fixed<N - 1> previous(Fixed<N>) { return {}; }
HOD_INLINE int previous(int n) { return n - 1; }

// f(K), with code of its own for K = 1 to MOST.
template <int MOST, int Length = 1, class F> HOD_INLINE bool with_length(int K, F f)
{
    if constexpr (Length > MOST)
        return f(K);
    else if (K == Length)
        return f(Fixed<Length>{});
    else
        return with_length<MOST, Length + 1>(K, f);
}

// k! and 1 / k!
struct Factorials {
    double of[MOST_ROWS], inverse[MOST_ROWS];
    constexpr Factorials() : of{1}, inverse{1}
    {
        for (int k = 1; k < MOST_ROWS; k++) {
            of[k] = of[k - 1] * k;
            inverse[k] = 1 / of[k];
        }
    }
};
inline constexpr Factorials factorial{};

// Coefficient k of a product of series: f(i, j) summed over i + j = k.
template <class F> HOD_INLINE auto product(int k, F f)
{
    auto total = f(0, k);
    for (int i = 1; i <= k; i++)
        total += f(i, k - i);
    return total;
}
#define HOD_OF(i, j) [&](int i, int j) __attribute__((always_inline))

// A series on its way between two steps: of its own where the length is known, for the compiler to keep in registers, else in `scratch`.
template <class V, class Length> struct Passing {
    V *at;
    HOD_INLINE Passing(V *scratch, Length) : at(scratch) {}
    HOD_INLINE V &operator[](int k) { return at[k]; }
};
template <class V, int N> struct Passing<V, Fixed<N>> {
    V at[N];
    HOD_INLINE Passing(V *, Fixed<N>) {}
    HOD_INLINE V &operator[](int k) { return at[k]; }
};

template <class V> struct Pair { V a, b; HOD_INLINE Pair &operator+=(Pair o) { a += o.a; b += o.b; return *this; } };

// Vectors turned about z by the angle whose cosine and sine are c and s, `stride` apart; sign -1 turns back.
template <class V, class Length>
HOD_INLINE void turn(const V *a, const typename V::Number *c, const typename V::Number *s, int stride, double sign, V *out, Length length)
{
    for (int k = 0; k < length; k++) {
        out[k] = product(k, HOD_OF(i, j) { return c[i * stride] * a[j] - (sign * s[i * stride]) * quarter_turn(a[j]); });
        copy_z(a[k], out[k]);
    }
}
template <int W> HOD_INLINE void copy_z(const Spread<W> &from, Spread<W> &to) { to.z = from.z; }

// Two vectors at once, the second shorter by `less`; scratch: 2 * length of them.
template <class V, class Length>
HOD_INLINE void turn_both(const V *a, const V *b, const typename V::Number *c, const typename V::Number *s, int stride, double sign, V *to_a,
                          V *to_b, V *, Length length, int less)
{
    turn(a, c, s, stride, sign, to_a, length);
    turn(b, c, s, stride, sign, to_b, length - less);
}

#if HOD_PACKED
HOD_INLINE void copy_z(const Packed &from, Packed &to) { to.v = HOD_SHUFFLE(to.v, from.v, 0, 1, 6, 7); }

// The four numbers that turn fill one register.
template <class Length>
HOD_INLINE void turn_both(const Packed *a, const Packed *b, const double *c, const double *s, int stride, double sign, Packed *to_a,
                          Packed *to_b, Packed *scratch, Length length, int less)
{
    Passing<Packed, Length> plane(scratch, length), swapped(scratch + length, length);
    const Packed::Register signs = {-sign, sign, -sign, sign};
    for (int k = 0; k < length; k++) {
        const Packed::Register other = k < length - less ? b[k].v : Packed::Register{};
        plane[k].v = HOD_SHUFFLE(a[k].v, other, 0, 1, 4, 5);
        swapped[k].v = HOD_SHUFFLE(plane[k].v, plane[k].v, 1, 0, 3, 2) * signs;
    }
    for (int k = 0; k < length; k++) {
        const Packed t = product(k, HOD_OF(i, j) { return c[i * stride] * plane[j] + s[i * stride] * swapped[j]; });
        to_a[k].v = HOD_SHUFFLE(t.v, a[k].v, 0, 1, 6, 7);
        if (k < length - less)
            to_b[k].v = HOD_SHUFFLE(t.v, b[k].v, 2, 3, 6, 7);
    }
}
#endif

}  // namespace HOD_TARGET
}  // namespace hod
