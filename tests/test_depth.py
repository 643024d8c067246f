"""Long chains, wide fans, big and deep containers, many orders: on any stack, in linear time."""

import threading

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defjvp, defvjp, primitive

X = onp.array([0.5, -1.0])
SMALL_STACK = 256 * 1024


def chain(n, step=lambda x: x + 0.0):
    def f(x):
        for _ in range(n):
            x = step(x)
        return x

    return f


def on_small_stack(f):
    """Call `f` in a thread whose stack has 256 KiB."""
    results = []
    old = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=lambda: results.append(f()))
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    assert len(results) == 1
    return results[0]


# ----- chains -----


@pytest.mark.slow
def test_a_chain_of_two_million_operations():
    assert ag.grad(chain(2_000_000))(1.0) == 1.0
    assert on_small_stack(lambda: ag.grad(chain(2_000_000))(1.0)) == 1.0


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


# ----- fans -----


@pytest.mark.slow
def test_a_fan_of_a_million():
    def out(x):
        y, total = x * 2.0, 0.0
        for _ in range(1_000_000):
            total = total + y
        return total

    assert ag.grad(out)(1.0) == 2e6


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
    n = 20_000
    x = make([1.0] * n)

    def f(p):
        values = p.values() if isinstance(x, dict) else p
        return sum((v * v for v in list(values)[:: n // 1000]), 0.0)

    g = ag.grad(f)(x)
    assert type(g) is type(x) and len(g) == n
    leaves = list(g.values()) if isinstance(g, dict) else list(g)
    assert sum(leaves) == 2000.0 and leaves[0] == 2.0 and leaves[1] == 0.0


def test_results_of_many_leaves():
    n = 20_000
    vjp, value = ag.make_vjp(lambda x: [x * float(i) for i in range(n)])(2.0)
    assert len(value) == n and vjp([1.0] * n) == sum(range(n))


def test_deep_containers():
    def nest(x, depth):
        for _ in range(depth):
            x = [x]
        return x

    def innermost(p, depth):
        for _ in range(depth):
            p = p[0]
        return p

    depth = 60
    assert ag.grad(lambda p: innermost(p, depth) ** 2)(nest(3.0, depth)) == nest(6.0, depth)
    assert ag.make_vjp(lambda x: nest(x * 2.0, depth))(1.0)[0](nest(1.0, depth)) == 2.0
    with pytest.raises(RecursionError):
        ag.grad(lambda p: innermost(p, 3_000))(nest(1.0, 3_000))
    assert ag.grad(lambda x: x * x)(3.0) == 6.0
