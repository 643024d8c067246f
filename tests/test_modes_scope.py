"""Where a mode is in force: blocks, decorators, threads, tasks, pullbacks; and what stays behind."""

import asyncio
import contextvars
import gc
import linecache
import os
import subprocess
import sys
import threading

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels, _watch
from autograd_fast._modes import places

MODES = [ag.detect_nans, ag.strong_zeros, ag.debug]


def masked(x):
    """Its value is smooth at 0, its gradient there 0 times infinity."""
    return np.where(x > 0, np.sqrt(x), 0.0)


def slope(x=0.0):
    with onp.errstate(all="ignore"):
        return ag.grad(masked)(x)


def zeros_are_strong():
    return slope() == 0


@pytest.fixture(autouse=True)
def nothing_is_left():
    gc.collect()
    before, kernels = set(_watch.notes_of_nodes()), _kernels.is_enabled()
    yield
    assert onp.isnan(slope())
    assert _kernels.is_enabled() == kernels
    gc.collect()
    assert set(_watch.notes_of_nodes()) <= before


@pytest.mark.parametrize("mode", MODES)
def test_a_block(mode):
    kernels = _kernels.is_enabled()
    with mode():
        assert not _kernels.is_enabled()
        assert ag.grad(np.sin)(0.0) == 1.0
    assert _kernels.is_enabled() == kernels


def test_blocks_in_each_other():
    with ag.strong_zeros():
        with ag.strong_zeros():
            assert zeros_are_strong()
        assert zeros_are_strong()
        with ag.debug(), ag.detect_nans():
            assert zeros_are_strong()
    assert not zeros_are_strong()


def test_modes_together():
    with ag.detect_nans(), onp.errstate(all="ignore"):
        with ag.strong_zeros():
            assert ag.grad(masked)(0.0) == 0
        with pytest.raises(FloatingPointError, match="strong_zeros"):
            ag.grad(masked)(0.0)


@pytest.mark.parametrize("mode", MODES)
def test_left_by_an_exception(mode):
    with pytest.raises(KeyboardInterrupt):
        with mode():
            raise KeyboardInterrupt


def test_an_interrupt_anywhere_leaves_nothing_behind():
    """At each line in turn, but for those that set back what was set, before which no signal comes."""
    folder = os.path.join("autograd_fast", "_modes")

    def run():
        with ag.detect_nans(), ag.strong_zeros(), ag.debug(), onp.errstate(all="ignore"):
            pull, _ = ag.make_vjp(lambda x: np.nansum(masked(x) * x))(onp.array([0.0, 4.0]))
            pull(1.0)
            ag.make_jvp(masked)(0.0)(1.0)

    def interrupting(number):
        left = iter(range(number))

        def trace(frame, event, argument):
            if folder not in frame.f_code.co_filename:
                return None
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if event == "line" and "CURRENT.set(" not in line and next(left, None) is None:
                sys.settrace(None)
                raise KeyboardInterrupt
            return trace

        return trace

    number, finished, before, kernels = 0, False, sys.gettrace(), _kernels.is_enabled()
    while not finished:
        try:
            sys.settrace(interrupting(number))
            run()
            finished = True
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        number += 1 + number // 40
        assert places.current() is None
        assert _kernels.is_enabled() == kernels
    assert number > 100


def test_a_recursion_error_leaves_nothing_behind():
    def deep(x):
        return deep(np.sin(x))

    with ag.detect_nans(), ag.debug(), pytest.raises(RecursionError):
        ag.grad(deep)(1.0)
    assert places.current() is None


def test_one_object_entered_again():
    mode = ag.strong_zeros()
    with mode:
        with mode:
            assert zeros_are_strong()
        assert zeros_are_strong()
    assert not zeros_are_strong()
    with mode:
        assert zeros_are_strong()


def test_a_decorator():
    @ag.strong_zeros()
    def decorated(n):
        """What it does."""
        return decorated(n - 1) if n else slope()

    assert decorated(3) == 0
    assert decorated.__name__ == "decorated" and decorated.__doc__ == "What it does."
    assert not zeros_are_strong()


def test_a_decorator_of_the_function_that_is_differentiated_covers_its_forward_pass_only():
    f = ag.strong_zeros()(masked)
    with onp.errstate(all="ignore"):
        assert onp.isnan(ag.grad(f)(0.0))
        assert ag.make_jvp(f)(0.0)(0.0)[1] == 0


def test_functions_whose_body_runs_later_are_not_decorated():
    async def task():
        pass

    def generator():
        yield

    for function in (task, generator):
        with pytest.raises(TypeError, match="inside it"):
            ag.debug()(function)


def test_a_new_thread_starts_without():
    seen = []
    with ag.strong_zeros():
        thread = threading.Thread(target=lambda: seen.append(zeros_are_strong()))
        thread.start()
        thread.join()
        assert zeros_are_strong()
    assert seen == [False]


def test_a_thread_of_its_own():
    """Modes of one thread are no other's, at the same time."""
    inside, compared = threading.Barrier(2, timeout=30), threading.Barrier(2, timeout=30)
    seen = {}

    def strong():
        with ag.strong_zeros():
            inside.wait()
            seen["strong"] = [slope() for _ in range(50)]
            compared.wait()

    def plain():
        inside.wait()
        seen["plain"] = [slope() for _ in range(50)]
        seen["smooth"] = [ag.grad(masked)(4.0) for _ in range(50)]
        compared.wait()

    threads = [threading.Thread(target=f) for f in (strong, plain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen["strong"] == [0] * 50
    assert onp.all(onp.isnan(seen["plain"])) and seen["smooth"] == [0.25] * 50


def test_tasks_have_the_mode_until_it_is_left():
    async def report(event):
        first = zeros_are_strong()
        await event.wait()
        return first, zeros_are_strong()

    async def main():
        event = asyncio.Event()
        with ag.strong_zeros():
            inside = asyncio.create_task(report(event))
            await asyncio.sleep(0)
        outside = asyncio.create_task(report(event))
        await asyncio.sleep(0)
        event.set()
        return await inside, await outside

    assert asyncio.run(main()) == ((True, False), (False, False))


def test_left_in_another_context():
    """As happens to generators that are closed elsewhere."""
    mode = ag.strong_zeros()
    contextvars.copy_context().run(mode.__enter__)
    assert not zeros_are_strong()
    mode.__exit__(None, None, None)


def test_for_a_pullback_counts_where_it_is_called():
    with onp.errstate(all="ignore"):
        outside, _ = ag.make_vjp(masked)(0.0)
        with ag.strong_zeros():
            inside, _ = ag.make_vjp(masked)(0.0)
            assert outside(1.0) == 0 and inside(1.0) == 0
        assert onp.isnan(outside(1.0)) and onp.isnan(inside(1.0))


def test_notes_of_operations_go_with_them():
    before = len(_watch.notes_of_nodes())
    with ag.debug(), ag.detect_nans():
        pull, _ = ag.make_vjp(lambda x: np.sum(np.sin(x) * x))(onp.ones(3))
        assert len(_watch.notes_of_nodes()) == before + 3
        pull(1.0)
    del pull
    assert len(_watch.notes_of_nodes()) == before


def test_a_long_chain_is_noted_and_freed():
    def chain(x):
        for _ in range(20_000):
            x = x + 1.0
        return x

    before = len(_watch.notes_of_nodes())
    with ag.detect_nans(), ag.debug():
        assert ag.grad(chain)(1.0) == 1.0
    assert len(_watch.notes_of_nodes()) == before


@pytest.mark.parametrize("mode", MODES)
def test_the_same_numbers(mode):
    """All kinds of nodes and rules, in both modes, to second order."""
    a = onp.random.default_rng(0).uniform(0.5, 1.5, (3, 3))

    def f(parts):
        x, y = parts["x"], parts["y"][0]
        z = np.concatenate([x @ x, np.outer(y, y)]) * y
        z = np.where(z > 1.0, z, z * z)[1:, [0, 1, 1]]
        return np.sum(np.linalg.inv(x)) + np.max(z) + np.sum(z) + np.prod(y) + ag.checkpoint(np.var)(z)

    point = {"x": a, "y": (a[0], 1.0)}

    def second(parts):
        inner = ag.grad(f)(parts)
        return np.sum(inner["x"]) + np.sum(inner["y"][0] ** 2)

    want = ag.grad(f)(point), ag.grad(second)(point), ag.make_jvp(second)(point)(point)
    with mode():
        got = ag.grad(f)(point), ag.grad(second)(point), ag.make_jvp(second)(point)(point)
    for g, w in zip(got[:2], want[:2], strict=True):
        onp.testing.assert_allclose(g["x"], w["x"], rtol=1e-12)
        onp.testing.assert_allclose(g["y"][0], w["y"][0], rtol=1e-12)
    onp.testing.assert_allclose(got[2], want[2], rtol=1e-12)


@pytest.mark.parametrize("value, expected", [("1", "RuntimeError"), ("0", "no error"), ("", "no error")])
def test_the_environment_turns_debug_on_in_every_thread(value, expected):
    program = (
        "import threading, numpy, autograd_fast as ag\n"
        "def f(x, s):\n"
        "    y = x * s\n"
        "    s += 1.0\n"
        "    return y.sum()\n"
        "def run():\n"
        "    try:\n"
        "        ag.grad(f)(numpy.ones(2), numpy.ones(2))\n"
        "        print('no error')\n"
        "    except RuntimeError:\n"
        "        print('RuntimeError')\n"
        "run()\n"
        "thread = threading.Thread(target=run)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"AUTOGRAD_FAST_DEBUG": value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == [expected] * 2
