"""How the library's own derivatives are declared: once, for both modes.

Three forms cover every function.  In all of them a *map* is a Python function, linear in its first
parameter, that takes a cotangent to a cotangent (the VJP) or a tangent to a tangent (the JVP):

`elementwise`
    The function acts entry by entry, so its Jacobian is diagonal and one map serves both modes.  The
    parameters of the map say what it needs, and so what a recorded operation keeps alive: ``g`` (the
    cotangent or tangent, first), ``ans`` (the result), ``x``, ``y``, ``z`` (operands 0, 1, 2).
`linear`
    The function is linear in an operand: its JVP is the function itself, its VJP the adjoint.
`derivative`
    Everything else: two maps, one for each mode.

The maps of `linear` and `derivative` are called as ``f(g, ans, *args, **kwargs)`` with the arguments of
the original call.  Of these a VJP map sees the operands (the positions that have rules) and the result
only as `Like` objects (``shape``, ``dtype``, ``ndim``, ``size``) unless ``saves`` names them.

No map has to undo broadcasting, to take a real part for a real operand, or to restore a dtype: what a
VJP map returns is summed to the operand's shape and cast to its kind and dtype, what a JVP map returns
is broadcast to the result's shape and cast likewise.  Maps are written in the traced namespace, so that
derivatives of every order follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any

from ._core import JVPNode, VJPNode, install, primitive_jvps, primitive_vjps
from ._fit import Like
from ._forward import make_jvp
from ._pullback import make_vjp
from ._tables import ANS, Derivative
from .tracer import primitive, register_notrace, trace_primitives_map
from .util import subvals

__all__ = ["Like", "composite", "derivative", "elementwise", "joint", "linear", "variadic", "zero_derivative"]

_NAMES = {"ans": ANS, "x": 0, "y": 1, "z": 2}


def elementwise(fun: Any, *maps: Any) -> None:
    """Declare the derivative of a function that acts entry by entry, operands broadcasting.

    Parameters
    ----------
    fun : primitive
        The traced function.
    *maps : callable, pair of callables, ``"same"`` or None
        One for each operand.  A pair is (VJP map, JVP map), for functions that are not holomorphic;
        ``"same"`` is the identity; None stands for a derivative that is zero everywhere.

    Examples
    --------
    >>> elementwise(anp.tanh, lambda g, ans: g * (1 - ans * ans))           # doctest: +SKIP
    >>> elementwise(anp.multiply, lambda g, y: g * y, lambda g, x: g * x)   # doctest: +SKIP
    """
    entries = {}
    for argnum, pair in enumerate(maps):
        vjp, jvp = pair if isinstance(pair, tuple) else (pair, pair)
        vjp_picks, jvp_picks = _picks(vjp), _picks(jvp)
        entries[argnum] = Derivative(
            _identity if vjp == "same" else vjp,
            _identity if jvp == "same" else jvp,
            saves=frozenset(vjp_picks),
            vjp_picks=vjp_picks,
            jvp_picks=jvp_picks,
            broadcasts=True,
        )
    install(fun, entries)


def linear(fun: Any, adjoint: Callable[..., Any], argnum: int = 0, saves: str = "") -> None:
    """Declare a function that is linear in operand `argnum`: the VJP is `adjoint`, the JVP is `fun` itself.

    Parameters
    ----------
    fun : primitive
    adjoint : callable
        ``adjoint(g, ans, *args, **kwargs)``.
    argnum : int
        Position of the operand.
    saves : str
        What the adjoint needs in full, of ``"ans"``, ``"x"``, ``"y"``, ``"z"``, separated by spaces.
    """

    def tangent(t: Any, ans: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("out", None)
        return fun(*args[:argnum], t, *args[argnum + 1 :], **kwargs)

    derivative(fun, argnum, vjp=adjoint, jvp=tangent, saves=saves)


def derivative(
    fun: Any,
    argnum: int = 0,
    *,
    vjp: Callable[..., Any] | None,
    jvp: Callable[..., Any] | None,
    saves: str = "",
    broadcasts: bool = False,
    entrywise: bool = False,
) -> None:
    """Declare the derivative of `fun` in operand `argnum` by a map for each mode.

    Parameters
    ----------
    fun : primitive
    argnum : int
        Position of the operand.
    vjp, jvp : callable or None
        ``vjp(g, ans, *args, **kwargs)`` gives the cotangent of the operand, ``jvp(t, ans, *args,
        **kwargs)`` the tangent of the result; None stands for zero.
    saves : str
        What the VJP map needs in full, of ``"ans"``, ``"x"``, ``"y"``, ``"z"`` and the positions of other
        operands, separated by spaces.
    broadcasts : bool
        Whether the operand broadcasts in `fun`, so that a cotangent of another shape is summed.
    entrywise : bool
        Whether `fun` acts entry by entry and the maps do, so that they apply to some of the entries alone.
    """
    kept = frozenset(int(name) if name.isdecimal() else _NAMES[name] for name in saves.split())
    rule = Derivative(vjp, jvp, saves=kept, broadcasts=broadcasts, entrywise=entrywise)
    install(fun, {argnum: rule})


def variadic(
    fun: Any,
    first: int,
    *,
    vjp: Callable[..., Any],
    jvp: Callable[..., Any],
    saves_operands: bool = False,
    saves_ans: bool = False,
) -> None:
    """Declare one rule for all operands from position `first` on, as of ``concatenate_args(axis, *arrays)``.

    The maps are called with the operand's position first: ``vjp(argnum, g, ans, *args, **kwargs)``.
    """
    kept = frozenset([ANS] if saves_ans else [])
    rule = Derivative(vjp, jvp, saves=kept, takes_argnum=True, saves_operands=saves_operands)
    install(fun, {}, variadic_from=first, variadic_rule=rule)


def joint(fun: Any, first: int, *, vjp: Callable[..., Any], jvp: Callable[..., Any]) -> None:
    """Declare one rule for all operands from position `first` on, applied to all of them at once.

    ``vjp(argnums, g, ans, *args, **kwargs)`` gives the list of their cotangents, ``jvp(argnums, tangents,
    ans, *args, **kwargs)`` the tangent of the result: for functions of very many operands.
    """
    install(fun, {}, variadic_from=first, variadic_rule=Derivative(vjp, jvp, joint=True))


def zero_derivative(funs: Iterable[Any]) -> None:
    """Declare functions whose derivative is zero by mathematics: their results are plain values."""
    for fun in funs:
        register_notrace(VJPNode, fun)
        register_notrace(JVPNode, fun)


def composite(raw: Any, *namespaces: ModuleType) -> Callable[[Callable[..., Any]], Any]:
    """Write `raw` in the traced namespace, from functions that have rules; decorates that version.

    A primitive takes the place of that of `raw` under every name that it has in `namespaces`.  It calls the
    decorated version where an argument is, or contains, a box; the one that it replaced may have rules of its
    own and serve inside.  A rule that a user gives for the new primitive is preferred.

    Parameters
    ----------
    raw : callable
        The NumPy or SciPy function.
    *namespaces : module
        Where its primitive is to be found, such as ``numpy_wrapper``.
    """

    def decorate(traced: Callable[..., Any]) -> Any:
        outer = primitive(raw)
        outer.composite, through = traced, _Through(traced)
        outer.composite_vjp = primitive_vjps[outer] = through.vjp
        outer.composite_jvp = primitive_jvps[outer] = through.jvp
        trace_primitives_map[raw] = outer
        for namespace in namespaces:
            for name in _names_of(raw, namespace):
                setattr(namespace, name, outer)
        return outer

    return decorate


_names: dict[str, tuple[int, dict[int, str]]] = {}


def _names_of(raw: Any, namespace: ModuleType) -> list[str]:
    """Under which names a namespace has the primitive of `raw`; its index takes in new names when asked."""
    entries = vars(namespace)
    size, index = _names.get(namespace.__name__, (0, {}))
    if size != len(entries):
        for name, value in islice(entries.items(), size, None):
            fun = getattr(value, "fun", None)
            if fun is not None:
                index[id(fun)] = f"{index[id(fun)]} {name}" if id(fun) in index else name
        _names[namespace.__name__] = len(entries), index
    return [name for name in index.get(id(raw), "").split() if getattr(entries[name], "fun", None) is raw]


def _at(traced: Any, argnums: Any, args: Any, kwargs: Any) -> Callable[[Any], Any]:
    """`traced` as a function of the tuple of its arguments `argnums`."""
    return lambda xs: traced(*subvals(args, zip(argnums, xs, strict=True)), **kwargs)


class _Through:
    """What the registries hold for a function that is differentiated through its parts."""

    __slots__ = ("traced",)

    def __init__(self, traced: Any) -> None:
        self.traced = traced

    def vjp(self, argnums: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        return make_vjp(_at(self.traced, argnums, args, kwargs), tuple(args[i] for i in argnums))[0]

    def jvp(self, argnums: Any, gs: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        point = tuple(args[i] for i in argnums)
        return make_jvp(_at(self.traced, argnums, args, kwargs), point)(tuple(gs))[1]


def _identity(g: Any) -> Any:
    return g


def _picks(map_: Any) -> tuple[int, ...]:
    if map_ is None or isinstance(map_, str):
        return ()
    if type(map_) is FunctionType:  # the signature, without the time that it takes to make one
        first, *names = map_.__code__.co_varnames[: map_.__code__.co_argcount]
    else:
        first, *names = inspect.signature(map_).parameters
    if first != "g":
        raise TypeError(f"the first parameter of a rule's map is called g, got {first!r} in {map_!r}")
    unknown = [name for name in names if name not in _NAMES]
    if unknown:
        raise TypeError(f"a map may ask for {', '.join(_NAMES)}; {map_!r} asks for {', '.join(unknown)}")
    return tuple(_NAMES[name] for name in names)
