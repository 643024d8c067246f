"""Fast twins of the hot primitives, on plain arrays and numbers; their pullbacks are in `_fused`.

Note [The fast-path guard].  A kernel runs only where it can't be told from NumPy: operands that are exactly
ndarrays of float64 or float32, native, aligned, C-contiguous, of one dimension at least, and of one shape; or
one of them a number, a Python float or, beside float64, an np.float64; or two such numbers.  The arrays go
through the inner loop of the ufunc that NumPy itself would run, so values agree bit for bit.  The status
flags of the floating-point unit are clear before and tested after; where one is set the result is thrown away
and None returned, and the caller runs the operation again in the ordinary way, so that warnings, errors and
callbacks are NumPy's.  Where the result took an operand's place, so that nothing can run again, the ufunc is
called on constants that set the same flags.  None stands for "not mine" in every function here.

A build with the macro AGF_VERIFY checks all this as it runs: each array that passes the guard is looked at by
its Python attributes, and whoever calls a kernel compares its result with what NumPy or the rule gives.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._buffers cimport new_array
from autograd_fast._watch cimport set_on_change, watched
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongAndOverflow
from cpython.object cimport PyTypeObject
from libc.math cimport fabs, isfinite

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    void Py_FatalError(const char *) noexcept

cdef extern from "float.h":
    double DBL_MIN
    double FLT_MAX

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
cdef enum:
    APART = 16  # numbers lie so far from each other that no loop takes them for overlapping vectors

cdef bint enabled = True
cdef bint wanted = True

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
    global enabled, wanted
    was = wanted
    wanted = on
    enabled = wanted and not watched
    return was


def is_enabled():
    """Whether kernels are used."""
    return enabled


cdef void rest_while_watched() noexcept:
    """Let kernels rest while a mode is on in any thread."""
    global enabled
    enabled = wanted and not watched


set_on_change(rest_while_watched)


# ---------------------------------------------------------------- the inner loops of NumPy

cdef list kernel_names = [
    "negative", "exp", "log", "log1p", "expm1", "sqrt", "square", "sin", "cos", "tanh", "absolute",
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum",
]


cdef dict later_kernels = {
    np.sum: SUM, np.mean: MEAN, np.max: MAX, np.min: MIN, np.var: VAR, np.std: STD,
    np.dot: DOT, np.matmul: MATMUL,
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


# ---------------------------------------------------------------- the guard

cdef int array_kind(object x) noexcept:
    """NPY_DOUBLE or NPY_FLOAT for an array that a kernel may run on, else -1."""
    cdef cnp.ndarray a
    cdef int kind
    if Py_TYPE(x) != <PyTypeObject *> ndarray_type:
        return -1
    a = <cnp.ndarray> x
    kind = cnp.PyArray_TYPE(a)
    if (kind != cnp.NPY_DOUBLE and kind != cnp.NPY_FLOAT) or cnp.PyArray_NDIM(a) == 0:
        return -1
    if not cnp.PyArray_ISCARRAY_RO(a):
        return -1
    if VERIFY:
        assert_plain(x)
    return kind


cdef int number_kind(object x, double *value) noexcept:
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


cdef object empty_like(object x, int kind):
    return new_array(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), kind)


cdef char *data(object x) noexcept:
    return <char *> cnp.PyArray_DATA(<cnp.ndarray> x)


cdef object new_float64(double value):
    return agf_new_float64(value)


# ---------------------------------------------------------------- forward

cdef bint number1(int kernel, double x, double *out) noexcept:
    """A unary ufunc of a number; False where a flag is set."""
    cdef double cells[2 * APART]
    cdef cnp.npy_intp n = 1
    cdef cnp.npy_intp steps[2]
    cdef char *pointers[2]
    if kernel == NEGATIVE:
        out[0] = -x
        return True
    cells[0] = x
    pointers[0], pointers[1] = <char *> &cells[0], <char *> &cells[APART]
    steps[0] = steps[1] = sizeof(double)
    clear_flags()
    double_loops[kernel].function(pointers, &n, steps, double_loops[kernel].data)
    out[0] = cells[APART]
    return not flagged()


cdef object forward1(int kernel, object x):
    """A unary ufunc of a plain operand."""
    cdef int kind = array_kind(x)
    cdef double number
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[2]
    cdef char *pointers[2]
    cdef Loop loop
    cdef object out
    if kind < 0:
        kind = number_kind(x, &number)
        if kind < 0 or Py_TYPE(x) == <PyTypeObject *> int:
            return None
        return agf_new_float64(number) if number1(kernel, number, &number) else None
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
    cdef double cells[3 * APART]
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
        cells[0], cells[APART] = x, y
        pointers[0], pointers[1] = <char *> &cells[0], <char *> &cells[APART]
        pointers[2] = <char *> &cells[2 * APART]
        clear_flags()
        double_loops[kernel].function(pointers, &n, steps, double_loops[kernel].data)
        return None if flagged() else agf_new_float64(cells[2 * APART])
    if fabs(result) >= DBL_MIN and isfinite(result):
        return agf_new_float64(result)
    if result == 0 and (kernel <= SUBTRACT or x == 0 or (y == 0 and kernel == MULTIPLY)):
        return agf_new_float64(result)
    return None


cdef inline bint is_float(object x) noexcept:
    return Py_TYPE(x) == <PyTypeObject *> float64 or Py_TYPE(x) == <PyTypeObject *> float


cdef object forward2(int kernel, object x, object y, bint into_x=False):
    """A binary ufunc of plain operands; with `into_x` an array `x` is overwritten by the result."""
    cdef int kind_x, kind_y, kind
    cdef double number = 0, other = 0
    cdef float number32
    cdef cnp.npy_intp n
    cdef cnp.npy_intp steps[3]
    cdef cnp.npy_intp width
    cdef char *pointers[3]
    cdef Loop loop
    cdef object out
    if is_float(x) and is_float(y):
        return numbers2(kernel, PyFloat_AS_DOUBLE(x), PyFloat_AS_DOUBLE(y))
    kind_x, kind_y = array_kind(x), array_kind(y)
    if kind_x >= 0 and kind_y >= 0:
        if kind_x != kind_y:
            return None
        kind = kind_x
        width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
        steps[0] = steps[1] = steps[2] = width
        pointers[0], pointers[1] = data(x), data(y)
        if cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> y):
            out = x if into_x else empty_like(x, kind)
            n = cnp.PyArray_SIZE(<cnp.ndarray> x)
        elif is_suffix(<cnp.ndarray> y, <cnp.ndarray> x):
            return row_by_row(kernel, kind, x, y, 1, into_x, False)
        elif is_suffix(<cnp.ndarray> x, <cnp.ndarray> y):
            return row_by_row(kernel, kind, y, x, 0, False, False)
        elif is_column(<cnp.ndarray> y, <cnp.ndarray> x):
            return row_by_row(kernel, kind, x, y, 1, into_x, True)
        elif is_column(<cnp.ndarray> x, <cnp.ndarray> y):
            return row_by_row(kernel, kind, y, x, 0, False, True)
        else:
            return None
    elif kind_x >= 0:
        kind = kind_x
        if number_kind(y, &number) < 0:
            return None
        if kind == cnp.NPY_FLOAT and not float32_number(y, number):
            return None
        out = x if into_x else empty_like(x, kind)
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
        into_x = False
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
    return settled(out, kernel, into_x)


cdef object settled(object out, int kernel, bint in_place):
    """The result of a loop: None where a flag is set, so that NumPy runs again, unless an operand is gone."""
    cdef int flags = fetestexcept(AGF_FLAGS)
    if flags:
        if not in_place:
            return None
        report(flags, kernel)
    return out


cdef object huge = np.full(1, np.finfo("d").max)
cdef object tiny = np.full(1, np.finfo("d").tiny)
cdef object infinite = np.full(1, np.inf)
cdef object one = np.ones(1)
cdef object zero = np.zeros(1)


cdef int report(int flags, int kernel) except -1:
    """Let the ufunc that the kernel stands for set the same flags on constants, as errstate has it."""
    if kernel == DIVIDE:
        if flags & FE_DIVBYZERO:
            np.divide(one, zero)
        if flags & FE_OVERFLOW:
            np.divide(huge, tiny)
        if flags & FE_UNDERFLOW:
            np.divide(tiny, huge)
        if flags & FE_INVALID:
            np.divide(zero, zero)
    elif kernel == ADD or kernel == SUBTRACT:
        if flags & FE_OVERFLOW:
            np.add(huge, huge) if kernel == ADD else np.subtract(huge, -huge)
        if flags & FE_INVALID:
            np.add(infinite, -infinite) if kernel == ADD else np.subtract(infinite, infinite)
    else:
        if flags & FE_OVERFLOW:
            np.multiply(huge, huge)
        if flags & FE_UNDERFLOW:
            np.multiply(tiny, tiny)
        if flags & FE_INVALID:
            np.multiply(infinite, zero)
    return 0


cdef inline bint float32_number(object x, double value) noexcept:
    """Whether a number beside a float32 array leaves the result's type as it is and won't overflow in it."""
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


cdef object row_by_row(
    int kernel, int kind, object big, object small, int small_at, bint into_big, bint columns
):
    """A binary ufunc of an array and one with the shape of its rows, or with `columns` a number for each."""
    cdef cnp.npy_intp width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    cdef cnp.npy_intp n, rows, i
    cdef cnp.npy_intp steps[3]
    cdef char *pointers[3]
    cdef object out = big if into_big else empty_like(big, kind)
    cdef Loop loop = double_loops[kernel] if kind == cnp.NPY_DOUBLE else float_loops[kernel]
    if columns:
        rows = cnp.PyArray_SIZE(<cnp.ndarray> small)
        n = cnp.PyArray_DIM(<cnp.ndarray> big, cnp.PyArray_NDIM(<cnp.ndarray> big) - 1)
    else:
        n = cnp.PyArray_SIZE(<cnp.ndarray> small)
        rows = cnp.PyArray_SIZE(<cnp.ndarray> big) // n
    steps[small_at], steps[1 - small_at], steps[2] = 0 if columns else width, width, width
    clear_flags()
    for i in range(rows):
        pointers[small_at] = data(small) + (i * width if columns else 0)
        pointers[1 - small_at] = data(big) + i * n * width
        pointers[2] = data(out) + i * n * width
        loop.function(pointers, &n, steps, loop.data)
    return settled(out, kernel, into_big)


cdef bint is_column(cnp.ndarray small, cnp.ndarray big) noexcept:
    """Whether `small` has the shape of `big` but for a last axis of length one."""
    cdef int i, nd = cnp.PyArray_NDIM(big)
    if nd < 2 or cnp.PyArray_NDIM(small) != nd or cnp.PyArray_DIM(small, nd - 1) != 1:
        return False
    for i in range(nd - 1):
        if cnp.PyArray_DIM(small, i) != cnp.PyArray_DIM(big, i):
            return False
    return cnp.PyArray_DIM(big, nd - 1) >= 4


# ---------------------------------------------------------------- checks of the verifying build

cdef void assert_plain(object x) noexcept:
    """End the process if an array that passed the guard is not what kernels take it for."""
    flags = x.flags
    if not (
        type(x) is ndarray_type and x.dtype in (float64_dtype, float32_dtype) and x.dtype.isnative
        and flags.c_contiguous and flags.aligned and x.ndim and x.nbytes == x.size * x.itemsize
    ):
        Py_FatalError("an array passed the guard of the kernels that they can't take")


cdef int verify(object what, object got, object want, object scale=None) except -1:
    """AssertionError if a kernel's result differs from NumPy's, in kind, shape, dtype or numbers.

    Without `scale` the bits are the same; else numbers differ by rounding of numbers of that size.
    """
    name = getattr(what, "__name__", what)
    if got is want or np.result_type(got).kind != "f":
        return 0  # no kernel's work
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype.newbyteorder("=") != want.dtype.newbyteorder("="):
        raise AssertionError(f"kernel of {name}: {got!r} is not of the kind of {want!r}")
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        if scale is None:
            same &= np.isnan(got) | (np.signbit(got) == np.signbit(want))
        else:
            sizes = [np.abs(number[np.isfinite(number)]).max(initial=0.0) for number in (got, want)]
            sizes.append(np.max(np.abs(scale), initial=0.0))
            same |= np.abs(got - want) <= 64 * np.finfo(got.dtype).eps * max(sizes)
    if not np.all(same):
        raise AssertionError(f"kernel of {name}: {got!r}, expected {want!r}")
    return 0
