// SPDX-License-Identifier: Apache-2.0
// One algorithm for one instruction set: compiled once for each of both. HOD_ALGORITHM and HOD_HEADER name the first, compiler flags the
// second; the lengths 1 to HOD_LENGTHS get code of their own.
#include "compiled.hpp"
#include "hod/sines.hpp"
#include HOD_HEADER

#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)

namespace hod {
inline namespace HOD_TARGET {
namespace {

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE_LANES(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE_LANES(a, b, ...) __builtin_shuffle(a, b, Bits<HOD_WIDTH>::Number{__VA_ARGS__})
#endif

template <int... I> struct Indices {};

// A square of numbers, transposed by exchanging its blocks of D x D across the diagonal, D = W / 2, ..., 2, 1.
template <int D, int... I> HOD_INLINE void exchange_blocks(Samples::Number *rows, Indices<I...> all)
{
    constexpr int W = HOD_WIDTH;
    for (int i = 0; i < W; i++)
        if (!(i & D)) {
            const Samples::Number a = rows[i], b = rows[i + D];
            rows[i] = SHUFFLE_LANES(a, b, (I & D ? W + I - D : I)...);
            rows[i + D] = SHUFFLE_LANES(a, b, (I & D ? W + I : I + D)...);
        }
    if constexpr (D > 1)
        exchange_blocks<D / 2>(rows, all);
}
#if HOD_WIDTH == 8
using AllLanes = Indices<0, 1, 2, 3, 4, 5, 6, 7>;
#elif HOD_WIDTH == 4
using AllLanes = Indices<0, 1, 2, 3>;
#else
using AllLanes = Indices<0, 1>;
#endif

// Between samples one after another, `step` numbers apart, and Numbers that hold one of each; lanes beyond `count` repeat the last sample.
inline void gather(const double *from, size_t step, int count, Samples::Number *to, size_t size)
{
    using Number = Samples::Number;
    const double *sample[HOD_WIDTH];
    for (int lane = 0; lane < HOD_WIDTH; lane++)
        sample[lane] = from + (lane < count ? lane : count - 1) * step;
    size_t i = 0;
    for (; i + HOD_WIDTH <= size; i += HOD_WIDTH) {
        Number rows[HOD_WIDTH];
        for (int lane = 0; lane < HOD_WIDTH; lane++)
            memcpy(rows + lane, sample[lane] + i, sizeof(Number));
        exchange_blocks<HOD_WIDTH / 2>(rows, AllLanes{});
        for (int j = 0; j < HOD_WIDTH; j++)
            to[i + j] = rows[j];
    }
    for (; i < size; i++)
        for (int lane = 0; lane < HOD_WIDTH; lane++)
            to[i][lane] = sample[lane][i];
}

inline void scatter(const Samples::Number *from, double *to, size_t step, int count, size_t size)
{
    using Number = Samples::Number;
    size_t i = 0;
    for (; i + HOD_WIDTH <= size; i += HOD_WIDTH) {
        Number rows[HOD_WIDTH];
        for (int j = 0; j < HOD_WIDTH; j++)
            rows[j] = from[i + j];
        exchange_blocks<HOD_WIDTH / 2>(rows, AllLanes{});
        for (int lane = 0; lane < count; lane++) {
            __builtin_prefetch(to + lane * step + i + 64, 1);       // what is written next comes from far away: memory that is new
            memcpy(to + lane * step + i, rows + lane, sizeof(Number));
        }
    }
    for (; i < size; i++)
        for (int lane = 0; lane < count; lane++)
            to[lane * step + i] = from[i][lane];
}

template <class V> bool run(const Tree &tree, const Arguments<V> &given, Memory &memory, int K)
{
    return with_length<HOD_LENGTHS>(K, [&](auto length) __attribute__((always_inline)) { return HOD_ALGORITHM(tree, given, memory, length); });
}

bool single(const Call &call, Memory &memory)
{
    Arguments<Single> given = {};
    given.L = call.sizes.L;
    for (int i = 0; i < call.inputs; i++) {
        if (call.in[i] && !memory.counts() && !all_finite(call.in[i], call.in_size[i]))
            return false;
        (call.shared[i] ? given.shared[i] : given.in[i]) = call.in[i];
    }
    for (int i = 0; i < call.outputs; i++)
        given.out[i] = call.out[i];
    if (!run(*call.tree, given, memory, call.sizes.K))
        return false;
    if (!memory.counts())
        for (int i = 0; i < call.outputs; i++)
            if (call.out[i] && !all_finite(call.out[i], call.out_size[i]))
                return false;
    return true;
}

bool samples(const Call &call, size_t first, size_t count, Memory &memory)
{
    using Number = Samples::Number;
    Arguments<Samples> given = {};
    Number *in[MOST_ARGUMENTS];
    given.L = call.sizes.L;
    for (int i = 0; i < call.inputs; i++)
        if (call.in[i] && call.shared[i])
            given.shared[i] = call.in[i];
        else if (call.in[i])
            given.in[i] = in[i] = memory.take<Number>(call.in_size[i]);
    for (int i = 0; i < call.outputs; i++)
        if (call.out[i])
            given.out[i] = memory.take<Number>(call.out_size[i]);
    if (memory.counts())
        return run(*call.tree, given, memory, call.sizes.K);
    const auto take = [&](int i, size_t begin, int lanes) {
        gather(call.in[i] + begin * call.in_size[i], call.in_size[i], lanes, in[i], call.in_size[i]);
        return all_finite((const double *)in[i], call.in_size[i] * HOD_WIDTH); };
    for (int i = 0; i < call.inputs; i++)
        if (call.in[i] && !(call.shared[i] ? all_finite(call.in[i], call.in_size[i]) : !call.once[i] || take(i, 0, 1)))
            return false;
    for (size_t begin = first; begin < first + count; begin += HOD_WIDTH) {
        const int lanes = first + count - begin < HOD_WIDTH ? (int)(first + count - begin) : HOD_WIDTH;
        for (int i = 0; i < call.inputs; i++)
            if (call.in[i] && !call.shared[i] && !call.once[i] && !take(i, begin, lanes))
                return false;
        Memory rest = memory;
        if (!run(*call.tree, given, rest, call.sizes.K))
            return false;
        for (int i = 0; i < call.outputs; i++)
            if (call.out[i]) {
                if (!all_finite((const double *)given.out[i], call.out_size[i] * HOD_WIDTH))
                    return false;
                scatter(given.out[i], call.out[i] + begin * call.out_size[i], call.out_size[i], lanes, call.out_size[i]);
            }
    }
    return true;
}

}  // namespace
}  // namespace HOD_TARGET

extern const Compiled GLUE(HOD_ALGORITHM, HOD_TARGET);
const Compiled GLUE(HOD_ALGORITHM, HOD_TARGET) = {single, samples};

}  // namespace hod
