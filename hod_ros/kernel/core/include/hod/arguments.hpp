// SPDX-License-Identifier: Apache-2.0
// What an algorithm is called with, and how it is declared in the kernel's table.
//
// An algorithm is one function
//     template <class V, class Order> bool f(const Tree &tree, const Arguments<V> &given, Memory &memory, Order K)
// over the vector type V. It takes its workspace of the memory before all else and returns true at once where that only counts. It returns
// false where no result exists (a singular matrix). K is the number of coefficients that its signature means by K.
#pragma once

#include "tree.hpp"

namespace hod {

enum { MOST_ARGUMENTS = 10 };

// The letters of a signature: K from the arguments' rows, n columns, N bodies, m rates, p parameters, L whatever the arguments have.
struct Sizes { int K, n, N, L, m, p; };

inline namespace HOD_TARGET {

// One sample's numbers; nothing of a sample lies between two of an array's. Inputs whose signature has a '!' are the same for all samples: they stay doubles, in `shared`. nullptr: left out.
template <class V> struct Arguments {
    const typename V::Number *in[MOST_ARGUMENTS];
    const double *shared[MOST_ARGUMENTS];
    typename V::Number *out[MOST_ARGUMENTS];
    int L;
};

}  // namespace HOD_TARGET
}  // namespace hod
