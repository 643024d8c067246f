"""Fast twins of the hot primitives and of their pullbacks, on plain arrays and numbers.

Note [The fast-path guard].  A kernel runs only where it can't be told from NumPy: operands that are exactly
ndarrays of float64 or float32, native, aligned, C-contiguous, of one dimension at least, and of one shape; or
one of them a number, a Python float or, beside float64, an np.float64; or two such numbers.  The arrays go
through the inner loop of the ufunc that NumPy itself would run, so values agree bit for bit.  The status
flags of the floating-point unit are clear before and tested after; where one is set the result is thrown away
and None returned, and the caller runs the operation again in the ordinary way, so that warnings, errors and
callbacks are NumPy's.  None stands for "not mine" in every function here.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongAndOverflow
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport fabs, isfinite

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cdef extern from "fenv.h" nogil:
    int FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW, FE_UNDERFLOW
    int fetestexcept(int) noexcept
    int feclearexcept(int) noexcept

cdef extern from "float.h":
    double DBL_MIN
    double FLT_MAX

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*PyUFuncGenericFunction)(char **, cnp.npy_intp *, cnp.npy_intp *, void *) noexcept nogil
    ctypedef class numpy.ufunc [object PyUFuncObject, check_size ignore]:
        cdef int nin
        cdef int nargs
        cdef PyUFuncGenericFunction *functions
        cdef void **data
        cdef int ntypes
        cdef char *types

cdef extern from *:
    """
    #include "numpy/arrayscalars.h"
    static PyObject *agf_new_float64(double value) {
        PyObject *made = PyArrayScalar_New(Double);
        if (made != NULL) PyArrayScalar_ASSIGN(made, Double, value);
        return made;
    }
    """
    object agf_new_float64(double)

cnp.import_array()

cdef object float64 = np.float64
cdef object ndarray_type = np.ndarray
cdef object float64_dtype = np.dtype("d")
cdef object float32_dtype = np.dtype("f")
cdef int FLAGS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW
cdef bint enabled = True

ctypedef fused real:
    float
    double


def set_enabled(on):
    """Switch all kernels on or off; results are the same to within a few ulp.

    Returns
    -------
    bool
        Whether they were on.
    """
    global enabled
    was = enabled
    enabled = on
    return was


def is_enabled():
    """Whether kernels are used."""
    return enabled


# ---------------------------------------------------------------- the inner loops of NumPy

cdef struct Loop:
    PyUFuncGenericFunction function
    void *data

cdef Loop double_loops[N_KERNELS]
cdef Loop float_loops[N_KERNELS]
cdef list kernel_names = [
    "negative", "exp", "log", "log1p", "expm1", "sqrt", "square", "sin", "cos", "tanh", "absolute",
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum",
]


cdef dict later_kernels = {
    np.sum: SUM, np.mean: MEAN, np.max: MAX, np.min: MIN, np.dot: DOT, np.matmul: MATMUL,
}


def kernel_of(fun):
    """The number of the kernel that is the twin of a ufunc, -1 if it has none."""
    for i, name in enumerate(kernel_names):
        if fun is getattr(np, name):
            return i
    if getattr(fun, "__hash__", None) is None:
        return NO_KERNEL
    return later_kernels.get(fun, NO_KERNEL)


cdef Loop find_loop(ufunc u, int type_number) except *:
    cdef Loop loop
    cdef int i, j
    cdef bint same
    loop.function, loop.data = NULL, NULL
    for i in range(u.ntypes):
        same = True
        for j in range(u.nargs):
            same = same and u.types[i * u.nargs + j] == type_number
        if same:
            loop.function, loop.data = u.functions[i], u.data[i]
            break
    return loop


cdef int find_loops() except -1:
    for i, name in enumerate(kernel_names):
        double_loops[<int> i] = find_loop(getattr(np, name), cnp.NPY_DOUBLE)
        float_loops[<int> i] = find_loop(getattr(np, name), cnp.NPY_FLOAT)
    return 0


find_loops()


cdef inline bint clear_flags() noexcept:
    if fetestexcept(FLAGS):
        feclearexcept(FLAGS)
    return True


cdef inline bint flagged() noexcept:
    return fetestexcept(FLAGS) != 0


# ---------------------------------------------------------------- the guard

cdef inline int array_kind(object x) noexcept:
    """NPY_DOUBLE or NPY_FLOAT for an array that a kernel may run on, else -1."""
    cdef cnp.ndarray a
    cdef int kind
    if Py_TYPE(x) != <PyTypeObject *> ndarray_type:
        return -1
    a = <cnp.ndarray> x
    kind = cnp.PyArray_TYPE(a)
    if (kind != cnp.NPY_DOUBLE and kind != cnp.NPY_FLOAT) or cnp.PyArray_NDIM(a) == 0:
        return -1
    return kind if cnp.PyArray_ISCARRAY_RO(a) else -1


cdef inline int number_kind(object x, double *value) noexcept:
    """NPY_DOUBLE for an np.float64, 0 for a Python number that takes the other operand's type, else -1."""
    cdef PyTypeObject *t = Py_TYPE(x)
    cdef int overflow = 0
    cdef long integer
    if t == <PyTypeObject *> float64:
        value[0] = PyFloat_AS_DOUBLE(x)
        return cnp.NPY_DOUBLE
    if t == <PyTypeObject *> float:
        value[0] = PyFloat_AS_DOUBLE(x)
        return 0
    if t == <PyTypeObject *> int:
        integer = PyLong_AsLongAndOverflow(x, &overflow)
        if overflow or integer > 1 << 24 or integer < -(1 << 24):
            return -1
        value[0] = <double> integer
        return 0
    return -1


cdef inline object empty_like(object x, int kind):
    return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), kind, 0)


cdef inline char *data(object x) noexcept:
    return <char *> cnp.PyArray_DATA(<cnp.ndarray> x)


cdef object new_float64(double value):
    return agf_new_float64(value)


# ---------------------------------------------------------------- forward

cdef object forward1(int kernel, object x):
    """A unary ufunc of a plain operand."""
    cdef int kind = array_kind(x)
    cdef double value, result
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[2]
    cdef char *pointers[2]
    cdef Loop loop
    cdef object out
    if kind < 0:
        kind = number_kind(x, &value)
        if kind < 0 or Py_TYPE(x) == <PyTypeObject *> int:
            return None
        if kernel == NEGATIVE:
            return agf_new_float64(-value)
        pointers[0], pointers[1] = <char *> &value, <char *> &result
        steps[0] = steps[1] = sizeof(double)
        n = 1
        clear_flags()
        double_loops[kernel].function(pointers, &n, steps, double_loops[kernel].data)
        return None if flagged() else agf_new_float64(result)
    loop = double_loops[kernel] if kind == cnp.NPY_DOUBLE else float_loops[kernel]
    out = empty_like(x, kind)
    pointers[0], pointers[1] = data(x), data(out)
    steps[0] = steps[1] = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    clear_flags()
    loop.function(pointers, &n, steps, loop.data)
    return None if flagged() else out


@cython.cdivision(True)
cdef object numbers2(int kernel, double x, double y):
    """A binary ufunc of two numbers."""
    cdef double result
    cdef cnp.npy_intp n = 1
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    if kernel == ADD:
        result = x + y
    elif kernel == SUBTRACT:
        result = x - y
    elif kernel == MULTIPLY:
        result = x * y
    elif kernel == DIVIDE:
        if y == 0:
            return None
        result = x / y
    else:
        steps[0] = steps[2] = sizeof(double)
        steps[1] = 0
        pointers[0], pointers[1], pointers[2] = <char *> &x, <char *> &y, <char *> &result
        clear_flags()
        double_loops[kernel].function(pointers, &n, steps, double_loops[kernel].data)
        return None if flagged() else agf_new_float64(result)
    if fabs(result) >= DBL_MIN and isfinite(result):
        return agf_new_float64(result)
    if result == 0 and (kernel <= SUBTRACT or x == 0 or (y == 0 and kernel == MULTIPLY)):
        return agf_new_float64(result)
    return None


cdef object forward2(int kernel, object x, object y):
    """A binary ufunc of plain operands."""
    cdef int kind_x = array_kind(x), kind_y = array_kind(y), kind
    cdef double number = 0, other = 0
    cdef float number32
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[3]
    cdef cnp.npy_intp width
    cdef char *pointers[3]
    cdef Loop loop
    cdef object out
    if kind_x >= 0 and kind_y >= 0:
        if kind_x != kind_y:
            return None
        kind = kind_x
        width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
        steps[0] = steps[1] = steps[2] = width
        pointers[0], pointers[1] = data(x), data(y)
        if cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> y):
            out = empty_like(x, kind)
            n = cnp.PyArray_SIZE(<cnp.ndarray> x)
        elif is_suffix(<cnp.ndarray> y, <cnp.ndarray> x):
            return rows2(kernel, kind, x, y, 1)
        elif is_suffix(<cnp.ndarray> x, <cnp.ndarray> y):
            return rows2(kernel, kind, y, x, 0)
        else:
            return None
    elif kind_x >= 0:
        kind = kind_x
        if number_kind(y, &number) < 0:
            return None
        if kind == cnp.NPY_FLOAT and not float32_number(y, number):
            return None
        out = empty_like(x, kind)
        n = cnp.PyArray_SIZE(<cnp.ndarray> x)
        width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
        number32 = <float> number if kind == cnp.NPY_FLOAT else 0
        pointers[0] = data(x)
        pointers[1] = <char *> &number if kind == cnp.NPY_DOUBLE else <char *> &number32
        steps[0], steps[1], steps[2] = width, 0, width
    elif kind_y >= 0:
        kind = kind_y
        if number_kind(x, &number) < 0:
            return None
        if kind == cnp.NPY_FLOAT and not float32_number(x, number):
            return None
        out = empty_like(y, kind)
        n = cnp.PyArray_SIZE(<cnp.ndarray> y)
        width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
        number32 = <float> number if kind == cnp.NPY_FLOAT else 0
        pointers[0] = <char *> &number if kind == cnp.NPY_DOUBLE else <char *> &number32
        pointers[1] = data(y)
        steps[0], steps[1], steps[2] = 0, width, width
    else:
        if number_kind(x, &number) < 0 or number_kind(y, &other) < 0:
            return None
        if Py_TYPE(x) == <PyTypeObject *> int and Py_TYPE(y) == <PyTypeObject *> int:
            return None
        return numbers2(kernel, number, other)
    pointers[2] = data(out)
    loop = double_loops[kernel] if kind == cnp.NPY_DOUBLE else float_loops[kernel]
    clear_flags()
    loop.function(pointers, &n, steps, loop.data)
    return None if flagged() else out


cdef inline bint float32_number(object x, double value) noexcept:
    """Whether a number may stand beside a float32 array without changing the result's type or its own value's range."""
    return Py_TYPE(x) != <PyTypeObject *> float64 and (fabs(value) <= FLT_MAX or not isfinite(value))


cdef bint is_suffix(cnp.ndarray small, cnp.ndarray big) noexcept:
    """Whether the shape of `small` ends that of `big`."""
    cdef int i, n = cnp.PyArray_NDIM(small), extra = cnp.PyArray_NDIM(big) - cnp.PyArray_NDIM(small)
    if extra <= 0:
        return False
    for i in range(n):
        if cnp.PyArray_DIM(small, i) != cnp.PyArray_DIM(big, extra + i):
            return False
    return cnp.PyArray_SIZE(small) >= 4


cdef object rows2(int kernel, int kind, object big, object small, int small_at):
    """A binary ufunc of an array and one whose shape ends the first one's, row by row."""
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(<cnp.ndarray> small)
    cdef cnp.npy_intp rows = cnp.PyArray_SIZE(<cnp.ndarray> big) // n
    cdef cnp.npy_intp width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef object out = empty_like(big, kind)
    cdef Loop loop = double_loops[kernel] if kind == cnp.NPY_DOUBLE else float_loops[kernel]
    cdef cnp.npy_intp i
    steps[0] = steps[1] = steps[2] = width
    clear_flags()
    for i in range(rows):
        pointers[small_at] = data(small)
        pointers[1 - small_at] = data(big) + i * n * width
        pointers[2] = data(out) + i * n * width
        loop.function(pointers, &n, steps, loop.data)
    return None if flagged() else out


# ---------------------------------------------------------------- fused pullbacks

@cython.cdivision(True)
cdef void fused1(int kernel, real *g, real *x, real *ans, real *out, Py_ssize_t n) noexcept nogil:
    """The cotangent of a unary function's operand, in one pass; `out` holds cos(x) or sin(x) where needed."""
    cdef Py_ssize_t i
    if kernel == NEGATIVE:
        for i in range(n):
            out[i] = -g[i]
    elif kernel == EXP:
        for i in range(n):
            out[i] = g[i] * ans[i]
    elif kernel == LOG:
        for i in range(n):
            out[i] = g[i] / x[i]
    elif kernel == LOG1P:
        for i in range(n):
            out[i] = g[i] / (x[i] + 1)
    elif kernel == EXPM1:
        for i in range(n):
            out[i] = g[i] * (ans[i] + 1)
    elif kernel == SQRT:
        for i in range(n):
            out[i] = <real> 0.5 * g[i] / ans[i]
    elif kernel == SQUARE:
        for i in range(n):
            out[i] = g[i] * 2 * x[i]
    elif kernel == TANH:
        for i in range(n):
            out[i] = g[i] * (1 - ans[i] * ans[i])
    elif kernel == ABSOLUTE:
        for i in range(n):
            out[i] = g[i] * ((x[i] > 0) - (x[i] < 0)) if x[i] == x[i] else x[i]
    elif kernel == SIN:
        for i in range(n):
            out[i] = g[i] * out[i]
    elif kernel == COS:
        for i in range(n):
            out[i] = -g[i] * out[i]


cdef object pull1(int kernel, object g, object x, object ans):
    """The cotangent of the operand of a unary ufunc, in the shape of `g`."""
    cdef int kind = array_kind(g)
    cdef object saved = ans if kernel in (EXP, EXPM1, SQRT, TANH) else x
    cdef bint needs = kernel != NEGATIVE
    cdef object out
    cdef Py_ssize_t n
    if kind < 0:
        return pull_number1(kernel, g, saved)
    if needs and (
        array_kind(saved) != kind or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> g, <cnp.ndarray> saved)
    ):
        return None
    if kernel == SIN or kernel == COS:
        out = forward1(COS if kernel == SIN else SIN, x)
        if out is None:
            return None
    else:
        out = empty_like(g, kind)
    n = cnp.PyArray_SIZE(<cnp.ndarray> g)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        fused1[double](
            kernel, <double *> data(g), <double *> data(x) if needs and saved is x else NULL,
            <double *> data(ans) if saved is ans and needs else NULL, <double *> data(out), n,
        )
    else:
        fused1[float](
            kernel, <float *> data(g), <float *> data(x) if needs and saved is x else NULL,
            <float *> data(ans) if saved is ans and needs else NULL, <float *> data(out), n,
        )
    return None if flagged() else out


cdef object pull_number1(int kernel, object g, object saved):
    cdef double number, value = 0, out = 0
    if Py_TYPE(g) != <PyTypeObject *> float64:
        return None
    number = PyFloat_AS_DOUBLE(g)
    if kernel != NEGATIVE:
        if Py_TYPE(saved) != <PyTypeObject *> float64 and Py_TYPE(saved) != <PyTypeObject *> float:
            return None
        value = PyFloat_AS_DOUBLE(saved)
    if kernel == SIN or kernel == COS:
        turned = forward1(COS if kernel == SIN else SIN, saved)
        if turned is None:
            return None
        out = PyFloat_AS_DOUBLE(turned)
    clear_flags()
    fused1[double](kernel, &number, &value, &value, &out, 1)
    return None if flagged() else agf_new_float64(out)


cdef object pull2(int kernel, int argnum, object g, object x, object y, object ans):
    """The cotangent of an operand of a binary ufunc, in the shape of `g`."""
    cdef double exponent = 0
    cdef object factor
    if kernel == ADD or (kernel == SUBTRACT and argnum == 0):
        return g
    if kernel == SUBTRACT:
        return pull1(NEGATIVE, g, None, None)
    if kernel == MULTIPLY:
        return forward2(MULTIPLY, g, y if argnum == 0 else x)
    if kernel == DIVIDE:
        if argnum == 0:
            return forward2(DIVIDE, g, y)
        factor = forward2(MULTIPLY, g, ans)
        if factor is not None:
            factor = pull1(NEGATIVE, factor, None, None)
        return None if factor is None else forward2(DIVIDE, factor, y)
    if kernel == POWER and argnum == 0:
        if number_kind(y, &exponent) != 0:
            return None
        if exponent == 2:
            return pull1(SQUARE, g, x, None)
        if exponent == 1 and (array_kind(x) >= 0 or number_kind(x, &exponent) >= 0):
            return g
        if exponent < 1:
            return None
        factor = forward2(POWER, x, exponent - 1)
        if factor is not None:
            factor = forward2(MULTIPLY, factor, exponent)
        return None if factor is None else forward2(MULTIPLY, g, factor)
    return None


# ---------------------------------------------------------------- sums

cdef object sum_all(object x):
    """The sum of all entries, as ``np.sum`` makes it."""
    cdef int kind = array_kind(x)
    cdef double total = 0
    cdef cnp.npy_intp n
    if kind < 0 and number_kind(x, &total) >= 0:
        return agf_new_float64(0.0 + total)
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    if kind != cnp.NPY_DOUBLE:
        return None
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    pointers[0], pointers[1], pointers[2] = <char *> &total, data(x), <char *> &total
    steps[0], steps[1], steps[2] = 0, sizeof(double), 0
    clear_flags()
    double_loops[<int> ADD].function(pointers, &n, steps, double_loops[<int> ADD].data)
    return None if flagged() else agf_new_float64(total)


cdef object extremum_all(int kernel, object x):
    """The greatest or least entry, as ``np.max`` and ``np.min`` find it."""
    cdef int kind = array_kind(x)
    cdef double best = 0
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef Loop loop = double_loops[<int> MAXIMUM] if kernel == MAX else double_loops[<int> MINIMUM]
    if kind != cnp.NPY_DOUBLE or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    best = (<double *> data(x))[0]
    n = cnp.PyArray_SIZE(<cnp.ndarray> x) - 1
    pointers[0], pointers[1], pointers[2] = <char *> &best, data(x) + sizeof(double), <char *> &best
    steps[0], steps[1], steps[2] = 0, sizeof(double), 0
    clear_flags()
    loop.function(pointers, &n, steps, loop.data)
    return None if flagged() else agf_new_float64(best)


cdef object add_reduce = np.add.reduce
cdef object max_reduce = np.maximum.reduce
cdef object min_reduce = np.minimum.reduce


cdef object reduce_axis(int kernel, object x, object axis, object keepdims):
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
        return None if n == 0 else forward2(DIVIDE, out, n)
    if array_kind(x) < 0:
        return None
    if kernel == MAX or kernel == MIN:
        return (max_reduce if kernel == MAX else min_reduce)(x, axis, None, None, keepdims)
    if kernel == SUM:
        return add_reduce(x, axis, None, None, keepdims)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x) if axis is None else x.shape[axis]
    if n == 0:
        return None
    out = add_reduce(x, axis, None, None, keepdims)
    return forward2(DIVIDE, out, n)


@cython.cdivision(True)
cdef void spread_axis(real *g, real *out, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner, real scale) noexcept nogil:
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


cdef object pull_reduction(int kernel, object g, object like, object axis, object ans):
    """The cotangent of the operand of a reduction; `like` has its shape and dtype, and is itself for max and min."""
    cdef tuple shape = like.shape
    cdef int nd = len(shape), i, at = -1, kind
    cdef cnp.npy_intp dims[32]
    cdef cnp.npy_intp outer = 1, n = 1, inner = 1
    cdef double g_number, ans_number
    cdef char *g_data
    cdef char *ans_data = NULL
    cdef object out
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
    if Py_TYPE(g) == <PyTypeObject *> float64 and kind == cnp.NPY_DOUBLE:
        g_number = PyFloat_AS_DOUBLE(g)
        g_data = <char *> &g_number
        if outer * inner != 1:
            return None
    elif array_kind(g) == kind and cnp.PyArray_SIZE(<cnp.ndarray> g) == outer * inner:
        g_data = data(g)
    else:
        return None
    if kernel == MAX or kernel == MIN:
        if array_kind(like) != kind:
            return None
        if Py_TYPE(ans) == <PyTypeObject *> float64 and kind == cnp.NPY_DOUBLE:
            ans_number = PyFloat_AS_DOUBLE(ans)
            ans_data = <char *> &ans_number
        elif array_kind(ans) == kind and cnp.PyArray_SIZE(<cnp.ndarray> ans) == outer * inner:
            ans_data = data(ans)
        else:
            return None
    out = cnp.PyArray_EMPTY(nd, dims, kind, 0)
    clear_flags()
    if kernel == SUM or kernel == MEAN:
        if kind == cnp.NPY_DOUBLE:
            spread_axis[double](<double *> g_data, <double *> data(out), outer, n, inner, n if kernel == MEAN else 1)
        else:
            spread_axis[float](<float *> g_data, <float *> data(out), outer, n, inner, n if kernel == MEAN else 1)
    elif kind == cnp.NPY_DOUBLE:
        spread_ties[double](
            <double *> g_data, <double *> data(like), <double *> ans_data, <double *> data(out), outer, n, inner
        )
    else:
        spread_ties[float](
            <float *> g_data, <float *> data(like), <float *> ans_data, <float *> data(out), outer, n, inner
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
    out = cnp.PyArray_EMPTY(nd, cnp.PyArray_DIMS(a) + extra, kind, 0)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        add_rows[double](<double *> data(g), <double *> data(out), rows, n)
    else:
        add_rows[float](<float *> data(g), <float *> data(out), rows, n)
    return None if flagged() else out


# ---------------------------------------------------------------- products

cdef extern from "numpy/arrayobject.h":
    object PyArray_MatrixProduct2(object, object, PyObject *)
    object PyArray_Transpose(cnp.ndarray, void *)


cdef object dot_product(object x, object y):
    """``np.dot`` of two arrays of one dtype, without its dispatch."""
    cdef int kind = array_kind(x)
    if kind < 0 or array_kind(y) != kind:
        return None
    return PyArray_MatrixProduct2(x, y, NULL)


cdef object pull_product(int argnum, object g, object x, object y):
    """The cotangent of an operand of a product of matrices and vectors; the other operand is given in full."""
    cdef object other = y if argnum == 0 else x
    cdef int nd
    cdef object own = x if argnum == 0 else y
    cdef int kind = array_kind(other), own_nd
    if kind < 0:
        return None
    nd = cnp.PyArray_NDIM(<cnp.ndarray> other)
    own_nd = own.ndim
    if nd > 2 or own_nd > 2 or own_nd == 0:
        return None
    if nd == 1 and own_nd == 1:
        return forward2(MULTIPLY, other, g)
    if array_kind(g) != kind:
        return None
    if nd == 2 and own_nd == 2:
        if argnum == 0:
            return PyArray_MatrixProduct2(g, PyArray_Transpose(<cnp.ndarray> other, NULL), NULL)
        return PyArray_MatrixProduct2(PyArray_Transpose(<cnp.ndarray> other, NULL), g, NULL)
    if nd == 2:
        if argnum == 0:
            return PyArray_MatrixProduct2(other, g, NULL)
        return PyArray_MatrixProduct2(PyArray_Transpose(<cnp.ndarray> other, NULL), g, NULL)
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
    dims[0], dims[1] = cnp.PyArray_DIM(<cnp.ndarray> a, 0), cnp.PyArray_DIM(<cnp.ndarray> b, 0)
    out = cnp.PyArray_EMPTY(2, dims, kind, 0)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        fused_outer[double](<double *> data(a), <double *> data(b), <double *> data(out), dims[0], dims[1])
    else:
        fused_outer[float](<float *> data(a), <float *> data(b), <float *> data(out), dims[0], dims[1])
    return None if flagged() else out


# ---------------------------------------------------------------- indexing

cdef void fused_add(real *total, real *g, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        total[i] += g[i]


cdef object add_into(object total, object g):
    """Add `g` to `total` in place; a floating-point flag is reported by adding a pair that sets the same flag."""
    cdef int kind = array_kind(total)
    cdef Py_ssize_t n
    if kind < 0 or array_kind(g) != kind or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> total, <cnp.ndarray> g):
        return None
    n = cnp.PyArray_SIZE(<cnp.ndarray> total)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        fused_add[double](<double *> data(total), <double *> data(g), n)
    else:
        fused_add[float](<float *> data(total), <float *> data(g), n)
    if flagged():
        if fetestexcept(FE_OVERFLOW):
            np.add(huge, huge)
        if fetestexcept(FE_INVALID):
            np.add(infinite, -infinite)
    return total


cdef object huge = np.full(1, np.finfo("d").max)
cdef object infinite = np.full(1, np.inf)


cdef object add_at(object total, object index, object g):
    """Add `g` to ``total[index]`` in place, for one integer index of a vector; None if it is another case."""
    cdef Py_ssize_t i, n
    if array_kind(total) != cnp.NPY_DOUBLE or Py_TYPE(g) != <PyTypeObject *> float64:
        return None
    if Py_TYPE(index) != <PyTypeObject *> int or cnp.PyArray_NDIM(<cnp.ndarray> total) != 1:
        return None
    i, n = index, cnp.PyArray_DIM(<cnp.ndarray> total, 0)
    i = i + n if i < 0 else i
    if not 0 <= i < n:
        return None
    (<double *> data(total))[i] += PyFloat_AS_DOUBLE(g)
    return total
