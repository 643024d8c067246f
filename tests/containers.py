"""Comparison of nested containers, for tests."""

import numpy as onp


def assert_same(got, want):
    """Equal structure, classes and, to rounding, numbers."""
    if isinstance(want, dict):
        assert type(got) is type(want) and list(got) == list(want)
        for key in want:
            assert_same(got[key], want[key])
    elif isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            assert_same(g, w)
    else:
        assert onp.shape(got) == onp.shape(want)
        assert onp.asarray(got).dtype != object
        onp.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
