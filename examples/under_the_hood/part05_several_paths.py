"""Part 5: a value that is used several times.

In x * x the input reaches the result along two paths, so its derivative is a sum of two.  The backward
pass keeps for every node what has arrived so far, and adds to it.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.core import VJPNode
from autograd_fast.extend import vspace
from autograd_fast.tracer import trace
from autograd_fast.util import toposort


def accumulate(so_far, arriving):
    """Add a cotangent to the pair (sum so far, whether that sum may be changed in place).

    The first to arrive is taken as it is.  Others may hold that very array (the caller of the pull-back,
    or another node that got the same one), so it is not ours to change: the pair says False.  The second
    makes a new array, which nobody else knows: from then on additions may happen in place.
    """
    if so_far is None:
        return arriving, False
    total, mutable = so_far
    space = vspace(total)
    return (space.mut_add if mutable else space.add)(total, arriving), True


def main():
    """Two paths by hand; then who may write into which array; then what the library promises."""
    root = VJPNode.new_root()
    _value, end = trace(root, lambda x: x * x, 3.0)
    order = list(toposort(end))
    print("nodes of x * x:", len(order), " parents of the product:", len(end.parents))
    assert order == [end, root] and list(end.parents) == [root, root]
    cotangents = end.vjp(1.0)
    print("what its rule sends to them:", [float(g) for g in cotangents])
    assert list(cotangents) == [3.0, 3.0]
    pair = None
    for g in cotangents:
        pair = accumulate(pair, g)
    print("accumulated:", float(pair[0]), " by grad:", float(ag.grad(lambda x: x * x)(3.0)))
    assert pair[0] == 6.0 == ag.grad(lambda x: x * x)(3.0)

    first, second, third = onp.ones(3), onp.full(3, 10.0), onp.full(3, 100.0)
    one = accumulate(None, first)
    print("\nafter one:  ", one, " the array that arrived:", one[0] is first)
    assert one[0] is first and not one[1]
    two = accumulate(one, second)
    print("after two:  ", two, " a new array:", two[0] is not first)
    assert two[0] is not first and two[1]
    three = accumulate(two, third)
    print("after three:", three, " in place:", three[0] is two[0])
    assert three[0] is two[0] and three[1]
    onp.testing.assert_array_equal(first, onp.ones(3))
    onp.testing.assert_array_equal(three[0], onp.full(3, 111.0))

    # The same at work: addition hands its cotangent to both operands unchanged, so one array is on its
    # way along four paths here.  Had anybody added to it in place, the sums would be wrong.
    def diamonds(x):
        y = x + x
        return y + y

    vjp, _value = ag.make_vjp(diamonds)(onp.zeros(3))
    g = onp.array([1.0, 2.0, 3.0])
    result = vjp(g)
    print("\nfour paths:", result, " what was passed in:", g)
    onp.testing.assert_array_equal(result, [4.0, 8.0, 12.0])
    onp.testing.assert_array_equal(g, [1.0, 2.0, 3.0])
    onp.testing.assert_array_equal(ag.grad(lambda x: np.sum(diamonds(x) * x))(g), 8.0 * g)


if __name__ == "__main__":
    main()
