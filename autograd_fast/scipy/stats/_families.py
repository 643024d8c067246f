"""How a family of continuous distributions with location and scale is made differentiable.

A family is given by derivatives of its standard form, with location 0 and scale 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative
