"""Cotangents that are a number times an array, or one number in every entry.

Note [Scaled cotangents].  Multiplication by a number, negation, and the sum of all entries pull back to an
array that the next step reads once: `factor` times an array that exists, or `factor` everywhere.  The
backward pass keeps it as a `Scaled`, and fused pullbacks and sums multiply as they read, so that each number
sees the same operations in the same order as if the array had been made, with the same floating-point flags.
A second factor other than -1 is not merged with the first, which would round otherwise.  Only the backward
pass makes them; whatever doesn't know them gets `whole`.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._buffers cimport new_of_shape
from autograd_fast._kernels cimport (
    MEAN, MULTIPLY, array_kind, clear_flags, data, empty_like, flagged, forward2,
)
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport fabs, isfinite
from libc.string cimport memcpy

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cdef extern from "float.h":
    double DBL_MIN
    float FLT_MIN

cnp.import_array()

cdef object float64 = np.float64
cdef object float64_dtype = np.dtype("d")

ctypedef fused real:
    float
    double


@cython.final
@cython.no_gc
@cython.auto_pickle(False)
cdef class Scaled:
    """`factor` times `array`, or, where that is None, `factor` in every entry of an array of that shape."""


cdef Scaled new_scaled(double factor, object array, tuple shape, int kind):
    cdef Scaled made = Scaled.__new__(Scaled)
    made.factor, made.array, made.shape, made.kind = factor, array, shape, kind
    return made


cdef object spread_number(int kernel, object g, tuple shape, object dtype):
    """The cotangent of what was summed, or averaged, over all entries; None if it is another case."""
    cdef double value
    cdef Py_ssize_t n = 1
    if type(g) is not float64 or dtype is not float64_dtype or not 0 < len(shape) <= 32:
        return None
    value = g
    if kernel == MEAN:
        for size in shape:
            n *= <Py_ssize_t> size
        if n == 0:
            return None
        value = value / n
        if fabs(value) < DBL_MIN or not isfinite(value):
            return None
    return new_scaled(value, None, shape, cnp.NPY_DOUBLE)


cdef object scaled(object g, double factor):
    """`factor` times `g`, not computed; None where numbers would be rounded otherwise than one by one."""
    cdef int kind
    cdef double merged, least
    if Py_TYPE(g) != <PyTypeObject *> Scaled:
        kind = array_kind(g)
        return None if kind < 0 else new_scaled(factor, g, None, kind)
    if factor == -1:
        merged = -(<Scaled> g).factor
    elif (<Scaled> g).array is not None:
        return None
    else:
        merged = (<Scaled> g).factor * factor
        if (<Scaled> g).kind == cnp.NPY_FLOAT:
            merged = <float> merged
        least = DBL_MIN if (<Scaled> g).kind == cnp.NPY_DOUBLE else FLT_MIN
        if not isfinite(merged) or fabs(merged) < least:
            return None
    return new_scaled(merged, (<Scaled> g).array, (<Scaled> g).shape, (<Scaled> g).kind)


cdef bint is_exact(Scaled g) noexcept:
    """Whether no product sets a flag, so that a kernel may leave some of them out."""
    return g.array is None or g.factor == 1 or g.factor == -1


cdef object reshaped(Scaled g, tuple shape):
    """A uniform cotangent for an operand of another shape."""
    return new_scaled(g.factor, None, shape, g.kind)


cdef object whole(object g):
    """The array that a `Scaled` stands for; anything else as it is."""
    cdef Scaled s
    cdef bint in_place
    if Py_TYPE(g) != <PyTypeObject *> Scaled:
        return g
    s = <Scaled> g
    if s.made is None:
        if s.array is None:
            s.made = filled(s)
        else:
            in_place = holds_alone(<PyObject *> s.array)
            s.made = forward2(MULTIPLY, s.array, s.factor, in_place)
            if s.made is None:
                s.made = np.multiply(s.array, s.factor)
            s.array, s.factor = s.made, 1
    return s.made


cdef void fill(real *out, real value, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = value


cdef object filled(Scaled s):
    """The array of a uniform cotangent."""
    cdef object out = new_of_shape(s.shape, s.kind, False)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(<cnp.ndarray> out)
    if s.kind == cnp.NPY_DOUBLE:
        fill[double](<double *> data(out), s.factor, n)
    else:
        fill[float](<float *> data(out), <float> s.factor, n)
    return out


cdef bint holds_alone(PyObject *array) noexcept:
    """Whether only one reference to the array exists, and nothing else its memory."""
    return array.ob_refcnt == 1 and cnp.PyArray_CHKFLAGS(
        <cnp.ndarray> array, cnp.NPY_ARRAY_OWNDATA | cnp.NPY_ARRAY_WRITEABLE
    )


cdef object array_of(object g):
    """The array of an array or a `Scaled`."""
    return (<Scaled> g).array if Py_TYPE(g) == <PyTypeObject *> Scaled else g


# ---------------------------------------------------------------- as kernels read them

cdef Cotangent read(object g) noexcept:
    """The numbers of an array or a `Scaled`; the kind is -1 for anything that a kernel can't read."""
    cdef Cotangent c
    cdef object array = g
    c.factor, c.numbers = 1, NULL
    if Py_TYPE(g) == <PyTypeObject *> Scaled:
        array = (<Scaled> g).array
        c.factor, c.kind = (<Scaled> g).factor, (<Scaled> g).kind
        if array is None:
            c.n = 1
            for i in (<Scaled> g).shape:
                c.n *= <Py_ssize_t> i
            return c
    else:
        c.kind = array_kind(array)
        if c.kind < 0:
            return c
    c.numbers = data(array)
    c.n = cnp.PyArray_SIZE(<cnp.ndarray> array)
    return c


cdef bint same_shape(object g, object x) noexcept:
    """Whether an array or a `Scaled`, and an array or a `Scaled`, have one shape."""
    cdef tuple shape
    cdef int i
    if Py_TYPE(g) == <PyTypeObject *> Scaled:
        if (<Scaled> g).array is not None:
            return same_shape((<Scaled> g).array, x)
        if Py_TYPE(x) == <PyTypeObject *> Scaled and (<Scaled> x).array is None:
            return (<Scaled> g).shape == (<Scaled> x).shape
        if Py_TYPE(x) == <PyTypeObject *> Scaled:
            x = (<Scaled> x).array
        shape = (<Scaled> g).shape
        if len(shape) != cnp.PyArray_NDIM(<cnp.ndarray> x):
            return False
        for i in range(len(shape)):
            if <Py_ssize_t> shape[i] != cnp.PyArray_DIM(<cnp.ndarray> x, i):
                return False
        return True
    if Py_TYPE(x) == <PyTypeObject *> Scaled:
        return same_shape(x, g)
    return cnp.PyArray_SAMESHAPE(<cnp.ndarray> g, <cnp.ndarray> x)


cdef bint is_like(object pulled, object g) noexcept:
    """Whether a cotangent that a kernel made, or might have made, has the shape and dtype of `g`."""
    cdef Cotangent a, b
    if pulled is g:
        return True
    a = read(pulled)
    if a.kind < 0:
        return False
    b = read(g)
    return a.kind == b.kind and same_shape(pulled, g)


# ---------------------------------------------------------------- sums

cdef void fused_sum(
    real *a, real a_factor, real *b, real b_factor, real *out, Py_ssize_t n
) noexcept nogil:
    cdef Py_ssize_t i
    if a == NULL:
        for i in range(n):
            out[i] = a_factor + b_factor * b[i]
    elif b == NULL:
        for i in range(n):
            out[i] = a_factor * a[i] + b_factor
    else:
        for i in range(n):
            out[i] = a_factor * a[i] + b_factor * b[i]


cdef enum:
    BLOCK = 256


cdef Py_ssize_t add_in_blocks(real *total, real *g, real factor, Py_ssize_t n) noexcept:
    """Add to `total` in place up to the first block in which a flag is set; how many entries are done."""
    cdef real sums[BLOCK]
    cdef Py_ssize_t start = 0, m
    while start < n:
        m = n - start if n - start < BLOCK else BLOCK
        fused_sum[real](total + start, 1, NULL if g == NULL else g + start, factor, sums, m)
        if flagged():
            return start
        memcpy(total + start, sums, m * sizeof(real))
        start += m
    return n


cdef object sum_scaled(object prev, bint *owned, object g):
    """The sum of two cotangents of which one at least is a `Scaled`; None if it is no case for kernels."""
    cdef Cotangent a = read(prev), b = read(g)
    cdef object out, rest
    cdef double total
    cdef Py_ssize_t done
    if a.kind < 0 or a.kind != b.kind or not same_shape(prev, g):
        return None
    if a.numbers == NULL and b.numbers == NULL:
        total = a.factor + b.factor if a.kind == cnp.NPY_DOUBLE else <float> a.factor + <float> b.factor
        if not isfinite(total):
            return None
        owned[0] = False
        return new_scaled(total, None, (<Scaled> g).shape, a.kind)
    clear_flags()
    if owned[0] and Py_TYPE(prev) != <PyTypeObject *> Scaled:
        if a.kind == cnp.NPY_DOUBLE:
            done = add_in_blocks[double](<double *> a.numbers, <double *> b.numbers, b.factor, a.n)
        else:
            done = add_in_blocks[float](<float *> a.numbers, <float *> b.numbers, <float> b.factor, a.n)
        if done < a.n:
            rest = prev.reshape(-1)[done:]
            np.add(rest, whole(g).reshape(-1)[done:], rest)
        return prev
    out = empty_like(array_of(g if a.numbers == NULL else prev), a.kind)
    if a.kind == cnp.NPY_DOUBLE:
        fused_sum[double](
            <double *> a.numbers, a.factor, <double *> b.numbers, b.factor, <double *> data(out), a.n
        )
    else:
        fused_sum[float](
            <float *> a.numbers, <float> a.factor, <float *> b.numbers, <float> b.factor,
            <float *> data(out), a.n,
        )
    if flagged():
        return None
    owned[0] = True
    return out
