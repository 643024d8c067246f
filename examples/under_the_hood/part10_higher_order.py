"""Part 10: derivatives of derivatives.

The rules are themselves written in traced functions, so the backward pass is a program that can be
traced.  Each `grad` opens a trace with a number of its own, and a box belongs to one trace: that is what
keeps nested derivatives apart.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import isbox, trace_stack

nests = []


def shells(x):
    """The trace numbers of the boxes around a value, outermost first."""
    numbers = []
    while isbox(x):
        numbers.append(x._trace)
        x = x._value
    return numbers


def cube(x):
    """x^3, and a note of the boxes around its argument."""
    nests.append(shells(x))
    return x**3


def main():
    """Three orders at 2, the boxes on entry, and two variables that must not be mixed up."""
    f = cube
    for order, (value, nest) in enumerate([(12.0, [0]), (12.0, [1, 0]), (6.0, [2, 1, 0])], start=1):
        f = ag.grad(f)
        nests.clear()
        result = float(f(2.0))
        print(f"order {order}: {result:4.1f}   boxes on entry: {nests[0]}   counter after: {trace_stack.top}")
        assert abs(result - value) < 1e-12
        # The innermost `grad` is called last and puts the outermost shell around what it was given.
        assert nests == [nest]
        assert trace_stack.top == -1

    # d/dx (x d/dy (x y)) at x = 3: the inner derivative is x, so the outer one is 2 x = 6.  A system that
    # could not tell the boxes of x from those of y would count x's own change in the inner derivative.
    def outer(x):
        return x * ag.grad(lambda y: x * y)(2.0)

    print("d/dx (x d/dy (x y)) at 3:", float(ag.grad(outer)(3.0)))
    assert ag.grad(outer)(3.0) == 6.0

    # An inner function that does not use its variable at all sees the other's box and has derivative 0.
    def mixed(x):
        return x * ag.grad(lambda y: x + 0.0 * y)(1.0)

    print("d/dx (x d/dy (x)) at 1:  ", float(ag.grad(mixed)(1.0)))
    assert ag.grad(mixed)(1.0) == 0.0

    # Any order, in either mode: forward over reverse, and six times in a row.
    _gradient, second = ag.make_jvp(ag.grad(lambda x: np.sum(x**3)))(onp.array([1.0, 2.0]))(onp.ones(2))
    onp.testing.assert_allclose(second, [6.0, 12.0])
    f = np.sin
    for _ in range(6):
        f = ag.grad(f)
    print("sixth derivative of sin at 0.5:", float(f(0.5)))
    onp.testing.assert_allclose(f(0.5), -onp.sin(0.5), rtol=1e-12)


if __name__ == "__main__":
    main()
