"""Boxes, traces and nodes, and what the tracer promises to those who drive it by hand."""

import math
import threading
import warnings

import numpy as onp
import pytest

X = onp.array([0.5, -1.0, 2.0])


def depth(tracer):
    """-1 outside of traces; errors of earlier tests leave it raised in autograd."""
    return tracer.trace_stack.top


# ----- boxes -----


def test_a_box_has_value_trace_and_node(lib, core, tracer):
    ArrayBox = lib.module("numpy.numpy_boxes").ArrayBox
    level = depth(tracer) + 1

    def f(x):
        assert tracer.isbox(x) and type(x) is ArrayBox and isinstance(x, tracer.Box)
        assert x._value is X and x._trace == level and isinstance(x._node, core.VJPNode)
        assert tracer.getval(x) is X and tracer.getval(3) == 3 and not tracer.isbox(X)
        y = lib.np.sin(x)
        assert y._trace == level and list(y._node.parents) == [x._node]
        assert str(x) == f"Autograd ArrayBox with value {X}"
        assert bool(y[0] > 0) and not bool(x[1] * 0.0)
        return lib.np.sum(y)

    lib.ag.grad(f)(X)


def test_queries_and_comparisons_leave_plain_values(lib, tracer):
    def f(x):
        for value in (
            x > 0,
            x == x,
            x != 1.0,
            x <= 2.0,
            x.shape,
            x.ndim,
            x.size,
            x.dtype,
            len(x),
            lib.np.argmax(x),
        ):
            assert not tracer.isbox(value)
        return lib.np.sum(x)

    lib.ag.grad(f)(X)


def test_boxes_of_nested_derivatives_are_nested(lib, tracer):
    traces = []
    outside = depth(tracer)
    assert outside == -1 or not lib.ours

    def f(x):
        shells, inner = [], x
        while tracer.isbox(inner):
            shells.append(inner._trace - outside - 1)
            inner = inner._value
        traces.append(shells)
        return x**3

    grad = lib.ag.grad
    grad(f)(2.0), grad(grad(f))(2.0), grad(grad(grad(f)))(2.0)
    assert traces == [[0], [1, 0], [2, 1, 0]]
    assert depth(tracer) == outside


def test_plain_numbers_do_not_come_out_of_a_box_silently(lib):
    for use in (float, int, complex, math.sin, lambda x: range(x), lambda x: [1, 2, 3][x]):
        with pytest.raises(TypeError):
            lib.ag.grad(lambda x, use=use: use(x) and x)(2.5)


def test_boxes_can_be_made_by_hand(lib, core, tracer):
    np, new_box = lib.np, tracer.new_box
    x = onp.array([0.5, 2.0])
    start = new_box(x, 0, core.VJPNode.new_root())
    out = np.array([start[0] * start[1], np.sin(start[0])])
    assert tracer.isbox(out) and out._trace == 0
    J = onp.array([[2.0, 0.5], [onp.cos(0.5), 0.0]])
    for i in range(2):
        e = onp.eye(2)[i]
        onp.testing.assert_allclose(core.backward_pass(e, out._node), J[i])
        boxed = core.backward_pass(new_box(e, 0, core.VJPNode.new_root()), out._node)
        onp.testing.assert_allclose(tracer.getval(boxed), J[i])
    ArrayBox = lib.module("numpy.numpy_boxes").ArrayBox
    for box in (
        ArrayBox(x, 0, core.VJPNode.new_root()),
        ArrayBox(value=x, trace=0, node=core.VJPNode.new_root()),
    ):
        assert box._value is x and box._trace == 0
        onp.testing.assert_allclose(core.backward_pass(1.0, np.sum(box**2)._node), 2 * x)


def test_a_trace_can_be_opened_by_hand(lib, core, tracer):
    outside = depth(tracer)
    with tracer.trace_stack.new_trace() as level:
        assert level == depth(tracer) == outside + 1
        box = tracer.new_box(X, level, core.VJPNode.new_root())
        y = lib.np.sum(box**2)
        assert y._trace == level and not tracer.isbox(lib.np.zeros(2) + 1.0)
        onp.testing.assert_allclose(core.backward_pass(1.0, y._node), 2 * X)
        onp.testing.assert_allclose(lib.ag.grad(lambda v: lib.np.sum(v * box))(X)._value, X)
        with tracer.trace_stack.new_trace() as inner:
            assert inner == level + 1
    assert depth(tracer) == outside


def test_trace_and_the_unary_operators_of_core(lib, core, tracer):
    value, node = tracer.trace(core.VJPNode.new_root(), lambda x: lib.np.sin(x), 0.5)
    onp.testing.assert_allclose(value, onp.sin(0.5))
    onp.testing.assert_allclose(core.backward_pass(2.0, node), 2 * onp.cos(0.5))
    vjp, value = core.make_vjp(lib.np.sin, 0.5)
    onp.testing.assert_allclose([value, vjp(1.0)], [onp.sin(0.5), onp.cos(0.5)])
    value, tangent = core.make_jvp(lib.np.sin, 0.5)(2.0)
    onp.testing.assert_allclose([value, tangent], [onp.sin(0.5), 2 * onp.cos(0.5)])


def test_a_forward_node_holds_its_tangent(lib, core, tracer):
    def f(x):
        assert isinstance(x._node, core.JVPNode) and x._node.g == 3.0
        y = x * x
        assert y._node.g == 2 * 2.0 * 3.0
        return y

    lib.ag.make_jvp(f)(2.0)(3.0)


def test_sums_of_cotangents(core, extend):
    x, y = onp.ones(2), onp.array([1.0, 2.0])
    onp.testing.assert_array_equal(core.sum_outgrads([x, y, y]), [3.0, 5.0])
    total, mutable = core.add_outgrads(None, x)
    assert total is x and mutable is False
    total, mutable = core.add_outgrads((x, False), y)
    assert mutable is True and (total == [2.0, 3.0]).all() and (x == 1.0).all()
    same, _ = core.add_outgrads((total, True), y)
    assert same is total and (total == [3.0, 5.0]).all()
    sparse = extend.SparseObject(extend.vspace(x), lambda a: a.__iadd__(onp.array([0.0, 1.0])))
    total, _ = core.add_outgrads((x, False), sparse)
    assert (total == [1.0, 2.0]).all() and (x == 1.0).all()
    total, mutable = core.add_outgrads(None, sparse)
    assert (total == [0.0, 1.0]).all() and mutable is True


# ----- traces come and go -----


def test_an_exception_closes_the_trace(lib, tracer):
    ag = lib.ag

    def boom(x):
        raise KeyError("x")

    for operator in (ag.grad, ag.value_and_grad, ag.jacobian, ag.make_vjp):
        with pytest.raises(KeyError):
            operator(boom)(1.0)
        if lib.ours:
            assert depth(tracer) == -1
    with pytest.raises(KeyError):
        ag.make_jvp(boom)(1.0)(1.0)
    with pytest.raises(KeyError):
        ag.grad(lambda x: ag.grad(boom)(x))(1.0)
    if lib.ours:
        assert depth(tracer) == -1
    assert ag.grad(lambda x: x * ag.grad(lambda y: x + y)(x))(5.0) == 1.0


def test_the_count_of_traces_may_be_reset(lib, tracer):
    """As programs do after an exception; nothing is left to reset here, and open traces stay counted."""
    tracer.trace_stack.top = -1
    assert tracer.trace_stack.top == -1 and lib.ag.grad(lambda x: x**2)(3.0) == 6.0
    if lib.ours:
        with tracer.trace_stack.new_trace() as depth, pytest.raises(ValueError, match="can't be set to -1"):
            tracer.trace_stack.top = -1
        assert depth == 0 and tracer.trace_stack.top == -1


def test_independent_outputs(lib):
    ag = lib.ag
    with pytest.warns(UserWarning, match="Output seems independent of input"):
        g = ag.grad(lambda x: 3.0)(onp.ones(2))
    onp.testing.assert_array_equal(g, onp.zeros(2))
    with pytest.warns(UserWarning, match="independent"):
        assert ag.grad(lambda x: lib.np.floor(x))(1.5) == 0.0
    with pytest.warns(UserWarning, match="independent"):
        value, tangent = ag.make_jvp(lambda x: 3.0)(1.0)(1.0)
    assert value == 3.0 and tangent == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ag.grad(lambda x: x * ag.grad(lambda y: x)(1.0) + x)(2.0) == 1.0


@pytest.mark.ours_only("the derivative is lost silently")
def test_a_box_that_outlives_its_trace_is_an_error(lib):
    kept = []

    def leak(x):
        kept.append(x)
        return x * 1.0

    lib.ag.grad(leak)(2.0)
    with pytest.raises(RuntimeError, match="already returned"):
        lib.ag.grad(lambda y: y * kept[0])(3.0)


@pytest.mark.ours_only("threads share one count of traces")
def test_threads_have_traces_of_their_own(lib, tracer):
    started, go, done = threading.Event(), threading.Event(), threading.Event()
    seen = []

    def other():
        def f(x):
            seen.append(depth(tracer))
            started.set()
            go.wait(10)
            return x * 1.0

        lib.ag.grad(f)(1.0)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    started.wait(10)

    def outer(x):
        seen.append(depth(tracer))
        go.set()
        done.wait(10)
        return x * lib.ag.grad(lambda y: x * y * y)(x)

    g = lib.ag.grad(outer)(5.0)
    thread.join()
    assert g == 150.0 and seen == [0, 0]
