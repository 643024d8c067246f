"""Boxes that outlive their trace: an error where a derivative would be lost, as in HIPS everywhere else."""

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import core, tracer

X = onp.array([0.5, -1.0, 2.0])
MESSAGE = "already returned"


def escaped(x, forward=False):
    """A box of `x` whose trace has ended."""
    kept = []

    def f(x):
        kept.append(np.sin(x))
        return np.sum(x)

    if forward:
        ag.make_jvp(f)(x)(x)
    else:
        ag.grad(f)(x)
    return kept[0]


def reverse(f, x):
    return ag.elementwise_grad(f)(x)


def forward(f, x):
    return ag.make_jvp(f)(x)(onp.ones_like(x))[1]


USES = {
    "product": lambda box, x: x * box,
    "reflected": lambda box, x: box * x,
    "scalar of it": lambda box, x: x * box[0],
    "function": lambda box, x: np.arctan2(box, x),
    "matrix product": lambda box, x: np.dot(x, box),
    "list": lambda box, x: np.array([box[0], x[0]]),
    "concatenate": lambda box, x: np.concatenate([x, box]),
    "keyword": lambda box, x: np.interp(x, np.arange(3.0), fp=box),
    "where": lambda box, x: np.where(X > 0, x, box),
    "einsum": lambda box, x: np.einsum("i,j->ij", x, box),
    "plain NumPy": lambda box, x: onp.add(x, box),
    "container": lambda box, x: ag.tuple((x, box)),
    "plain container": lambda box, x: [x, 2.0, {"k": box}],
    "object array": lambda box, x: onp.array([x[0], box[0]], dtype=object),
    "result": lambda box, x: box,
    "result of an operation": lambda box, x: box * 2.0,
    "inner result": lambda box, x: x * ag.grad(lambda y: box[0])(1.0),
    "inner product": lambda box, x: x * ag.grad(lambda y: y * box[0])(1.0),
    "checkpoint": lambda box, x: ag.checkpoint(lambda y: y * box)(x),
}


@pytest.mark.parametrize("of_forward", [False, True], ids=["of reverse", "of forward"])
@pytest.mark.parametrize("mode", [reverse, forward])
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_mixing_with_a_running_trace_is_an_error(use, mode, of_forward):
    box = escaped(X, of_forward)
    with pytest.raises(RuntimeError, match=MESSAGE):
        mode(lambda x: use(box, x), X)
    assert tracer.trace_stack.top == -1


def test_a_box_of_an_inner_trace_is_an_error_in_the_outer_one():
    def outer(x):
        kept = []
        slope = ag.grad(lambda y: kept.append(y * x) or y * y * x)(x)
        return slope * kept[0]

    with pytest.raises(RuntimeError, match=MESSAGE):
        ag.grad(outer)(2.0)


def test_the_message_says_what_to_do():
    box = escaped(X)
    with pytest.raises(RuntimeError, match=r"grad_and_aux.*getval"):
        ag.grad(lambda x: np.sum(x * box))(X)
    got = ag.grad(lambda x: np.sum(x * tracer.getval(box)))(X)
    onp.testing.assert_array_equal(got, onp.sin(X))


@pytest.mark.parametrize("of_forward", [False, True], ids=["of reverse", "of forward"])
def test_what_is_not_an_error(of_forward):
    box = escaped(X, of_forward)
    other = escaped(X, of_forward)
    s = onp.sin(X)
    onp.testing.assert_array_equal(tracer.getval(2.0 * box + X), 2.0 * s + X)
    onp.testing.assert_array_equal(tracer.getval(np.exp(box)[::-1]), onp.exp(s)[::-1])
    onp.testing.assert_array_equal(box > 0.0, s > 0.0)
    assert repr(box).startswith("<ArrayBox") and str(box).endswith(str(s))
    assert f"{box[0]:.3f}" == f"{s[0]:.3f}"
    assert box.shape == (3,) and len(box) == 3 and bool(box[0] > 0)
    onp.testing.assert_array_equal(tracer.getval(box * other), s * s)  # of two traces that have both ended

    def f(x):
        assert np.all(box == other) and np.argmax(box) == 2
        return np.sum(x * tracer.getval(box * 2.0))  # computed with it, not mixed

    onp.testing.assert_array_equal(ag.grad(f)(X), 2.0 * s)


def test_pullbacks_outlive_their_trace():
    vjp, _ = ag.make_vjp(lambda x: np.sin(x) * x)(X)
    want = onp.cos(X) * X + onp.sin(X)
    onp.testing.assert_allclose(vjp(onp.ones(3)), want)
    # inside of a trace, with a cotangent that belongs to it
    onp.testing.assert_allclose(ag.grad(lambda g: np.sum(vjp(g * g)))(X), 2 * X * want)
    onp.testing.assert_allclose(ag.make_jvp(lambda g: vjp(g))(X)(X)[1], X * want)


def test_a_pullback_of_an_inner_trace_after_the_outer_one():
    pullbacks = []

    def outer(x):
        vjp, value = ag.make_vjp(lambda y: x * y * y)(x)
        pullbacks.append(vjp)
        return vjp(1.0)

    assert ag.grad(outer)(3.0) == 4.0 * 3.0
    assert tracer.getval(pullbacks[0](1.0)) == 18.0
    # what it gives depends on the ended outer trace
    with pytest.raises(RuntimeError, match=MESSAGE):
        ag.grad(lambda g: pullbacks[0](g))(1.0)


def test_hand_made_boxes_never_escape():
    box = tracer.new_box(X, 0, core.VJPNode.new_root())
    for _ in range(2):
        got = ag.make_vjp(lambda x: np.sum(x * box))(X)[1]
        onp.testing.assert_array_equal(tracer.getval(got), X @ X)
    end = np.sum(box * box)
    onp.testing.assert_array_equal(core.backward_pass(1.0, end._node), 2.0 * X)


def test_a_box_made_by_hand_for_an_open_trace_is_of_that_trace():
    kept = []

    def f(x):
        kept.append(tracer.new_box(X, 0, core.VJPNode.new_root()))
        assert kept[0]._trace == x._trace
        return np.sum(x * kept[0])

    onp.testing.assert_array_equal(ag.grad(f)(X), X)
    with pytest.raises(RuntimeError, match=MESSAGE):
        ag.grad(lambda x: np.sum(x * kept[0]))(X)


def test_a_trace_opened_by_hand():
    with tracer.trace_stack.new_trace() as depth:
        box = tracer.new_box(X, depth, core.VJPNode.new_root())
        end = np.sum(np.sin(box))
        onp.testing.assert_allclose(core.backward_pass(1.0, end._node), onp.cos(X))
        assert ag.grad(lambda x: tracer.getval(x * box[0]) and x * x)(3.0) == 6.0
    onp.testing.assert_allclose(core.backward_pass(2.0, end._node), 2 * onp.cos(X))
    with pytest.raises(RuntimeError, match=MESSAGE):
        ag.grad(lambda x: np.sum(x * box))(X)
