"""Operators that take functions to their derivatives."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import autograd_fast.numpy as np

from ._jacobians import jacobian_of
from ._operators import elementwise_gradient, gradient, gradient_and_aux, value_and_gradient
from .core import make_jvp as _make_jvp
from .core import make_vjp as _make_vjp
from .core import primitive, primitive_jvps, primitive_vjps, vspace
from .wrap_util import get_name, made_by, unary_to_nary, wraps

make_vjp = unary_to_nary(_make_vjp)
make_jvp = unary_to_nary(_make_jvp)
make_vjp.__module__ = make_jvp.__module__ = __name__  # where pickle finds them, not the functions inside


@unary_to_nary
def grad(fun: Callable[..., Any], x: Any) -> Any:
    """Gradient of a scalar-valued function with respect to argument number `argnum`.

    Parameters
    ----------
    fun : callable
        Returns a real number (an array of size one in any shape is accepted).
    argnum : int, tuple or list of int
        Which positional argument, or arguments; then the gradient is a tuple.

    Returns
    -------
    callable
        Takes the arguments of `fun`, returns the gradient, of the argument's type, shape and dtype.  For a
        complex argument z = x + iy it is df/dx - i df/dy.

    Raises
    ------
    TypeError
        When called, if the output is not a real scalar.

    Examples
    --------
    >>> import autograd_fast.numpy as np
    >>> from autograd_fast import grad
    >>> float(grad(lambda x: np.sin(x) ** 2)(0.0))
    0.0
    """
    return gradient(fun, x)


@unary_to_nary
def value_and_grad(fun: Callable[..., Any], x: Any) -> tuple[Any, Any]:
    """Value and gradient of a scalar-valued function, as a pair; for ``scipy.optimize.minimize(jac=True)``.

    Parameters and errors are those of `grad`.
    """
    return value_and_gradient(fun, x)


@unary_to_nary
def elementwise_grad(fun: Callable[..., Any], x: Any) -> Any:
    """The sum of each column of the Jacobian, in one pass: its diagonal where `fun` acts entry by entry.

    Raises
    ------
    TypeError
        When called, if the output is complex.
    """
    return elementwise_gradient(fun, x)


egrad = elementwise_grad


@unary_to_nary
def deriv(fun: Callable[..., Any], x: Any) -> Any:
    """Forward-mode derivative along ones: of a function of a number, the derivative in the output's shape."""
    return _make_jvp(fun, x)(vspace(x).ones() if not isinstance(x, int) else 1.0)[1]


@unary_to_nary
def jacobian(fun: Callable[..., Any], x: Any, mode: str = "reverse") -> Any:
    """Jacobian of an array-valued function with respect to an array argument.

    Parameters
    ----------
    fun : callable
    argnum : int
        Which positional argument.
    mode : {"reverse", "forward", "auto"}
        By rows, with one run of `fun` and its graph; by columns, with one run of `fun` for each entry of the
        argument and no graph; or whichever is cheaper by the sizes of argument and output.  The result is
        the same.

    Returns
    -------
    callable
        For an input of shape (in1, in2, ...) and an output of shape (out1, out2, ...) the Jacobian has shape
        (out1, out2, ..., in1, in2, ...).

    Raises
    ------
    TypeError
        When called, if the input or the output is a container.
    ValueError
        When called, if input and output are complex and the function is not holomorphic there, or if the
        mode is none of the three.

    Examples
    --------
    >>> import autograd_fast.numpy as np
    >>> from autograd_fast import jacobian
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return jacobian_of(fun, x, mode)


@unary_to_nary
def hessian(fun: Callable[..., Any], x: Any, mode: str = "reverse") -> Any:
    """Hessian: the Jacobian, in the given mode, of the Jacobian of `fun`."""
    return jacobian_of(jacobian(fun), x, mode)


@unary_to_nary
def holomorphic_grad(fun: Callable[..., Any], x: Any) -> Any:
    """Complex derivative of a holomorphic function of a complex argument."""
    if not vspace(x).iscomplex:
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return grad(lambda x: np.real(fun(x)))(x)


def grad_named(fun: Callable[..., Any], argname: str) -> Any:
    """`grad` with respect to the argument of that name, which is passed by position."""
    names = inspect.getfullargspec(fun).args
    if argname not in names:
        raise ValueError(f"{get_name(fun)} has no argument {argname!r}; it has {names}")
    return grad(fun, names.index(argname))


@unary_to_nary
def make_hvp(fun: Callable[..., Any], x: Any) -> Any:
    """Hessian-vector products at a point: the pair (function of a vector, gradient at the point).

    The forward pass is made once and serves any number of products.
    """
    return _make_vjp(grad(fun), x)


def _contract(a: Any, b: Any) -> Any:
    """The product of two arrays summed over as many axes as the tensor among them has."""
    if np.shape(a) == np.shape(b):
        return np.sum(a * b)
    return np.tensordot(a, b, min(np.ndim(a), np.ndim(b)))


def hessian_tensor_product(fun: Callable[..., Any], argnum: int = 0) -> Any:
    """Product of the Hessian with a tensor of the argument's shape; takes ``(*args, tensor, **kwargs)``."""
    fun_grad = grad(fun, argnum)

    @wraps(fun)
    def vector_dot_grad(*args: Any, **kwargs: Any) -> Any:
        args, vector = args[:-1], args[-1]
        return _contract(fun_grad(*args, **kwargs), vector)

    product = grad(vector_dot_grad, argnum if argnum >= 0 else argnum - 1)
    return made_by(product, hessian_tensor_product, fun, argnum)


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Callable[..., Any], argnum: int = 0) -> Any:
    """A tensor, led by the output's shape, times the Jacobian; takes ``(*args, tensor, **kwargs)``."""

    @wraps(fun)
    def vector_dot_fun(*args: Any, **kwargs: Any) -> Any:
        args, vector = args[:-1], args[-1]
        return _contract(vector, fun(*args, **kwargs))

    product = jacobian(vector_dot_fun, argnum if argnum >= 0 else argnum - 1)
    return made_by(product, tensor_jacobian_product, fun, argnum)


vector_jacobian_product = tensor_jacobian_product


@unary_to_nary
def make_jvp_reversemode(fun: Callable[..., Any], x: Any) -> Any:
    """Jacobian-vector products at a point by two reverse passes: a VJP is linear, and its VJP is the JVP."""
    vjp, y = _make_vjp(fun, x)
    vjp_vjp, _ = _make_vjp(vjp, vspace(y).zeros())
    return vjp_vjp


def _half_squares(x: Any) -> Any:
    return 1.0 / 2 * np.sum(x**2, axis=-1)


def make_ggnvp(
    f: Callable[..., Any],
    g: Callable[..., Any] = _half_squares,
    f_argnum: int = 0,
) -> Any:
    """Generalised Gauss-Newton products J^T H v at a point, with J of `f` and H the Hessian of `g`."""

    @unary_to_nary
    def _make_ggnvp(f: Callable[..., Any], x: Any) -> Any:
        f_vjp, f_x = _make_vjp(f, x)
        g_hvp, grad_g_x = _make_vjp(grad(g), f_x)
        f_jvp, _ = _make_vjp(f_vjp, vspace(grad_g_x).zeros())
        return lambda v: f_vjp(g_hvp(f_jvp(v)))

    return made_by(_make_ggnvp(f, f_argnum), make_ggnvp, f, g, f_argnum)


@unary_to_nary
def grad_and_aux(fun: Callable[..., Any], x: Any) -> tuple[Any, Any]:
    """Gradient of the first of two outputs, and the second output unchanged, as a pair."""
    return gradient_and_aux(fun, x)  # type: ignore[no-any-return]


def multigrad_dict(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Gradients with respect to all arguments at once, as an OrderedDict by name."""
    return functools.partial(_gradients_by_name, fun, inspect.signature(fun))


def _gradients_by_name(
    fun: Callable[..., Any], signature: inspect.Signature, /, *args: Any, **kwargs: Any
) -> OrderedDict[str, Any]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()

    def call(arguments: Any) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, parameter in signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(arguments[name])
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(arguments[name].items())
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                named[name] = arguments[name]
            else:
                positional.append(arguments[name])
        return fun(*positional, **named)

    gradients = grad(call)(dict(bound.arguments))
    return OrderedDict((name, gradients[name]) for name in bound.arguments)


def checkpoint(fun: Callable[..., Any]) -> Any:
    """A version of `fun` that keeps none of its intermediate values: the backward pass computes them again.

    Saves memory for time (Chen, Xu, Zhang and Guestrin, arXiv:1604.06174).
    """
    wrapped = primitive(fun)

    def vjpmaker(argnums: Any, ans: Any, args: Any, kwargs: Any) -> Callable[[Any], Any]:
        def vjp(g: Any) -> Any:
            pull, _ = make_vjp(fun, tuple(argnums))(*args, **kwargs)
            return pull(g)

        return vjp

    def jvpmaker(argnums: Any, gs: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        return make_jvp(fun, tuple(argnums))(*args, **kwargs)(tuple(gs))[1]

    wrapped._recipe = (checkpoint, (fun,))
    primitive_vjps[wrapped] = vjpmaker
    primitive_jvps[wrapped] = jvpmaker
    return wrapped


__all__ = [
    "checkpoint",
    "deriv",
    "egrad",
    "elementwise_grad",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "jacobian",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "multigrad_dict",
    "tensor_jacobian_product",
    "value_and_grad",
    "vector_jacobian_product",
]
