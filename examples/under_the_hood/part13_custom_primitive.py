"""Part 13: teaching the library a function of your own.

`primitive` makes a function opaque: it runs on plain values, and its derivative is what `defvjp` and
`defjvp` say.  The rules must be written in traced functions, or the first derivative is the last.
"""

import warnings

import numpy as onp

import autograd_fast as ag
from autograd_fast.extend import defvjp, primitive
from autograd_fast.tracer import getval, trace_stack

runs = []


@primitive
def unruly(x):
    """x^3 without a rule."""
    runs.append(x)
    return x**3


@primitive
def cube(x):
    """x^3 with a rule in traced arithmetic."""
    return x**3


@primitive
def frozen_cube(x):
    """x^3 with a rule that takes x out of its box."""
    return x**3


# A rule is a function of the result and the operands that returns the pull-back.  When a second derivative
# is on its way, x and g are boxes of the outer trace here, and what is done with them is recorded there.
defvjp(cube, lambda ans, x: lambda g: g * 3.0 * x**2)
# Here it is not: the outer trace sees a number, and a number does not depend on x.
defvjp(frozen_cube, lambda ans, x: lambda g: g * (3.0 * onp.square(getval(x))))


def main():
    """No rule, a right rule, and one that is right once."""
    try:
        ag.grad(lambda x: unruly(x) + unruly(x))(2.0)
    except NotImplementedError as error:
        message = str(error)
    else:
        raise AssertionError("a primitive without a rule was differentiated")
    print("without a rule:", message)
    assert "unruly" in message
    # The error comes while f is being traced, where its own traceback points at the line that calls the
    # function: the second call was never reached.
    print("runs of the function before the error:", len(runs))
    assert len(runs) == 1
    # The trace was closed on the way out, so the next one starts from scratch.
    assert trace_stack.top == -1

    second = ag.grad(ag.grad(cube))
    print("\nwith a rule: ", float(ag.grad(cube)(2.0)), float(second(2.0)), "(12 and 12)")
    assert ag.grad(cube)(2.0) == 12.0 and second(2.0) == 12.0
    assert ag.grad(second)(2.0) == 6.0

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first, broken = ag.grad(frozen_cube)(2.0), ag.grad(ag.grad(frozen_cube))(2.0)
    print("frozen rule: ", float(first), float(broken), "(12 and 12)")
    print("the library warns:", str(caught[0].message))
    assert first == 12.0 and broken == 0.0
    assert "independent" in str(caught[0].message)

    # Inside a larger program the loss is only partial, and nothing warns: the second derivative of
    # (x^3)^2 = x^6 at 2 is 30 x^4 = 480, but the part that comes from the rule's own x is missing.
    def sixth(power):
        return ag.grad(ag.grad(lambda x: power(x) ** 2))(2.0)

    print("second derivative of the square:", float(sixth(cube)), "and, frozen,", float(sixth(frozen_cube)))
    assert sixth(cube) == 480.0
    assert sixth(frozen_cube) == 288.0


if __name__ == "__main__":
    main()
