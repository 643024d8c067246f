"""NumPy's namespace, traced: ``import autograd_fast.numpy as np``."""

import importlib
from typing import Any

# the rules are made for the namespaces, and what comes after them is made of functions that have rules
# isort: off
from . import fft, linalg, numpy_boxes, numpy_vspaces, numpy_wrapper
from . import rules
from . import numpy_vjps

# isort: on
from ..tracer import Box
from .numpy_wrapper import *  # noqa: F403
from .numpy_wrapper import numpy_version as __version__
from .numpy_wrapper import plain_where as custom_where

where = custom_where

numpy_boxes.set_methods()

# what is here for this package alone, and not for ``from autograd_fast.numpy import *``
_own = {
    "Any", "importlib", "MutableMapping", "TYPE_CHECKING", "annotations", "contains_box", "getval",
    "plain_where", "reference_modules", "rules", "set_array_hook", "set_list_stacker", "trace_primitives_map",
    "ufunc_method", "untake", "untraced_ufunc",
}  # fmt: skip
_late = ("emath", "numpy_jvps", "polynomial", "random")  # imported when they are asked for
__all__ = sorted({name for name in dir() if not name.startswith("_") and name not in _own}.union(_late))


def __getattr__(name: str) -> Any:
    if name in _late:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_late})
