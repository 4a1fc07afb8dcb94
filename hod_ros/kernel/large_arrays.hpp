// SPDX-License-Identifier: Apache-2.0
// Large arrays, whose memory is kept when they are gone for others that come: the system clears what it gives, which takes longer than to
// compute what is written there. It may take back what is kept whenever it needs some. All of this is done with the GIL.
#pragma once

#include <algorithm>
#include <stdlib.h>

#ifdef __unix__
#include <sys/mman.h>
#endif

#include "python.hpp"

namespace hod {

class LargeArrays {
public:
    static constexpr size_t LARGE = 64 << 10;

    // A new array of doubles; nullptr with an error set.
    static PyObject *make(int axes, const npy_intp *shape)
    {
        const size_t bytes = (size_t)PyArray_MultiplyList(shape, axes) * sizeof(double), page = bytes < HUGE ? PAGE : HUGE;
        const Block block = take((bytes + page - 1) / page * page, page);
        if (!block.at)
            return PyErr_NoMemory();
        PyObject *const owner = PyCapsule_New(block.at, nullptr, [](PyObject *gone) {
            keep({PyCapsule_GetPointer(gone, nullptr), (size_t)PyCapsule_GetContext(gone)}); });
        if (!owner) {
            free(block.at);
            return nullptr;
        }
        PyCapsule_SetContext(owner, (void *)block.size);
        PyObject *const array = PyArray_SimpleNewFromData(axes, shape, NPY_DOUBLE, block.at);
        if (array)
            PyArray_SetBaseObject((PyArrayObject *)array, owner);
        else
            Py_DECREF(owner);
        return array;
    }

private:
    static constexpr size_t PAGE = 4 << 10, HUGE = 2 << 20, MOST = 256 << 20;         // of kept memory
    struct Block { void *at; size_t size; };
    static inline Block kept[32];                                   // the oldest first
    static inline int count = 0;

    static Block take(size_t size, size_t page)
    {
        for (int i = count - 1; i >= 0; i--)
            if (kept[i].size == size)
                return forget(i);
        Block block = {nullptr, size};
        if (posix_memalign(&block.at, page, size) != 0)
            return {nullptr, 0};
#ifdef MADV_HUGEPAGE
        if (page == HUGE)
            madvise(block.at, size, MADV_HUGEPAGE);
#endif
        return block;
    }

    static void keep(Block block)
    {
        size_t total = block.size;
        for (int i = 0; i < count; i++)
            total += kept[i].size;
        while (count > 0 && (total > MOST || count == sizeof kept / sizeof *kept)) {
            total -= kept[0].size;
            free(forget(0).at);
        }
        if (total > MOST)
            return free(block.at);
#ifdef MADV_FREE
        if (block.size >= HUGE)
            madvise(block.at, block.size, MADV_FREE);
#endif
        kept[count++] = block;
    }

    static Block forget(int i)
    {
        const Block block = kept[i];
        std::copy(kept + i + 1, kept + count--, kept + i);
        return block;
    }
};

}  // namespace hod
