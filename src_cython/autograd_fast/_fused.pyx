"""The pullbacks of the hot elementwise primitives, each in one pass over memory.

See Note [The fast-path guard] in `_kernels`.  A cotangent is an array or a `Scaled`; where a kernel takes
numbers of it, they are ``factor * g[i]``, or `factor` if `g` is NULL.

Note [Cotangents in place].  A cotangent that only the backward pass holds, and that no other contribution is
made of, gives its memory to the contribution.  The rounding is then that of the rule's own sequence of
operations, so that a floating-point flag means the same in both and can be reported without its operands.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._kernels cimport (
    ABSOLUTE, ADD, COS, DIVIDE, EXP, EXPM1, LOG, LOG1P, MAXIMUM, MINIMUM, MULTIPLY, NEGATIVE, POWER, SIN,
    SQRT, SQUARE, SUBTRACT, TANH, Loop, array_kind, clear_flags, data, double_loops, empty_like, flagged,
    float_loops, forward2, new_float64, number1, number_kind, settled,
)
from autograd_fast._scaled cimport Cotangent, Scaled, array_of, read, same_shape, scaled, whole
from autograd_fast._sines cimport sines
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyTypeObject
from libc.math cimport INFINITY, fabs, isfinite

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cdef extern from "float.h":
    double DBL_MIN
    double FLT_MAX

cnp.import_array()

cdef object float64 = np.float64
cdef object ndarray = np.ndarray

cdef enum:
    BLOCK = 1024  # numbers that lie in the nearest cache beside others

ctypedef fused real:
    float
    double


cdef inline bint alike(object g, int kind, object x) noexcept:
    """Whether `x` is an array that a kernel may run on, of this kind and of the shape of `g`."""
    return array_kind(x) == kind and same_shape(g, x)


cdef inline real number(real *g, real factor, Py_ssize_t i) noexcept nogil:
    return factor if g == NULL else factor * g[i]


@cython.cdivision(True)
cdef void fused1(
    int kernel, real *g, real factor, real *x, real *ans, real *out, Py_ssize_t n
) noexcept nogil:
    """The cotangent of a unary function's operand, in one pass; `out` holds cos(x) or sin(x) where needed."""
    cdef Py_ssize_t i
    if kernel == NEGATIVE:
        for i in range(n):
            out[i] = -number(g, factor, i)
    elif kernel == EXP:
        for i in range(n):
            out[i] = number(g, factor, i) * ans[i]
    elif kernel == LOG:
        for i in range(n):
            out[i] = number(g, factor, i) / x[i]
    elif kernel == LOG1P:
        for i in range(n):
            out[i] = number(g, factor, i) / (x[i] + 1)
    elif kernel == EXPM1:
        for i in range(n):
            out[i] = number(g, factor, i) * (ans[i] + 1)
    elif kernel == SQRT:
        for i in range(n):
            out[i] = <real> 0.5 * number(g, factor, i) / (ans[i] + 0)
    elif kernel == SQUARE:
        for i in range(n):
            out[i] = number(g, factor, i) * (2 * x[i])
    elif kernel == TANH:
        for i in range(n):
            out[i] = number(g, factor, i) * (1 - ans[i] * ans[i])
    elif kernel == ABSOLUTE:
        for i in range(n):
            out[i] = number(g, factor, i) * (<real> ((x[i] > 0) - (x[i] < 0)) if x[i] == x[i] else x[i])
    elif kernel == SIN:
        for i in range(n):
            out[i] = number(g, factor, i) * out[i]
    elif kernel == COS:
        for i in range(n):
            out[i] = -number(g, factor, i) * out[i]


cdef object pull1(int kernel, object g, object x, object ans, bint into_g=False, bint lazy=False):
    """The cotangent of the operand of a unary ufunc, in the shape of `g`, and in its memory with `into_g`.

    With `lazy` it may be a `Scaled`.
    """
    cdef Cotangent c = read(g)
    cdef object saved = ans if kernel in (EXP, EXPM1, SQRT, TANH) else x
    cdef bint needs = kernel != NEGATIVE
    cdef object out
    cdef int like = MULTIPLY
    cdef double number
    if c.kind < 0:
        if Py_TYPE(g) != <PyTypeObject *> float64:
            return None
        return new_float64(number) if pull_number1(kernel, PyFloat_AS_DOUBLE(g), x, ans, &number) else None
    if lazy and kernel == NEGATIVE:
        return scaled(g, -1)
    if lazy and kernel == EXP and c.numbers == NULL and alike(g, c.kind, ans):
        return scaled(ans, c.factor)
    if not needs and c.numbers == NULL:
        return None
    if needs and not alike(g, c.kind, saved):
        return None
    if kernel == SIN or kernel == COS:
        return pull_turn(kernel, c, x)
    into_g = into_g and kernel != SQRT  # either of its two operations may underflow
    out = g if into_g else empty_like(saved if needs else array_of(g), c.kind)
    if kernel == LOG or kernel == LOG1P or kernel == SQRT:
        like = DIVIDE
    clear_flags()
    if c.kind == cnp.NPY_DOUBLE:
        fused1[double](
            kernel, <double *> c.numbers, c.factor, <double *> data(x) if needs and saved is x else NULL,
            <double *> data(ans) if saved is ans and needs else NULL, <double *> data(out), c.n,
        )
    else:
        fused1[float](
            kernel, <float *> c.numbers, <float> c.factor,
            <float *> data(x) if needs and saved is x else NULL,
            <float *> data(ans) if saved is ans and needs else NULL, <float *> data(out), c.n,
        )
    return settled(out, like, into_g)


cdef object pull_turn(int kernel, Cotangent c, object x):
    """The cotangent of the operand of a sine or cosine, by blocks, while the other of them is at hand."""
    cdef int turned = COS if kernel == SIN else SIN
    cdef bint wide = c.kind == cnp.NPY_DOUBLE
    cdef cnp.npy_intp start = 0, m, width = sizeof(double) if wide else sizeof(float)
    cdef cnp.npy_intp steps[2]
    cdef char *pointers[2]
    cdef char *g
    cdef char *target
    cdef Loop loop = double_loops[turned] if wide else float_loops[turned]
    cdef object out = empty_like(x, c.kind)
    steps[0] = steps[1] = width
    clear_flags()
    while start < c.n:
        m = c.n - start if c.n - start < BLOCK else BLOCK
        g = NULL if c.numbers == NULL else c.numbers + start * width
        target = data(out) + start * width
        pointers[0], pointers[1] = data(x) + start * width, target
        if not (wide and sines(turned == COS, <double *> pointers[0], <double *> target, m)):
            loop.function(pointers, &m, steps, loop.data)
        if wide:
            fused1[double](kernel, <double *> g, c.factor, NULL, NULL, <double *> target, m)
        else:
            fused1[float](kernel, <float *> g, <float> c.factor, NULL, NULL, <float *> target, m)
        start += m
    return None if flagged() else out


cdef bint pull_number1(int kernel, double g, object x, object ans, double *out) noexcept:
    """`pull1` of numbers; False if it is another case."""
    cdef object saved = ans if kernel in (EXP, EXPM1, SQRT, TANH) else x
    cdef double value = 0
    if kernel != NEGATIVE:
        if not is_number(saved):
            return False
        value = PyFloat_AS_DOUBLE(saved)
    if kernel == SIN or kernel == COS:
        if not number1(COS if kernel == SIN else SIN, value, out):
            return False
    clear_flags()
    fused1[double](kernel, &g, 1, &value, &value, out, 1)
    return not flagged()


@cython.cdivision(True)
cdef void fused_pair(
    int kernel, real *g, real factor, real *x, real *y, real *ans, real *to_x, real *to_y, Py_ssize_t n
) noexcept nogil:
    """The cotangents of both factors, or of dividend and divisor; `to_y` may be `g` for a product."""
    cdef Py_ssize_t i
    cdef real pulled
    if kernel == MULTIPLY:
        for i in range(n):
            pulled = number(g, factor, i)
            to_x[i] = pulled * y[i]
            to_y[i] = pulled * x[i]
    else:
        for i in range(n):
            pulled = number(g, factor, i)
            to_x[i] = pulled / y[i]
            to_y[i] = -pulled * (ans[i] / y[i])


cdef void fused_double(real *g, real factor, real *x, real *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = 2 * (number(g, factor, i) * x[i])


cdef object pull_both_factors(object g, object x):
    """The sum of the cotangents of both factors of x * x: g x + g x."""
    cdef Cotangent c = read(g)
    cdef object out
    if c.kind < 0 or not alike(g, c.kind, x):
        return None
    out = empty_like(x, c.kind)
    clear_flags()
    if c.kind == cnp.NPY_DOUBLE:
        fused_double[double](<double *> c.numbers, c.factor, <double *> data(x), <double *> data(out), c.n)
    else:
        fused_double[float](
            <float *> c.numbers, <float> c.factor, <float *> data(x), <float *> data(out), c.n
        )
    return None if flagged() else out


cdef tuple pull_pair(int kernel, object g, object x, object y, object ans, bint into_g):
    """The cotangents of both operands of a product or quotient of arrays of one shape, in one pass.

    Where all entries of `g` are one number, those of a product are that number times the other operand.
    """
    cdef Cotangent c = read(g)
    cdef object third = x if kernel == MULTIPLY else ans
    cdef object to_x, to_y
    if c.kind < 0 or not (alike(g, c.kind, y) and alike(g, c.kind, third)):
        return None
    if c.numbers == NULL and kernel == MULTIPLY:
        return scaled(y, c.factor), scaled(x, c.factor)
    into_g = into_g and kernel == MULTIPLY
    to_x = empty_like(y, c.kind)
    to_y = g if into_g else empty_like(y, c.kind)
    clear_flags()
    if c.kind == cnp.NPY_DOUBLE:
        fused_pair[double](
            kernel, <double *> c.numbers, c.factor, <double *> data(third), <double *> data(y),
            <double *> data(third), <double *> data(to_x), <double *> data(to_y), c.n,
        )
    else:
        fused_pair[float](
            kernel, <float *> c.numbers, <float> c.factor, <float *> data(third), <float *> data(y),
            <float *> data(third), <float *> data(to_x), <float *> data(to_y), c.n,
        )
    return None if settled(to_x, MULTIPLY, into_g) is None else (to_x, to_y)


@cython.cdivision(True)
cdef void fused_factor(
    int kernel, real *g, real factor, real *ans, real *y, real *out, Py_ssize_t n
) noexcept nogil:
    """g y for a product; for a quotient g / y, or if its result is given -g ans / y."""
    cdef Py_ssize_t i
    if kernel == MULTIPLY:
        for i in range(n):
            out[i] = number(g, factor, i) * y[i]
    elif ans == NULL:
        for i in range(n):
            out[i] = number(g, factor, i) / y[i]
    else:
        for i in range(n):
            out[i] = -number(g, factor, i) * (ans[i] / y[i])


cdef object pull_factor(int kernel, object g, object ans, object y, bint into_g):
    """The cotangent of a factor or a dividend, `y` being the other operand, or of the divisor `y`."""
    cdef Cotangent c = read(g)
    cdef object out
    if c.kind < 0 or not alike(g, c.kind, y) or not (ans is None or alike(g, c.kind, ans)):
        return None
    out = g if into_g else empty_like(y, c.kind)
    clear_flags()
    if c.kind == cnp.NPY_DOUBLE:
        fused_factor[double](
            kernel, <double *> c.numbers, c.factor, <double *> data(ans) if ans is not None else NULL,
            <double *> data(y), <double *> data(out), c.n,
        )
    else:
        fused_factor[float](
            kernel, <float *> c.numbers, <float> c.factor, <float *> data(ans) if ans is not None else NULL,
            <float *> data(y), <float *> data(out), c.n,
        )
    return settled(out, kernel, into_g)


cdef void fused_winner(
    real *g, real factor, real *x, Py_ssize_t x_step, real *y, Py_ssize_t y_step, real *ans, real *out,
    Py_ssize_t n,
) noexcept nogil:
    cdef Py_ssize_t i
    cdef real mine, pulled
    for i in range(n):
        mine, pulled = x[i * x_step], number(g, factor, i)
        out[i] = (pulled * <real> 0.5 if mine == y[i * y_step] else pulled) if mine == ans[i] else 0


cdef struct Operand:
    char *at
    Py_ssize_t step
    double wide
    float narrow


cdef bint take_operand(Operand *operand, object x, int kind, object like) noexcept:
    """Read an array of this kind and of the shape of `like`, or a number; False for another thing."""
    if array_kind(x) == kind:
        operand.at, operand.step = data(x), 1
        return same_shape(like, x)
    if number_kind(x, &operand.wide) < 0:
        return False
    if kind == cnp.NPY_FLOAT and FLT_MAX < fabs(operand.wide) < INFINITY:  # NumPy warns of the cast
        return False
    operand.narrow = <float> operand.wide
    operand.at = <char *> &operand.wide if kind == cnp.NPY_DOUBLE else <char *> &operand.narrow
    operand.step = 0
    return True


cdef object pull_winner(object g, object x, object y, object ans, bint into_g):
    """The cotangent of the operand `x` of a maximum or minimum: all where it won, half where both did."""
    cdef Cotangent c = read(g)
    cdef int kind = c.kind
    cdef Operand mine, other
    cdef object out
    if kind < 0 or not alike(g, kind, ans):
        return None
    if not (take_operand(&mine, x, kind, ans) and take_operand(&other, y, kind, ans)):
        return None
    out = g if into_g else empty_like(ans, kind)
    clear_flags()
    if kind == cnp.NPY_DOUBLE:
        fused_winner[double](
            <double *> c.numbers, c.factor, <double *> mine.at, mine.step, <double *> other.at, other.step,
            <double *> data(ans), <double *> data(out), c.n,
        )
    else:
        fused_winner[float](
            <float *> c.numbers, c.factor, <float *> mine.at, mine.step, <float *> other.at, other.step,
            <float *> data(ans), <float *> data(out), c.n,
        )
    return settled(out, MULTIPLY, into_g)


cdef void fused_select(
    cnp.npy_bool *mask, cnp.npy_bool wanted, real *g, real factor, real *out, Py_ssize_t n
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = number(g, factor, i) if (mask[i] != 0) == (wanted != 0) else 0


cdef inline bint is_mask(object x) noexcept:
    """Whether `x` is an array of bools that a kernel may read."""
    if Py_TYPE(x) != <PyTypeObject *> ndarray or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_BOOL:
        return False
    return cnp.PyArray_NDIM(<cnp.ndarray> x) != 0 and cnp.PyArray_ISCARRAY_RO(x)


cdef object pull_choice(bint first, object g, object mask, bint into_g):
    """`g` where the mask is true, or false, and 0 elsewhere; for a mask of bools of the shape of `g`."""
    cdef Cotangent c = read(g)
    cdef object out
    if c.kind < 0 or not is_mask(mask) or not same_shape(g, mask):
        return None
    out = g if into_g else empty_like(mask, c.kind)
    clear_flags()
    if c.kind == cnp.NPY_DOUBLE:
        fused_select[double](
            <cnp.npy_bool *> data(mask), first, <double *> c.numbers, c.factor, <double *> data(out), c.n
        )
    else:
        fused_select[float](
            <cnp.npy_bool *> data(mask), first, <float *> c.numbers, <float> c.factor, <float *> data(out),
            c.n,
        )
    return settled(out, MULTIPLY, into_g)


cdef void fused_where(
    cnp.npy_bool *mask, real *x, Py_ssize_t x_step, real *y, Py_ssize_t y_step, real *out, Py_ssize_t n
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = x[i * x_step] if mask[i] else y[i * y_step]


cdef object where(object mask, object x, object y):
    """``np.where`` of a mask and arrays of its shape or numbers, not of two numbers."""
    cdef int kind = array_kind(x)
    cdef Operand first, second
    cdef object out
    if kind < 0:
        kind = array_kind(y)
    if kind < 0 or not is_mask(mask):
        return None
    if not (take_operand(&first, x, kind, mask) and take_operand(&second, y, kind, mask)):
        return None
    # a float64 number among float32 arrays: the kind of the result is not theirs
    if kind == cnp.NPY_FLOAT and (type(x) is float64 or type(y) is float64):
        return None
    out = empty_like(mask, kind)
    if kind == cnp.NPY_DOUBLE:
        fused_where[double](
            <cnp.npy_bool *> data(mask), <double *> first.at, first.step, <double *> second.at, second.step,
            <double *> data(out), cnp.PyArray_SIZE(<cnp.ndarray> mask),
        )
    else:
        fused_where[float](
            <cnp.npy_bool *> data(mask), <float *> first.at, first.step, <float *> second.at, second.step,
            <float *> data(out), cnp.PyArray_SIZE(<cnp.ndarray> mask),
        )
    return out


@cython.cdivision(True)
cdef bint pull_number2(int kernel, int argnum, double g, object x, object y, double *out) noexcept:
    """`pull2` of arithmetic and squares, where all are numbers; False if it is another case."""
    cdef object other = y if argnum == 0 else x
    cdef double value
    if kernel == ADD or (kernel == SUBTRACT and argnum == 0):
        out[0] = g
        return True
    if kernel == SUBTRACT:
        out[0] = -g
        return True
    if number_kind(other, &value) < 0:
        return False
    if kernel == MULTIPLY:
        out[0] = g * value
    elif kernel == DIVIDE and argnum == 0 and value != 0:
        out[0] = g / value
    elif kernel == POWER and argnum == 0 and value == 2 and is_number(x):
        out[0] = g * (2 * PyFloat_AS_DOUBLE(x))
    else:
        return False
    return fabs(out[0]) >= DBL_MIN and isfinite(out[0])


cdef object pull2(
    int kernel, int argnum, object g, object x, object y, object ans, bint into_g=False, bint lazy=False
):
    """The cotangent of an operand of a binary ufunc, in the shape of `g`, and in its memory with `into_g`.

    With `lazy` it may be a `Scaled`.
    """
    cdef double exponent = 0
    cdef object factor, made
    if kernel == ADD or (kernel == SUBTRACT and argnum == 0):
        return g
    if kernel == SUBTRACT:
        factor = scaled(g, -1) if lazy else None
        return pull1(NEGATIVE, g, None, None, into_g) if factor is None else factor
    if kernel == MULTIPLY:
        factor = y if argnum == 0 else x
        if lazy:
            made = times_number(g, factor) if is_number(factor) else times_array(g, factor)
            if made is not None:
                return made
        return times(g, factor, into_g)
    if kernel == DIVIDE:
        if argnum == 0:
            factor = pull_factor(DIVIDE, g, None, y, into_g)
            return forward2(DIVIDE, g, y, into_g) if factor is None else factor
        factor = pull_factor(DIVIDE, g, ans, y, False)
        if factor is not None:
            return factor
        factor = forward2(DIVIDE, ans, y)
        if factor is not None:
            factor = forward2(MULTIPLY, factor, g, array_kind(factor) >= 0)
        return None if factor is None else pull1(NEGATIVE, factor, None, None, True)
    if kernel == MAXIMUM or kernel == MINIMUM:
        return pull_winner(g, x, y, ans, into_g) if argnum == 0 else pull_winner(g, y, x, ans, into_g)
    if kernel == POWER and argnum == 0:
        if number_kind(y, &exponent) != 0:
            return None
        if exponent == 2:
            return pull1(SQUARE, g, x, None, into_g)
        if exponent == 1 and (array_kind(x) >= 0 or number_kind(x, &exponent) >= 0):
            return g
        if exponent < 1:
            return None
        factor = forward2(POWER, x, exponent - 1)
        if factor is not None:
            factor = forward2(MULTIPLY, factor, exponent)
        return None if factor is None else times(g, factor, into_g)
    return None


cdef inline bint is_number(object x) noexcept:
    return Py_TYPE(x) == <PyTypeObject *> float or Py_TYPE(x) == <PyTypeObject *> float64


cdef object times_array(object g, object y):
    """A cotangent of one number in all entries times an array of its shape; None if it is another case."""
    cdef Cotangent c = read(g)
    return scaled(y, c.factor) if c.kind >= 0 and c.numbers == NULL and alike(g, c.kind, y) else None


cdef object times_number(object g, object y):
    """A cotangent times a number: a `Scaled` where that is the same, to be read by what comes next."""
    cdef object made = None
    if Py_TYPE(g) == <PyTypeObject *> float64:
        return forward2(MULTIPLY, g, y)
    if beside_number(read(g).kind, y):
        made = scaled(g, PyFloat_AS_DOUBLE(y))
        if made is None:
            made = scaled(whole(g), PyFloat_AS_DOUBLE(y))
    return made


cdef inline bint beside_number(int kind, object y) noexcept:
    """Whether an array of this kind times the number is of this kind, in which the number is finite."""
    if kind == cnp.NPY_DOUBLE:
        return True
    if kind != cnp.NPY_FLOAT or Py_TYPE(y) != <PyTypeObject *> float:
        return False
    return fabs(PyFloat_AS_DOUBLE(y)) <= FLT_MAX


cdef object times(object g, object y, bint into_g):
    if Py_TYPE(g) == <PyTypeObject *> Scaled:
        return pull_factor(MULTIPLY, g, None, y, into_g)
    return forward2(MULTIPLY, g, y, into_g)
