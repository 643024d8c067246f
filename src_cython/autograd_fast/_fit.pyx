"""Shapes, kinds and dtypes: what an operand was like, and bringing cotangents and tangents to it."""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._kernels cimport VERIFY, enabled, verify
from autograd_fast._reductions cimport sum_all, sum_leading
from autograd_fast._tracer cimport is_box, unbox
from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    void PyObject_GC_UnTrack(object) noexcept

cdef extern from "numpy/arrayobject.h":
    object PyArray_IntTupleFromIntp(int, const cnp.npy_intp *)

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef object generic = np.generic
cdef object add_reduce = np.add.reduce
cdef object float64_dtype = np.dtype("d")
cdef object numpy_functions = None


def set_numpy_functions(namespace):
    """Tell the core the traced namespace (sum, real, astype, ...) for cotangents that are boxes."""
    global numpy_functions
    numpy_functions = namespace


# ---------------------------------------------------------------- what an operand was like

@cython.final
@cython.no_gc
cdef class Like:
    """Shape and dtype of an operand or result whose value was not kept."""

    def __init__(self, value):
        value = unbox(value)
        self.shape = np.shape(value)
        self.dtype = np.result_type(value)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        cdef Py_ssize_t size = 1
        for n in self.shape:
            size *= n
        return size

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an operand of dimension 0")
        return self.shape[0]

    def __repr__(self):
        return f"Like(shape={self.shape}, dtype={self.dtype})"


cdef Like scalar_like = Like(1.0)
cdef Like recent = scalar_like  # made last, for an array


cdef tuple shape_of(object x):
    """The shape of a plain array or number."""
    if type(x) is ndarray:
        return PyArray_IntTupleFromIntp(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x))
    return () if type(x) is float64 or type(x) is float else np.shape(x)


cdef object like(object operand):
    """A `Like` of a number or array, boxed or not; anything else is returned as it is."""
    global recent
    cdef object value = operand
    cdef Like made
    if is_box(value):
        value = unbox(value)
    if fits(value, recent):
        return recent
    if type(value) is float or type(value) is float64:
        return scalar_like
    if type(value) is ndarray or isinstance(value, (ndarray, generic)):
        made = Like.__new__(Like)
        if type(value) is ndarray:
            made.shape = shape_of(value)
            made.dtype = <object> cnp.PyArray_DESCR(<cnp.ndarray> value)
        else:
            made.shape = value.shape
            made.dtype = value.dtype
        PyObject_GC_UnTrack(made.shape)
        recent = made
        return made
    if isinstance(value, (int, complex)):
        return Like(value)
    return value if is_box(operand) else operand


cdef object spec_like_ans(object operand, object ans):
    """None if the operand has the result's shape and dtype, which the cotangent tells; else a `Like`."""
    cdef object value = unbox(operand)
    cdef object result = unbox(ans)
    if type(value) is ndarray and type(result) is ndarray:
        if cnp.PyArray_DESCR(<cnp.ndarray> value) is cnp.PyArray_DESCR(<cnp.ndarray> result):
            if cnp.PyArray_SAMESHAPE(<cnp.ndarray> value, <cnp.ndarray> result):
                return None
    elif type(value) is float or type(value) is float64:
        return None if type(result) is float64 else scalar_like
    return like(value)


cdef object numpy_operand(object x, bint lists):
    """An operand as rules see it: floats, lists if asked, subclasses of arrays and pandas's as NumPy's."""
    if type(x) is float:
        return float64(x)
    if type(x) is ndarray or is_box(x) or isinstance(x, (int, complex, generic)):
        return x
    if type(x) is list or type(x) is tuple:
        return np.asarray(x) if lists else x
    return np.asarray(x) if hasattr(type(x), "__array__") else x


cdef str function_name(object fun):
    return str(getattr(fun, "__name__", fun))


# ---------------------------------------------------------------- fitting cotangents and tangents

cdef bint is_number_like(object spec) noexcept:
    """Whether an operand was a float64 number; None is one that was like the cotangent, which is one."""
    return (
        spec is None or spec is scalar_like or Py_TYPE(spec) == <PyTypeObject *> float64
        or Py_TYPE(spec) == <PyTypeObject *> float
    )


cdef bint fits(object value, object spec) noexcept:
    """Whether a plain array or number has the shape and dtype of `spec`, an array or a `Like`."""
    cdef tuple shape
    cdef Py_ssize_t i
    if Py_TYPE(value) != <PyTypeObject *> ndarray:
        return Py_TYPE(value) == <PyTypeObject *> float64 and spec is not None and is_number_like(spec)
    if Py_TYPE(spec) == <PyTypeObject *> ndarray:
        return cnp.PyArray_SAMESHAPE(<cnp.ndarray> value, <cnp.ndarray> spec) and (
            cnp.PyArray_DESCR(<cnp.ndarray> value) == cnp.PyArray_DESCR(<cnp.ndarray> spec)
        )
    if Py_TYPE(spec) != <PyTypeObject *> Like:
        return False
    shape = (<Like> spec).shape
    if len(shape) != cnp.PyArray_NDIM(<cnp.ndarray> value):
        return False
    if <PyObject *> cnp.PyArray_DESCR(<cnp.ndarray> value) != <PyObject *> (<Like> spec).dtype:
        return False
    for i in range(len(shape)):
        if cnp.PyArray_DIM(<cnp.ndarray> value, <int> i) != <Py_ssize_t> shape[i]:
            return False
    return True


cdef object conform(object g, object spec, bint broadcasts, object prim, Py_ssize_t argnum):
    """Bring what a VJP map returned to the operand's shape, kind and dtype."""
    cdef object value = g, shape, dtype
    if g is spec or fits(g, spec):
        return g
    if is_box(value):
        value = unbox(value)
    if type(spec) is not Like:
        spec = like(spec)
        if type(spec) is not Like:
            return g
    if not isinstance(value, (ndarray, generic, float, int, complex)):
        return g
    shape, dtype = (<Like> spec).shape, (<Like> spec).dtype
    if shape_of(value) != shape:
        if not broadcasts:
            raise ValueError(
                f"the VJP rule of {function_name(prim)} with respect to argument {argnum} gave a cotangent "
                f"of shape {shape_of(value)} for an operand of shape {shape}"
            )
        g = unbroadcast_to(g, shape)
    return cast(g, dtype)


cdef object unbroadcast_to(object g, tuple shape):
    """Sum `g` over the axes along which an operand of `shape` was broadcast, or broadcast it to `shape`."""
    cdef tuple given = shape_of(unbox(g))
    cdef Py_ssize_t extra = len(given) - len(shape)
    cdef list axes
    cdef Py_ssize_t i
    np_ = numpy_functions
    if enabled and type(g) is ndarray:
        summed = sum_leading(g, shape) if shape else sum_all(g)
        if summed is not None:
            if VERIFY:
                verify("sum", summed, np.sum(g, axis=tuple(range(extra))), np.sum(np.abs(g)))
            return summed
    if not shape and extra > 0:
        return np_.sum(g)
    if extra >= 0:
        axes = list(range(extra))
        for i in range(len(shape)):
            if shape[i] == 1 and given[extra + i] != 1:
                axes.append(extra + i)
        if axes:
            if type(g) is ndarray:
                g = add_reduce(g, tuple(axes), None, None, True)
            else:
                g = np_.sum(g, axis=tuple(axes), keepdims=True)
        if extra:
            g = np_.reshape(g, shape_of(unbox(g))[extra:])
    if shape_of(unbox(g)) != shape:
        g = np_.broadcast_to(g, shape)
    return g


cdef object cast(object g, object dtype):
    cdef object value = unbox(g)
    cdef object given = value.dtype if isinstance(value, (ndarray, generic)) else np.result_type(value)
    if given is dtype or given == dtype or dtype.kind not in "fc":
        return g
    if given.kind == "c" and dtype.kind == "f":
        g = numpy_functions.real(g)
        if np.result_type(unbox(g)) == dtype:
            return g
    return numpy_functions._astype(g, dtype)


cdef object spread(object t, object spec, object prim, Py_ssize_t argnum):
    """Bring what a JVP map returned to the result's shape, kind and dtype."""
    if type(spec) is not Like:
        return t
    cdef object value = unbox(t)
    if type(value) is ndarray and value.dtype is (<Like> spec).dtype and value.shape == (<Like> spec).shape:
        return t
    if not isinstance(value, (ndarray, generic, float, int, complex)):
        return t
    if shape_of(value) != (<Like> spec).shape:
        try:
            t = numpy_functions.broadcast_to(t, (<Like> spec).shape)
        except ValueError:
            raise ValueError(
                f"the JVP rule of {function_name(prim)} with respect to argument {argnum} gave a tangent of "
                f"shape {np.shape(value)} for a result of shape {(<Like> spec).shape}"
            ) from None
    return cast(t, (<Like> spec).dtype)


cdef object zeros_like_operand(object spec):
    if type(spec) is not Like:
        spec = like(spec)
    if type(spec) is Like:
        dtype = (<Like> spec).dtype
        return np.zeros((<Like> spec).shape, dtype if dtype.kind in "fcO" else float64_dtype)
    return container_zeros(spec)


cdef object container_zeros = None


def set_container_zeros(function):
    """Tell the core how to make a zero of any vector space from one of its members."""
    global container_zeros
    container_zeros = function
