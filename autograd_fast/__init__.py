"""Derivatives of NumPy programs: the interface of HIPS/autograd on a compiled core.

PYTEST_DONT_REWRITE: pytest rewrites the asserts of what comes with a plugin, unless it says so.
"""

# First: deep in a stack of imports NumPy's take longer, as memory for frames comes and goes with each call.
import numpy as _numpy

from . import builtins
from ._alias import install_as_autograd, uninstall_as_autograd
from ._buffers import keep_memory
from ._modes import debug, detect_nans, strong_zeros
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
