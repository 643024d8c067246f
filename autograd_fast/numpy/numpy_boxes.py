"""The box of arrays and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._boxes import ArrayBoxBase, set_getitem, set_namespace, set_ufunc_hook
from .._tracer import set_array_box
from ..builtins import SequenceBox
from ..tracer import Box, getval, primitive, trace_primitives_map
from . import numpy_vspaces
from . import numpy_wrapper as anp

Box.__array_priority__ = 90.0  # type: ignore[attr-defined]
set_namespace(anp)


class ArrayBox(ArrayBoxBase, Box):
    """A traced array or number; it has the operators, attributes and methods of an array.

    Parameters
    ----------
    value : array or number, possibly a box of an outer trace
    trace : int
        Depth of the trace.
    node : Node
    """

    __slots__: list[str] = []
    __array_priority__ = 100.0

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return anp

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        if np.dtype(dtype).kind in "biu":
            return np.asarray(getval(self)).astype(dtype, *args, **kwargs)[()]
        return anp._astype(self, dtype, *args, **kwargs)

    def transpose(self, *axes: Any) -> Any:
        return anp.transpose(self, _one_or_many(axes))

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        given = shape if shape and isinstance(shape[0], (int, np.integer)) else _one_or_many(shape)
        return anp.reshape(self, *([given] if shape else []), **kwargs)

    def flatten(self, order: str = "C") -> Any:
        return anp.ravel(self) if order == "C" else anp.ravel(self, order)

    def copy(self, order: str = "C") -> Any:
        return anp.copy(self)

    def dot(self, b: Any) -> Any:
        return anp.dot(self, b)

    def conj(self) -> Any:
        return anp.conj(self)

    conjugate = conj

    def item(self, *index: Any) -> Any:
        if not index:
            return anp.reshape(self, ())
        if isinstance(index[0], tuple):
            (index,) = index
        return anp.ravel(self)[index[0]] if len(index) == 1 else self[index]

    def tolist(self) -> Any:
        return [self[i].tolist() for i in range(len(self))] if self.ndim else self

    def view(self, dtype: Any = None) -> Any:
        if dtype is None or dtype is np.ndarray or np.dtype(dtype) == self.dtype:
            return anp.reshape(self, self.shape)
        raise NotImplementedError(
            f"view({dtype!r}) of a traced array has no derivative; use astype to convert it"
        )

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        np.float64(0).to_device(device, stream=stream)
        return self

    def __div__(self, other: Any) -> Any:
        return anp.divide(self, other)

    def __rdiv__(self, other: Any) -> Any:
        return anp.divide(other, self)

    def __round__(self, ndigits: int | None = None) -> Any:
        value = getval(self)
        return np.round(value, ndigits or 0) if self.ndim else round(np.float64(value), ndigits)

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(getval(self) == getval(value)))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError(
            "'ArrayBox' object does not support item assignment: a traced array can't be changed in place. "
            "Build the result from its parts (np.where, np.concatenate, np.stack) instead"
        )

    T = property(lambda self: anp.transpose(self))
    mT = property(lambda self: anp.swapaxes(self, -1, -2))
    real = property(lambda self: anp.real(self))
    imag = property(lambda self: anp.imag(self))
    flat = property(lambda self: anp.ravel(self))
    flags = property(lambda self: getval(self).flags)
    strides = property(lambda self: getval(self).strides)
    device = property(lambda self: "cpu")


def _one_or_many(numbers: tuple[Any, ...]) -> Any:
    if not numbers:
        return None
    return numbers[0] if len(numbers) == 1 else numbers


def _call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Differentiate plain NumPy's ufuncs; operands of other classes that override them have their say."""
    if any(out is not None for out in kwargs.get("out", ())):
        return NotImplemented
    if method != "__call__":
        return anp.ufunc_method(ufunc, method, *inputs, **kwargs)
    traced = trace_primitives_map.get(ufunc)
    if traced is None:
        return anp.untraced_ufunc(ufunc, *inputs, **kwargs)
    try:
        return traced(*inputs, called_by_autograd_dispatcher=True, **kwargs)
    except NotImplementedError as error:
        if _others_have_a_say(inputs):
            return NotImplemented
        raise error.__cause__ or error from None


set_ufunc_hook(_call_ufunc)


def _others_have_a_say(inputs: tuple[Any, ...]) -> bool:
    plain = (np.ndarray.__array_ufunc__, ArrayBox.__array_ufunc__, None)
    return any(getattr(type(x), "__array_ufunc__", None) not in plain for x in inputs)


def _getitem(A: Any, idx: Any) -> Any:
    return A[idx]


_getitem.__name__ = "__getitem__"
set_getitem(ArrayBox, primitive(_getitem))

set_array_box(ArrayBox)
ArrayBox.register(np.ndarray)
for _type in (
    float,
    np.longdouble,
    np.float64,
    np.float32,
    np.float16,
    complex,
    np.clongdouble,
    np.complex64,
    np.complex128,
):
    ArrayBox.register(_type)

nondiff_methods = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "nonzero",
    "searchsorted",
    "round",
]
diff_methods = [
    "clip",
    "compress",
    "cumprod",
    "cumsum",
    "diagonal",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "ravel",
    "repeat",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "var",
]


# methods that work in place, and what to use in their stead
INSTEAD = {
    "fill": "make a new array with np.full_like",
    "itemset": "build the array from its parts with np.where or np.concatenate",
    "partition": "use the result of np.partition",
    "put": "build the array from its parts with np.where or np.concatenate",
    "resize": "use the result of np.resize",
    "setfield": "build the array from its parts with np.where or np.concatenate",
    "sort": "use the result of np.sort",
}


def _method(name: str) -> Any:
    function = getattr(anp, name)
    if name == "compress":
        return lambda self, condition, *args, **kwargs: anp.compress(condition, self, *args, **kwargs)
    if not hasattr(function, "_is_autograd_primitive"):
        return lambda self, *args, **kwargs: getattr(anp, name)(self, *args, **kwargs)
    return function


def _refused(name: str) -> Any:
    def method(self: ArrayBox, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{name}() would change a traced array in place, which loses its derivative: {INSTEAD[name]}"
        )

    method.__name__ = name
    return method


def set_methods() -> None:
    """Give ArrayBox the methods that are functions of the traced namespace."""
    for name in nondiff_methods + diff_methods:
        setattr(ArrayBox, name, _method(name))
    for name in INSTEAD:
        setattr(ArrayBox, name, _refused(name))


for _vspace_type in (
    numpy_vspaces.EigResultVSpace,
    numpy_vspaces.EighResultVSpace,
    numpy_vspaces.QRResultVSpace,
    numpy_vspaces.SlogdetResultVSpace,
    numpy_vspaces.SVDResultVSpace,
):
    SequenceBox.register(_vspace_type.seq_type)
