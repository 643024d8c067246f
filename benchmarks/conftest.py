"""What the benchmark files share: the libraries that are installed, as a parameter."""

import pytest

from .libraries import HAND, HIPS, OURS, installed

# Warnings of other libraries are theirs; ours are errors, as everywhere in the tests.
_THEIRS = pytest.mark.filterwarnings("ignore")


def pytest_generate_tests(metafunc):
    """`library` runs over autograd_fast and HIPS, `any_library` over every peer that is installed."""
    for fixture, names in (
        ("library", (OURS, HIPS)),
        ("any_library", (OURS, HAND, HIPS, "torch", "jax")),
    ):
        if fixture in metafunc.fixturenames:
            params = [pytest.param(n, marks=() if n in (OURS, HAND) else _THEIRS) for n in installed(names)]
            metafunc.parametrize(fixture, params)
