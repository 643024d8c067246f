"""Tables of checks written as NumPy expressions, such as ``"np.sum(x, axis=0)"``.

`table` gives the parameters of a test that calls `numeric.check_both_modes`.  An operand is named in the
expression and given as a shape (of real numbers well apart from each other, so that orders do not change
within a finite difference), as ``complex_`` of a shape, or as an array or number.
"""

import numpy as onp
import pytest

MASK = onp.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]], bool)


class complex_:
    """A shape of complex numbers."""

    def __init__(self, *shape):
        self.shape = shape


def apart(rng, shape):
    """Real numbers between -1.5 and 1.5 of which no two are near each other, nor one near zero."""
    n = int(onp.prod(shape))
    grid = (onp.arange(n) - (n - 1) / 2 + 0.2) * (3 / max(n, 4))
    return rng.permutation(grid).reshape(shape)


def operand(rng, spec):
    if isinstance(spec, tuple):
        return apart(rng, spec)
    if isinstance(spec, complex_):
        return apart(rng, spec.shape) + 1j * rng.standard_normal(spec.shape)
    return spec


def table(operands, *expressions, **options):
    """Parameters ``(function, operands, options of the check)``, one for each expression."""
    rng = onp.random.default_rng(0)
    args = [operand(rng, spec) for spec in operands.values()]
    if any(isinstance(a, (float, complex)) for a in args):
        options.setdefault("float32", False)
    scope = {"onp": onp, "mask": MASK, "nan": onp.nan}
    return [
        pytest.param(eval(f"lambda np, {', '.join(operands)}: {text}", scope), args, options, id=text)
        for text in expressions
    ]
