"""Derivatives in several threads: each has its own traces, and boxes of other threads nest rightly."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import core, extend, tracer

WAIT = 20.0


@pytest.fixture(autouse=True)
def frequent_switches():
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(old)
    assert tracer.trace_stack.top == -1


def in_threads(functions):
    """The results of functions that start together, each in a thread of its own; an error is raised here."""
    barrier = threading.Barrier(len(functions))

    def run(f):
        barrier.wait(WAIT)
        return f(), tracer.trace_stack.top

    with ThreadPoolExecutor(len(functions)) as pool:
        results = [future.result(WAIT) for future in [pool.submit(run, f) for f in functions]]
    assert all(top == -1 for _, top in results)
    return [value for value, _ in results]


def in_thread(f, *args):
    return in_threads([lambda: f(*args)])[0]


def program(k):
    """Something that nests, loops, and uses containers, arrays and numbers."""

    def inner(p):
        w, b = p["w"], p["b"][0]
        total = 0.0
        for i in range(5):
            total = total + np.sum(np.tanh(w * (i + k)) * b) + w[i % 3] * b
        return total

    def outer(x):
        g = ag.grad(inner)({"w": x * np.arange(1.0, 4.0), "b": (x + k,)})
        return np.sum(g["w"] ** 2) + g["b"][0]

    return outer


def test_many_threads_compute_what_one_does():
    def work(k):
        f = program(k)
        second = ag.grad(ag.grad(f))(0.3)
        forward = ag.make_jvp(ag.grad(f))(0.3)(1.0)[1]
        value, slope = ag.value_and_grad(f)(0.3)
        return [value, slope, second, forward]

    want = [work(0.1 * k) for k in range(8)]
    for _ in range(3):
        got = in_threads([lambda k=k: work(0.1 * k) for k in range(8)])
        onp.testing.assert_array_equal(got, want)


def test_depth_is_that_of_the_own_thread():
    seen = []

    def f(x):
        assert tracer.trace_stack.top == 0

        def g(y):
            seen.append((tracer.trace_stack.top, y._trace, x._trace))
            return x * y

        return in_thread(ag.grad(g), x)

    ag.grad(f)(2.0)
    assert seen == [(0, 0, 0)]


@pytest.mark.parametrize("inner_forward", [False, True], ids=["reverse", "forward"])
@pytest.mark.parametrize("outer_forward", [False, True], ids=["reverse", "forward"])
def test_closures_over_a_box_of_another_thread(outer_forward, inner_forward):
    def derivative(f, forward):
        return (lambda x: ag.make_jvp(f)(x)(1.0)[1]) if forward else ag.grad(f)

    def outer(x):
        # d/dy (x y^3 + y) at y = x, computed in another thread: 3 x^3 + 1
        inner = derivative(lambda y: x * y**3 + y, inner_forward)
        return x * in_thread(inner, x)

    x = 1.5
    onp.testing.assert_allclose(derivative(outer, outer_forward)(x), 12 * x**3 + 1)


def test_three_threads_deep():
    def second(f):
        return lambda x: in_thread(ag.grad(f), x)

    # each level closes over the boxes of those above it, each in a thread of its own
    f = second(lambda x: x * second(lambda y: x * y * second(lambda z: x * y * z**2)(y))(x))
    # innermost: 2 x y z at z=y: 2 x y^2; then d/dy (2 x^2 y^3) = 6 x^2 y^2 at y=x: 6 x^4; then d/dx 6 x^5
    onp.testing.assert_allclose(f(1.3), 30 * 1.3**4)


def test_an_outer_trace_of_a_thread_that_goes_on():
    """Thread A's trace is open while B differentiates with A's box, and A computes on meanwhile."""
    boxes, started, done, results = [], threading.Event(), threading.Event(), []

    def other():
        started.wait(WAIT)
        results.append(ag.grad(lambda y: boxes[0] ** 2 * y**3)(2.0))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def f(x):
        boxes.append(x)
        started.set()
        total = x
        while not done.wait(0.0001):
            total = total + 0.0 * x
        return total + results[0]

    # d/dx (x + 12 x^2)
    onp.testing.assert_allclose(ag.grad(f)(3.0), 1 + 24 * 3.0)
    thread.join()


def test_traces_that_would_have_to_be_inside_each_other_are_an_error():
    mine, theirs = [], []
    have_mine, have_theirs, finished = (threading.Event() for _ in range(3))

    def other():
        have_mine.wait(WAIT)

        def g(y):
            theirs.append(y)
            have_theirs.set()
            finished.wait(WAIT)
            return mine[0] * y

        return ag.grad(g)(2.0)

    def f(x):
        mine.append(x)
        have_mine.set()
        have_theirs.wait(WAIT)
        return x * theirs[0]

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(other)
        with pytest.raises(RuntimeError, match="each of the two traces would have to be inside the other"):
            ag.grad(f)(3.0)
        finished.set()
        # that of the later trace is inside the other one, which has ended by now
        with pytest.raises(RuntimeError, match="already returned"):
            future.result(WAIT)
    assert ag.grad(lambda x: x * x)(3.0) == 6.0


def test_hand_made_boxes_form_a_trace_of_their_own():
    def by_hand(value):
        start = tracer.new_box(value, 0, core.VJPNode.new_root())
        end = np.sin(start) * start
        assert end._trace == 0
        return core.backward_pass(1.0, end._node)

    values = [0.1 * k for k in range(8)]
    want = [onp.sin(v) + v * onp.cos(v) for v in values]
    onp.testing.assert_allclose(in_threads([lambda v=v: by_hand(v) for v in values]), want)

    def f(x):
        # inside an open trace: level 0 is that trace, level 1 a trace of the box's own
        start = tracer.new_box(x, 1, core.VJPNode.new_root())
        return core.backward_pass(1.0, (start**2 * x)._node)

    onp.testing.assert_allclose(ag.grad(f)(3.0), 12.0)  # d/dx 2 x^2
    onp.testing.assert_allclose(in_threads([lambda: ag.grad(f)(3.0)] * 4), [12.0] * 4)


def test_a_pullback_is_used_by_many_threads():
    x = onp.linspace(0.1, 1.0, 50)
    vjp, _ = ag.make_vjp(lambda x: np.cumsum(np.sin(x) * x)[::-1] + x[[0] * 50] + x)(x)
    cotangents = onp.random.default_rng(0).standard_normal((8, 50))
    want = [vjp(g) for g in cotangents]
    for _ in range(5):
        got = in_threads([lambda g=g: vjp(g) for g in cotangents])
        onp.testing.assert_array_equal(got, want)


def test_a_gradient_of_one_thread_is_freed_in_another():
    def chain(x):
        for _ in range(20_000):
            x = x * 1.0
        return x

    pullbacks = in_threads([lambda: ag.make_vjp(chain)(2.0)[0] for _ in range(4)])
    assert [vjp(1.0) for vjp in pullbacks] == [1.0] * 4
    kept = [[pullbacks.pop()] for _ in range(4)]
    in_threads([kept[k].clear for k in range(4)])


def test_registries_change_while_others_differentiate():
    stop = threading.Event()

    def differentiate():
        count = 0
        while not stop.is_set():
            assert ag.grad(lambda x: np.sum(np.exp(x) * x))(onp.zeros(3)).sum() == 3.0
            assert ag.grad(lambda p: p[0] * p[1])((2.0, 3.0))[0] == 3.0
            count += 1
        return count

    def register(k):
        for i in range(50):
            made = extend.primitive(lambda x, c=float(k * i): c * x)
            extend.defvjp(made, lambda ans, x, c=float(k * i): lambda g: c * g)
            extend.defjvp(made, lambda g, ans, x, c=float(k * i): c * g)
            assert ag.grad(made)(1.0) == k * i == ag.make_jvp(made)(1.0)(1.0)[1]
            kind = type(f"Kind{k}_{i}", (onp.ndarray,), {})
            extend.Box.type_mappings[kind] = extend.Box.type_mappings[onp.ndarray]
            extend.VSpace.mappings[kind] = extend.VSpace.mappings[onp.ndarray]
            assert type(ag.grad(lambda x: np.sum(x * x))(onp.ones(2).view(kind))) is not None
            del extend.Box.type_mappings[kind], extend.VSpace.mappings[kind]
            del core.primitive_vjps[made]
            with pytest.raises(NotImplementedError):
                ag.grad(made)(1.0)
        return k

    with ThreadPoolExecutor(6) as pool:
        readers = [pool.submit(differentiate) for _ in range(2)]
        writers = [pool.submit(register, k) for k in range(1, 5)]
        try:
            assert [w.result(WAIT) for w in writers] == [1, 2, 3, 4]
        finally:
            stop.set()
        assert all(r.result(WAIT) > 0 for r in readers)


def test_a_trace_ended_by_another_thread():
    """A generator that holds a trace open may be finished anywhere, in any order."""

    def hold():
        with tracer.trace_stack.new_trace() as depth:
            yield depth

    first, second = hold(), hold()
    assert next(first) == 0 and next(second) == 1
    in_thread(first.close)
    assert tracer.trace_stack.top == 1
    assert ag.grad(lambda x: x * x)(3.0) == 6.0
    second.close()
    assert tracer.trace_stack.top == -1


def test_the_interpreter_lock_is_on():
    """A free-threaded CPython turns its lock on when it imports the compiled units; others always hold it."""
    assert getattr(sys, "_is_gil_enabled", lambda: True)()
