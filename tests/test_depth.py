"""Long chains, wide fans, big and deep containers, many orders: on any stack, in linear time."""

import sys

import numpy as onp
import pytest
from stacks import on_small_stack

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast._tracer import BoxBase
from autograd_fast.core import VJPNode
from autograd_fast.extend import defjvp, defvjp, primitive, vspace
from autograd_fast.misc.flatten import flatten
from autograd_fast.test_util import check_grads
from autograd_fast.tracer import new_box, trace

X = onp.array([0.5, -1.0])


def chain(n, step=lambda x: x + 0.0):
    def f(x):
        for _ in range(n):
            x = step(x)
        return x

    return f


# ----- chains -----


@pytest.mark.slow
def test_a_chain_of_five_million_operations():
    assert ag.grad(chain(5_000_000))(1.0) == 1.0


@pytest.mark.slow
def test_a_chain_of_a_million_operations_on_a_small_stack():
    assert on_small_stack(lambda: ag.grad(chain(1_000_000))(1.0)) == 1.0


CHAINS = {
    "numbers": (lambda x: x + 0.0, 1.0),
    "function": (lambda x: np.sin(x), 0.0),
    "three operands": (lambda x: np.where(True, x, 0.0), 1.0),
    "arrays": (lambda x: x * 1.0, X),
    "sums": (lambda x: np.sum(x) * np.ones(2) * 0.5, X),
    "subscripts": (lambda x: x[::-1], X),
    "products": (lambda x: np.dot(np.eye(2), x), X),
    "joins": (lambda x: np.concatenate([x[:1], x[1:]]), X),
    "containers": (lambda p: [p[0], p[1]], [1.0, 2.0]),
    "dicts": (lambda p: {"a": p["a"], "b": p["b"]}, {"a": 1.0, "b": 2.0}),
}


@pytest.mark.parametrize("step, x", CHAINS.values(), ids=CHAINS.keys())
def test_chains_on_a_small_stack(step, x):
    n = 3_000

    def run():
        vjp, _ = ag.make_vjp(chain(n, step))(x)
        vjp(x)
        ag.make_jvp(chain(n, step))(x)(x)
        ag.make_vjp(lambda x: (chain(n, step)(x), 3.0)[1])(x)  # freed without a pullback
        if isinstance(x, (list, dict)):
            return True
        second = ag.grad(lambda x: np.sum(ag.elementwise_grad(chain(n, step))(x) * x))(x)
        ag.make_jvp(ag.elementwise_grad(chain(n, step)))(x)(x)
        return second is not None

    with pytest.warns(UserWarning, match="independent"):
        assert on_small_stack(run)


def test_a_chain_of_a_users_primitive_on_a_small_stack():
    f = primitive(lambda x: 1.0 * x)
    defvjp(f, lambda ans, x: lambda g: 1.0 * g)
    defjvp(f, lambda g, ans, x: 1.0 * g)
    assert on_small_stack(lambda: ag.grad(chain(20_000, f))(1.0)) == 1.0
    assert on_small_stack(lambda: ag.grad(ag.grad(chain(5_000, lambda x: f(x) * x * 0.0 + x)))(1.0)) == 0.0


def test_a_long_chain_beside_a_short_path():
    def f(x):
        return chain(100_000)(x) * x + x

    onp.testing.assert_allclose(ag.grad(f)(2.0), 5.0)
    onp.testing.assert_allclose(ag.grad(ag.grad(f))(2.0), 2.0)
    onp.testing.assert_allclose(ag.make_jvp(ag.grad(f))(2.0)(1.0)[1], 2.0)


class Derived(VJPNode):
    pass


@pytest.mark.parametrize("step", [np.sin, lambda x: x * x, lambda x: np.where(True, x, x)])
def test_a_chain_of_nodes_of_a_derived_class_on_a_small_stack(step):
    def run():
        node = trace(Derived.new_root(), chain(20_000, step), 0.5)[1]
        assert type(node) is Derived
        del node
        return True

    assert on_small_stack(run)


@pytest.mark.parametrize("make", [new_box, BoxBase], ids=["array", "base"])
def test_boxes_in_boxes_on_a_small_stack(make):
    def run():
        box, root = 1.0, VJPNode.new_root()
        for _ in range(300_000):
            box = make(box, 0, root)
        del box
        return True

    assert on_small_stack(run)


# ----- fans -----


@pytest.mark.slow
def test_a_fan_of_a_million():
    def out(x):
        y, total = x * 2.0, 0.0
        for _ in range(1_000_000):
            total = total + y
        return total

    assert ag.grad(out)(1.0) == 2e6
    into = lambda x: np.sum(np.array([x * 2.0 for _ in range(1_000_000)]))
    assert on_small_stack(lambda: ag.grad(into)(1.0)) == 2e6


N = 30_000
FANS = {
    "out": lambda x: sum((x * 1.0 for _ in range(N)), 0.0),
    "out, then in": lambda x: np.sum(np.array([x for _ in range(N)])),
    "in": lambda x: np.sum(np.concatenate([np.reshape(x, 1)] * N)),
    "stack": lambda x: np.sum(np.stack([x] * N)),
    "subscripts": lambda x: sum(v for v in x * np.ones(N)),
}


@pytest.mark.parametrize("f", FANS.values(), ids=FANS.keys())
def test_wide_fans(f):
    assert ag.grad(f)(1.0) == N


def test_a_fan_in_on_a_small_stack():
    f = lambda x: np.sum(np.array([x * i for i in range(20_000)]))
    assert on_small_stack(lambda: ag.grad(f)(1.0)) == sum(range(20_000))


def test_paths_are_not_counted_one_by_one():
    def doubling(x):  # 2^60 paths, 60 nodes
        for _ in range(60):
            x = x + x
        return x

    assert ag.grad(doubling)(1.0) == 2.0**60
    assert ag.grad(lambda x: ag.grad(lambda y: doubling(y) * y)(x))(1.0) == 2.0**61


# ----- orders -----


@pytest.mark.parametrize("x", [0.5, onp.array([0.5, -1.0, 2.0])], ids=["number", "array"])
def test_derivatives_to_order_ten(x):
    reverse = forward = mixed = np.sin
    for order in range(1, 11):
        reverse, forward = ag.elementwise_grad(reverse), push(forward)
        mixed = push(mixed) if order % 2 else ag.elementwise_grad(mixed)
        want = onp.sin(onp.asarray(x) + order * onp.pi / 2)
        for f in (forward, mixed, reverse) if order <= 8 else (reverse, forward):
            onp.testing.assert_allclose(f(x), want, atol=1e-12)


def push(f):
    return lambda x: ag.make_jvp(f)(x)(1.0 if isinstance(x, float) else np.ones(np.shape(x)))[1]


def test_products_and_quotients_to_order_ten():
    f, want = lambda x: 1.0 / (1.0 - x), 1.0
    for order in range(1, 11):
        f = ag.grad(f)
        want *= order
        onp.testing.assert_allclose(f(0.5), want * 2.0 ** (order + 1))
    f, want = lambda x: x**12, 1.0
    for k in range(10):
        f = ag.grad(f)
        want *= 12 - k
    onp.testing.assert_allclose(f(1.5), want * 1.5**2)


# ----- containers -----


@pytest.mark.parametrize("make", [list, tuple, lambda v: dict(enumerate(v))], ids=["list", "tuple", "dict"])
def test_containers_of_many_leaves(make):
    n = 100_000
    x = make([1.0] * n)

    def f(p):
        values = p.values() if isinstance(x, dict) else p
        return sum((v * v for v in list(values)[:: n // 1000]), 0.0)

    g = ag.grad(f)(x)
    assert type(g) is type(x) and len(g) == n
    leaves = list(g.values()) if isinstance(g, dict) else list(g)
    assert sum(leaves) == 2000.0 and leaves[0] == 2.0 and leaves[1] == 0.0


def test_results_of_many_leaves():
    n = 100_000
    vjp, value = ag.make_vjp(lambda x: [x * float(i) for i in range(n)])(2.0)
    assert len(value) == n and vjp([1.0] * n) == sum(range(n))


def nest(x, depth, wrap=lambda x: [x]):
    for _ in range(depth):
        x = wrap(x)
    return x


def innermost(p, depth):
    for _ in range(depth):
        p = p[0]
    return p


WRAPS = {"list": lambda x: [x], "tuple": lambda x: (1.0, x)[1:], "dict": lambda x: {0: x}}


def wrapper(x):
    """The entry of WRAPS that makes containers like `x`."""
    return WRAPS[type(x).__name__]


USES = {
    "reverse": lambda x, n: ag.grad(lambda p: innermost(p, n) ** 2)(x),
    "forward": lambda x, n: ag.make_jvp(lambda p: innermost(p, n) ** 2)(x)(x),
    "whole": lambda x, n: ag.make_jvp(lambda p: p)(x)(x),
    "results": lambda x, n: ag.make_vjp(lambda y: nest(y, n, wrapper(x)))(3.0)[0](x),
    "flattened": lambda x, n: flatten(x)[1](onp.ones(1)),
    "spaces": lambda x, n: vspace(x).add(x, x),
    "checked": lambda x, n: check_grads(lambda p: innermost(p, n) ** 2, order=1)(x),
}


@pytest.mark.parametrize("depth", [10, 100, 200, 300, 500, 900, 3_000])
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS.keys())
def test_containers_nested_too_deep_are_a_recursion_error_on_any_stack(use, wrap, depth):
    def run():
        try:
            use(nest(3.0, depth, wrap), depth)
            return True
        except RecursionError:
            return depth > 50

    # before 3.11 each call of a Python function takes some of the stack, in the interpreter itself
    assert on_small_stack(run) if sys.version_info >= (3, 11) or depth <= 100 else run()
    assert ag.grad(lambda x: x * x)(3.0) == 6.0


def test_deep_containers():
    depth = 60
    assert ag.grad(lambda p: innermost(p, depth) ** 2)(nest(3.0, depth)) == nest(6.0, depth)
    assert ag.make_vjp(lambda x: nest(x * 2.0, depth))(1.0)[0](nest(1.0, depth)) == 2.0
    with pytest.raises(RecursionError):
        ag.grad(lambda p: innermost(p, 3_000))(nest(1.0, 3_000))
    assert ag.grad(lambda x: x * x)(3.0) == 6.0
