// SPDX-License-Identifier: Apache-2.0
// Batches on several threads, in chunks that the threads take one after another. Ctrl-C ends them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "core/compiled.hpp"
#include "python.hpp"

namespace hod {

inline void *aligned_block(size_t bytes)
{
    void *block = nullptr;
    return posix_memalign(&block, Memory::ALIGNMENT, std::max(bytes, (size_t)Memory::ALIGNMENT)) == 0 ? block : nullptr;
}

class Batch {
public:
    enum { CHUNK = 64, MOST_THREADS = 256 };       // samples that one thread takes at once; a multiple of the widest register
    enum Outcome { DONE, REFUSED, STARVED, INTERRUPTED };

    Batch(const Compiled &algorithm, const Call &call, size_t samples) : algorithm_(algorithm), call_(call), samples_(samples)
    {
        Memory counted;
        algorithm.samples(call, 0, 1, counted);
        workspace_ = counted.used();
    }

    // Called with the GIL, which is released meanwhile. threads: 0 for as many as there are cores, where so many pay.
    Outcome run(long threads)
    {
        PyThreadState *python = PyEval_SaveThread();
        const auto begun = std::chrono::steady_clock::now();
        void *const own = aligned_block(workspace_);
        if (!own)
            outcome_ = STARVED;
        const bool more = own && take_chunk(own);
        if (more) {
            const auto first = std::chrono::steady_clock::now() - begun;
            const size_t rest = (samples_ - CHUNK + CHUNK - 1) / CHUNK;
            const long asked = threads ? threads : std::min(cores(), 1 + (long)(rest * first / THREAD_PAYS));
            work(std::min({asked, (long)MOST_THREADS, (long)rest}), own, python);
        }
        free(own);
        PyEval_RestoreThread(python);
        return (Outcome)outcome_.load();
    }

    static long cores()
    {
#ifdef __linux__
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0)
            return CPU_COUNT(&set);
#endif
        return std::max(1u, std::thread::hardware_concurrency());
    }

private:
    static constexpr std::chrono::microseconds THREAD_PAYS{60};
    static constexpr std::chrono::milliseconds LISTENS{50};

    bool take_chunk(void *block)
    {
        const size_t first = next_.fetch_add(CHUNK, std::memory_order_relaxed);
        if (first >= samples_ || outcome_.load(std::memory_order_relaxed) != DONE)
            return false;
        Memory memory(block);
        if (!algorithm_.samples(call_, first, std::min(samples_ - first, (size_t)CHUNK), memory))
            outcome_ = REFUSED;
        return outcome_.load(std::memory_order_relaxed) == DONE && first + CHUNK < samples_;
    }

    void help()
    {
        void *const block = aligned_block(workspace_);
        while (block && take_chunk(block)) {
        }
        free(block);
    }

    void work(long threads, void *own, PyThreadState *&python)
    {
        std::vector<std::thread> helpers;
        try {
            while ((long)helpers.size() + 1 < threads)
                helpers.emplace_back([this] { help(); });
        } catch (const std::system_error &) {       // no more threads to be had: these will do
        }
        auto listened = std::chrono::steady_clock::now();
        while (take_chunk(own)) {
            const auto now = std::chrono::steady_clock::now();
            if (now - listened < LISTENS)
                continue;
            listened = now;
            PyEval_RestoreThread(python);
            if (PyErr_CheckSignals())
                outcome_ = INTERRUPTED;
            python = PyEval_SaveThread();
        }
        for (std::thread &helper : helpers)
            helper.join();
    }

    const Compiled &algorithm_;
    const Call &call_;
    const size_t samples_;
    size_t workspace_ = 0;
    std::atomic<size_t> next_{0};
    std::atomic<int> outcome_{DONE};
};

}  // namespace hod
