"""NumPy's namespace, traced: ``import autograd_fast.numpy as np``."""

from typing import TYPE_CHECKING, Any

# the rules are made for the namespaces, and what comes after them is made of functions that have rules
# isort: off
from . import fft, linalg, numpy_boxes, numpy_vspaces, numpy_wrapper, random
from . import rules
from . import emath, numpy_jvps, numpy_vjps, polynomial

# isort: on
from .numpy_wrapper import *  # noqa: F403
from .numpy_wrapper import numpy_version as __version__
from .numpy_wrapper import plain_where as custom_where

where = custom_where

numpy_boxes.set_methods()

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
