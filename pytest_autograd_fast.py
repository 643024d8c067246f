"""The pytest plugin: ``pytest --autograd-fast`` runs tests with autograd_fast in the place of autograd.

It is a module of its own, outside of the package, because every run of pytest in an environment with
autograd_fast imports it: without the flag it imports nothing and does nothing.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--autograd-fast",
        action="store_true",
        help="run the tests with autograd_fast in the place of autograd (HIPS/autograd)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the alias before any conftest or test can import autograd."""
    if not early_config.known_args_namespace.autograd_fast:
        return
    from autograd_fast import _alias

    try:
        _alias.install_as_autograd()
    except RuntimeError as error:
        raise pytest.UsageError(f"--autograd-fast: {error}") from error
    _alias.reach_spawned_processes()


def pytest_report_header(config: pytest.Config) -> str | None:
    if not config.getoption("autograd_fast"):
        return None
    import autograd_fast

    return f"autograd: autograd_fast {autograd_fast.__version__}"


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.getoption("autograd_fast"):
        from autograd_fast import uninstall_as_autograd

        uninstall_as_autograd()
