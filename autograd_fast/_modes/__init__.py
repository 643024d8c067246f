"""Modes that watch a computation: `detect_nans`, `strong_zeros` and `debug`.

Here is what users enter and leave; `watcher` is what the core calls meanwhile, with one module for each mode:
`nans`, `zeros` and `mutation`.  These are imported when the first mode is entered.
"""

from __future__ import annotations

import os
from types import ModuleType

from .._watch import always, set_watcher
from .scope import Mode

__all__ = ["debug", "detect_nans", "strong_zeros"]


class detect_nans(Mode):
    """Raise FloatingPointError where a NaN is first made, in the function or in its derivative.

    A context manager and a decorator of functions.  It is in force in the thread or asyncio task that enters
    it, until it is left; for a pullback counts what is in force when the pullback is called.  A NaN that an
    operand, a cotangent or a tangent has already raises nothing.

    The message names the function, the argument that was being differentiated, and the line of your program
    that called it.

    Examples
    --------
    >>> import autograd_fast as ag, autograd_fast.numpy as np
    >>> with ag.detect_nans():
    ...     ag.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(0.0)
    Traceback (most recent call last):
    FloatingPointError: the derivative of sqrt in argument 0 made a NaN in the backward pass...
    """

    kind = "nans"


class strong_zeros(Mode):
    """Let a cotangent or tangent that is exactly zero stay zero, even through an infinite or NaN derivative.

    A context manager and a decorator of functions.  It is in force in the thread or asyncio task that enters
    it, until it is left; for a pullback counts what is in force when the pullback is called.  Functions that
    act entry by entry are treated so entry by entry, all others where the whole cotangent or tangent is zero.

    Examples
    --------
    >>> import autograd_fast as ag, autograd_fast.numpy as np
    >>> f = lambda x: np.where(x > 0, np.sqrt(x), 0.0)
    >>> with ag.strong_zeros():
    ...     float(ag.grad(f)(0.0))
    0.0
    """

    kind = "zeros"


class debug(Mode):
    """Raise RuntimeError where an array was changed in place between the forward and the backward pass.

    A context manager and a decorator of functions.  What an operation keeps is noted when it is recorded in
    this mode, and compared when a pullback goes through it in this mode.  Set the environment variable
    AUTOGRAD_FAST_DEBUG to 1 to have it on in the whole program, in every thread.

    Examples
    --------
    >>> import autograd_fast as ag, autograd_fast.numpy as np
    >>> def f(x, scale):
    ...     y = np.sum(x * scale)
    ...     scale *= 2.0
    ...     return y
    >>> with ag.debug():
    ...     ag.grad(f)(np.ones(2), np.ones(2))
    Traceback (most recent call last):
    RuntimeError: argument 1 of multiply was changed in place between the forward and the backward pass...
    """

    kind = "debug"


def _load() -> ModuleType:
    from . import watcher

    return watcher


set_watcher(_load)
if os.environ.get("AUTOGRAD_FAST_DEBUG", "0") not in ("", "0"):
    always(debug.kind)
