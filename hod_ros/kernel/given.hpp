// SPDX-License-Identifier: Apache-2.0
// The arguments of one call, read and checked by the algorithm's signature, and its results.
#pragma once

#include <algorithm>
#include <utility>

#include "core/compiled.hpp"
#include "core/signature.hpp"
#include "large_arrays.hpp"
#include "reading.hpp"

namespace hod {

struct Given {
    Call call = {};
    Numbers numbers[MOST_ARGUMENTS];
    PyObject *out[MOST_ARGUMENTS] = {};
    bool batch = false;
    npy_intp samples = 1;
    unsigned present = 0;

    Given() = default;
    Given(const Given &) = delete;
    ~Given()
    {
        for (Numbers &one : numbers)
            Py_XDECREF(one.owned);
        for (PyObject *one : out)
            Py_XDECREF(one);
    }

    // Whether the arguments fit the signature; their values are still to be checked.
    bool read(const Tree &tree, const Signature &signature, PyObject *const *args, Py_ssize_t count)
    {
        call.tree = &tree;
        call.sizes = {-1, tree.columns, tree.bodies, -1, rates(tree), parameters(tree)};
        call.inputs = signature.inputs;
        call.outputs = signature.outputs;
        if (count > signature.inputs)
            return false;
        for (int i = 0; i < signature.inputs; i++) {
            const Argument &argument = signature.in[i];
            if (i >= count || args[i] == Py_None) {
                if (!argument.optional)
                    return false;
                continue;
            }
            Numbers &one = numbers[i];
            if (!one.read(args[i]))
                return false;
            const int more = one.axes - argument.axes;
            if (more != 0 ? more != 1 || argument.shared || (i > 0 && !batch) : batch && !argument.optional && !argument.shared)
                return false;
            if (more) {
                if (!batch) {
                    batch = true;
                    samples = one.shape[0];
                }
                if (one.shape[0] != samples)
                    return false;
            }
            call.in[i] = one.data;
            call.shared[i] = argument.shared;
            call.once[i] = !more;
            call.in_size[i] = 1;
            present |= 1u << i;
            for (int axis = 0; axis < argument.axes; axis++) {
                if (!argument.length[axis].agrees(one.shape[more + axis], call.sizes))
                    return false;
                call.in_size[i] *= one.shape[more + axis];
            }
        }
        if (call.sizes.K < 0)
            call.sizes.K = 1;
        if (call.sizes.L < 0)
            call.sizes.L = 0;
        return call.sizes.K >= 1 && call.sizes.K <= MOST_ROWS - 2;
    }

    bool make_results(const Signature &signature)
    {
        for (int i = 0; i < signature.outputs; i++) {
            const Argument &argument = signature.out[i];
            if (argument.optional && !(present >> argument.with & 1))
                continue;
            npy_intp shape[MOST_AXES + 1] = {samples};
            call.out_size[i] = 1;
            for (int axis = 0; axis < argument.axes; axis++) {
                shape[batch + axis] = argument.length[axis].in(call.sizes);
                call.out_size[i] *= shape[batch + axis];
            }
            const bool large = call.out_size[i] * samples * sizeof(double) >= LargeArrays::LARGE;
            out[i] = large ? LargeArrays::make(argument.axes + batch, shape) : PyArray_SimpleNew(argument.axes + batch, shape, NPY_DOUBLE);
            if (!out[i])
                return false;
            call.out[i] = (double *)PyArray_DATA((PyArrayObject *)out[i]);
        }
        return true;
    }

    PyObject *results()
    {
        const int made = call.outputs - (int)std::count(out, out + call.outputs, nullptr);
        PyObject *all = made == 1 ? nullptr : PyTuple_New(made);
        int place = 0;
        for (PyObject *&one : out)
            if (one && made == 1)
                return std::exchange(one, nullptr);
            else if (one && all)
                PyTuple_SET_ITEM(all, place++, std::exchange(one, nullptr));
        return all;
    }
};

}  // namespace hod
