"""What every mode is: a context manager and a decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from .._watch import ModeBase


class Mode(ModeBase, ContextDecorator):
    """Base of the modes."""

    def _recreate_cm(self) -> Mode:
        return type(self)()

    def __call__(self, func: Callable[..., Any]) -> Any:
        asynchronous = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
        if any(is_one(func) for is_one in asynchronous):
            raise TypeError(
                f"{type(self).__name__}() can't decorate {func!r}, whose body runs after the call has "
                f"returned: write `with {type(self).__name__}():` inside it"
            )
        return super().__call__(func)
