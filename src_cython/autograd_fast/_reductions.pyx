"""Fast twins of sums, extremes, products and indexing; see Note [The fast-path guard] in `_kernels`."""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._buffers cimport new_array
from autograd_fast._kernels cimport (
    ADD, DIVIDE, MAX, MAXIMUM, MEAN, MIN, MINIMUM, MULTIPLY, SUM, Loop, array_kind, clear_flags, data,
    double_loops, find_loop, float_loops, flagged, forward2, new_float64, number_kind, settled,
)
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongAndOverflow
from cpython.object cimport PyTypeObject
from libc.math cimport isfinite
from libc.string cimport memcpy

cdef extern from *:
    """
    #include "numpy/arrayscalars.h"
    static PyObject *agf_new_float32(float value) {
        PyObject *made = PyArrayScalar_New(Float);
        if (made != NULL) PyArrayScalar_ASSIGN(made, Float, value);
        return made;
    }
    """
    object agf_new_float32(float)

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object float64 = np.float64
cdef object float32 = np.float32
cdef object ndarray = np.ndarray
cdef object float64_dtype = np.dtype("d")
cdef object float32_dtype = np.dtype("f")

cdef Loop float_add = find_loop(np.add, cnp.NPY_FLOAT)
cdef Loop float_maximum = find_loop(np.maximum, cnp.NPY_FLOAT)
cdef Loop float_minimum = find_loop(np.minimum, cnp.NPY_FLOAT)

ctypedef fused real:
    float
    double


cdef char *numbers(object x, int kind, Py_ssize_t count, double *cell) noexcept:
    """The numbers of a plain array or number of that kind and size, NULL if it is another thing."""
    if count == 1 and kind == cnp.NPY_DOUBLE and Py_TYPE(x) == <PyTypeObject *> float64:
        cell[0] = PyFloat_AS_DOUBLE(x)
        return <char *> cell
    if count == 1 and kind == cnp.NPY_FLOAT and Py_TYPE(x) == <PyTypeObject *> float32:
        cnp.PyArray_ScalarAsCtype(x, cell)
        return <char *> cell
    if count == 1 and Py_TYPE(x) == <PyTypeObject *> ndarray and cnp.PyArray_NDIM(<cnp.ndarray> x) == 0:
        if cnp.PyArray_TYPE(<cnp.ndarray> x) == kind and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
            return data(x)
        return NULL
    if array_kind(x) == kind and cnp.PyArray_SIZE(<cnp.ndarray> x) == count:
        return data(x)
    return NULL


# ---------------------------------------------------------------- sums

cdef object reduced(Loop loop, int kind, char *first, char *entries, cnp.npy_intp n):
    """The entries taken together by the inner loop of a ufunc, beginning with `first`."""
    cdef double cell = 0
    cdef float number
    cdef cnp.npy_intp width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    memcpy(&cell, first, width)
    pointers[0], pointers[1], pointers[2] = <char *> &cell, entries, <char *> &cell
    steps[0], steps[1], steps[2] = 0, width, 0
    clear_flags()
    loop.function(pointers, &n, steps, loop.data)
    if flagged():
        return None
    if kind == cnp.NPY_DOUBLE:
        return new_float64(cell)
    memcpy(&number, &cell, sizeof(float))
    return agf_new_float32(number)


cdef object sum_all(object x):
    """The sum of all entries, as ``np.sum`` makes it."""
    cdef int kind = array_kind(x)
    cdef double zero = 0, number = 0
    cdef Loop loop = double_loops[<int> ADD] if kind == cnp.NPY_DOUBLE else float_add
    if kind < 0:
        return new_float64(0.0 + number) if number_kind(x, &number) >= 0 else None
    return reduced(loop, kind, <char *> &zero, data(x), cnp.PyArray_SIZE(<cnp.ndarray> x))


cdef object extremum_all(int kernel, object x):
    """The greatest or least entry, as ``np.max`` and ``np.min`` find it."""
    cdef int kind = array_kind(x)
    cdef Loop loop
    if kind < 0 or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    if kind == cnp.NPY_DOUBLE:
        loop = double_loops[<int> MAXIMUM] if kernel == MAX else double_loops[<int> MINIMUM]
    else:
        loop = float_maximum if kernel == MAX else float_minimum
    return reduced(
        loop, kind, data(x), data(x) + cnp.PyArray_ITEMSIZE(<cnp.ndarray> x),
        cnp.PyArray_SIZE(<cnp.ndarray> x) - 1,
    )


@cython.cdivision(True)
cdef object share_of_float32(object total, cnp.npy_intp n):
    """A number divided by a length that float32 holds exactly."""
    cdef float share
    if not 0 < n <= 1 << 24:
        return None
    cnp.PyArray_ScalarAsCtype(total, &share)
    clear_flags()
    share = share / <float> n
    return None if flagged() else agf_new_float32(share)


cdef object add_reduce = np.add.reduce
cdef object max_reduce = np.maximum.reduce
cdef object min_reduce = np.minimum.reduce


cdef object sum_or_extremum(int kernel, object x, object axis, object keepdims):
    """``np.sum``, ``mean``, ``max`` or ``min`` of a plain operand over one axis or all."""
    cdef object out
    cdef Py_ssize_t n
    if axis is None and keepdims is False:
        if kernel == MAX or kernel == MIN:
            return extremum_all(kernel, x)
        out = sum_all(x)
        if kernel == SUM or out is None:
            return out
        n = cnp.PyArray_SIZE(<cnp.ndarray> x) if array_kind(x) >= 0 else 1
        if Py_TYPE(out) == <PyTypeObject *> float32:
            return share_of_float32(out, n)
        return None if n == 0 else forward2(DIVIDE, out, n)
    if array_kind(x) < 0:
        return None
    if kernel == MAX or kernel == MIN:
        return (max_reduce if kernel == MAX else min_reduce)(x, axis, None, None, keepdims)
    if kernel == SUM:
        return add_reduce(x, axis, None, None, keepdims)
    if axis is None:
        n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    else:
        n = x.shape[axis] if -x.ndim <= axis < x.ndim else 0
    if n == 0:
        return None
    out = add_reduce(x, axis, None, None, keepdims)
    return forward2(DIVIDE, out, n)


@cython.cdivision(True)
cdef void spread_axis(
    real *g, real *out, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner, real scale
) noexcept nogil:
    cdef Py_ssize_t o, k, i
    for o in range(outer):
        for k in range(n):
            for i in range(inner):
                out[(o * n + k) * inner + i] = g[o * inner + i] / scale


@cython.cdivision(True)
cdef void spread_ties(
    real *g, real *x, real *ans, real *out, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner
) noexcept nogil:
    """The cotangent of an extremum: shared evenly by the entries that attain it; a nan attains a nan."""
    cdef Py_ssize_t o, k, i, count
    cdef real best
    for o in range(outer):
        for i in range(inner):
            best = ans[o * inner + i]
            count = 0
            for k in range(n):
                count += x[(o * n + k) * inner + i] == best or (
                    best != best and x[(o * n + k) * inner + i] != x[(o * n + k) * inner + i]
                )
            for k in range(n):
                if x[(o * n + k) * inner + i] == best or (
                    best != best and x[(o * n + k) * inner + i] != x[(o * n + k) * inner + i]
                ):
                    out[(o * n + k) * inner + i] = g[o * inner + i] / count
                else:
                    out[(o * n + k) * inner + i] = 0


cdef object pull_sum_or_extremum(int kernel, object g, object like, object axis, object ans):
    """The cotangent of a reduction's operand; `like` has its shape and dtype, and for max and min is it."""
    cdef tuple shape
    cdef int nd, i, at = -1, kind
    cdef cnp.npy_intp dims[32]
    cdef cnp.npy_intp outer = 1, n = 1, inner = 1
    cdef double g_cell, ans_cell
    cdef char *g_data
    cdef char *ans_data = NULL
    cdef object out
    if Py_TYPE(like) == <PyTypeObject *> float:
        return None
    shape = like.shape
    nd = len(shape)
    if nd == 0 or nd > 32 or (like.dtype is not float64_dtype and like.dtype is not float32_dtype):
        return None
    kind = cnp.NPY_DOUBLE if like.dtype is float64_dtype else cnp.NPY_FLOAT
    if axis is not None:
        at = axis
        at = at + nd if at < 0 else at
    for i in range(nd):
        dims[i] = shape[i]
        if axis is None or i == at:
            n *= dims[i]
        elif i < at:
            outer *= dims[i]
        else:
            inner *= dims[i]
    if n == 0 and kernel == MEAN:  # NumPy warns of the division
        return None
    g_data = numbers(g, kind, outer * inner, &g_cell)
    if g_data == NULL:
        return None
    if kernel == MAX or kernel == MIN:
        ans_data = numbers(ans, kind, outer * inner, &ans_cell)
        if array_kind(like) != kind or ans_data == NULL:
            return None
    out = new_array(nd, dims, kind)
    clear_flags()
    if kernel == SUM or kernel == MEAN:
        if kind == cnp.NPY_DOUBLE:
            spread_axis[double](
                <double *> g_data, <double *> data(out), outer, n, inner, n if kernel == MEAN else 1
            )
        else:
            spread_axis[float](
                <float *> g_data, <float *> data(out), outer, n, inner, n if kernel == MEAN else 1
            )
    elif kind == cnp.NPY_DOUBLE:
        spread_ties[double](
            <double *> g_data, <double *> data(like), <double *> ans_data, <double *> data(out),
            outer, n, inner,
        )
    else:
        spread_ties[float](
            <float *> g_data, <float *> data(like), <float *> ans_data, <float *> data(out),
            outer, n, inner,
        )
    return None if flagged() else out


cdef void add_rows(real *g, real *out, Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    for j in range(n):
        out[j] = g[j]
    for i in range(1, rows):
        for j in range(n):
            out[j] += g[i * n + j]


cdef object sum_leading(object g, tuple shape):
    """The sum of `g` over its leading axes, where `shape` ends its shape."""
    cdef int kind = array_kind(g)
    cdef cnp.ndarray a
    cdef object out
    cdef int i, extra, nd = len(shape)
    cdef cnp.npy_intp n = 1, rows
    if kind < 0:
        return None
    a = <cnp.ndarray> g
    extra = cnp.PyArray_NDIM(a) - nd
    if extra <= 0 or nd == 0:
        return None
    for i in range(nd):
        if cnp.PyArray_DIM(a, extra + i) != <cnp.npy_intp> shape[i]:
            return None
        n *= cnp.PyArray_DIM(a, extra + i)
    if n == 0 or cnp.PyArray_SIZE(a) == 0:
        return None
    rows = cnp.PyArray_SIZE(a) // n
    out = new_array(nd, cnp.PyArray_DIMS(a) + extra, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        add_rows[double](<double *> data(g), <double *> data(out), rows, n)
    else:
        add_rows[float](<float *> data(g), <float *> data(out), rows, n)
    return None if flagged() else out


# ---------------------------------------------------------------- products

cdef extern from "numpy/arrayobject.h":
    object PyArray_MatrixProduct2(object, object, void *)
    object PyArray_Transpose(cnp.ndarray, void *)


cdef int matrix_kind(object x) noexcept:
    """NPY_DOUBLE or NPY_FLOAT for an aligned array of those, laid out in any order, else -1."""
    cdef int kind
    if Py_TYPE(x) != <PyTypeObject *> ndarray:
        return -1
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if (kind != cnp.NPY_DOUBLE and kind != cnp.NPY_FLOAT) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
        return -1
    return -1 if cnp.PyArray_NDIM(<cnp.ndarray> x) == 0 else kind


cdef object dot_product(object x, object y):
    """``np.dot`` of two arrays of one dtype, without its dispatch."""
    cdef int kind = matrix_kind(x)
    if kind < 0 or matrix_kind(y) != kind:
        return None
    return product_of(x, y, kind)


cdef object product_of(object x, object y, int kind):
    """``np.dot`` of two arrays of this kind; the result has memory that was kept if it is a large matrix."""
    cdef cnp.npy_intp dims[2]
    cdef object out
    cdef bint same
    if cnp.PyArray_NDIM(<cnp.ndarray> x) == 2 and cnp.PyArray_NDIM(<cnp.ndarray> y) == 2:
        dims[0], dims[1] = cnp.PyArray_DIM(<cnp.ndarray> x, 0), cnp.PyArray_DIM(<cnp.ndarray> y, 1)
        same = cnp.PyArray_DIM(<cnp.ndarray> x, 1) == cnp.PyArray_DIM(<cnp.ndarray> y, 0)
        if same and dims[0] * dims[1] >= 128:
            out = new_array(2, dims, kind)
            return PyArray_MatrixProduct2(x, y, <void *> out)
    return PyArray_MatrixProduct2(x, y, NULL)


cdef object matrix_product(object x, object y):
    """``np.matmul`` of matrices and vectors of one dtype, by its own inner loop."""
    cdef int kind = matrix_kind(x), nd = 0, x_nd, y_nd
    cdef cnp.npy_intp rows, columns, n
    cdef cnp.npy_intp dims[2]
    cdef cnp.npy_intp sizes[4]
    cdef cnp.npy_intp steps[9]
    cdef char *pointers[3]
    cdef Loop loop
    cdef object out
    if kind < 0 or matrix_kind(y) != kind:
        return None
    x_nd, y_nd = cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_NDIM(<cnp.ndarray> y)
    if x_nd > 2 or y_nd > 2 or x_nd + y_nd == 2:
        return None
    n = cnp.PyArray_DIM(<cnp.ndarray> x, x_nd - 1)
    if cnp.PyArray_DIM(<cnp.ndarray> y, 0) != n or n == 0:
        return None
    rows = cnp.PyArray_DIM(<cnp.ndarray> x, 0) if x_nd == 2 else 1
    columns = cnp.PyArray_DIM(<cnp.ndarray> y, 1) if y_nd == 2 else 1
    if x_nd == 2:
        dims[nd] = rows
        nd += 1
    if y_nd == 2:
        dims[nd] = columns
        nd += 1
    out = new_array(nd, dims, kind)
    sizes[0], sizes[1], sizes[2], sizes[3] = 1, rows, n, columns
    steps[0] = steps[1] = steps[2] = 0
    steps[3] = stride(<cnp.ndarray> x, 0, rows) if x_nd == 2 else 0
    steps[4] = stride(<cnp.ndarray> x, x_nd - 1, n)
    steps[5] = stride(<cnp.ndarray> y, 0, n)
    steps[6] = stride(<cnp.ndarray> y, 1, columns) if y_nd == 2 else 0
    steps[7] = stride(<cnp.ndarray> out, 0, rows) if x_nd == 2 else 0
    steps[8] = stride(<cnp.ndarray> out, nd - 1, columns) if y_nd == 2 else 0
    pointers[0], pointers[1], pointers[2] = data(x), data(y), data(out)
    loop = matmul_loops[0] if kind == cnp.NPY_DOUBLE else matmul_loops[1]
    if loop.function == NULL:
        return None
    clear_flags()
    loop.function(pointers, sizes, steps, loop.data)
    return None if flagged() else out


cdef inline cnp.npy_intp stride(cnp.ndarray a, int axis, cnp.npy_intp size) noexcept:
    """The distance of neighbours along an axis, 0 if there is one alone, as NumPy's iterator has it."""
    return 0 if size == 1 else cnp.PyArray_STRIDE(a, axis)


cdef Loop matmul_loops[2]
matmul_loops[0] = find_loop(np.matmul, cnp.NPY_DOUBLE)
matmul_loops[1] = find_loop(np.matmul, cnp.NPY_FLOAT)


cdef object pull_product(int argnum, object g, object x, object y):
    """The cotangent of an operand of a product of matrices and vectors; the other operand is given whole."""
    cdef object other = y if argnum == 0 else x
    cdef int nd
    cdef object own = x if argnum == 0 else y
    cdef int kind = matrix_kind(other), own_nd
    if kind < 0:
        return None
    nd = cnp.PyArray_NDIM(<cnp.ndarray> other)
    own_nd = own.ndim
    if nd > 2 or own_nd > 2 or own_nd == 0:
        return None
    if nd == 1 and own_nd == 1:
        return forward2(MULTIPLY, other, g)
    if matrix_kind(g) != kind:
        return None
    if nd == 2 and own_nd == 2:
        if argnum == 0:
            return product_of(g, PyArray_Transpose(<cnp.ndarray> other, NULL), kind)
        return product_of(PyArray_Transpose(<cnp.ndarray> other, NULL), g, kind)
    if nd == 2:
        if argnum == 0:
            return product_of(other, g, kind)
        return product_of(PyArray_Transpose(<cnp.ndarray> other, NULL), g, kind)
    return outer(g, other, kind) if argnum == 0 else outer(other, g, kind)


cdef void fused_outer(real *a, real *b, real *out, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(m):
        for j in range(n):
            out[i * n + j] = a[i] * b[j]


cdef object outer(object a, object b, int kind):
    cdef cnp.npy_intp dims[2]
    cdef object out
    if cnp.PyArray_NDIM(<cnp.ndarray> a) != 1 or cnp.PyArray_NDIM(<cnp.ndarray> b) != 1:
        return None
    if array_kind(a) < 0 or array_kind(b) < 0:
        return None
    dims[0], dims[1] = cnp.PyArray_DIM(<cnp.ndarray> a, 0), cnp.PyArray_DIM(<cnp.ndarray> b, 0)
    out = new_array(2, dims, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        fused_outer[double](<double *> data(a), <double *> data(b), <double *> data(out), dims[0], dims[1])
    else:
        fused_outer[float](<float *> data(a), <float *> data(b), <float *> data(out), dims[0], dims[1])
    return None if flagged() else out


# ---------------------------------------------------------------- indexing

cdef object add_into(object total, object g):
    """Add `g` to `total` in place, an array or a part of one along a single axis."""
    cdef int kind = array_kind(g)
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef Loop loop = double_loops[<int> ADD] if kind == cnp.NPY_DOUBLE else float_loops[<int> ADD]
    if kind < 0 or matrix_kind(total) != kind:
        return None
    if not cnp.PyArray_SAMESHAPE(<cnp.ndarray> total, <cnp.ndarray> g):
        return None
    n = cnp.PyArray_SIZE(<cnp.ndarray> total)
    if n == 0:  # its strides are zero, by which the loop would take it for the cell of a reduction
        return total
    steps[0] = steps[1] = steps[2] = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    if cnp.PyArray_NDIM(<cnp.ndarray> total) == 1:
        steps[0] = steps[2] = cnp.PyArray_STRIDE(<cnp.ndarray> total, 0)
    elif not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> total):
        return None
    pointers[0], pointers[1], pointers[2] = data(total), data(g), data(total)
    clear_flags()
    loop.function(pointers, &n, steps, loop.data)
    return settled(total, ADD, True)


cdef double *entry(object x, object index) noexcept:
    """Where ``x[index]`` is, for one integer index of a vector; NULL in other cases."""
    cdef Py_ssize_t i, n
    cdef int overflow = 0
    if Py_TYPE(index) != <PyTypeObject *> int or array_kind(x) != cnp.NPY_DOUBLE:
        return NULL
    if cnp.PyArray_NDIM(<cnp.ndarray> x) != 1:
        return NULL
    i, n = PyLong_AsLongAndOverflow(index, &overflow), cnp.PyArray_DIM(<cnp.ndarray> x, 0)
    i = i + n if i < 0 else i
    return NULL if overflow or not 0 <= i < n else <double *> data(x) + i


cdef object entry_of(object x, object index):
    """``x[index]``, for one integer index of a vector; None in other cases."""
    cdef double *place = entry(x, index)
    return None if place == NULL else new_float64(place[0])


cdef bint add_at(object total, object index, double g) noexcept:
    """Add `g` to ``total[index]`` in place, for one integer index of a vector; False in other cases."""
    cdef double *place = entry(total, index)
    if place == NULL or not isfinite(place[0] + g):  # NumPy may have to warn
        return False
    place[0] += g
    return True
