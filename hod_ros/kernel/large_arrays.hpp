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
        const size_t bytes = (size_t)PyArray_MultiplyList(shape, axes) * sizeof(double), page = bytes < HUGE_PAGE ? PLAIN_PAGE : HUGE_PAGE;
        const Block block = take((bytes + page - 1) / page * page, page);
        if (!block.at)
            return PyErr_NoMemory();
        PyTypeObject *const type = owner_type();
        Owner *const owner = type ? PyObject_New(Owner, type) : nullptr;
        if (!owner) {
            free(block.at);
            return PyErr_Occurred() ? nullptr : PyErr_NoMemory();
        }
        owner->block = block;
        PyObject *const array = PyArray_SimpleNewFromData(axes, shape, NPY_DOUBLE, block.at);
        if (array)
            PyArray_SetBaseObject((PyArrayObject *)array, (PyObject *)owner);
        else
            Py_DECREF(owner);
        return array;
    }

private:
    static constexpr size_t PLAIN_PAGE = 4 << 10, HUGE_PAGE = 2 << 20, MOST = 256 << 20;          // of kept memory
    struct Block { void *at; size_t size; };
    struct Owner { PyObject_HEAD Block block; };                    // lends its memory as a buffer: so an array may be made writeable again
    static inline Block kept[32];                                   // the oldest first
    static inline int count = 0;

    static PyTypeObject *owner_type()
    {
        static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)dealloc}, {Py_bf_getbuffer, (void *)lend}, {0, nullptr}};
        static PyType_Spec spec = {
            "hod_ros.kernel._doorway.Memory", sizeof(Owner), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
        static PyObject *const type = PyType_FromSpec(&spec);
        return (PyTypeObject *)type;
    }

    static void dealloc(PyObject *object)
    {
        PyTypeObject *const type = Py_TYPE(object);
        keep(((Owner *)object)->block);
        type->tp_free(object);
        Py_DECREF(type);
    }

    static int lend(PyObject *object, Py_buffer *view, int flags)
    {
        const Block &block = ((Owner *)object)->block;
        return PyBuffer_FillInfo(view, object, block.at, (Py_ssize_t)block.size, 0, flags);
    }

    static Block take(size_t size, size_t page)
    {
        for (int i = count - 1; i >= 0; i--)
            if (kept[i].size == size)
                return forget(i);
        Block block = {nullptr, size};
        if (posix_memalign(&block.at, page, size) != 0)
            return {nullptr, 0};
#ifdef MADV_HUGEPAGE
        if (page == HUGE_PAGE)
            madvise(block.at, size, MADV_HUGEPAGE);
#endif
        return block;
    }

    static void keep(Block block)
    {
        if (block.size > MOST)
            return free(block.at);
        size_t total = block.size;
        for (int i = 0; i < count; i++)
            total += kept[i].size;
        while (total > MOST || count == sizeof kept / sizeof *kept) {
            total -= kept[0].size;
            free(forget(0).at);
        }
#ifdef MADV_FREE
        if (block.size >= HUGE_PAGE)
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
