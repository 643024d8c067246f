"""Reductions by the number of their kernel; variance, standard deviation and log-sum-exp are made here.

See Note [The fast-path guard] in `_kernels`; sums, means and extremes are in `_reductions`.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._kernels cimport (
    DIVIDE, EXP, FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW, LOGSUMEXP, SQRT, STD, SUBTRACT, VAR,
    array_kind, clear_flags, data, double_loops, empty_like, fetestexcept, flagged, forward1, forward2,
    new_float64,
)
from autograd_fast._reductions cimport pull_sum_or_extremum, sum_all, sum_or_extremum
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyTypeObject
from libc.math cimport isfinite, log, log1p
from libc.stdlib cimport free, malloc

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object float64 = np.float64
cdef object add_reduce = np.add.reduce
cdef object cold = np.full(1, -1e4)


cdef object reduce_axis(int kernel, object x, object axis, object keepdims):
    """A reduction of a plain operand over one axis or all."""
    if kernel == LOGSUMEXP:
        return log_sum_exp(x, axis, keepdims)
    if kernel == VAR or kernel == STD:
        return spread_of(kernel, x, axis, keepdims)
    return sum_or_extremum(kernel, x, axis, keepdims)


cdef object pull_reduction(int kernel, object g, object like, object axis, object ans):
    """The cotangent of a reduction's operand; `like` has its shape and dtype, or is it where it is needed."""
    if kernel == LOGSUMEXP:
        return pull_log_sum_exp(g, like, axis, ans)
    if kernel == VAR or kernel == STD:
        return pull_spread(kernel, g, like, axis, ans)
    return pull_sum_or_extremum(kernel, g, like, axis, ans)


# ---------------------------------------------------------------- the axes of a reduction

cdef struct Axes:
    Py_ssize_t outer
    Py_ssize_t n
    Py_ssize_t inner


cdef Axes axes_of(cnp.ndarray x, object axis) except *:
    """How many slices a reduction over `axis` has, before and behind it, and their length."""
    cdef Axes axes
    cdef int i, at, nd = cnp.PyArray_NDIM(x)
    axes.outer = axes.n = axes.inner = 1
    if axis is None:
        axes.n = cnp.PyArray_SIZE(x)
        return axes
    at = axis
    at = at + nd if at < 0 else at
    if not 0 <= at < nd:
        raise np.exceptions.AxisError(axis, nd)
    for i in range(nd):
        if i < at:
            axes.outer *= cnp.PyArray_DIM(x, i)
        elif i == at:
            axes.n = cnp.PyArray_DIM(x, i)
        else:
            axes.inner *= cnp.PyArray_DIM(x, i)
    return axes


cdef double *numbers(object x, Py_ssize_t count, double *cell) noexcept:
    """The numbers of a plain float64 array or number of that size, NULL if it is another thing."""
    if Py_TYPE(x) == <PyTypeObject *> float64 and count == 1:
        cell[0] = PyFloat_AS_DOUBLE(x)
        return cell
    if array_kind(x) == cnp.NPY_DOUBLE and cnp.PyArray_SIZE(<cnp.ndarray> x) == count:
        return <double *> data(x)
    return NULL


# ---------------------------------------------------------------- log-sum-exp

cdef object log_sum_exp(object x, object axis, object keepdims):
    """log(sum(exp(x))), the greatest terms counted and the others added, as SciPy does it."""
    cdef Axes axes
    cdef Py_ssize_t o, i, k, count
    cdef double top, value
    cdef double *source
    cdef double *terms
    cdef object out
    if array_kind(x) != cnp.NPY_DOUBLE or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    out = np.empty(axes.outer * axes.inner)
    terms = <double *> malloc(2 * axes.n * sizeof(double))
    if terms == NULL:
        raise MemoryError()
    try:
        for o in range(axes.outer):
            for i in range(axes.inner):
                source = <double *> data(x) + o * axes.n * axes.inner + i
                top = source[0]
                for k in range(1, axes.n):
                    value = source[k * axes.inner]
                    if not value <= top:
                        top = value
                if not isfinite(top):
                    return None
                count = 0
                for k in range(axes.n):
                    terms[k] = source[k * axes.inner] - top
                    count += terms[k] == 0
                value = sum_of_exponentials(terms, terms + axes.n, axes.n) - count
                value = log1p(value / count) + log(<double> count) + top
                (<double *> data(out))[o * axes.inner + i] = value
    finally:
        free(terms)
        clear_flags()
    if axis is None and keepdims is False:
        return new_float64((<double *> data(out))[0])
    shape = list(x.shape)
    if axis is None:
        shape = [1] * len(shape)
    elif keepdims is False:
        del shape[axis]
    else:
        shape[axis] = 1
    return out.reshape(shape) if shape else new_float64((<double *> data(out))[0])


cdef double sum_of_exponentials(double *x, double *exps, Py_ssize_t n) noexcept:
    cdef cnp.npy_intp length = n
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef double total = 0
    pointers[0], pointers[1] = <char *> x, <char *> exps
    steps[0] = steps[1] = sizeof(double)
    double_loops[<int> EXP].function(pointers, &length, steps, double_loops[<int> EXP].data)
    for k in range(n):
        total += exps[k]
    return total


cdef object pull_log_sum_exp(object g, object x, object axis, object ans):
    """g exp(x - ans)"""
    cdef Axes axes
    cdef Py_ssize_t o, i, k, at
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef double g_cell, ans_cell
    cdef double *g_data
    cdef double *ans_data
    cdef double *out_data
    cdef object out
    if array_kind(x) != cnp.NPY_DOUBLE:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    g_data = numbers(g, axes.outer * axes.inner, &g_cell)
    ans_data = numbers(ans, axes.outer * axes.inner, &ans_cell)
    if g_data == NULL or ans_data == NULL:
        return None
    for i in range(axes.outer * axes.inner):
        if not isfinite(ans_data[i]):
            return None
    out = empty_like(x, cnp.NPY_DOUBLE)
    out_data = <double *> data(out)
    clear_flags()
    for o in range(axes.outer):
        for k in range(axes.n):
            for i in range(axes.inner):
                at = (o * axes.n + k) * axes.inner + i
                out_data[at] = (<double *> data(x))[at] - ans_data[o * axes.inner + i]
    n = axes.outer * axes.n * axes.inner
    pointers[0] = pointers[1] = data(out)
    steps[0] = steps[1] = sizeof(double)
    double_loops[<int> EXP].function(pointers, &n, steps, double_loops[<int> EXP].data)
    for o in range(axes.outer):
        for k in range(axes.n):
            for i in range(axes.inner):
                out_data[(o * axes.n + k) * axes.inner + i] *= g_data[o * axes.inner + i]
    if fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW):
        return None
    if flagged():
        np.exp(cold)
    return out


# ---------------------------------------------------------------- variance, standard deviation

cdef object finite_sums(object x, object axis, object keepdims):
    """The sums over an axis, or None where NumPy has to say why they aren't finite."""
    cdef Py_ssize_t i
    with np.errstate(all="ignore"):
        sums = add_reduce(x, axis, None, None, keepdims)
    if Py_TYPE(sums) == <PyTypeObject *> float64:
        return sums if isfinite(PyFloat_AS_DOUBLE(sums)) else None
    for i in range(cnp.PyArray_SIZE(<cnp.ndarray> sums)):
        if not isfinite((<double *> data(sums))[i]):
            return None
    return sums


cdef object mean_of(object x, object axis):
    """The mean, its axes kept, by the operations of NumPy's own variance; a number over all axes."""
    if axis is None:
        total = sum_all(x)
        return None if total is None else forward2(DIVIDE, total, cnp.PyArray_SIZE(<cnp.ndarray> x))
    total = finite_sums(x, axis, True)
    return None if total is None else forward2(DIVIDE, total, x.shape[axis])


cdef bint square_in_place(double *x, Py_ssize_t n) noexcept:
    """Whether no square sets a flag."""
    cdef Py_ssize_t i
    clear_flags()
    for i in range(n):
        x[i] *= x[i]
    return not flagged()


cdef object spread_of(int kernel, object x, object axis, object keepdims):
    cdef object centred, total
    cdef Axes axes
    if array_kind(x) != cnp.NPY_DOUBLE or (axis is None and keepdims is not False):
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    if axes.n == 0 or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    mean = mean_of(x, axis)
    if mean is None:
        return None
    centred = forward2(SUBTRACT, x, mean)
    if centred is None:
        if axis is None:
            return None
        centred = np.subtract(x, mean)
    if not square_in_place(<double *> data(centred), cnp.PyArray_SIZE(<cnp.ndarray> x)):
        return None
    total = sum_all(centred) if axis is None else finite_sums(centred, axis, keepdims)
    if total is None:
        return None
    total = forward2(DIVIDE, total, axes.n)
    return total if total is None or kernel == VAR else forward1(SQRT, total)


@cython.cdivision(True)
cdef object pull_spread(int kernel, object g, object x, object axis, object ans):
    """2 g (x - mean) / n for the variance; g (x - mean) / (n ans), or 0, for the standard deviation."""
    cdef Axes axes
    cdef Py_ssize_t o, k, i, at
    cdef double g_cell, ans_cell, mean_cell
    cdef double *scale
    cdef double *g_data
    cdef double *ans_data
    cdef double *mean_data
    cdef object out, mean
    if array_kind(x) != cnp.NPY_DOUBLE:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    mean = None if axes.n == 0 else mean_of(x, axis)
    if mean is None:
        return None
    g_data = numbers(g, axes.outer * axes.inner, &g_cell)
    mean_data = numbers(mean, axes.outer * axes.inner, &mean_cell)
    ans_data = numbers(ans, axes.outer * axes.inner, &ans_cell) if kernel == STD else g_data
    if g_data == NULL or mean_data == NULL or ans_data == NULL:
        return None
    out = empty_like(x, cnp.NPY_DOUBLE)
    scales = np.empty(axes.outer * axes.inner)
    scale = <double *> data(scales)
    clear_flags()
    for i in range(axes.outer * axes.inner):
        if kernel == VAR:
            scale[i] = 2 * g_data[i] / axes.n
        elif ans_data[i] == 0:  # a nan says that there is no second derivative
            scale[i] = 0 if g_data[i] == g_data[i] else g_data[i]
        else:
            scale[i] = 2 * (g_data[i] / (2 * ans_data[i])) / axes.n
    for o in range(axes.outer):
        for k in range(axes.n):
            for i in range(axes.inner):
                at = (o * axes.n + k) * axes.inner + i
                (<double *> data(out))[at] = scale[o * axes.inner + i] * (
                    (<double *> data(x))[at] - mean_data[o * axes.inner + i]
                )
    return None if flagged() else out
