"""Part 9: why reverse mode, and what it costs.

One forward pass gives the derivative along one direction, one backward pass the derivative of one output
by everything.  A loss has one output and many inputs.  The price of the backward pass is memory: the
forward values that the rules will want are kept until then.
"""

import gc
import tracemalloc

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

runs_of_f = []
SIZE = 20_000
DEPTH = 50


def f(x):
    """A smooth function R^n -> R, and a note that it was run."""
    runs_of_f.append("f")
    return np.sum(np.sin(x) * x)


def gradient_by_jvps(x):
    """One forward pass for each entry of x; the number of passes too."""
    runs_of_f.clear()
    jvp = ag.make_jvp(f)(x)
    gradient = onp.array([jvp(unit)[1] for unit in onp.eye(len(x))])
    return gradient, len(runs_of_f)


def gradient_by_vjp(x):
    """One forward pass that records and one backward pass; the number of forward passes too."""
    runs_of_f.clear()
    vjp, _value = ag.make_vjp(f)(x)
    gradient = vjp(1.0)
    return gradient, len(runs_of_f)


def kept(step, make, *direction):
    """Memory that is held after `make` of a chain of DEPTH steps, in arrays of SIZE numbers."""

    def chain(x):
        for _ in range(DEPTH):
            x = step(x)
        return x

    x = onp.linspace(0.1, 1.0, SIZE)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    held = make(chain)(x)
    if direction:
        held = held(*direction)
    gc.collect()
    size = (tracemalloc.get_traced_memory()[0] - before) / (8 * SIZE)
    del held
    return size


def main():
    """Count passes, then measure what is kept between the two passes."""
    print("    n   forward passes by JVPs   by a VJP")
    for n in (1, 10, 100, 1000):
        x = onp.linspace(0.5, 1.5, n)
        forward, passes = gradient_by_jvps(x)
        reverse, recorded = gradient_by_vjp(x)
        print(f"{n:5d}   {passes:22d}   {recorded:8d}")
        assert passes == n and recorded == 1
        onp.testing.assert_allclose(forward, reverse, rtol=1e-12)
        onp.testing.assert_allclose(reverse, onp.sin(x) + x * onp.cos(x), rtol=1e-12)

    constant = onp.full(SIZE, 0.5)
    tracemalloc.start()
    rows = {
        "forward mode, tanh(x)": kept(np.tanh, ag.make_jvp, constant),
        "reverse mode, tanh(x)": kept(np.tanh, ag.make_vjp),
        "reverse mode, x + c": kept(lambda x: x + constant, ag.make_vjp),
    }
    tracemalloc.stop()
    print(f"\narrays kept after {DEPTH} steps")
    for name, arrays in rows.items():
        print(f"{name:24s} {arrays:5.1f}")
    # A JVP holds the result and its tangent.  The rule of tanh wants its result, so reverse mode keeps one
    # array for each step; the rule of an addition wants nothing but shapes.
    assert rows["forward mode, tanh(x)"] < 4
    assert DEPTH - 1 < rows["reverse mode, tanh(x)"] < 2 * DEPTH + 4
    assert rows["reverse mode, x + c"] < 4


if __name__ == "__main__":
    main()
