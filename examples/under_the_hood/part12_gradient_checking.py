"""Part 12: how a rule is checked without trusting it.

Two independent witnesses: differences of plain function values, which know no rule at all, and the
adjoint identity <w, J v> = <J^T w, v>, which holds the forward rule against the reverse rule.
`check_grads` compares both modes with differences, and then does the same with the derivatives themselves,
which is how it reaches second order.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defjvp, defvjp, primitive
from autograd_fast.test_util import check_grads


@primitive
def right(x):
    """x^3 with right rules."""
    return x**3


@primitive
def wrong(x):
    """x^3 with a factor missing in the reverse rule."""
    return x**3


@primitive
def wrong_second(x):
    """x^3 with a first derivative that is right and does not know that it depends on x."""
    return x**3


defvjp(right, lambda ans, x: lambda g: g * 3.0 * x**2)
defjvp(right, lambda g, ans, x: g * 3.0 * x**2)
defvjp(wrong, lambda ans, x: lambda g: g * 2.0 * x**2)
defjvp(wrong, lambda g, ans, x: g * 3.0 * x**2)


@primitive
def opaque(x):
    """3 x^2, with zero for a derivative: a rule that cannot be differentiated further."""
    return 3.0 * x**2


defvjp(opaque, None)
defjvp(opaque, None)
defvjp(wrong_second, lambda ans, x: lambda g: g * opaque(x))
defjvp(wrong_second, lambda g, ans, x: g * opaque(x))


def passes(function, x, **options):
    """Whether `check_grads` is content."""
    try:
        check_grads(function, **options)(x)
    except AssertionError:
        return False
    return True


def directional(function, x, v, step=1e-5):
    """A central difference of values along v: all that a check needs to know about the truth."""
    return (function(x + step * v) - function(x - step * v)) / (2.0 * step)


def main():
    """Right and wrong rules before the two witnesses."""
    x = onp.array([1.0, -2.0, 0.5])
    both = {"modes": ["fwd", "rev"], "order": 2}
    verdicts = {
        "right rules, both modes, order 2": passes(right, x, **both),
        "wrong reverse rule, forward mode": passes(wrong, x, modes=["fwd"], order=1),
        "wrong reverse rule, reverse mode": passes(wrong, x, modes=["rev"], order=1),
        "rule that hides its own x, order 1": passes(wrong_second, x, modes=["fwd", "rev"], order=1),
        "rule that hides its own x, order 2": passes(wrong_second, x, **both),
    }
    for name, verdict in verdicts.items():
        print(f"{name:36s} {'passes' if verdict else 'fails'}")
    assert list(verdicts.values()) == [True, True, False, True, False]

    # The first witness by hand, in one random direction: every entry of the gradient takes part, at the
    # price of two runs of the function.
    rng = onp.random.default_rng(0)
    v, w = rng.standard_normal(3), rng.standard_normal(3)
    difference = w @ directional(right, x, v)
    print(f"\n<w, J v> by differences: {difference:.9f}")

    def both_sides(function):
        forward = w @ ag.make_jvp(function)(x)(v)[1]
        reverse = ag.make_vjp(function)(x)[0](w) @ v
        return forward, reverse

    forward, reverse = both_sides(right)
    print(f"right rules: <w, J v> = {forward:.9f}   <J^T w, v> = {reverse:.9f}")
    onp.testing.assert_allclose(forward, reverse, rtol=1e-14)
    onp.testing.assert_allclose(forward, difference, rtol=1e-7)
    forward, reverse = both_sides(wrong)
    print(f"wrong rule:  <w, J v> = {forward:.9f}   <J^T w, v> = {reverse:.9f}")
    assert abs(forward - reverse) > 0.1

    # The identity holds for whole programs as it does for single rules.
    forward, reverse = both_sides(lambda x: np.cumsum(np.exp(np.sin(x) * x[::-1])))
    onp.testing.assert_allclose(forward, reverse, rtol=1e-12)


if __name__ == "__main__":
    main()
