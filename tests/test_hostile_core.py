"""Users who push: rules that keep arrays, patched methods, deep graphs of own nodes, interleaved traces."""

import copy
import gc
import sys
import tracemalloc

import numpy as onp
import pytest
from stacks import SMALL_STACK, on_small_stack

X = onp.array([0.5, 1.0, 2.0])


def as_rule(extend, make):
    """A primitive like ``sum`` whose VJP gives ``make(g, x)``."""
    total = extend.primitive(lambda x: onp.sum(x))
    extend.defvjp(total, lambda ans, x: lambda g: make(g, x))
    return total


# ----- who owns what a rule returns -----


def read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "kept",
    [
        onp.full(3, 7.0),
        onp.full((5, 3), 7.0)[1],
        onp.full((3, 5), 7.0)[:, 1],
        onp.broadcast_to(onp.array(7.0), (3,)),
        read_only(onp.full(3, 7.0)),
    ],
    ids=["whole", "row", "column", "broadcast", "read-only"],
)
def test_an_array_that_a_rule_keeps_is_not_accumulated_into(lib, extend, kept):
    f = as_rule(extend, lambda g, x: kept)
    gradient = lib.ag.grad(lambda x: f(x) + f(x) + x[0] + lib.np.sum(x) + f(x) + x[1])(X)
    onp.testing.assert_array_equal(gradient, [23.0, 23.0, 22.0])
    onp.testing.assert_array_equal(kept, [7.0, 7.0, 7.0])


def test_an_operand_that_a_rule_returns_is_not_accumulated_into(lib, extend):
    f = as_rule(extend, lambda g, x: x)
    x = X.copy()
    onp.testing.assert_array_equal(lib.ag.grad(lambda x: f(x) + x[0] + x[1])(x), X + [1.0, 1.0, 0.0])
    onp.testing.assert_array_equal(x, X)


def test_a_cotangent_that_a_rule_keeps_stays_as_it_was(lib, extend):
    seen = []
    f = extend.primitive(lambda x: x * 1.0)

    def vjpmaker(ans, x):
        def vjp(g):
            seen.append((g, onp.array(g)))
            return g

        return vjp

    extend.defvjp(f, vjpmaker)

    def of(x):
        y = f(x)
        z = f(y)
        return lib.np.sum(z * 2) + lib.np.sum(y * 3) + y[0] + lib.np.sum(f(y) * y) + lib.np.sum(x)

    lib.ag.grad(of)(X)
    assert len(seen) == 3
    for g, before in seen:
        onp.testing.assert_array_equal(g, before)


@pytest.mark.ours_only("a gradient may be a view of the cotangent")
def test_a_gradient_is_no_view_of_the_cotangent(lib):
    np = lib.np
    for f in (
        lambda x: x.reshape(3, 1),
        lambda x: x[::-1],
        lambda x: np.concatenate([x, x]),
        lambda x: np.broadcast_to(x, (3, 3)),
        lambda x: np.expand_dims(x, 0),
        lambda x: np.real(x),
        lambda x: x,
    ):
        vjp, ans = lib.ag.make_vjp(f)(X)
        g = onp.ones(ans.shape)
        assert not onp.shares_memory(vjp(g), g)


# ----- methods of boxes that users set -----

METHODS = {
    "__add__": lambda v: v + 1.0,
    "__radd__": lambda v: 1.0 + v,
    "__rsub__": lambda v: 1.0 - v,
    "__mul__": lambda v: v * 2.0,
    "__rtruediv__": lambda v: 2.0 / v,
    "__pow__": lambda v: v**2,
    "__rpow__": lambda v: 2**v,
    "__matmul__": lambda v: v @ X,
    "__neg__": lambda v: -v,
    "__abs__": lambda v: abs(v),
    "__eq__": lambda v: v == 1.0,
    "__lt__": lambda v: v < 1.0,
    "__getitem__": lambda v: v[0],
    "__call__": lambda v: v(),
    "__getattr__": lambda v: v.nothing_of_this_name,
    "__copy__": lambda v: copy.copy(v),
    "__array_ufunc__": lambda v: onp.sin(v),
    "__array_function__": lambda v: onp.sum(v),
    "__invert__": lambda v: ~v,
    "sum": lambda v: v.sum(),
    "dot": lambda v: v.dot(X),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_set_on_arraybox_is_called(lib, core, monkeypatch, name):
    ArrayBox = lib.module("numpy.numpy_boxes").ArrayBox
    calls = []
    monkeypatch.setattr(ArrayBox, name, lambda self, *args, **kwargs: calls.append(args), raising=False)
    METHODS[name](ArrayBox(X, 0, core.VJPNode.new_root()))
    assert calls
    monkeypatch.undo()
    onp.testing.assert_array_equal(
        lib.ag.grad(lambda v: lib.np.sum(v * 2.0 + 1.0) + v[0])(X), [3.0, 2.0, 2.0]
    )


def test_a_constructor_set_on_box_is_called(lib, tracer, monkeypatch):
    original, calls = tracer.Box.__init__, []

    def init(self, value, trace, node):
        calls.append(trace)
        original(self, value, trace, node)

    monkeypatch.setattr(tracer.Box, "__init__", init)
    assert lib.ag.grad(lambda x: x * 2.0 + 1.0)(1.0) == 2.0
    assert len(calls) == 3


# ----- graphs of nodes of users -----


def test_deep_graphs_of_own_nodes_are_freed_on_a_small_stack(lib, core, tracer):
    class Plain(tracer.Node):
        def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
            self.parents = parents

        def initialize_root(self):
            self.parents = []

    class Derived(core.VJPNode):
        pass

    def run():
        for cls in (Plain, Derived):
            node = tracer.trace(cls.new_root(), chain, 1.0)[1]
            done.append(sum(1 for _ in tracer.toposort(node)))
            del node

    def chain(x):
        for _ in range(50_000):
            x = x * 1.0
        return x

    done = []
    # CPython 3.13 frees objects of Python classes by recursion ten thousand deep, whatever the stack
    on_small_stack(run, SMALL_STACK if sys.version_info < (3, 13) else 8192 * 1024)
    assert done == [50_001, 50_001]


# ----- traces -----


@pytest.mark.ours_only("traces are counted, so that the order of closing decides")
def test_traces_of_interleaved_generators(lib, core, tracer):
    def steps():
        with tracer.trace_stack.new_trace() as level:
            x = tracer.new_box(2.0, level, core.VJPNode.new_root())
            y = x * x
            yield
            yield core.backward_pass(1.0, (y * x)._node)

    first, second = steps(), steps()
    next(first), next(second)
    assert [next(first), next(second)] == [12.0, 12.0]
    first.close()
    assert tracer.trace_stack.top == 1
    second.close()
    assert tracer.trace_stack.top == -1


@pytest.mark.ours_only("an exception leaves the count of traces raised")
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, RecursionError])
def test_any_exception_closes_the_trace(lib, extend, tracer, error):
    def fail(*args):
        raise error

    in_maker, in_vjp = extend.primitive(lambda x: x), extend.primitive(lambda x: x)
    extend.defvjp(in_maker, fail)
    extend.defvjp(in_vjp, lambda ans, x: fail)
    for f in (fail, in_maker, in_vjp, lib.ag.grad(fail), lib.ag.grad(in_maker)):
        with pytest.raises(error):
            lib.ag.grad(lambda x, f=f: lib.np.sin(f(x * 2.0)))(1.0)
        assert tracer.trace_stack.top == -1


def test_failed_calls_keep_no_memory(lib, extend):
    broken = extend.primitive(lambda x: x)

    def fail(g):
        raise ZeroDivisionError

    extend.defvjp(broken, lambda ans, x: fail)
    ag, np = lib.ag, lib.np
    attempts = [
        lambda: ag.grad(lambda x: np.sum(np.sin(broken(np.cos(x))) * x))(X),
        lambda: ag.grad(lambda x: np.sum(x + onp.ones(9)))(X),
        lambda: ag.grad(lambda x: x)(X),
    ]

    def fail_often(times):
        for attempt in attempts * times:
            with pytest.raises((ZeroDivisionError, ValueError, TypeError)):
                attempt()

    fail_often(20)
    gc.collect()
    tracemalloc.start()
    try:
        fail_often(5)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        fail_often(100)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 30_000
    finally:
        tracemalloc.stop()
