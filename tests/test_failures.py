"""Whatever is raised, wherever: no state is left behind.  And derivatives inside of derivatives."""

import gc
import signal
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import core, tracer
from autograd_fast.extend import defjvp, defvjp, defvjp_argnums, primitive

X = onp.array([0.5, -1.0, 2.0])


class Stop(Exception):
    pass


FAILURES = [Stop, KeyboardInterrupt, RecursionError, MemoryError, GeneratorExit, StopIteration, SystemExit]


def smooth(x):
    return np.sum(np.sin(x) * x)


WANT = onp.cos(X) * X + onp.sin(X)


def assert_nothing_left():
    assert tracer.trace_stack.top == -1
    assert sys.exc_info() == (None, None, None)
    onp.testing.assert_allclose(ag.grad(smooth)(X), WANT)
    onp.testing.assert_allclose(ag.make_jvp(smooth)(X)(onp.ones(3))[1], WANT.sum())


def failing(at, error):
    """A primitive that raises in its value, in the making of its VJP, in the VJP or in the JVP."""

    def fail(place, value):
        if place == at:
            raise error(place)
        return value

    f = primitive(lambda x: fail("value", 2.0 * x))
    defvjp(f, lambda ans, x: fail("maker", lambda g: fail("vjp", 2.0 * g)))
    defjvp(f, lambda g, ans, x: fail("jvp", 2.0 * g))
    return f


@pytest.mark.parametrize("error", FAILURES, ids=lambda e: e.__name__)
@pytest.mark.parametrize("at", ["function", "value", "maker", "vjp", "jvp"])
def test_failures_leave_no_state(at, error):
    f = failing(at, error)
    alive = []

    def loss(x):
        y = np.exp(x)
        alive.append(weakref.ref(tracer.getval(y)))
        if at == "function":
            raise error(at)
        z = f(y * y)
        return np.sum(z * np.cumsum(z)) + np.sum(y[[0, 0, 1]])

    def nested(x):
        return np.sum(ag.grad(loss)(x) * x)

    runs = [
        lambda: ag.grad(loss)(X),
        lambda: ag.value_and_grad(loss)(X),
        lambda: ag.make_vjp(loss)(X)[0](1.0),
        lambda: ag.elementwise_grad(loss)(X),
        lambda: ag.jacobian(loss)(X),
        lambda: ag.grad(nested)(X),
        lambda: ag.make_jvp(nested)(X)(X),
        lambda: ag.grad(lambda x: ag.checkpoint(loss)(x) * 1.0)(X),
    ]
    if at in ("function", "value", "jvp"):
        runs += [lambda: ag.make_jvp(loss)(X)(X), lambda: ag.grad(lambda x: ag.make_jvp(loss)(x)(x)[1])(X)]
    if at == "jvp":
        runs = runs[-2:] + [runs[6]]
    for run in runs:
        with pytest.raises(error):
            run()
        assert_nothing_left()
    gc.collect()
    assert [ref for ref in alive if ref() is not None] == []


def test_a_pullback_can_be_used_after_it_failed():
    fail = [True]

    def pull(g):
        if fail[0]:
            raise Stop
        return 3.0 * g

    f = primitive(lambda x: 3.0 * x)
    defvjp(f, lambda ans, x: pull)
    vjp, _ = ag.make_vjp(lambda x: f(x * 2.0) + np.cumsum(x) + x[[0, 0, 1]])(X)
    for _ in range(3):
        with pytest.raises(Stop):
            vjp(onp.ones(3))
    fail[0] = False
    onp.testing.assert_array_equal(vjp(onp.ones(3)), [6 + 3 + 2, 6 + 2 + 1, 6 + 1])


def test_a_generator_of_cotangents_that_fails_or_is_not_used_up():
    seen = []

    def cotangents(g, fail):
        try:
            yield g * 2.0
            if fail:
                raise Stop
            yield g * 3.0
            yield g * 5.0
        finally:
            seen.append("closed")

    for fail in (False, True):
        f = primitive(lambda x, y: 2.0 * x + 3.0 * y)
        defvjp_argnums(f, lambda argnums, ans, args, kwargs, fail=fail: lambda g: cotangents(g, fail))
        loss = lambda x, f=f: f(x, x * 1.0)
        if fail:
            with pytest.raises(Stop):
                ag.grad(loss)(1.0)
        else:
            assert ag.grad(loss)(1.0) == 5.0
        gc.collect()
        assert_nothing_left()
    assert seen == ["closed"] * 2


def test_an_open_generator_inside_of_a_differentiated_function():
    def powers(x):
        try:
            y = x
            while True:
                yield y
                y = y * x
        finally:
            closed.append(True)

    closed = []

    def f(x):
        source = powers(x)
        total = next(source) + next(source) + next(source)
        source.close()
        return total

    assert ag.grad(f)(2.0) == 1 + 4 + 12
    assert closed == [True]


def test_errstate_is_the_users():
    def f(x):
        with onp.errstate(divide="raise"):
            return np.sum(np.log(x))

    before = onp.geterr()
    with pytest.raises(FloatingPointError):
        ag.grad(f)(onp.zeros(2))
    with onp.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            ag.grad(lambda x: np.sum(np.exp(x)))(onp.array([1000.0]))
        with pytest.raises(FloatingPointError):
            ag.grad(lambda x: np.sum(np.sqrt(x)))(onp.zeros(1))  # in the backward pass
        assert set(onp.geterr().values()) == {"raise"}
    with pytest.warns(RuntimeWarning, match="divide"):
        ag.grad(lambda x: np.sum(np.log(x)))(onp.zeros(2))
    assert onp.geterr() == before
    assert_nothing_left()


def test_real_recursion_errors():
    def f(x):
        return f(x * 1.0) + x

    with pytest.raises(RecursionError):
        ag.grad(f)(1.0)
    assert_nothing_left()

    def ever_deeper(x):
        return ag.grad(lambda y: ever_deeper(y * x))(x)

    with pytest.raises(RecursionError):
        ag.grad(ever_deeper)(1.0)
    assert_nothing_left()


def test_real_memory_errors():
    def f(x):
        return np.sum(x * onp.zeros(3) + np.reshape(x, (3, 1, 1)) * onp.broadcast_to(1.0, (1, 10**8, 10**8)))

    with pytest.raises(MemoryError):
        ag.grad(f)(X)
    with pytest.raises(MemoryError):  # in the backward pass
        ag.grad(lambda x: np.sum(np.broadcast_to(x[0], (10**8, 10**8))[:1, :1]))(X)
    assert_nothing_left()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_interrupts_at_any_moment():
    rng = onp.random.default_rng(0)
    interrupted = 0

    def alarm(signum, frame):
        raise KeyboardInterrupt

    def chain(x):
        for _ in range(300):
            x = np.sin(x) * x + x[0]
        return np.sum(x)

    run = ag.grad(lambda x: np.sum(ag.grad(chain)(x) ** 2))
    want = ag.grad(chain)(X)
    old = signal.signal(signal.SIGALRM, alarm)
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()  # in another package's callback the exception would be lost
    try:
        for _ in range(60):
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 1e-2))
                try:
                    run(X)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            assert tracer.trace_stack.top == -1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        gc.callbacks[:] = callbacks
    onp.testing.assert_array_equal(ag.grad(chain)(X), want)
    assert_nothing_left()


# ----- derivatives inside of derivatives -----


def test_a_vjp_that_calls_grad():
    cube = primitive(lambda x: x**3)
    defvjp(cube, lambda ans, x: lambda g: g * ag.grad(lambda y: y**3)(x))
    assert ag.grad(cube)(2.0) == 12.0
    assert ag.grad(ag.grad(cube))(2.0) == 12.0
    assert ag.grad(ag.grad(ag.grad(cube)))(2.0) == 6.0
    assert_nothing_left()


def test_a_primitive_that_differentiates_inside():
    slope = primitive(lambda x: ag.grad(lambda y: y**3)(x) + ag.grad(ag.grad(np.sin))(x))
    defvjp(slope, lambda ans, x: lambda g: g * ag.grad(lambda y: 3 * y**2 - np.sin(y))(x))
    defjvp(slope, lambda g, ans, x: g * (6 * x - np.cos(x)))
    onp.testing.assert_allclose(slope(2.0), 12.0 - onp.sin(2.0))
    for got in (ag.grad(slope)(2.0), ag.make_jvp(slope)(2.0)(1.0)[1]):
        onp.testing.assert_allclose(got, 12.0 - onp.cos(2.0))
    onp.testing.assert_allclose(ag.grad(ag.grad(slope))(2.0), 6.0 + onp.sin(2.0))


def test_a_pullback_is_used_inside_itself():
    depth = [0]

    def pull(g):
        if depth[0] == 3:
            return 2.0 * g
        depth[0] += 1
        try:
            # the same graph, walked again while it is being walked
            onp.testing.assert_array_equal(vjp(10.0 * g), 10.0 * g * WEIGHTS)
        finally:
            depth[0] -= 1
        return 2.0 * g

    f = primitive(lambda x: 2.0 * x)
    defvjp(f, lambda ans, x: pull)
    WEIGHTS = onp.array([2.0 + 1 + 2, 2.0 + 1 + 2, 2.0 + 1 + 2])
    vjp, _ = ag.make_vjp(lambda x: f(x * 1.0) + x + f(x))(X)
    onp.testing.assert_array_equal(vjp(onp.ones(3)), WEIGHTS)


def test_a_pullback_is_used_by_two_threads_at_a_time():
    meet = threading.Barrier(2)

    def pull(g):
        meet.wait(20)  # both are in the middle of the pass
        return 2.0 * g

    f = primitive(lambda x: 2.0 * x)
    defvjp(f, lambda ans, x: pull)
    vjp, _ = ag.make_vjp(lambda x: np.cumsum(f(x * x)) + x[::-1] + x)(X)
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(vjp, g) for g in (onp.ones(3), 2 * onp.ones(3))]
        one, two = [future.result(20) for future in futures]
    onp.testing.assert_array_equal(one, 4 * X * [3, 2, 1] + 2)
    onp.testing.assert_array_equal(two, 2 * one)


def test_the_graph_is_walked_while_it_is_extended():
    """A rule that goes on computing with a box of the trace whose pullback runs."""
    boxes = []

    def f(x):
        boxes.append(x * x)
        return boxes[0] * x

    vjp, _ = ag.make_vjp(f)(3.0)
    more = np.sin(boxes[0])
    assert vjp(1.0) == 27.0
    onp.testing.assert_allclose(core.backward_pass(1.0, more._node), onp.cos(9.0) * 6.0)
    assert vjp(1.0) == 27.0


def test_rules_that_return_the_wrong_thing_are_errors():
    for wrong in (lambda g: None, lambda g: "text", lambda g: object(), lambda g: onp.ones(5)):
        f = primitive(lambda x: x * 1.0)
        defvjp(f, lambda ans, x, wrong=wrong: wrong)
        with pytest.raises((TypeError, ValueError)):
            ag.grad(lambda x, f=f: np.sum(f(x) * X + x))(X)
    assert_nothing_left()
