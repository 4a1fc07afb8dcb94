/* What is still to move into the C++ kernel: matrices and forward dynamics of one sample. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_tree.h"

#include "_dispatch.h"

static size_t single_numbers(const Tree *tree, int K)
{
    const size_t N = tree->bodies, row = K + 1, stride = padded(tree->bodies);
    return (2 * row + 2 * K + 2) * stride + 4 * ((N + 1) * 7 * row + 5 * row + 2 * (N + 1) * K);
}

static size_t spatial_numbers(const Tree *tree, int K)
{
    const size_t N = tree->bodies, row = K + 1, stride = padded(tree->bodies);
    return (2 * K + 4) * stride + padded(12 * (N + 1)) + 4 * ((N + 1) * SPATIAL_VECTORS(row) + 2 * N * K + 6 * K);
}

static void *aligned(size_t bytes)
{
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

typedef struct {
    PyObject_HEAD
    Tree tree;
    double *work;
    size_t work_numbers;
} TreeObject;

static void tree_dealloc(TreeObject *self)
{
    free(self->tree.armature);
    free(self->tree.body);
    free(self->tree.lanes);
    free(self->work);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static void spread(Vec3 out[3], const double *v)
{
    out[0] = (Vec3){v[0], v[1], v[2], 0};
    out[1] = (Vec3){v[1], v[2], v[0], 0};
    out[2] = (Vec3){v[2], v[0], v[1], 0};
}

static void fill_lanes(LaneBody *to, const Body *from)
{
    const double *R = from->R, *S = from->S, axis[3] = {R[2], R[5], R[8]};
    for (int r = 0; r < 3; r++) {
        to->row[r] = (Vec3){R[3 * r], R[3 * r + 1], R[3 * r + 2], 0};
        to->column[r] = (Vec3){R[r], R[3 + r], R[6 + r], 0};
    }
    spread(to->p, from->p);
    spread(to->axis, axis);
    spread(to->c, from->c);
    to->S[0] = (Vec3){S[5], S[4], S[3], 0};
    to->S[1] = (Vec3){S[3], S[5], S[4], 0};
    to->S[2] = (Vec3){S[2], S[0], S[1], 0};
    to->S[3] = (Vec3){S[1], S[2], S[0], 0};
    to->S[4] = (Vec3){S[4], S[3], S[5], 0};
    to->m = from->m;
    to->h = from->h;
    to->turns = from->turns;
    to->parent = from->parent;
}

/* Tree(constants (N + 1, 25), links (N + 1, 3), armature (n,), gravity (3,)): see kernel.py. */
static PyObject *tree_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyArrayObject *constants, *links, *armature, *gravity;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyArray_Type, &constants, &PyArray_Type, &links, &PyArray_Type, &armature, &PyArray_Type, &gravity))
        return NULL;
    if (PyArray_NDIM(constants) != 2 || PyArray_DIM(constants, 1) != 25 || PyArray_TYPE(constants) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(constants)
        || PyArray_NDIM(links) != 2 || PyArray_DIM(links, 1) != 3 || PyArray_TYPE(links) != NPY_INT64 || !PyArray_IS_C_CONTIGUOUS(links)
        || PyArray_DIM(links, 0) != PyArray_DIM(constants, 0) || PyArray_DIM(constants, 0) < 1
        || PyArray_NDIM(armature) != 1 || PyArray_TYPE(armature) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(armature)
        || PyArray_NDIM(gravity) != 1 || PyArray_DIM(gravity, 0) != 3 || PyArray_TYPE(gravity) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(gravity)) {
        PyErr_SetString(PyExc_TypeError, "Tree takes contiguous arrays: constants (N + 1, 25), links (N + 1, 3) int64, armature (n,), gravity (3,)");
        return NULL;
    }
    TreeObject *self = (TreeObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    Tree *tree = &self->tree;
    const int N = (int)PyArray_DIM(constants, 0) - 1, n = (int)PyArray_DIM(armature, 0);
    tree->bodies = N;
    tree->columns = n;
    tree->body = calloc(N + 1, sizeof(Body));
    tree->lanes = aligned((N + 1) * sizeof(LaneBody));
    tree->armature = calloc(n + 1, sizeof(double));
    if (tree->body == NULL || tree->lanes == NULL || tree->armature == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    memcpy(tree->armature, PyArray_DATA(armature), n * sizeof(double));
    memcpy(tree->gravity, PyArray_DATA(gravity), sizeof tree->gravity);
    memset(tree->lanes, 0, (N + 1) * sizeof(LaneBody));
    for (int i = 0; i <= N; i++) {
        const double *from = (const double *)PyArray_GETPTR1(constants, i);
        const int64_t *link = (const int64_t *)PyArray_GETPTR1(links, i);
        Body *body = tree->body + i;
        memcpy(body->R, from, 9 * sizeof(double));
        memcpy(body->p, from + 9, 3 * sizeof(double));
        body->m = from[12];
        memcpy(body->c, from + 13, 3 * sizeof(double));
        memcpy(body->S, from + 16, 6 * sizeof(double));
        body->h = from[22];
        body->multiplier = from[23];
        body->offset = from[24];
        body->turns = link[0] != 0;
        body->parent = link[1] < 0 ? N : (int)link[1];
        body->column = (int)link[2];
        tree->offsets |= body->offset != 0;
        if (i < N && (body->parent != N && body->parent >= i)) {
            PyErr_Format(PyExc_ValueError, "body %d has the parent %d, which does not come before it", i, body->parent);
            Py_DECREF(self);
            return NULL;
        }
        if (i < N && (body->column < 0 || body->column >= n)) {
            PyErr_Format(PyExc_ValueError, "body %d is moved by column %d of %d", i, body->column, n);
            Py_DECREF(self);
            return NULL;
        }
        fill_lanes(tree->lanes + i, body);
    }
    return (PyObject *)self;
}

static const double *plain_array(PyObject *object, int ndim, const npy_intp *shape)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != ndim || !PyArray_ISCARRAY_RO(array))
        return NULL;
    for (int i = 0; shape != NULL && i < ndim; i++)
        if (PyArray_DIM(array, i) != shape[i])
            return NULL;
    return PyArray_DATA(array);
}

static int grow_workspace(TreeObject *self, size_t numbers)
{
    if (numbers <= self->work_numbers)
        return 1;
    double *work = aligned(numbers * sizeof(double));
    if (work == NULL)
        return 0;
    free(self->work);
    self->work = work;
    self->work_numbers = numbers;
    return 1;
}

/* matrices(q) -> (M, C, g) of K derivatives, for q (K + 1, n); None where an argument is not a
 * plain array of the right shape or any number is not finite: the caller finds out which and says so. */
static PyObject *tree_matrices(TreeObject *self, PyObject *object)
{
    const Tree *tree = &self->tree;
    const double *q = plain_array(object, 2, NULL);
    const npy_intp *shape = q ? PyArray_DIMS((PyArrayObject *)object) : NULL;
    if (q == NULL || shape[1] != tree->columns || shape[0] < 2 || shape[0] > MOST_ROWS || !isa->finite(q, shape[0] * shape[1]))
        Py_RETURN_NONE;
    const int K = (int)shape[0] - 1, n = tree->columns;
    if (!grow_workspace(self, spatial_numbers(tree, K)))
        return PyErr_NoMemory();
    const npy_intp square[3] = {K, n, n}, line[2] = {K, n};
    PyObject *M = PyArray_ZEROS(3, (npy_intp *)square, NPY_DOUBLE, 0), *C = PyArray_ZEROS(3, (npy_intp *)square, NPY_DOUBLE, 0);
    PyObject *g = PyArray_ZEROS(2, (npy_intp *)line, NPY_DOUBLE, 0), *all = NULL;
    if (M != NULL && C != NULL && g != NULL) {
        double *of_M = PyArray_DATA((PyArrayObject *)M), *of_C = PyArray_DATA((PyArrayObject *)C), *of_g = PyArray_DATA((PyArrayObject *)g);
        isa->matrices(tree, q, of_M, of_C, of_g, self->work, K);
        if (isa->finite(of_C, (size_t)K * n * n) && isa->finite(of_M, (size_t)K * n * n) && isa->finite(of_g, (size_t)K * n))
            all = PyTuple_Pack(3, M, C, g);
        else
            all = Py_NewRef(Py_None);
    }
    Py_XDECREF(M);
    Py_XDECREF(C);
    Py_XDECREF(g);
    return all;
}

/* forward_dynamics(q, Q) -> accelerations and their derivatives (K, n), for q (2, n) and Q (K, n); None as above, and where M is singular. */
static PyObject *tree_forward(TreeObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    const Tree *tree = &self->tree;
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "forward_dynamics takes q and Q");
        return NULL;
    }
    const npy_intp n = tree->columns, state_shape[2] = {2, n};
    const double *q = plain_array(args[0], 2, state_shape), *Q = plain_array(args[1], 2, NULL);
    const npy_intp *shape = Q ? PyArray_DIMS((PyArrayObject *)args[1]) : NULL;
    if (q == NULL || Q == NULL || shape[1] != n || shape[0] < 1 || shape[0] + 2 > MOST_ROWS || !isa->finite(q, 2 * n)
        || !isa->finite(Q, shape[0] * n))
        Py_RETURN_NONE;
    const int K = (int)shape[0];
    const size_t recursion = single_numbers(tree, K), spatial = spatial_numbers(tree, 1), most = recursion > spatial ? recursion : spatial;
    if (!grow_workspace(self, most + (K + 2) * n + n * n + K * n))
        return PyErr_NoMemory();
    double *rows = self->work + most, *M = rows + (K + 2) * n, *bias = M + n * n;
    memcpy(rows, q, 2 * n * sizeof *rows);
    if (!isa->forward(tree, rows, Q, M, bias, self->work, K) || !isa->finite(rows, (K + 2) * n))
        Py_RETURN_NONE;
    PyObject *out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (out != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)out), rows + 2 * n, K * n * sizeof *rows);
    return out;
}

static PyMethodDef tree_methods[] = {
    {"matrices", (PyCFunction)tree_matrices, METH_O, "M, C, g with time derivatives, or None"},
    {"forward_dynamics", (PyCFunction)(void (*)(void))tree_forward, METH_FASTCALL, "n-th order forward dynamics, or None"},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject tree_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "hod_ros.dynamics._kernel.Tree",
    .tp_basicsize = sizeof(TreeObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = tree_new,
    .tp_dealloc = (destructor)tree_dealloc,
    .tp_methods = tree_methods,
    .tp_doc = "The constants of a tree, packed for the kernel",
};

static PyObject *use_isa(PyObject *Py_UNUSED(module), PyObject *name)
{
    const char *wanted = PyUnicode_AsUTF8(name);
    if (wanted == NULL)
        return NULL;
    const Isa *found = choose_isa(wanted);
    if (found == NULL)
        return PyErr_Format(PyExc_ValueError, "this machine has no instruction set %R; see instruction_sets()", name);
    isa = found;
    Py_RETURN_NONE;
}

static PyObject *instruction_set(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyUnicode_FromString(isa->name);
}

static PyObject *instruction_sets(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < sizeof isas / sizeof *isas; i++)
        if (supported(isas[i].name)) {
            PyObject *name = PyUnicode_FromString(isas[i].name);
            if (name == NULL || PyList_Append(names, name) < 0)
                Py_CLEAR(names);
            Py_XDECREF(name);
        }
    return names;
}

static PyMethodDef functions[] = {
    {"use_instruction_set", use_isa, METH_O, "choose the code that runs from now on, by name"},
    {"instruction_set", instruction_set, METH_NOARGS, "name of the code that runs"},
    {"instruction_sets", instruction_sets, METH_NOARGS, "names of the codes that this machine can run, widest first"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_kernel", .m_doc = "Compiled n-th order dynamics", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit__kernel(void)
{
    import_array();
    factorial[0] = inverse_factorial[0] = 1;
    for (int k = 1; k < MOST_ROWS; k++) {
        factorial[k] = factorial[k - 1] * k;
        inverse_factorial[k] = 1 / factorial[k];
    }
    isa = choose_isa(NULL);
    if (PyType_Ready(&tree_type) < 0)
        return NULL;
    PyObject *self = PyModule_Create(&module);
    if (self == NULL)
        return NULL;
    if (PyModule_AddObjectRef(self, "Tree", (PyObject *)&tree_type) < 0 || PyModule_AddIntConstant(self, "MOST_ROWS", MOST_ROWS) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}
