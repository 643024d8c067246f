"""What a recorded operation keeps alive, and what is left when the derivative is done."""

import gc
import tracemalloc
import weakref

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defvjp, primitive

A = onp.random.default_rng(0).random((4, 4)) + 4 * onp.eye(4)

# each takes a 4 by 4 matrix to one, by a single operation
OPERATIONS = {
    "add": lambda x: x + x,
    "times a number": lambda x: x * 1.0001,
    "divide": lambda x: A / x,
    "power": lambda x: x**1.01,
    "sin": np.sin,
    "exp": lambda x: np.exp(x),
    "maximum": lambda x: np.maximum(x, 0.0),
    "where": lambda x: np.where(A > 1, x, 0.0),
    "clip": lambda x: np.clip(x, 0.0, 5.0),
    "reshape": lambda x: np.reshape(x, (4, 4)),
    "transpose": lambda x: x.T,
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "cumsum": lambda x: np.cumsum(x, axis=0),
    "dot": lambda x: np.dot(x, A),
    "matmul": lambda x: x @ A,
    "einsum": lambda x: np.einsum("ij,jk->ik", x, A),
    "concatenate": lambda x: np.concatenate([x]),
    "inverse": np.linalg.inv,
    "solve": lambda x: np.linalg.solve(A, x),
    "getitem": lambda x: x[::-1],
    "getitem by array": lambda x: x[onp.arange(4)],
    "roll": lambda x: np.roll(x, 1, axis=0),
    "tile": lambda x: np.tile(x, (1, 1)),
}


# two operations each: a function with several results, and one of these taken
OPERATIONS_OF_TWO = {
    "svd": lambda x: np.linalg.svd(x)[0],
    "slogdet": lambda x: np.linalg.slogdet(x)[1],
    "split": lambda x: np.split(x, 1)[0],
}


def tracked_by(operation, count):
    """How many objects that the collector tracks a chain of `count` operations adds."""
    seen = []

    def f(x):
        for _ in range(3):  # caches are filled
            x = operation(x)
        gc.collect()
        gc.disable()
        before = len(gc.get_objects())
        for _ in range(count):
            x = operation(x)
        seen.append(len(gc.get_objects()) - before)
        gc.enable()
        return np.sum(x)

    with onp.errstate(all="ignore"):
        vjp, _ = ag.make_vjp(f)(A)
    assert callable(vjp)
    return seen[0]


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_keeps_two_tracked_objects_at_most(name):
    operation = OPERATIONS[name]
    # slices and index tuples are the caller's own
    own = 2 if name == "getitem" else 0
    assert tracked_by(operation, 40) - tracked_by(operation, 20) <= 20 * (2 + own)


@pytest.mark.parametrize("name", OPERATIONS_OF_TWO)
def test_functions_with_several_results_keep_no_more(name):
    operation = lambda x: x + 1.0001 * OPERATIONS_OF_TWO[name](x)
    assert tracked_by(operation, 40) - tracked_by(operation, 20) <= 20 * 2 * 4


def test_scalars_keep_nothing_that_the_collector_visits():
    def f(x):
        for _ in range(50):
            x = x * 1.01 + x
        gc.disable()
        before = len(gc.get_objects())
        for _ in range(100):
            x = np.sin(x) * 1.01
        added = len(gc.get_objects()) - before
        gc.enable()
        assert added < 20
        return x

    ag.grad(f)(0.5)


def test_memory_is_flat_over_many_gradients():
    g = ag.grad(lambda x: np.sum(np.tanh(x * x) + x[0]))
    x = onp.ones(3)
    for _ in range(1000):
        g(x)
    gc.collect()
    objects = len(gc.get_objects())
    tracemalloc.start()
    for _ in range(50):
        g(x)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        g(x)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    for _ in range(100_000):
        g(x)
    gc.collect()
    assert grown < 2000
    assert abs(len(gc.get_objects()) - objects) < 50


def test_the_collector_is_left_as_it_is():
    thresholds, frozen = gc.get_threshold(), gc.get_freeze_count()  # CPython 3.12 freezes objects of its own
    ag.grad(lambda x: np.sum(np.sin(x)))(onp.ones(3))
    assert gc.get_threshold() == thresholds and gc.isenabled() and gc.get_freeze_count() == frozen


def test_a_cycle_through_a_users_closure_is_collected():
    class Witness:
        pass

    kept = []

    def make():
        holder, witness = [], Witness()
        f = primitive(lambda x: 2.0 * x)
        defvjp(f, lambda ans, x: lambda g: (holder, witness, 2.0 * g)[2])

        def loss(x):
            y = f(x * 1.0)
            holder.append(y._node)
            return y

        ag.grad(loss)(1.0)
        kept.append(weakref.ref(witness))
        from autograd_fast.core import primitive_vjps
        from autograd_fast.tracer import trace_primitives_map

        del primitive_vjps[f], trace_primitives_map[f.fun]

    make()
    gc.collect()
    assert kept[0]() is None


N = 100_000  # numbers in an array
STEPS = 24
CHAINS = {
    "add": lambda np, x, v: x + v,
    "subtract": lambda np, x, v: v - x,
    "sum": lambda np, x, v: x + np.sum(x),
    "reshape": lambda np, x, v: np.reshape(np.reshape(x, (-1, 10)), (-1,)),
    "getitem": lambda np, x, v: x[::-1],
    "concatenate": lambda np, x, v: np.concatenate([x[: N // 2], x[N // 2 :]]),
    "where": lambda np, x, v: np.where(v > 0.5, x, v),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_take_no_more_memory_than_with_hips(name):
    autograd = pytest.importorskip("autograd")
    import autograd.numpy as hips_np

    v = onp.random.default_rng(0).random(N)

    def peak(library, np):
        def f(x):
            for _ in range(STEPS):
                x = CHAINS[name](np, x, v)
            return np.sum(x)

        g = library.grad(f)
        g(v)
        tracemalloc.start()
        g(v)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    assert peak(ag, np) <= 1.01 * peak(autograd, hips_np)
