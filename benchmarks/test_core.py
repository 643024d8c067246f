"""Unit costs of the core on autograd_fast and, when installed, HIPS autograd."""

import warnings

import pytest

from .core_costs import CASES
from .libraries import HIPS, OURS, assert_same, installed, load


@pytest.mark.parametrize("case", CASES)
def test_core(benchmark, case, library):
    benchmark.group = case
    call = CASES[case](load(library))
    result = call()
    if result is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_same({name: CASES[case](load(name)) for name in installed((OURS, HIPS))})
    benchmark(call)
