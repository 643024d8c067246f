"""Turning an operator on functions of one argument into one on functions of any arguments."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

from ._operators import NaryBase


class ArgnumError(TypeError, AssertionError):
    """`argnum` is neither a position nor a list or tuple of positions."""


def unary_to_nary(unary_operator: Callable[..., Any]) -> Callable[..., Any]:
    """Let an operator say which of a function's arguments it is about.

    Parameters
    ----------
    unary_operator : callable
        Called as ``unary_operator(fun, x, *args, **kwargs)``, with a function of one argument and the
        point to apply it at.

    Returns
    -------
    callable
        ``nary_operator(fun, argnum=0, *args, **kwargs)``, which gives a function that takes the arguments
        of `fun`.  `argnum` is a position (negative ones count from the end of the positional arguments),
        or a tuple or list of them: then the operator sees a function of one tuple.
    """

    @wraps(unary_operator)
    def nary_operator(fun: Any, argnum: Any = 0, *nary_op_args: Any, **nary_op_kwargs: Any) -> Any:
        if type(argnum) in (tuple, list):
            argnum = type(argnum)([_position(position) for position in argnum])
        elif type(argnum) is not int:
            argnum = _position(argnum)
        return NaryFunction(unary_operator, nary_operator, fun, argnum, nary_op_args, nary_op_kwargs)

    # pickle finds the operator by these
    nary_operator.__module__ = unary_operator.__module__
    nary_operator.__qualname__ = unary_operator.__qualname__
    return nary_operator


class NaryFunction(NaryBase):
    """The result of applying an operator, such as `grad`, to a function.

    It acts as a function does, in classes too, and can be pickled when the function it is made from can.
    """

    @property
    def __name__(self) -> str:
        return self.__dict__.get("__name__") or "{}_of_{}_wrt_argnum_{}".format(*self._names())

    @__name__.setter
    def __name__(self, name: str) -> None:
        self.__dict__["__name__"] = name

    def __getattr__(self, name: str) -> Any:
        if name == "__qualname__":
            return self.__name__
        if name == "__annotations__":
            return {}
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property  # type: ignore[misc]
    def __doc__(self) -> str:  # type: ignore[override]
        op, fun, argnum = self._names()
        return self.__dict__.get("__doc__") or (
            f"{op} of {fun} in its argument {argnum}.\n\nTakes the arguments of {fun} and returns the {op}.\n"
        )

    @__doc__.setter
    def __doc__(self, doc: str) -> None:
        self.__dict__["__doc__"] = doc

    def _names(self) -> tuple[str, str, Any]:
        return get_name(self._unary_operator), get_name(self._fun), self._argnum

    @property
    def __wrapped__(self) -> Any:
        return self.__dict__.get("__wrapped__", self._fun)

    @__wrapped__.setter
    def __wrapped__(self, function: Any) -> None:
        self.__dict__["__wrapped__"] = function

    @property
    def __signature__(self) -> inspect.Signature:
        try:
            return inspect.signature(self._fun)
        except (TypeError, ValueError):
            return inspect.signature(lambda *args, **kwargs: None)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> tuple[Any, ...]:
        recipe: tuple[Any, ...] = self.__dict__.get("_made_by", (_apply, self._recipe))
        return recipe

    def __copy__(self) -> NaryFunction:
        return self

    def __deepcopy__(self, memo: Any) -> NaryFunction:
        return self

    def __repr__(self) -> str:
        return f"<function {self.__name__} at {id(self):#x}>"


def made_by(function: NaryFunction, operator: Any, *args: Any) -> NaryFunction:
    """Let a function that an operator made of a local one be pickled as the operator and its arguments."""
    function.__dict__["_made_by"] = (operator, args)
    return function


def _apply(nary_operator: Any, fun: Any, argnum: Any, op_args: Any, op_kwargs: Any) -> Any:
    return nary_operator(fun, argnum, *op_args, **op_kwargs)


def _position(argnum: Any) -> int:
    """An integer of another type than int, NumPy's for instance."""
    if isinstance(argnum, bool):
        raise ArgnumError(f"argnum is a position, or a tuple or list of positions; got {argnum!r}")
    try:
        return operator.index(argnum)
    except TypeError:
        raise ArgnumError(f"argnum is a position, or a tuple or list of positions; got {argnum!r}") from None


def wraps(fun: Any, namestr: str = "{fun}", docstr: str = "{doc}", **kwargs: Any) -> Callable[[Any], Any]:
    """Give a function the name and the documentation of `fun`, or ones made from them.

    Parameters
    ----------
    fun : callable
    namestr, docstr : str
        Templates, with the fields ``fun`` (the name of `fun`), ``doc`` and those in `kwargs`.
    """

    def decorate(f: Any) -> Any:
        fields = dict(fun=get_name(fun), doc=get_doc(fun), **kwargs)
        try:
            f.__name__ = namestr.format(**fields)
            f.__doc__ = docstr.format(**fields)
        except (AttributeError, LookupError, TypeError, ValueError):
            pass  # a name is a courtesy
        return f

    return decorate


def wrap_nary_f(fun: Any, op: Any, argnum: Any) -> Callable[[Any], Any]:
    """Name and document the result of applying the operator `op` to `fun` in its arguments `argnum`."""
    return wraps(
        fun,
        "{op}_of_{fun}_wrt_argnum_{argnum}",
        "{op} of {fun} in its argument {argnum}.\n\nTakes the arguments of {fun} and returns the {op}.\n",
        op=get_name(op),
        argnum=argnum,
    )


def get_name(f: Any) -> str:
    """The name of a function, "[unknown name]" where it has none."""
    return getattr(f, "__name__", "[unknown name]")


def get_doc(f: Any) -> str | None:
    """The documentation of a function, or None."""
    return getattr(f, "__doc__", None)
