// SPDX-License-Identifier: Apache-2.0
// Python's numbers as plain arrays of doubles: arrays of any layout and real type, lists and tuples of numbers or of such arrays.
#pragma once

#include "python.hpp"

namespace hod {

enum { MOST_READ_AXES = 6 };

// A plain array itself, or the numbers read into one; `owned` is given back by whoever holds this.
struct Numbers {
    const double *data = nullptr;
    int axes = 0;
    npy_intp shape[MOST_READ_AXES];
    PyObject *owned = nullptr;

    // false: of a kind that is not read here, or (with a Python error set) no memory
    bool read(PyObject *object)
    {
        if (PyArray_CheckExact(object)) {
            PyArrayObject *array = (PyArrayObject *)object;
            axes = PyArray_NDIM(array);
            if (axes > MOST_READ_AXES)
                return false;
            for (int i = 0; i < axes; i++)
                shape[i] = PyArray_DIM(array, i);
            if (PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array)) {
                data = (const double *)PyArray_DATA(array);
                Py_INCREF(object);
                owned = object;
                return true;
            }
            if (!PyArray_ISNOTSWAPPED(array) || !reads(PyArray_TYPE(array)))
                return false;
        } else if (!measure(object, 0)) {
            return false;
        }
        owned = PyArray_SimpleNew(axes, shape, NPY_DOUBLE);
        if (!owned)
            return false;
        double *to = (double *)PyArray_DATA((PyArrayObject *)owned);
        data = to;
        return fill(object, 0, to);
    }

private:
    static bool reads(int type)
    {
        switch (type) {
        case NPY_DOUBLE: case NPY_FLOAT: case NPY_BYTE: case NPY_UBYTE: case NPY_SHORT: case NPY_USHORT: case NPY_INT: case NPY_UINT:
        case NPY_LONG: case NPY_ULONG: case NPY_LONGLONG: case NPY_ULONGLONG:
            return true;
        }
        return false;
    }
    // The shape, by the first of each axis.
    bool measure(PyObject *object, int axis)
    {
        if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
            if (axis == MOST_READ_AXES)
                return false;
            shape[axis] = PySequence_Fast_GET_SIZE(object);
            axes = axis + 1;
            return shape[axis] == 0 ? false : measure(PySequence_Fast_GET_ITEM(object, 0), axis + 1);
        }
        if (axis && PyArray_CheckExact(object)) {
            PyArrayObject *array = (PyArrayObject *)object;
            if (axis + PyArray_NDIM(array) > MOST_READ_AXES)
                return false;
            for (int i = 0; i < PyArray_NDIM(array); i++)
                shape[axes++] = PyArray_DIM(array, i);
            return true;
        }
        return axis > 0;
    }
    bool fill(PyObject *object, int axis, double *&to)
    {
        if (PyArray_CheckExact(object)) {
            PyArrayObject *array = (PyArrayObject *)object;
            if (PyArray_NDIM(array) != axes - axis || !PyArray_ISNOTSWAPPED(array))
                return false;
            for (int i = axis; i < axes; i++)
                if (PyArray_DIM(array, i - axis) != shape[i])
                    return false;
            return copy(PyArray_TYPE(array), PyArray_BYTES(array), PyArray_STRIDES(array), axis, to);
        }
        if (axis == axes) {
            if (PyFloat_Check(object)) {
                *to++ = PyFloat_AS_DOUBLE(object);
                return true;
            }
            if (!PyLong_CheckExact(object))
                return false;
            int overflow;
            const long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
            *to++ = (double)whole;
            return overflow == 0;
        }
        if (!(PyList_CheckExact(object) || PyTuple_CheckExact(object)) || PySequence_Fast_GET_SIZE(object) != shape[axis])
            return false;
        for (npy_intp i = 0; i < shape[axis]; i++)
            if (!fill(PySequence_Fast_GET_ITEM(object, i), axis + 1, to))
                return false;
        return true;
    }
    template <class T> void copy_all(const char *from, const npy_intp *strides, int axis, double *&to) const
    {
        if (axis == axes) {
            T value;
            memcpy(&value, from, sizeof value);
            *to++ = (double)value;
            return;
        }
        if (axis + 1 == axes) {
            for (npy_intp i = 0; i < shape[axis]; i++, from += *strides) {
                T value;
                memcpy(&value, from, sizeof value);
                *to++ = (double)value;
            }
            return;
        }
        for (npy_intp i = 0; i < shape[axis]; i++)
            copy_all<T>(from + i * *strides, strides + 1, axis + 1, to);
    }
    bool copy(int type, const char *from, const npy_intp *strides, int axis, double *&to) const
    {
        switch (type) {
        case NPY_DOUBLE: copy_all<double>(from, strides, axis, to); return true;
        case NPY_FLOAT: copy_all<float>(from, strides, axis, to); return true;
        case NPY_BYTE: copy_all<signed char>(from, strides, axis, to); return true;
        case NPY_UBYTE: copy_all<unsigned char>(from, strides, axis, to); return true;
        case NPY_SHORT: copy_all<short>(from, strides, axis, to); return true;
        case NPY_USHORT: copy_all<unsigned short>(from, strides, axis, to); return true;
        case NPY_INT: copy_all<int>(from, strides, axis, to); return true;
        case NPY_UINT: copy_all<unsigned>(from, strides, axis, to); return true;
        case NPY_LONG: copy_all<long>(from, strides, axis, to); return true;
        case NPY_ULONG: copy_all<unsigned long>(from, strides, axis, to); return true;
        case NPY_LONGLONG: copy_all<long long>(from, strides, axis, to); return true;
        case NPY_ULONGLONG: copy_all<unsigned long long>(from, strides, axis, to); return true;
        }
        return false;
    }
};

}  // namespace hod
