/* The motors of a robot whose drives are all rigid or linear springs, from q and Q in one pass.
 *
 * A joint's drive is five numbers: gear ratio g, compliance c = 1 / stiffness (0: rigid), motor inertia B, viscous motor friction F, 1 / g.
 * theta^(k) = g (q^(k) + c Q^(k)),  tau^(k) = B theta^(k+2) + F theta^(k+1) + Q^(k) / g. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>

#include <string.h>

#define FIGURES 5

typedef struct {
    PyObject_HEAD
    npy_intp n;
    double *figures;        /* (FIGURES, n) */
} DrivesObject;

static void drives_dealloc(DrivesObject *self)
{
    PyMem_Free(self->figures);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* LinearDrives(figures (5, n)) */
static PyObject *drives_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyArrayObject *figures;
    if (!PyArg_ParseTuple(args, "O!", &PyArray_Type, &figures))
        return NULL;
    if (PyArray_NDIM(figures) != 2 || PyArray_DIM(figures, 0) != FIGURES || PyArray_TYPE(figures) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(figures)) {
        PyErr_SetString(PyExc_TypeError, "LinearDrives takes a contiguous array (5, n) of floats");
        return NULL;
    }
    DrivesObject *self = (DrivesObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->n = PyArray_DIM(figures, 1);
    self->figures = PyMem_Malloc((FIGURES * self->n + 1) * sizeof(double));
    if (self->figures == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    memcpy(self->figures, PyArray_DATA(figures), FIGURES * self->n * sizeof(double));
    return (PyObject *)self;
}

/* One sample; returns 0 where all results are finite. */
static double motors_of(const DrivesObject *self, const double *restrict q, const double *restrict Q, double *restrict out, npy_intp R)
{
    const npy_intp n = self->n;
    const double *ratio = self->figures, *compliance = ratio + n, *inertia = compliance + n, *friction = inertia + n, *inverse = friction + n;
    double *tau = out + R * n, not_finite = 0;
    for (npy_intp k = 0; k < R; k++)
        for (npy_intp j = 0; j < n; j++)
            out[k * n + j] = ratio[j] * (q[k * n + j] + compliance[j] * Q[k * n + j]);
    for (npy_intp k = 0; k < R - 2; k++)
        for (npy_intp j = 0; j < n; j++)
            tau[k * n + j] = inertia[j] * out[(k + 2) * n + j] + friction[j] * out[(k + 1) * n + j] + inverse[j] * Q[k * n + j];
    for (npy_intp i = 0; i < (2 * R - 2) * n; i++)
        not_finite += 0 * out[i];
    for (npy_intp i = R * n; i < (R + 2) * n; i++)      /* rows that the result does not use */
        not_finite += 0 * q[i];
    return not_finite;
}

static int plain(PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)object;
    return PyArray_CheckExact(object) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

/* motors(q (.., R + 2, n), Q (.., R, n)) -> (.., 2 R - 2, n): R rows of theta, then R - 2 rows of tau. None where an argument is not a
 * plain array of the right shape or a result is not finite: the caller finds out which and says so. */
static PyObject *drives_motors(DrivesObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "motors takes q and Q");
        return NULL;
    }
    if (!plain(args[0]) || !plain(args[1]))
        Py_RETURN_NONE;
    PyArrayObject *q = (PyArrayObject *)args[0], *Q = (PyArrayObject *)args[1];
    const int ndim = PyArray_NDIM(q);
    if ((ndim != 2 && ndim != 3) || PyArray_NDIM(Q) != ndim)
        Py_RETURN_NONE;
    const npy_intp *shape = PyArray_DIMS(q), R = shape[ndim - 2] - 2, samples = ndim == 3 ? shape[0] : 1;
    if (R < 3 || shape[ndim - 1] != self->n || PyArray_DIM(Q, ndim - 1) != self->n || PyArray_DIM(Q, ndim - 2) != R
        || (ndim == 3 && PyArray_DIM(Q, 0) != samples))
        Py_RETURN_NONE;
    const npy_intp out_shape[3] = {samples, 2 * R - 2, self->n};
    PyObject *out = PyArray_SimpleNew(ndim, out_shape + (ndim == 2), NPY_DOUBLE);
    if (out == NULL)
        return NULL;
    const double *from = PyArray_DATA(q), *forces = PyArray_DATA(Q);
    double *to = PyArray_DATA((PyArrayObject *)out), not_finite = 0;
    for (npy_intp i = 0; i < samples; i++)
        not_finite += motors_of(self, from + i * (R + 2) * self->n, forces + i * R * self->n, to + i * (2 * R - 2) * self->n, R);
    if (not_finite != 0) {
        Py_DECREF(out);
        Py_RETURN_NONE;
    }
    return out;
}

static PyMethodDef drives_methods[] = {
    {"motors", (PyCFunction)(void (*)(void))drives_motors, METH_FASTCALL, "motors(q, Q) -> rows of theta and tau, or None"},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject drives_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "hod_ros.actuators._drives.LinearDrives",
    .tp_basicsize = sizeof(DrivesObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = drives_new,
    .tp_dealloc = (destructor)drives_dealloc,
    .tp_methods = drives_methods,
    .tp_doc = "The figures of rigid and linear drives",
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_drives", .m_doc = "Compiled motor feedforward of linear drives", .m_size = -1};

PyMODINIT_FUNC PyInit__drives(void)
{
    import_array();
    if (PyType_Ready(&drives_type) < 0)
        return NULL;
    PyObject *self = PyModule_Create(&module);
    if (self == NULL)
        return NULL;
    if (PyModule_AddObjectRef(self, "LinearDrives", (PyObject *)&drives_type) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}
