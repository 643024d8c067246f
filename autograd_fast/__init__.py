"""Derivatives of NumPy programs: the interface of HIPS/autograd on a compiled core.

PYTEST_DONT_REWRITE: pytest rewrites the asserts of what comes with a plugin, unless it says so.
"""

import importlib as _importlib
import os as _os
import typing as _typing

# First: deep in a stack of imports NumPy's take longer, as memory for frames comes and goes with each call.
import numpy as _numpy

from . import builtins
from ._buffers import keep_memory
from .builtins import dict, isinstance, list, tuple, type
from .core import primitive_with_deprecation_warnings as primitive
from .differential_operators import (
    checkpoint,
    deriv,
    egrad,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_jvp_reversemode,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)

if _typing.TYPE_CHECKING:
    from ._alias import install_as_autograd, uninstall_as_autograd
    from ._modes import debug, detect_nans, strong_zeros

__version__ = "0.1.0"
__autograd_version__ = "1.9.1"

__all__ = [
    "builtins",
    "checkpoint",
    "debug",
    "deriv",
    "detect_nans",
    "dict",
    "egrad",
    "elementwise_grad",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "install_as_autograd",
    "isinstance",
    "jacobian",
    "keep_memory",
    "list",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "multigrad_dict",
    "primitive",
    "strong_zeros",
    "tensor_jacobian_product",
    "tuple",
    "type",
    "uninstall_as_autograd",
    "value_and_grad",
    "vector_jacobian_product",
]

# imported when they are asked for
_late = {
    "debug": "._modes",
    "detect_nans": "._modes",
    "install_as_autograd": "._alias",
    "strong_zeros": "._modes",
    "uninstall_as_autograd": "._alias",
}

if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name not in _late:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(_importlib.import_module(_late[name], __name__), name)
        return globals()[name]

    def __dir__():
        return sorted({*globals(), *_late})


if "AUTOGRAD_FAST_DEBUG" in _os.environ:
    from . import _modes  # which reads it
