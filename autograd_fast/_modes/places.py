"""Where in the user's program an operation is, and which operation the engine is at."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import numpy as np

_OURS = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(np.__file__)]


@lru_cache(maxsize=1024)
def _is_users(filename: str) -> bool:
    folders = list(_OURS)
    if "scipy" in sys.modules:
        folders.append(os.path.dirname(str(sys.modules["scipy"].__file__)))
    inside = any(os.path.abspath(filename).startswith(folder + os.sep) for folder in folders)
    return not inside and not filename.startswith("<__array_function__")


def caller(until: tuple[CodeType, ...] = ()) -> str | None:
    """The file and line of the innermost frame that is neither this package's nor NumPy's nor SciPy's.

    The search ends at a function with one of the codes `until`, but for the one that asks.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code not in until:
        if _is_users(frame.f_code.co_filename):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return None


class Operation:
    """An operation of the program while its value, its tangent or its cotangents are computed.

    ``within``: what is computed now is a step inside of it, whose NaNs count only if they come out.
    """

    __slots__ = ("argnum", "name", "pass_", "place", "within")

    def __init__(self, name: str, place: str | None, pass_: str, within: str = "") -> None:
        self.name, self.place, self.pass_, self.within = name, place, pass_, within
        self.argnum = -1

    def step(self, name: str, place: str | None) -> Operation:
        """An operation inside of this one, called at a place of its own if that is the user's."""
        if self.within and not self.within.startswith("inside"):
            within = self.within
        else:
            within = f"({self.within or 'in the derivative of'} {self.name})"
        return Operation(f"{name} {within}", place or self.place, self.pass_, within)

    def where(self) -> str:
        """The end of an error's sentence."""
        if self.place is None:
            return (
                "; it was called outside of the mode, so the line is not known: run the forward pass in the "
                "mode, too"
            )
        return f"; it was called at {self.place}"


# Where the engine is.  Set it in a ``try`` whose ``finally`` sets it back, itself: at the start of a function
# of Python a signal may come.
CURRENT: ContextVar[Operation | None] = ContextVar("autograd_fast operation", default=None)
LATEST: ContextVar[Operation | None] = ContextVar("autograd_fast latest operation", default=None)


def current() -> Operation | None:
    """The operation that the engine is at; None in the user's program."""
    return CURRENT.get()


def latest() -> Operation | None:
    """The operation that cotangents were pulled through last."""
    return LATEST.get()


def name_of(fun: Any) -> str:
    """The name of a function, for messages."""
    return str(getattr(fun, "__name__", fun))
