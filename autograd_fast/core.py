"""Reverse and forward mode, rules for primitives, and vector spaces, under the names that HIPS gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from ._backward import backward_pass
from ._core import JVPNode, VJPNode, primitive_jvps, primitive_vjps, set_tangent_adder
from ._fit import Like, set_container_zeros
from ._forward import make_jvp
from ._pullback import make_vjp
from ._sums import SparseObject, add_outgrads, set_sparse_add, sparse_object_types, sum_outgrads
from ._vspaces import VSpaceBase, mappings, vspace
from .tracer import Box, Node, getval, isbox, primitive, toposort, trace
from .util import func, subval

# ---------------------------------------------------------------- rules for reverse mode


def defvjp_argnums(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Give `fun` a VJP: ``vjpmaker(argnums, ans, args, kwargs)`` returns g -> their cotangents."""
    primitive_vjps[fun] = vjpmaker


def defvjp_argnum(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Give `fun` a VJP: ``vjpmaker(argnum, ans, args, kwargs)`` returns g -> cotangent of that argument."""

    def vjp_argnums(argnums: Any, *args: Any) -> Callable[[Any], Any]:
        vjps = [vjpmaker(argnum, *args) for argnum in argnums]
        return lambda g: (vjp(g) for vjp in vjps)

    defvjp_argnums(fun, vjp_argnums)


def defvjp(fun: Any, *vjpmakers: Any, **kwargs: Any) -> None:
    """Give `fun` a VJP for each argument.

    Parameters
    ----------
    fun : primitive
    *vjpmakers : callable or None
        ``vjpmaker(ans, *args, **kwargs)`` returns the function that takes the cotangent of the result to the
        cotangent of the argument; it runs once, when the operation is recorded.  None: a derivative of zero.
    argnums : iterable of int, optional
        Which arguments the makers are for; 0, 1, 2, ... by default.

    Raises
    ------
    NotImplementedError
        On a call that is differentiated with respect to an argument without a maker.

    Examples
    --------
    >>> import autograd_fast as ag
    >>> from autograd_fast.extend import defvjp, primitive
    >>> cube = primitive(lambda x: x ** 3)
    >>> defvjp(cube, lambda ans, x: lambda g: g * 3 * x ** 2)
    >>> float(ag.grad(cube)(2.0))
    12.0
    """
    makers = {
        argnum: translate_vjp(maker, fun, argnum)
        for argnum, maker in zip(kwargs.get("argnums", count()), vjpmakers, strict=False)
    }

    def vjp_argnums(argnums: Any, ans: Any, args: Any, kwargs: Any) -> Callable[[Any], Any]:
        try:
            chosen = [makers[argnum] for argnum in argnums]
        except KeyError as error:
            raise NotImplementedError(f"VJP of {_name(fun)} wrt argnum {error.args[0]} not defined") from None
        if len(chosen) == 1:
            vjp = chosen[0](ans, *args, **kwargs)
            return lambda g: (vjp(g),)
        vjps = [maker(ans, *args, **kwargs) for maker in chosen]
        return lambda g: tuple([vjp(g) for vjp in vjps])

    vjp_argnums.covers = makers  # type: ignore[attr-defined]
    defvjp_argnums(fun, vjp_argnums)


def translate_vjp(vjpfun: Any, fun: Any, argnum: int) -> Callable[..., Any]:
    """The VJP maker that a rule stands for: None stands for zero."""
    if vjpfun is None:
        return lambda ans, *args, **kwargs: lambda g: vspace(args[argnum]).zeros()
    if callable(vjpfun):
        return vjpfun  # type: ignore[no-any-return]
    raise TypeError(f"Bad VJP '{vjpfun}' for '{_name(fun)}': a VJP maker is a function, or None for zero")


def _name(fun: Any) -> str:
    return str(getattr(fun, "__name__", fun))


# ---------------------------------------------------------------- rules for forward mode


def defjvp_argnums(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Give `fun` a JVP: ``jvpmaker(argnums, gs, ans, args, kwargs)`` returns the tangent of the result."""
    primitive_jvps[fun] = jvpmaker


def defjvp_argnum(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Give `fun` a JVP: ``jvpmaker(argnum, g, ans, args, kwargs)`` returns an argument's part of it."""

    def jvp_argnums(argnums: Any, gs: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        return sum_outgrads(
            [jvpmaker(argnum, g, ans, args, kwargs) for argnum, g in zip(argnums, gs, strict=True)]
        )

    defjvp_argnums(fun, jvp_argnums)


def defjvp(fun: Any, *jvpfuns: Any, **kwargs: Any) -> None:
    """Give `fun` a JVP for each argument.

    Parameters
    ----------
    fun : primitive
    *jvpfuns : callable, "same" or None
        ``jvpfun(g, ans, *args, **kwargs)`` takes the tangent of the argument to its part of the result's
        tangent.  "same": the function is linear in the argument.  None: the derivative is zero.
    argnums : iterable of int, optional
        Which arguments they are for; 0, 1, 2, ... by default.
    """
    pushes = {
        argnum: translate_jvp(jvpfun, fun, argnum)
        for argnum, jvpfun in zip(kwargs.get("argnums", count()), jvpfuns, strict=False)
    }

    def jvp_argnums(argnums: Any, gs: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        for argnum in argnums:
            if argnum not in pushes:
                raise NotImplementedError(f"JVP of {_name(fun)} wrt argnum {argnum} not defined")
        return sum_outgrads(
            [pushes[argnum](g, ans, *args, **kwargs) for argnum, g in zip(argnums, gs, strict=True)]
        )

    jvp_argnums.covers = pushes  # type: ignore[attr-defined]
    defjvp_argnums(fun, jvp_argnums)


def translate_jvp(jvpfun: Any, fun: Any, argnum: int) -> Callable[..., Any]:
    """The JVP function that a rule stands for: None stands for zero, "same" for linearity."""
    if jvpfun is None:
        return lambda g, ans, *args, **kwargs: vspace(ans).zeros()
    if isinstance(jvpfun, str) and jvpfun == "same":
        return lambda g, ans, *args, **kwargs: fun(*subval(args, argnum, g), **kwargs)
    if callable(jvpfun):
        return jvpfun  # type: ignore[no-any-return]
    raise TypeError(f"Bad JVP '{jvpfun}' for '{_name(fun)}': a function, \"same\", or None for zero")


def def_linear(fun: Any) -> None:
    """Declare that `fun` is linear in each of its arguments, for forward mode."""
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*subval(args, argnum, g), **kwargs))


# ---------------------------------------------------------------- vector spaces


@primitive
def sparse_add(vs: Any, x_prev: Any, x_new: Any) -> Any:
    """Add the sparse cotangent `x_new` to `x_prev` (None for zero), which may be changed."""
    x_prev = x_prev if x_prev is not None else vs.zeros()
    return x_new.mut_add(x_prev)


class VSpace(VSpaceBase):
    """The vector space of a value's cotangents.  Derive from it, and `register`, to add a type of values.

    A subclass has a constructor that takes a value of the type, and defines ``zeros``, ``ones``,
    ``standard_basis``, ``randn`` and ``_inner_prod``, and where they differ ``_add``, ``_mut_add``,
    ``_scalar_mul`` and ``_covector``.
    """

    __slots__: list[str] = []
    mappings = mappings
    iscomplex = False

    def __init__(self, value: Any) -> None:
        pass

    def zeros(self) -> Any:
        raise NotImplementedError(repr(self))

    def ones(self) -> Any:
        raise NotImplementedError(repr(self))

    def standard_basis(self) -> Iterator[Any]:
        raise NotImplementedError(repr(self))

    def randn(self) -> Any:
        raise NotImplementedError(repr(self))

    @primitive
    def mut_add(self, x_prev: Any, x_new: Any) -> Any:
        """``x_prev + x_new``, in place of `x_prev` if possible (None for zero)."""
        x_prev = x_prev if x_prev is not None else self.zeros()
        return self._mut_add(x_prev, x_new)

    @primitive
    def add(self, x_prev: Any, x_new: Any) -> Any:
        """``x_prev + x_new``."""
        return self._add(x_prev, x_new)

    @primitive
    def scalar_mul(self, x: Any, a: Any) -> Any:
        """``x * a`` for a number `a`."""
        return self._scalar_mul(x, a)

    @primitive
    def inner_prod(self, x: Any, y: Any) -> Any:
        """The real inner product of two members."""
        return self._inner_prod(x, y)

    @primitive
    def covector(self, x: Any) -> Any:
        """The covector of a member under the inner product."""
        return self._covector(x)

    def _add(self, x: Any, y: Any) -> Any:
        return x + y

    def _mut_add(self, x: Any, y: Any) -> Any:
        x += y
        return x

    def _scalar_mul(self, x: Any, a: Any) -> Any:
        return x * a

    def _inner_prod(self, x: Any, y: Any) -> Any:
        raise NotImplementedError(repr(self))

    def _covector(self, x: Any) -> Any:
        return x

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}_{self.__dict__}"

    @classmethod
    def register(cls, value_type: Any, vspace_maker: Any = None) -> None:
        """Let this class, or ``vspace_maker(value)``, give the vector space of values of `value_type`."""
        VSpace.mappings[value_type] = vspace_maker or cls


class SparseBox(Box):
    """A boxed `SparseObject`."""

    __slots__: list[str] = []


VSpace.register(SparseObject, lambda x: x.vs)
SparseBox.register(SparseObject)
sparse_object_types.add(SparseBox)
set_sparse_add(sparse_add)
set_tangent_adder(sum_outgrads)
set_container_zeros(lambda value: vspace(value).zeros())


def identity_vjp(argnums: Any, *args: Any) -> Callable[[Any], Any]:
    return lambda g: g


def identity_jvp(g: Any, *args: Any, **kwargs: Any) -> Any:
    return g


for _sum in (sparse_add, func(VSpace.add), func(VSpace.mut_add)):
    defvjp(_sum, None, identity_vjp, identity_vjp)
    defjvp(_sum, None, identity_jvp, identity_jvp)
defvjp(
    func(VSpace.inner_prod),
    None,
    lambda ans, vs, x, y: lambda g: vs.covector(vs.scalar_mul(y, g)),
    lambda ans, vs, x, y: lambda g: vs.covector(vs.scalar_mul(x, g)),
)
defvjp(func(VSpace.covector), None, lambda ans, vs, x: lambda g: vs.covector(g))
defvjp(
    func(VSpace.scalar_mul),
    None,
    lambda ans, vs, x, a: lambda g: vs.covector(vs.scalar_mul(vs.covector(g), a)),
    lambda ans, vs, x, a: lambda g: vs.inner_prod(g, vs.covector(x)),
)
defjvp(func(VSpace.scalar_mul), None, "same", "same")
defjvp(func(VSpace.inner_prod), None, "same", "same")
defjvp(func(VSpace.covector), None, "same")


# ---------------------------------------------------------------- deprecated ways to give rules

deprecated_defvjp_message = """
The {} method is deprecated. See the update guide and tutorial:
https://github.com/HIPS/autograd/blob/master/docs/updateguide.md
https://github.com/HIPS/autograd/blob/master/docs/tutorial.md"""


def deprecated_defvjp(primitive_fun: Any) -> Callable[..., None]:
    vjps: dict[int, Any] = {}

    def defvjp_unstaged(vjpmaker: Any, argnum: int = 0) -> None:
        warnings.warn(deprecated_defvjp_message.format("defvjp"), stacklevel=2)

        def staged(ans: Any, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
            return lambda g: vjpmaker(g, ans, vspace(args[argnum]), vspace(g), *args, **kwargs)

        vjps[argnum] = staged
        defvjp(primitive_fun, *[vjps[i] for i in sorted(vjps)], argnums=sorted(vjps))

    return defvjp_unstaged


def deprecated_defvjp_is_zero(primitive_fun: Any) -> Callable[..., None]:
    zeros: set[int] = set()

    def defvjp_is_zero(argnums: Any = (0,)) -> None:
        warnings.warn(deprecated_defvjp_message.format("defvjp_is_zero"), stacklevel=2)
        zeros.update(argnums)
        defvjp(primitive_fun, *[None] * len(zeros), argnums=sorted(zeros))

    return defvjp_is_zero


def deprecated_defgrad(primitive_fun: Any) -> Callable[..., None]:
    grads: dict[int, Any] = {}

    def defgrad(gradfun: Any, argnum: int = 0) -> None:
        warnings.warn(deprecated_defvjp_message.format("defgrad"), stacklevel=2)
        grads[argnum] = gradfun
        defvjp(primitive_fun, *[grads[i] for i in sorted(grads)], argnums=sorted(grads))

    return defgrad


primitive_ = primitive


def primitive_with_deprecation_warnings(f_raw: Any) -> Any:
    """`primitive`, with the methods defvjp, defvjp_is_zero and defgrad of old releases of HIPS."""
    f_wrapped = primitive_(f_raw)
    f_wrapped.defvjp = deprecated_defvjp(f_wrapped)
    f_wrapped.defvjp_is_zero = deprecated_defvjp_is_zero(f_wrapped)
    f_wrapped.defgrad = deprecated_defgrad(f_wrapped)
    return f_wrapped


primitive = primitive_with_deprecation_warnings

__all__ = [
    "Box",
    "JVPNode",
    "Like",
    "Node",
    "SparseBox",
    "SparseObject",
    "VJPNode",
    "VSpace",
    "add_outgrads",
    "backward_pass",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "deprecated_defgrad",
    "deprecated_defvjp",
    "deprecated_defvjp_is_zero",
    "func",
    "getval",
    "isbox",
    "make_jvp",
    "make_vjp",
    "primitive",
    "primitive_",
    "primitive_jvps",
    "primitive_vjps",
    "primitive_with_deprecation_warnings",
    "sparse_add",
    "sparse_object_types",
    "subval",
    "sum_outgrads",
    "toposort",
    "trace",
    "translate_jvp",
    "translate_vjp",
    "vspace",
]
