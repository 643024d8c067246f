"""Reductions by the number of their kernel; variance, standard deviation and log-sum-exp are made here.

So are the tangents of all but sums and means, which are reductions of tangents themselves.  See Note [The
fast-path guard] in `_kernels`; sums, means and extremes are in `_reductions`.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._kernels cimport (
    ADD, EXP, FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW, LOG, LOG1P, LOGSUMEXP, MAXIMUM, MIN, STD, VAR, Loop,
    array_kind, clear_flags, data, double_loops, empty_like, fetestexcept, find_loop, flagged,
)
from autograd_fast._reductions cimport numbers, pull_sum_or_extremum, sum_or_extremum
from cpython.object cimport PyTypeObject
from libc.math cimport INFINITY, isfinite, sqrt
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object float64 = np.float64
cdef object float32 = np.float32
cdef object cold = np.full(1, -1e4)
cdef Loop float_add = find_loop(np.add, cnp.NPY_FLOAT)
cdef Loop float_exp = find_loop(np.exp, cnp.NPY_FLOAT)
cdef Loop float_log = find_loop(np.log, cnp.NPY_FLOAT)
cdef Loop float_maximum = find_loop(np.maximum, cnp.NPY_FLOAT)
cdef Loop float_log1p = find_loop(np.log1p, cnp.NPY_FLOAT)

cdef enum:
    EXACT = 1 << 24  # the greatest length that float32 holds exactly

ctypedef fused real:
    float
    double


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


cdef object new_numbers(Py_ssize_t count, int kind):
    cdef cnp.npy_intp n = count
    return cnp.PyArray_EMPTY(1, &n, kind, 0)


cdef void apply_loop(Loop loop, object x) noexcept:
    """Apply the inner loop of a ufunc of one operand to an array in place."""
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    cdef cnp.npy_intp steps[2]
    cdef char *pointers[2]
    pointers[0] = pointers[1] = data(x)
    steps[0] = steps[1] = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    loop.function(pointers, &n, steps, loop.data)


cdef void reduce_over(Loop loop, object x, object out, Axes axes, bint from_first) noexcept:
    """Take the entries over an axis together by the inner loop of a ufunc, as ``ufunc.reduce`` does.

    It begins with what `out` holds, or `from_first` with the first entry.
    """
    cdef cnp.npy_intp width = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    cdef Py_ssize_t o, k, rows = 1 if axes.inner == 1 else axes.n
    cdef cnp.npy_intp n = axes.n if axes.inner == 1 else axes.inner
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    steps[0] = steps[2] = 0 if axes.inner == 1 else width
    steps[1] = width
    for o in range(axes.outer):
        pointers[0] = pointers[2] = data(out) + o * axes.inner * width
        if from_first:
            memcpy(pointers[0], data(x) + o * axes.n * axes.inner * width, axes.inner * width)
        for k in range(rows):
            pointers[1] = data(x) + (o * rows + k) * n * width
            loop.function(pointers, &n, steps, loop.data)


cdef object sums_over(object x, int kind, Axes axes):
    """The sums over an axis, in a row; None where NumPy may have to warn."""
    cdef object sums = new_numbers(axes.outer * axes.inner, kind)
    memset(data(sums), 0, cnp.PyArray_NBYTES(<cnp.ndarray> sums))
    clear_flags()
    reduce_over(double_loops[<int> ADD] if kind == cnp.NPY_DOUBLE else float_add, x, sums, axes, False)
    return None if flagged() else sums


cdef bint all_finite(object x, int kind) noexcept:
    cdef Py_ssize_t i
    cdef char *at = data(x)
    for i in range(cnp.PyArray_SIZE(<cnp.ndarray> x)):
        if not isfinite((<double *> at)[i] if kind == cnp.NPY_DOUBLE else (<float *> at)[i]):
            return False
    return True


cdef object as_result(object values, object x, object axis, object keepdims):
    """The values of a reduction of `x` in the shape of its result."""
    cdef list shape = [1] * cnp.PyArray_NDIM(<cnp.ndarray> x) if axis is None else list(x.shape)
    if keepdims is False:
        if axis is None or len(shape) == 1:
            return values[0]
        del shape[axis]
    elif axis is not None:
        shape[axis] = 1
    return values if len(shape) == 1 else values.reshape(shape)


# ---------------------------------------------------------------- log-sum-exp

cdef void exponents(real *x, real *out, real *tops, real *counts, Axes axes) noexcept nogil:
    """x - top, minus infinity at the top, and how often each top is there."""
    cdef Py_ssize_t o, k, i
    cdef real top, below
    cdef int count
    for o in range(axes.outer):
        if axes.inner == 1:
            top, count = tops[o], 0
            for k in range(axes.n):
                below = x[o * axes.n + k] - top
                count += below == 0
                out[o * axes.n + k] = -<real> INFINITY if below == 0 else below
            counts[o] = count
            continue
        for i in range(axes.inner):
            counts[o * axes.inner + i] = 0
        for k in range(axes.n):
            for i in range(axes.inner):
                below = x[(o * axes.n + k) * axes.inner + i] - tops[o * axes.inner + i]
                counts[o * axes.inner + i] += below == 0
                out[(o * axes.n + k) * axes.inner + i] = -<real> INFINITY if below == 0 else below


@cython.cdivision(True)
cdef void divide_by(real *x, real *divisors, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        x[i] /= divisors[i]


cdef void add_two(real *x, real *y, real *z, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        x[i] = x[i] + y[i] + z[i]


cdef object log_sum_exp(object x, object axis, object keepdims):
    """log(sum(exp(x))), the greatest terms counted and the others added, as SciPy does it."""
    cdef Axes axes
    cdef int kind = array_kind(x)
    cdef bint double_ = kind == cnp.NPY_DOUBLE
    cdef Py_ssize_t count
    cdef object terms, tops, counts, sums
    if kind < 0 or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    if axes.n > EXACT:
        return None
    count = axes.outer * axes.inner
    terms, tops, counts = empty_like(x, kind), new_numbers(count, kind), new_numbers(count, kind)
    reduce_over(double_loops[<int> MAXIMUM] if double_ else float_maximum, x, tops, axes, True)
    if not all_finite(tops, kind):
        clear_flags()
        return None
    if double_:
        exponents[double](
            <double *> data(x), <double *> data(terms), <double *> data(tops), <double *> data(counts), axes
        )
    else:
        exponents[float](
            <float *> data(x), <float *> data(terms), <float *> data(tops), <float *> data(counts), axes
        )
    apply_loop(double_loops[<int> EXP] if double_ else float_exp, terms)
    sums = sums_over(terms, kind, axes)
    if sums is None:
        return None
    if double_:
        divide_by[double](<double *> data(sums), <double *> data(counts), count)
    else:
        divide_by[float](<float *> data(sums), <float *> data(counts), count)
    apply_loop(double_loops[<int> LOG1P] if double_ else float_log1p, sums)
    apply_loop(double_loops[<int> LOG] if double_ else float_log, counts)
    if double_:
        add_two[double](<double *> data(sums), <double *> data(counts), <double *> data(tops), count)
    else:
        add_two[float](<float *> data(sums), <float *> data(counts), <float *> data(tops), count)
    clear_flags()
    return as_result(sums, x, axis, keepdims)


cdef void subtract_over(real *x, real *out, real *y, Axes axes) noexcept nogil:
    cdef Py_ssize_t o, k, i, at
    for o in range(axes.outer):
        if axes.inner == 1:
            for k in range(axes.n):
                out[o * axes.n + k] = x[o * axes.n + k] - y[o]
            continue
        for k in range(axes.n):
            at = (o * axes.n + k) * axes.inner
            for i in range(axes.inner):
                out[at + i] = x[at + i] - y[o * axes.inner + i]


cdef void multiply_over(real *x, real *y, Axes axes) noexcept nogil:
    cdef Py_ssize_t o, k, i, at
    for o in range(axes.outer):
        if axes.inner == 1:
            for k in range(axes.n):
                x[o * axes.n + k] *= y[o]
            continue
        for k in range(axes.n):
            at = (o * axes.n + k) * axes.inner
            for i in range(axes.inner):
                x[at + i] *= y[o * axes.inner + i]


cdef object pull_log_sum_exp(object g, object x, object axis, object ans):
    """g exp(x - ans)"""
    cdef Axes axes
    cdef int kind = array_kind(x)
    cdef double g_cell, ans_cell
    cdef char *g_data
    cdef char *ans_data
    cdef Py_ssize_t i
    cdef object out
    if kind < 0:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    g_data = numbers(g, kind, axes.outer * axes.inner, &g_cell)
    ans_data = numbers(ans, kind, axes.outer * axes.inner, &ans_cell)
    if g_data == NULL or ans_data == NULL:
        return None
    for i in range(axes.outer * axes.inner):
        if not isfinite((<double *> ans_data)[i] if kind == cnp.NPY_DOUBLE else (<float *> ans_data)[i]):
            return None
    out = empty_like(x, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        subtract_over[double](<double *> data(x), <double *> data(out), <double *> ans_data, axes)
        apply_loop(double_loops[<int> EXP], out)
        multiply_over[double](<double *> data(out), <double *> g_data, axes)
    else:
        subtract_over[float](<float *> data(x), <float *> data(out), <float *> ans_data, axes)
        apply_loop(float_exp, out)
        multiply_over[float](<float *> data(out), <float *> g_data, axes)
    if fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW):
        return None
    if flagged():
        np.exp(cold)
    return out


# ---------------------------------------------------------------- variance, standard deviation

@cython.cdivision(True)
cdef void take_share(real *x, Py_ssize_t count, Py_ssize_t n, bint root) noexcept nogil:
    """x / n, or its square root."""
    cdef Py_ssize_t i
    for i in range(count):
        x[i] = x[i] / <real> n
        if root:
            x[i] = <real> sqrt(x[i])


cdef object shares_of(object x, int kind, Axes axes, bint root):
    """The sums over an axis divided by its length, in a row, as in NumPy's own variance."""
    cdef object sums = sums_over(x, kind, axes)
    if sums is None:
        return None
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        take_share[double](<double *> data(sums), axes.outer * axes.inner, axes.n, root)
    else:
        take_share[float](<float *> data(sums), axes.outer * axes.inner, axes.n, root)
    return None if flagged() else sums


cdef object centred(object x, int kind, Axes axes):
    """What is left of `x` without its means over an axis; None where NumPy may have to warn."""
    cdef object out, means = shares_of(x, kind, axes, False)
    if means is None:
        return None
    out = empty_like(x, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        subtract_over[double](<double *> data(x), <double *> data(out), <double *> data(means), axes)
    else:
        subtract_over[float](<float *> data(x), <float *> data(out), <float *> data(means), axes)
    return None if flagged() else out


cdef void square(real *x, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        x[i] *= x[i]


cdef object spread_of(int kernel, object x, object axis, object keepdims):
    """The mean square of what is left of `x` without its mean, or the root of that."""
    cdef int kind = array_kind(x)
    cdef Axes axes
    cdef object squares, spread
    if kind < 0 or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    if axes.n > EXACT:
        return None
    squares = centred(x, kind, axes)
    if squares is None:
        return None
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        square[double](<double *> data(squares), axes.outer * axes.n * axes.inner)
    else:
        square[float](<float *> data(squares), axes.outer * axes.n * axes.inner)
    if flagged():
        return None
    spread = shares_of(squares, kind, axes, kernel == STD)
    return None if spread is None else as_result(spread, x, axis, keepdims)


@cython.cdivision(True)
cdef void slopes(real *g, real *ans, real *out, Axes axes, bint root) noexcept nogil:
    """2 g / n for the variance; g / (n ans), or 0 at 0, for the standard deviation."""
    cdef Py_ssize_t i
    for i in range(axes.outer * axes.inner):
        if not root:
            out[i] = 2 * g[i] / axes.n
        elif ans[i] == 0:  # a nan says that there is no second derivative
            out[i] = 0 if g[i] == g[i] else g[i]
        else:
            out[i] = 2 * (g[i] / (2 * ans[i])) / axes.n


cdef object pull_spread(int kernel, object g, object x, object axis, object ans):
    """2 g (x - mean) / n for the variance; g (x - mean) / (n ans), or 0, for the standard deviation."""
    cdef Axes axes
    cdef int kind = array_kind(x)
    cdef double g_cell, ans_cell
    cdef char *g_data
    cdef char *ans_data
    cdef object out, scales
    if kind < 0:
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    if axes.n == 0 or axes.n > EXACT:
        return None
    g_data = numbers(g, kind, axes.outer * axes.inner, &g_cell)
    ans_data = numbers(ans, kind, axes.outer * axes.inner, &ans_cell) if kernel == STD else g_data
    if g_data == NULL or ans_data == NULL:
        return None
    out = centred(x, kind, axes)
    if out is None:
        return None
    scales = new_numbers(axes.outer * axes.inner, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        slopes[double](<double *> g_data, <double *> ans_data, <double *> data(scales), axes, kernel == STD)
        multiply_over[double](<double *> data(out), <double *> data(scales), axes)
    else:
        slopes[float](<float *> g_data, <float *> ans_data, <float *> data(scales), axes, kernel == STD)
        multiply_over[float](<float *> data(out), <float *> data(scales), axes)
    return None if flagged() else out


# ---------------------------------------------------------------- tangents

@cython.cdivision(True)
cdef void take_products(real *slopes, real *t, Py_ssize_t count, Py_ssize_t n, bint chosen) noexcept nogil:
    """slope t / n; where a slope of zero says `chosen` it is of an entry that was left aside."""
    cdef Py_ssize_t i
    for i in range(count):
        if chosen:
            slopes[i] = slopes[i] * t[i] if slopes[i] != 0 else 0
        elif n == 1:
            slopes[i] *= t[i]
        else:
            slopes[i] = slopes[i] * t[i] / n


@cython.cdivision(True)
cdef void take_pushed(real *sums, real *ans, Py_ssize_t count) noexcept nogil:
    """2 sum for the variance; sum / ans, or 0 at 0, for the standard deviation."""
    cdef Py_ssize_t i
    for i in range(count):
        if ans == NULL:
            sums[i] = 2 * sums[i]
        elif ans[i] == 0:
            sums[i] = 0 if sums[i] == sums[i] else sums[i]
        else:
            sums[i] = <real> 0.5 * (2 * sums[i] / ans[i])


cdef object push_reduction(int kernel, object t, object x, object axis, object keepdims, object ans):
    """The tangent of a reduction other than sum and mean: the sum of slopes times tangents."""
    cdef Axes axes
    cdef int kind = array_kind(x)
    cdef bint double_ = kind == cnp.NPY_DOUBLE, spreads = kernel == VAR or kernel == STD
    cdef double ans_cell
    cdef char *ans_data = NULL
    cdef Py_ssize_t count, size, n
    cdef object terms, ones, sums
    if kind < 0 or array_kind(t) != kind or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> t):
        return None
    axes = axes_of(<cnp.ndarray> x, axis)
    count, size = axes.outer * axes.inner, cnp.PyArray_SIZE(<cnp.ndarray> x)
    if size == 0 or axes.n > EXACT:
        return None
    if kernel == STD:
        ans_data = numbers(ans, kind, count, &ans_cell)
        if ans_data == NULL:
            return None
    if spreads:
        terms = centred(x, kind, axes)
    else:
        ones = new_numbers(count, kind)
        cnp.PyArray_FillWithScalar(ones, 1)
        terms = pull_reduction(kernel, ones, x, axis, ans)
    if terms is None:
        return None
    n = axes.n if spreads else 1
    clear_flags()
    if double_:
        take_products[double](<double *> data(terms), <double *> data(t), size, n, kernel <= MIN)
    else:
        take_products[float](<float *> data(terms), <float *> data(t), size, n, kernel <= MIN)
    sums = None if flagged() else sums_over(terms, kind, axes)
    if sums is None:
        return None
    if spreads:
        clear_flags()
        if double_:
            take_pushed[double](<double *> data(sums), <double *> ans_data, count)
        else:
            take_pushed[float](<float *> data(sums), <float *> ans_data, count)
        if flagged():
            return None
    return as_result(sums, x, axis, keepdims)
