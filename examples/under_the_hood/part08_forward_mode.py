"""Part 8: forward mode needs no graph.

In forward mode every value travels together with its tangent.  When a primitive runs, the tangents of its
operands are known, so the tangent of the result is computed on the spot and kept by the new node.
Nothing has to be walked afterwards, so no node remembers its parents.
"""

import gc
import math
import weakref

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.core import JVPNode, make_jvp


def main():
    """Look at the tangents while they travel."""

    def f(x):
        print("x:            value", x._value, " tangent", x._node.g)
        assert isinstance(x._node, JVPNode) and x._node.g == 1.0
        y = np.sin(x)
        print("y = sin(x):   value", y._value, " tangent", y._node.g)
        assert y._node.g == math.cos(2.0)
        z = x * y
        print("z = x y:      value", z._value, " tangent", z._node.g)
        onp.testing.assert_allclose(z._node.g, math.sin(2.0) + 2.0 * math.cos(2.0), rtol=1e-15)
        assert not hasattr(z._node, "parents")
        return z

    value, tangent = make_jvp(f, 2.0)(1.0)
    print("result:       value", value, " tangent", tangent)
    onp.testing.assert_allclose(tangent, ag.grad(lambda x: x * np.sin(x))(2.0), rtol=1e-15)

    # What is not referred to is gone: a value in the middle of the program does not outlive its last use
    # in forward mode, while in reverse mode the graph may need it until the backward pass.
    def watched(x):
        middle = np.sin(x)
        watchers.append(weakref.ref(middle._value))
        return np.sin(middle)

    x = onp.linspace(0.0, 1.0, 5)
    alive = {}
    for mode in ("forward", "reverse"):
        watchers = []
        kept = ag.make_jvp(watched)(x)(x) if mode == "forward" else ag.make_vjp(watched)(x)
        gc.collect()
        alive[mode] = watchers[0]() is not None
        print(f"{mode} mode still holds the argument of the second sine: {alive[mode]}")
        del kept
    assert alive == {"forward": False, "reverse": True}


if __name__ == "__main__":
    main()
