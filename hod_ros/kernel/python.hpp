// SPDX-License-Identifier: Apache-2.0
// Python's and numpy's headers, as all files of the doorway take them.
#pragma once

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
