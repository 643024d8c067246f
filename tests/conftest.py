"""Fixtures: the same behavioural tests run on autograd_fast and on the library that it replaces."""

import importlib

import pytest


class Library:
    """One implementation: ``lib.ag``, ``lib.np``, and any of its modules by the path below the package."""

    def __init__(self, name):
        self.name = name
        self.ours = name == "autograd_fast"
        self.ag = importlib.import_module(name)
        self.np = importlib.import_module(f"{name}.numpy")

    def module(self, path):
        return importlib.import_module(f"{self.name}.{path}")

    def __repr__(self):
        return self.name


@pytest.fixture(params=["autograd_fast", "autograd"])
def lib(request):
    """autograd_fast, then autograd, which is left out by the mark `ours_only` and where it is missing."""
    if request.param == "autograd":
        mark = request.node.get_closest_marker("ours_only")
        if mark is not None:
            pytest.skip(f"autograd: {mark.args[0]}")
        pytest.importorskip("autograd")
    return Library(request.param)


@pytest.fixture
def core(lib):
    return lib.module("core")


@pytest.fixture
def tracer(lib):
    return lib.module("tracer")


@pytest.fixture
def extend(lib):
    return lib.module("extend")


def pytest_addoption(parser):
    parser.addoption("--no-kernels", action="store_true", help="take all kernels away: NumPy computes all")


def pytest_configure(config):
    if config.getoption("--no-kernels"):
        importlib.import_module("autograd_fast._kernels").set_enabled(False)
    config.addinivalue_line("markers", "ours_only(reason): autograd lacks this or is wrong here")
