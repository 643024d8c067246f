"""The peak of memory of a gradient, beside that of the library that this one replaces."""

import tracemalloc

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast import _kernels

pytestmark = pytest.mark.skipif(not _kernels.is_enabled(), reason="promised of the kernels")

LARGE = onp.linspace(0.5, 1.5, 100_000)
SMALL = onp.linspace(0.5, 1.5, 100)


def chain(step, length):
    def program(np):
        def f(x):
            y = x
            for _ in range(length):
                y = step(np, y, x)
            return np.sum(y)

        return f

    return program


def of_double(g):
    return lambda np: lambda x: np.sum(g(np, x * 2.0))


LARGE_PROGRAMS = {
    "add": chain(lambda np, y, x: y + x, 20),
    "subtract": chain(lambda np, y, x: y - x, 20),
    "multiply": chain(lambda np, y, x: y * x, 20),
    "divide": chain(lambda np, y, x: y / x, 20),
    "tanh": chain(lambda np, y, x: np.tanh(y * x + x), 10),
    "sin": chain(lambda np, y, x: np.sin(y), 20),
    "subscripts": chain(lambda np, y, x: y[::-1], 20),
    "reshape": chain(lambda np, y, x: np.reshape(y, (-1,)), 20),
    "concatenate": chain(lambda np, y, x: np.concatenate([y[1:], y[:1]]), 20),
    "where": chain(lambda np, y, x: np.where(y > 0.7, y, x), 20),
    "maximum": chain(lambda np, y, x: np.maximum(y, x), 20),
    "sum": lambda np: lambda x: np.sum(np.sum(np.reshape(x, (100, 1000)), axis=0) ** 2),
    "over max": of_double(lambda np, y: y / np.max(y)),
    "over mean": of_double(lambda np, y: y / np.mean(y)),
    "over variance": of_double(lambda np, y: y / np.var(y)),
    "over norm": of_double(lambda np, y: y / np.linalg.norm(y)),
    "formula": lambda np: (
        lambda x: np.sum(np.exp(-x * x) * np.sin(x) / (1.0 + x * x) + np.log(x) * np.sqrt(x))
    ),
    "dot": lambda np: lambda x: np.sum(np.dot(np.reshape(x, (100, 1000)), np.reshape(x, (1000, 100)))),
}
SMALL_PROGRAMS = {
    "add": chain(lambda np, y, x: y + x, 500),
    "multiply": chain(lambda np, y, x: y * x * 1.5, 500),
    "tanh": chain(lambda np, y, x: np.tanh(y) * x, 500),
    "concatenate": chain(lambda np, y, x: np.concatenate([y[1:], y[:1]]), 200),
    "subscripts": lambda np: lambda x: sum(x[i] * x[i] for i in range(100)),
}


def peak(library, np, program, x):
    gradient = library.grad(program(np))
    gradient(x)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        gradient(x)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def ratio(program, x):
    autograd = pytest.importorskip("autograd")
    theirs = peak(autograd, pytest.importorskip("autograd.numpy"), program, x)
    return peak(ag, anp, program, x) / theirs


@pytest.mark.parametrize("name", LARGE_PROGRAMS)
def test_large_arrays(name):
    assert ratio(LARGE_PROGRAMS[name], LARGE) <= 1.01


@pytest.mark.parametrize("name", SMALL_PROGRAMS)
def test_small_arrays(name):
    assert ratio(SMALL_PROGRAMS[name], SMALL) <= 0.6


def test_numbers():
    assert ratio(chain(lambda np, y, x: y * x + x, 500), 0.5) <= 0.6


def test_nodes_are_freed_as_they_are_pulled_back():
    length, size = 40, LARGE.nbytes
    program = chain(lambda np, y, x: np.sin(y), length)
    # operands of the chain, and one cotangent, which takes the place of the last
    assert peak(ag, anp, program, LARGE) < (length + 3) * size
