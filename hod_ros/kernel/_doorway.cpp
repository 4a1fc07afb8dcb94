// SPDX-License-Identifier: Apache-2.0
// Python's way to the kernel: robots, and one generic call for all algorithms.
//
// One sample keeps the GIL and works in memory of its robot's; a batch releases the GIL and gives every thread memory of its own.
#include "python.hpp"

#include "batch.hpp"
#include "given.hpp"
#include "instruction_sets.hpp"

#ifndef HOD_SOURCES
#define HOD_SOURCES unknown         // else the digest of kernel/sources.py
#endif

namespace {

using namespace hod;

// ---- robots

struct Robot {
    PyObject_HEAD
    Tree tree;
    void *constants, *work;
    size_t work_bytes;
};

struct State { PyTypeObject *robot, *call; };

int exec_module(PyObject *module);
PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)exec_module},
#ifdef Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_MOD_GIL_USED
    {Py_mod_gil, Py_MOD_GIL_USED},
#endif
    {0, nullptr},
};
extern PyMethodDef functions[];
int traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = (State *)PyModule_GetState(module);
    Py_VISIT(state->robot);
    Py_VISIT(state->call);
    return 0;
}
int clear(PyObject *module)
{
    State *state = (State *)PyModule_GetState(module);
    Py_CLEAR(state->robot);
    Py_CLEAR(state->call);
    return 0;
}
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_doorway", "The compiled kernel", sizeof(State), functions, slots, traverse, clear, nullptr};

State *state_of(PyTypeObject *type) { return (State *)PyType_GetModuleState(type); }

void robot_dealloc(PyObject *object)
{
    Robot *self = (Robot *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->constants);
    free(self->work);
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject *robot_new(PyTypeObject *type, PyObject *args, PyObject *)
{
    PyObject *given[4];
    int free_base;
    if (!PyArg_ParseTuple(args, "OOOOp", given, given + 1, given + 2, given + 3, &free_base))
        return nullptr;
    PyObject *plain[4] = {};
    Robot *self = nullptr;
    const int types[4] = {NPY_DOUBLE, NPY_INT, NPY_DOUBLE, NPY_DOUBLE}, axes[4] = {2, 2, 1, 1};
    bool right = true;
    for (int i = 0; i < 4 && right; i++) {
        plain[i] = PyArray_FROMANY(given[i], types[i], axes[i], axes[i], NPY_ARRAY_CARRAY_RO);
        right = plain[i] != nullptr;
    }
    if (right) {
        PyArrayObject *const *arrays = (PyArrayObject **)plain;
        const int N = (int)PyArray_DIM(arrays[0], 0) - 1, n = (int)PyArray_DIM(arrays[2], 0);
        const int *links = (const int *)PyArray_DATA(arrays[1]);
        right = N >= 0 && PyArray_DIM(arrays[0], 1) == BODY_NUMBERS && PyArray_DIM(arrays[1], 0) == N + 1 && PyArray_DIM(arrays[1], 1) == 3
            && PyArray_DIM(arrays[3], 0) == 3;
        for (int i = 0; right && i < N; i++)
            right = links[3 * i + 1] < i && links[3 * i + 2] >= 0 && links[3 * i + 2] < n;
        if (!right)
            PyErr_SetString(PyExc_ValueError, "Robot takes numbers (N + 1, 37), links (N + 1, 3), armature (n) and gravity (3)");
        self = right ? (Robot *)type->tp_alloc(type, 0) : nullptr;
        if (self) {
            const auto make = [&](Memory &memory) {
                return tree_of(N, n, free_base, (const double *)PyArray_DATA(arrays[3]), (const double *)PyArray_DATA(arrays[2]),
                               (const double *)PyArray_DATA(arrays[0]), links, memory); };
            Memory counted;
            make(counted);
            self->constants = aligned_block(counted.used());
            if (self->constants) {
                Memory memory(self->constants);
                self->tree = make(memory);
            } else {
                Py_CLEAR(self);
                PyErr_NoMemory();
            }
        }
    }
    for (PyObject *array : plain)
        Py_XDECREF(array);
    return (PyObject *)self;
}

// ---- calls: an algorithm of a robot

struct Bound {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Robot *robot;
    const Algorithm *algorithm;
    int K, L, set;              // of which `bytes` is the workspace for one sample
    unsigned present;
    size_t bytes;
};

void bound_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((Bound *)object)->robot);
    type->tp_free(object);
    Py_DECREF(type);
}

bool grow_workspace(Bound *self, const Compiled &compiled, const Given &given)
{
    const Sizes &sizes = given.call.sizes;
    if (self->bytes == 0 || self->K != sizes.K || self->L != sizes.L || self->set != chosen || self->present != given.present) {
        Memory counted;
        compiled.single(given.call, counted);
        self->bytes = counted.used() + 1;
        self->K = sizes.K, self->L = sizes.L, self->set = chosen, self->present = given.present;
    }
    Robot *robot = self->robot;
    if (self->bytes > robot->work_bytes) {
        void *const block = aligned_block(self->bytes);
        if (!block) {
            PyErr_NoMemory();
            return false;
        }
        free(robot->work);
        robot->work = block;
        robot->work_bytes = self->bytes;
    }
    return true;
}

// The value of `threads=`: 0 where it is left out; -1 with an error set.
long threads_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (names && PyTuple_GET_SIZE(names) != 0) {
        if (PyTuple_GET_SIZE(names) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "threads") != 0) {
            PyErr_SetString(PyExc_TypeError, "the only keyword is threads");
            return -1;
        }
        if (args[count] != Py_None) {
            const long threads = PyLong_AsLong(args[count]);
            if (threads < 1 && !PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "threads must be 1 or more");
            return PyErr_Occurred() ? -1 : threads;
        }
    }
    const char *all = getenv("HOD_ROS_THREADS");
    char *end = nullptr;
    const long threads = all ? strtol(all, &end, 10) : 0;
    return threads > 0 && !*end ? threads : 0;
}

// The algorithm's result, or results as a tuple; None where an argument is of another shape or kind, a number given or resulting is not
// finite, or no result exists: the caller finds out which and says so.
PyObject *bound_call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Bound *self = (Bound *)object;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    const Algorithm &algorithm = *self->algorithm;
    Given given;
    if (!given.read(self->robot->tree, algorithm.signature, args, count))
        return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
    if (!given.make_results(algorithm.signature))
        return nullptr;
    const Compiled &compiled = *algorithm.on[chosen];
    if (given.batch) {
        const long threads = threads_of(args, count, names);
        if (threads < 0)
            return nullptr;
        switch (Batch(compiled, given.call, given.samples).run(threads)) {
        case Batch::DONE: return given.results();
        case Batch::REFUSED: Py_RETURN_NONE;
        case Batch::STARVED: return PyErr_NoMemory();
        case Batch::INTERRUPTED: return nullptr;
        }
    }
    if (!grow_workspace(self, compiled, given))
        return nullptr;
    Memory memory(self->robot->work);
    if (!compiled.single(given.call, memory))
        Py_RETURN_NONE;
    return given.results();
}

// time(repetitions, *arguments): nanoseconds that one evaluation takes inside the kernel, without Python.
PyObject *bound_time(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    Bound *self = (Bound *)object;
    const long times = count > 0 ? PyLong_AsLong(args[0]) : 0;
    if (times < 1) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "time takes a number of repetitions and the arguments of one sample");
        return nullptr;
    }
    Given given;
    if (!given.read(self->robot->tree, self->algorithm->signature, args + 1, count - 1) || given.batch)
        return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
    const Compiled &compiled = *self->algorithm->on[chosen];
    if (!given.make_results(self->algorithm->signature) || !grow_workspace(self, compiled, given))
        return nullptr;
    const auto begun = std::chrono::steady_clock::now();
    for (long i = 0; i < times; i++) {
        Memory memory(self->robot->work);
        compiled.single(given.call, memory);
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begun;
    return PyFloat_FromDouble(passed.count() / (double)times);
}

PyMethodDef bound_methods[] = {
    {"time", (PyCFunction)(void (*)(void))bound_time, METH_FASTCALL, "time(repetitions, *arguments): nanoseconds of one evaluation inside the kernel"},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef bound_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Bound, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot bound_slots[] = {
    {Py_tp_dealloc, (void *)bound_dealloc},
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_methods, bound_methods},
    {Py_tp_members, bound_members},
    {Py_tp_doc, (void *)"An algorithm of a robot: call(*arrays, threads=None) -> result, tuple of results, or None"},
    {0, nullptr},
};
PyType_Spec bound_spec = {
    "hod_ros.kernel._doorway.Call", sizeof(Bound), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    bound_slots};

PyObject *robot_algorithm(PyObject *object, PyObject *name)
{
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "an algorithm is named by a string");
    for (const Algorithm &algorithm : algorithms)
        if (PyUnicode_CompareWithASCIIString(name, algorithm.name) == 0) {
            PyTypeObject *type = state_of(Py_TYPE(object))->call;
            Bound *bound = (Bound *)type->tp_alloc(type, 0);
            if (bound) {
                bound->vectorcall = bound_call;
                bound->robot = (Robot *)Py_NewRef(object);
                bound->algorithm = &algorithm;
            }
            return (PyObject *)bound;
        }
    return PyErr_Format(PyExc_ValueError, "the kernel has no algorithm %R; see algorithms()", name);
}

PyMethodDef robot_methods[] = {
    {"algorithm", robot_algorithm, METH_O, "algorithm(name): what computes it for this robot"},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot robot_slots[] = {
    {Py_tp_new, (void *)robot_new},
    {Py_tp_dealloc, (void *)robot_dealloc},
    {Py_tp_methods, robot_methods},
    {Py_tp_doc, (void *)"Robot(numbers (N + 1, 37), links (N + 1, 3), armature (n), gravity (3), free base): a robot's constants"},
    {0, nullptr},
};
PyType_Spec robot_spec = {"hod_ros.kernel._doorway.Robot", sizeof(Robot), 0, Py_TPFLAGS_DEFAULT, robot_slots};

// ---- the module

PyObject *use_instruction_set(PyObject *, PyObject *name)
{
    for (int i = 0; i < INSTRUCTION_SETS; i++)
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, instruction_set_names[i]) == 0 && supported(i)) {
            chosen = i;
            Py_RETURN_NONE;
        }
    return PyErr_Format(PyExc_ValueError, "this machine has no instruction set %R; see instruction_sets()", name);
}

PyObject *instruction_set(PyObject *, PyObject *) { return PyUnicode_FromString(instruction_set_names[chosen]); }

PyObject *instruction_sets(PyObject *, PyObject *)
{
    PyObject *names = PyList_New(0);
    for (int i = INSTRUCTION_SETS - 1; names && i >= 0; i--)
        if (supported(i)) {
            PyObject *name = PyUnicode_FromString(instruction_set_names[i]);
            if (!name || PyList_Append(names, name) < 0)
                Py_CLEAR(names);
            Py_XDECREF(name);
        }
    return names;
}

PyObject *all_algorithms(PyObject *, PyObject *)
{
    PyObject *all = PyDict_New();
    for (const Algorithm &algorithm : algorithms) {
        PyObject *text = all ? PyUnicode_FromString(algorithm.text) : nullptr;
        if (!text || PyDict_SetItemString(all, algorithm.name, text) < 0)
            Py_CLEAR(all);
        Py_XDECREF(text);
    }
    return all;
}

PyMethodDef functions[] = {
    {"use_instruction_set", use_instruction_set, METH_O, "choose the code that runs from now on, by name"},
    {"instruction_set", instruction_set, METH_NOARGS, "name of the code that runs"},
    {"instruction_sets", instruction_sets, METH_NOARGS, "names of the codes that this machine can run, widest first"},
    {"algorithms", all_algorithms, METH_NOARGS, "{name: signature} of all algorithms"},
    {nullptr, nullptr, 0, nullptr},
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int exec_module(PyObject *module)
{
    import_array1(-1);
    for (int i = 0; i < INSTRUCTION_SETS; i++)
        if (supported(i))
            chosen = i;
    State *state = (State *)PyModule_GetState(module);
    state->robot = (PyTypeObject *)PyType_FromModuleAndSpec(module, &robot_spec, nullptr);
    state->call = (PyTypeObject *)PyType_FromModuleAndSpec(module, &bound_spec, nullptr);
    if (!state->robot || !state->call || PyModule_AddType(module, state->robot) < 0)
        return -1;
    if (PyModule_AddStringConstant(module, "SOURCES", TEXT(HOD_SOURCES)) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "MOST_ROWS", MOST_ROWS);
}

}  // namespace

PyMODINIT_FUNC PyInit__doorway(void) { return PyModuleDef_Init(&definition); }
