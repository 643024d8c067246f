"""Gradient descent in a few common forms, on parameters in any nested structure.

Each optimizer takes ``grad(x, i)``, the gradient at `x` in iteration `i`, and a starting point, and returns
the parameters after `num_iters` steps.  ``callback(x, i, g)`` is called before each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd_fast.numpy as np

from ..wrap_util import wraps
from .flatten import flatten


def unflatten_optimizer(optimize: Callable[..., Any]) -> Callable[..., Any]:
    """Let an optimizer of vectors work on nested lists, tuples and dicts of arrays and numbers.

    Parameters
    ----------
    optimize : callable
        Called as ``optimize(grad, x0, callback, *args, **kwargs)`` with a vector `x0`.

    Returns
    -------
    callable
        Takes the same arguments with `x0` in any structure; `grad` and `callback` see that structure.
    """

    @wraps(optimize)
    def optimize_structure(
        grad: Callable[..., Any], x0: Any, callback: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        vector, unflatten = flatten(x0)

        def flat_grad(x: Any, i: int) -> Any:
            g = flatten(grad(unflatten(x), i))[0]
            if np.shape(g) != np.shape(vector):
                raise ValueError(
                    f"grad gave a gradient of {np.size(g)} numbers for parameters of {np.size(vector)}"
                )
            return g

        def flat_callback(x: Any, i: int, g: Any) -> None:
            if callback:
                callback(unflatten(x), i, unflatten(g))

        return unflatten(optimize(flat_grad, vector, flat_callback, *args, **kwargs))

    return optimize_structure


@unflatten_optimizer
def sgd(
    grad: Any, x: Any, callback: Any = None, num_iters: int = 200, step_size: float = 0.1, mass: float = 0.9
) -> Any:
    """Stochastic gradient descent with momentum.

    Parameters
    ----------
    grad : callable
        ``grad(x, i)``, the gradient in iteration `i`.
    x0 : list, tuple, dict, array or number
        The starting point.
    callback : callable, optional
        ``callback(x, i, g)``, called before each step.
    num_iters : int
    step_size : float
    mass : float
        The part of the velocity that is kept from step to step.
    """
    velocity = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return x


@unflatten_optimizer
def rmsprop(
    grad: Any,
    x: Any,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.1,
    gamma: float = 0.9,
    eps: float = 1e-8,
) -> Any:
    """Steps divided by the root of a running mean of the squared gradient, as by Tieleman and Hinton.

    Parameters
    ----------
    grad : callable
        ``grad(x, i)``, the gradient in iteration `i`.
    x0 : list, tuple, dict, array or number
        The starting point.
    callback : callable, optional
        ``callback(x, i, g)``, called before each step.
    num_iters : int
    step_size : float
    gamma : float
        The part of the mean that is kept from step to step; it starts at one.
    eps : float
        Added to the root.
    """
    mean_square = np.ones(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        mean_square = gamma * mean_square + (1.0 - gamma) * g**2
        x = x - step_size * g / (np.sqrt(mean_square) + eps)
    return x


@unflatten_optimizer
def adam(
    grad: Any,
    x: Any,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> Any:
    """Adam, by Kingma and Ba, https://arxiv.org/abs/1412.6980.

    Parameters
    ----------
    grad : callable
        ``grad(x, i)``, the gradient in iteration `i`.
    x0 : list, tuple, dict, array or number
        The starting point.
    callback : callable, optional
        ``callback(x, i, g)``, called before each step.
    num_iters : int
    step_size : float
    b1, b2 : float
        The parts of the running means of the gradient and of its square that are kept from step to step.
    eps : float
        Added to the root of the mean square.
    """
    mean = np.zeros(len(x))
    mean_square = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        mean = (1.0 - b1) * g + b1 * mean
        mean_square = (1.0 - b2) * g**2 + b2 * mean_square
        # both means start at zero: divide by the weight that they have gathered
        unbiased = mean / (1.0 - b1 ** (i + 1))
        unbiased_square = mean_square / (1.0 - b2 ** (i + 1))
        x = x - step_size * unbiased / (np.sqrt(unbiased_square) + eps)
    return x
