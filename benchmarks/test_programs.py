"""Gradients of whole programs, against the gradient by hand and every peer that is installed."""

import functools

import pytest

from .catalogue import PROGRAMS
from .libraries import HAND, OURS, assert_same, load


@functools.cache
def program_of(name):
    return PROGRAMS[name]()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(benchmark, name, any_library):
    program = program_of(name)
    if any_library != OURS and any_library not in program.peers:
        pytest.skip(f"{name} is not run on {any_library}")
    benchmark.group = name
    gradient = load(any_library).gradient(program)
    assert_same({HAND: load(HAND).gradient(program), any_library: gradient})
    benchmark(gradient)
