"""NumPy's namespace, each function traced; and the functions that take lists, written for lists of boxes."""

from __future__ import annotations

import builtins as _py  # the names of this module include NumPy's any, max, sum, ...
import warnings
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as _np

from .. import builtins
from .._joins import array_of as _array_of
from .._pickling import reference_modules
from .._primitive import set_list_stacker
from .._tracer import contains_box, set_array_hook
from ..tracer import getval, notrace_primitive, primitive, trace_primitives_map

if _np.lib.NumpyVersion(_np.__version__) >= "2.0.0":
    from numpy._core.einsumfunc import _parse_einsum_input
else:
    from numpy.core.einsumfunc import _parse_einsum_input  # type: ignore[no-redef]

numpy_version = _np.__version__
notrace_functions = [_np.ndim, _np.shape, _np.iscomplexobj, _np.result_type]

_ABSENT = object()
_INTEGERS = {_np.int8, _np.int16, _np.int32, _np.int64, _np.integer}


def wrap_intdtype(cls: type) -> type:
    """A class of NumPy integers whose constructor sees the plain values of boxes."""

    class IntdtypeSubclass(cls):  # type: ignore[misc, valid-type]
        __new__ = notrace_primitive(cls.__new__)

    return IntdtypeSubclass


def wrap_namespace(old: MutableMapping[str, Any], new: MutableMapping[str, Any]) -> None:
    """Fill `new` with traced versions of the functions of `old`, one primitive for all names of each."""
    wrapped: dict[int, Any] = {}
    notrace = {id(function) for function in notrace_functions}
    if "__name__" in new and new["__name__"] not in reference_modules:
        reference_modules.append(new["__name__"])
    for name, obj in list(old.items()):
        if name in ("__getattr__", "__dir__"):
            continue
        if id(obj) in wrapped:
            new[name] = wrapped[id(obj)]
        elif id(obj) in notrace:
            new[name] = wrapped[id(obj)] = notrace_primitive(obj)
        elif callable(obj) and type(obj) is not type:
            new[name] = wrapped[id(obj)] = _wrapped_once(obj)
        elif type(obj) is type and obj in _INTEGERS:
            new[name] = wrapped[id(obj)] = wrap_intdtype(obj)
        elif type(obj) in (float, int, type(None), type):
            new[name] = obj


def _wrapped_once(function: Any) -> Any:
    """The traced version of a function, one for all namespaces that have it."""
    try:
        if function in trace_primitives_map:
            return trace_primitives_map[function]
    except TypeError:
        pass
    made = primitive(function)
    made.stacks_lists = True
    return made


wrap_namespace(_np.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


for _name in ("mgrid", "ogrid", "s_", "index_exp"):
    globals()[_name] = getattr(_np, _name)


# ---------------------------------------------------------------- arrays from lists


@primitive
def concatenate_args(axis: Any, *args: Any) -> Any:
    return _np.concatenate(args, axis).view(_np.ndarray)


@primitive
def array_from_args(array_args: Any, array_kwargs: Any, *args: Any) -> Any:
    return _np.array(args, *array_args, **array_kwargs)


@primitive
def _array_from_scalar_or_array(array_args: Any, array_kwargs: Any, scalar: Any) -> Any:
    return _np.array(scalar, *array_args, **array_kwargs)


def array(A: Any = _ABSENT, *args: Any, **kwargs: Any) -> Any:
    """An array of a traced value, or of nested lists and tuples that contain traced values."""
    if A is _ABSENT:
        return array(kwargs.pop("object"), **kwargs) if "object" in kwargs else _np.array(**kwargs)
    if not contains_box(A):
        return _np.array(A, *args, **kwargs)
    if not args and (not kwargs or kwargs.keys() == {"dtype"}):
        made = _array_of(A)
        if made is not None and (not kwargs or made.dtype == _np.dtype(kwargs["dtype"])):
            return made
    if builtins.type(A) in (builtins.list_, builtins.tuple_):
        return array_from_args(args, kwargs, *map(array, A))
    if _py.isinstance(A, _np.ndarray):
        return array(A.tolist(), *args, **kwargs) if A.ndim else array(A.item(), *args, **kwargs)
    return _array_from_scalar_or_array(args, kwargs, A)


def _stack_lists(nested: Any) -> Any:
    """One traced array of lists or an object array that contain boxes, or the list itself if it is ragged."""
    try:
        return array(nested)
    except ValueError:
        raise ValueError(
            f"lists of traced values must make an array: {nested!r} has parts of different shapes. Stack or "
            "concatenate parts of equal shape"
        ) from None


set_list_stacker(_stack_lists)
set_array_hook(_stack_lists)


def wrap_if_boxes_inside(raw_array: Any, slow_op_name: str | None = None, dtype: Any = None) -> Any:
    """One traced array of an object array of boxes, of a given dtype; anything else as it is."""
    if raw_array.dtype != object:
        return raw_array
    if slow_op_name:
        warnings.warn(f"{slow_op_name} is slow for array inputs. np.concatenate() is faster.", stacklevel=3)
    kwargs = {} if dtype is None else {"dtype": dtype}
    return reshape(array(list(raw_array.ravel()), **kwargs), raw_array.shape)  # type: ignore[name-defined] # noqa: F821


def _plain(parts: Any) -> Any:
    """The values of boxes, also of those in tuples and lists."""
    if builtins.type(parts) in (builtins.list_, builtins.tuple_):
        return builtins.type(parts)(map(_plain, parts))
    return getval(parts)


class r_class:
    """``np.r_`` with traced values."""

    def __getitem__(self, args: Any) -> Any:
        return wrap_if_boxes_inside(_np.r_[args], "r_", _np.r_[_plain(args)].dtype)


class c_class:
    """``np.c_`` with traced values."""

    def __getitem__(self, args: Any) -> Any:
        return wrap_if_boxes_inside(_np.c_[args], "c_", _np.c_[_plain(args)].dtype)


r_ = r_class()
c_ = c_class()


class vectorize(_np.vectorize):
    """As NumPy's; of traced operands each result is one traced array."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        results = super().__call__(*args, **kwargs)
        if builtins.isinstance(results, builtins.tuple_):
            return builtins.tuple_(map(_restacked, results))
        return _restacked(results)


def _restacked(result: Any) -> Any:
    return array(result) if contains_box(result) else result


# ---------------------------------------------------------------- functions that NumPy lacks


@primitive
def make_diagonal(D: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """An array with `D` on a diagonal and zeros elsewhere: what `diagonal` with the same arguments undoes."""
    D = _np.asarray(D)
    n = D.shape[-1] + abs(offset)
    made = _np.zeros(D.shape[:-1] + (n, n), D.dtype)
    i = _np.arange(D.shape[-1])
    made[..., i + _py.max(-offset, 0), i + _py.max(offset, 0)] = D
    return _np.moveaxis(made, (-2, -1), (axis1, axis2))


@notrace_primitive
def metadata(A: Any) -> Any:
    """Shape, ndim, dtype and whether complex, of a value boxed or not."""
    return _np.shape(A), _np.ndim(A), _np.result_type(A), _np.iscomplexobj(A)


@notrace_primitive
def parse_einsum_input(*args: Any) -> Any:
    """Subscripts of the operands, subscripts of the result, operands."""
    return _parse_einsum_input(args)


@primitive
def _astype(
    A: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    A = _np.asanyarray(A)
    return A.astype(dtype, order, casting, subok, copy) if A.ndim else A.astype(dtype)[()]


if not hasattr(_np, "astype"):  # NumPy 1 lacks these names, which libraries call in a box's array namespace
    astype, permute_dims = _astype, transpose  # type: ignore[name-defined] # noqa: F821


_original_where = where  # type: ignore[name-defined] # noqa: F821
_primitive_mean, _primitive_std, _primitive_var = mean, std, var  # type: ignore[name-defined] # noqa: F821


def plain_where(condition: Any, *args: Any, **kwargs: Any) -> Any:
    """As NumPy's; two plain Python numbers or lists to choose from give plain Python values."""
    if not kwargs and len(args) == 2 and builtins.isinstance(condition, (_np.ndarray, _np.generic)):
        return where(condition, *args)  # type: ignore[name-defined] # noqa: F821
    if not args and not kwargs:
        return nonzero(condition)  # type: ignore[name-defined] # noqa: F821
    if len(args) + len(kwargs) != 2:
        raise ValueError("either both or neither of x and y should be given")
    x = args[0] if args else kwargs.get("x")
    y = args[1] if len(args) > 1 else kwargs.get("y")
    chosen = where(condition, x, y)  # type: ignore[name-defined] # noqa: F821
    if _py.any(_is_array_like(v) for v in (condition, x, y)):
        return chosen
    return chosen.tolist() if builtins.isinstance(chosen, _np.ndarray) else chosen


def _is_array_like(x: Any) -> bool:
    if contains_box(x) or builtins.isinstance(x, (_np.ndarray, _np.generic)):
        return True
    return builtins.isinstance(x, (builtins.list_, builtins.tuple_)) and _py.any(
        _is_array_like(item) for item in x
    )
