"""Vector spaces: what a cotangent of a value is, its zero, its basis, its sums."""

cimport cython
import numpy as np

from autograd_fast._registry import LiveDict

from autograd_fast._tracer cimport check_stack, is_box, unbox
from autograd_fast._tracer import type_fallbacks

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef tuple units = (complex(1, 0), complex(0, 1))


cdef bint arrays_are_plain = False
cdef object built_in_mapping = None


def _mapping_changed(value_type, maker):
    global arrays_are_plain
    arrays_are_plain = built_in_mapping is not None and mappings.get(ndarray) is built_in_mapping


def set_array_mapping(maker):
    """Tell the core which vector spaces of arrays are its own, so that it may add their members itself."""
    global built_in_mapping
    built_in_mapping = maker
    _mapping_changed(None, None)


mappings = LiveDict(_mapping_changed)


def vspace(value):
    """The vector space of `value`, by ``VSpace.mappings``.

    Raises
    ------
    TypeError
        If no vector space is registered for its type.
    """
    maker = mappings.get(type(value))
    if maker is not None:
        check_stack()
        return maker(value)
    if is_box(value):
        return vspace(unbox(value))
    for fallback in type_fallbacks:
        if fallback(type(value)):
            maker = mappings.get(type(value))
            if maker is not None:
                return maker(value)
    raise TypeError(
        f"Can't find vector space for value {value} of type {type(value)}. Valid types are {mappings.keys()}"
    )


@cython.auto_pickle(False)
cdef class VSpaceBase:
    """Root of all vector spaces."""


@cython.auto_pickle(False)
cdef class ArrayVSpaceBase(VSpaceBase):
    """The space of real arrays of one shape and dtype."""

    cdef public tuple shape
    cdef public object dtype

    def __init__(self, value):
        if not isinstance(value, ndarray):
            value = np.asarray(value)
        self.shape = value.shape
        self.dtype = value.dtype

    @property
    def size(self):
        """The number of real dimensions."""
        cdef Py_ssize_t size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def ndim(self):
        return len(self.shape)

    def zeros(self):
        return np.zeros(self.shape, dtype=self.dtype)

    def ones(self):
        return np.ones(self.shape, dtype=self.dtype)

    def standard_basis(self):
        for index in np.ndindex(*self.shape):
            vector = np.zeros(self.shape, dtype=self.dtype)
            vector[index] = 1
            yield vector

    def randn(self):
        return np.array(np.random.randn(*self.shape)).astype(self.dtype)

    def _inner_prod(self, x, y):
        return np.dot(np.ravel(x), np.ravel(y))

    def _covector(self, x):
        return x

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        return (
            self.shape == other.shape
            and self.dtype == other.dtype
            and getattr(self, "__dict__", None) == getattr(other, "__dict__", None)
        )

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.shape, self.dtype))

    def __repr__(self):
        return f"{type(self).__name__}_{{'shape': {self.shape}, 'dtype': {self.dtype!r}}}"

    def __reduce__(self):
        return type(self), (np.zeros(self.shape, self.dtype),)


@cython.auto_pickle(False)
cdef class ComplexArrayVSpaceBase(ArrayVSpaceBase):
    """The space of complex arrays, as a real space of twice as many dimensions."""

    @property
    def size(self):
        cdef Py_ssize_t size = 2
        for n in self.shape:
            size *= n
        return size

    def ones(self):
        return np.full(self.shape, 1 + 1j, dtype=self.dtype)

    def standard_basis(self):
        for index in np.ndindex(*self.shape):
            for unit in units:
                vector = np.zeros(self.shape, dtype=self.dtype)
                vector[index] = unit
                yield vector

    def randn(self):
        real, imag = np.random.randn(*self.shape), np.random.randn(*self.shape)
        return (np.array(real) + 1.0j * np.array(imag)).astype(self.dtype)

    def _inner_prod(self, x, y):
        return np.real(np.dot(np.conj(np.ravel(x)), np.ravel(y)))

    def _covector(self, x):
        return np.conj(x)
