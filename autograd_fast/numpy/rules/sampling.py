"""Random draws differentiated in the parameters of their distribution.

Where a draw is a smooth function of the parameters and of noise that does not depend on them, that function
is written out, on the noise that NumPy draws: for the same seed the values are NumPy's (within rounding) and
the generator is left in the same state.  Other distributions refuse traced parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ...rules import composite
from ...tracer import getval, isbox
from .. import linalg
from .. import numpy_wrapper as anp
from . import random_namespace as random


def _parameters(*values: Any) -> list[Any]:
    return [anp.array(value) if isinstance(value, (list, tuple)) else value for value in values]


def _noise(draw: Callable[[Any], Any], size: Any, *parameters: Any) -> Any:
    """A draw for each entry of the result, whose shape is `size` or follows from the parameters."""
    shape = onp.broadcast_shapes(*(anp.shape(parameter) for parameter in parameters))
    if size is None:
        return draw(shape or None)
    wanted = (size,) if onp.ndim(size) == 0 else tuple(size)
    if onp.broadcast_shapes(shape, wanted) != wanted:
        raise ValueError(f"Output size {wanted} does not fit parameters that broadcast to {shape}.")
    return draw(size)


def _at_least_zero(**parameters: Any) -> None:
    for name, value in parameters.items():
        if onp.any(onp.signbit(getval(value))):
            raise ValueError(f"{name} < 0")


def _above_zero(**parameters: Any) -> None:
    for name, value in parameters.items():
        if onp.any(onp.asarray(getval(value)) <= 0):
            raise ValueError(f"{name} <= 0")


# ----- location and scale


def _location_scale(name: str, standard: Callable[[Any], Any]) -> None:
    def draw(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = _parameters(loc, scale)
        _at_least_zero(scale=scale)
        return loc + scale * _noise(standard, size, loc, scale)

    composite(getattr(onp.random, name), random)(draw)


def _scale(name: str, standard: Callable[[Any], Any]) -> None:
    def draw(scale: Any = 1.0, size: Any = None) -> Any:
        (scale,) = _parameters(scale)
        _at_least_zero(scale=scale)
        return scale * _noise(standard, size, scale)

    composite(getattr(onp.random, name), random)(draw)


_location_scale("normal", onp.random.standard_normal)
_location_scale("laplace", lambda size: onp.random.laplace(size=size))
_location_scale("logistic", lambda size: onp.random.logistic(size=size))
_location_scale("gumbel", lambda size: onp.random.gumbel(size=size))
_scale("exponential", onp.random.standard_exponential)
_scale("rayleigh", lambda size: onp.random.rayleigh(size=size))


@composite(onp.random.uniform, random)
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    low, high = _parameters(low, high)
    return low + (high - low) * _noise(onp.random.random_sample, size, low, high)


@composite(onp.random.lognormal, random)
def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    mean, sigma = _parameters(mean, sigma)
    _at_least_zero(sigma=sigma)
    return anp.exp(mean + sigma * _noise(onp.random.standard_normal, size, mean, sigma))


@composite(onp.random.gamma, random)
def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    shape, scale = _parameters(shape, scale)
    if isbox(shape):
        raise _refusal("gamma", "shape")
    _at_least_zero(shape=shape, scale=scale)
    return scale * _noise(lambda size: onp.random.standard_gamma(shape, size), size, shape, scale)


# ----- by the quantile function


@composite(onp.random.weibull, random)
def weibull(a: Any, size: Any = None) -> Any:
    (a,) = _parameters(a)
    _above_zero(a=a)
    return _noise(onp.random.standard_exponential, size, a) ** (1 / a)


@composite(onp.random.pareto, random)
def pareto(a: Any, size: Any = None) -> Any:
    (a,) = _parameters(a)
    _above_zero(a=a)
    return anp.expm1(_noise(onp.random.standard_exponential, size, a) / a)


@composite(onp.random.power, random)
def power(a: Any, size: Any = None) -> Any:
    (a,) = _parameters(a)
    _above_zero(a=a)
    return (-onp.expm1(-_noise(onp.random.standard_exponential, size, a))) ** (1 / a)


@composite(onp.random.triangular, random)
def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    left, mode, right = _parameters(left, mode, right)
    a, b, c = (onp.asarray(getval(value)) for value in (left, mode, right))
    if onp.any(a > b) or onp.any(b > c) or onp.any(a == c):
        raise ValueError("triangular needs left <= mode <= right and left < right")
    u = _noise(onp.random.random_sample, size, left, mode, right)
    low = u <= (b - a) / (c - a)
    # the square root of what the other side of the mode would be is kept away from zero
    side = anp.where(low, u * (mode - left), (1 - u) * (right - mode)) * (right - left)
    root = anp.sqrt(anp.where(getval(side) > 0, side, 1.0)) * (getval(side) > 0)
    return anp.where(low, left + root, right - root)


# ----- several variables, and the order of entries


@composite(onp.random.multivariate_normal, random)
def multivariate_normal(mean: Any, cov: Any, size: Any = None, *args: Any, **kwargs: Any) -> Any:
    """NumPy's draws, moved with the covariance by its Cholesky factor."""
    mean, cov = _parameters(mean, cov)
    plain = getval(mean)
    deviation = onp.random.multivariate_normal(plain, getval(cov), size, *args, **kwargs) - plain
    if not isbox(cov):
        return mean + deviation
    try:
        L = linalg.cholesky(cov)
    except onp.linalg.LinAlgError as error:
        raise NotImplementedError(
            "numpy.random.multivariate_normal: no derivative in cov where it is singular; "
            "add a small multiple of the identity"
        ) from error
    z = onp.linalg.solve(getval(L), deviation[..., None])[..., 0]
    return mean + anp.matmul(z, anp.transpose(L))


@composite(onp.random.permutation, random)
def permutation(x: Any) -> Any:
    (x,) = _parameters(x)
    return x[onp.random.permutation(anp.shape(x)[0])]


@composite(onp.random.choice, random)
def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    a, p = _parameters(a, p)
    if isbox(p):
        raise _refusal("choice", "p")
    if anp.ndim(a) != 1:
        raise ValueError("a must be 1-dimensional")
    return a[onp.random.choice(anp.shape(a)[0], size, replace, p)]


# ----- no derivative


def _refusal(name: str, argument: str) -> NotImplementedError:
    return NotImplementedError(
        f"numpy.random.{name}: its draws are not differentiable in {argument}; draw with plain numbers "
        "(tracer.getval) and differentiate the logarithm of their density"
    )


def _refuse(name: str, arguments: str) -> None:
    names = arguments.split()

    def draw(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        traced = [key for key, value in given.items() if _holds_box(value)]
        raise _refusal(name, " and ".join(traced))

    if hasattr(onp.random, name):
        composite(getattr(onp.random, name), random)(draw)


def _holds_box(value: Any) -> bool:
    return any(map(_holds_box, value)) if isinstance(value, (list, tuple)) else isbox(value)


for _name, _arguments in {
    "beta": "a b size",
    "binomial": "n p size",
    "chisquare": "df size",
    "dirichlet": "alpha size",
    "f": "dfnum dfden size",
    "geometric": "p size",
    "hypergeometric": "ngood nbad nsample size",
    "logseries": "p size",
    "multinomial": "n pvals size",
    "negative_binomial": "n p size",
    "noncentral_chisquare": "df nonc size",
    "noncentral_f": "dfnum dfden nonc size",
    "poisson": "lam size",
    "randint": "low high size dtype",
    "random_integers": "low high size",
    "shuffle": "x",
    "standard_gamma": "shape size",
    "standard_t": "df size",
    "vonmises": "mu kappa size",
    "wald": "mean scale size",
    "zipf": "a size",
}.items():
    _refuse(_name, _arguments)
