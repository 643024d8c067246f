"""``pytest --autograd-fast``: the test suites of other projects on autograd_fast."""

import importlib.metadata
import os
import subprocess
import sys
import textwrap

import pytest

CONFTEST = """
    import autograd
    import autograd.numpy as np
"""
TESTS = """
    import os, sys

    import autograd
    import autograd.numpy as np
    from autograd.extend import Box

    EXPECTED = os.environ["EXPECTED"]

    def test_which():
        assert autograd.__name__ == EXPECTED and Box.__module__ == "autograd.tracer"
        assert ("autograd_fast" in sys.modules) == (EXPECTED == "autograd_fast")

    def test_derivative():
        assert autograd.grad(lambda x: np.sin(x) * np.cos(x))(0.0) == 1.0
"""


@pytest.fixture
def project(tmp_path):
    """The test suite of a project that knows nothing of us."""
    (tmp_path / "conftest.py").write_text(textwrap.dedent(CONFTEST))
    (tmp_path / "test_it.py").write_text(textwrap.dedent(TESTS))
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return tmp_path


def run(project, *arguments, expected, command=("-m", "pytest")):
    # named by hand, since a checkout that is used in place has no entry points
    plugin = ["-p", "pytest_autograd_fast", "-p", "no:cacheprovider"]
    command = [sys.executable, *command, *plugin, *arguments]
    environment = {**os.environ, "EXPECTED": expected, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=project, env=environment, check=False
    )


def test_with_the_flag(project):
    done = run(project, "--autograd-fast", expected="autograd_fast")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr
    assert "\nautograd: autograd_fast " in done.stdout


def test_flag_in_the_settings(project):
    (project / "pytest.ini").write_text("[pytest]\naddopts = --autograd-fast\nfilterwarnings = error\n")
    done = run(project, expected="autograd_fast")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


def test_without_the_flag_nothing_is_imported(project):
    pytest.importorskip("autograd")
    done = run(project, expected="autograd")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr
    assert "\nautograd: " not in done.stdout


def test_pytest_under_the_run_command(project):
    done = run(project, expected="autograd_fast", command=("-m", "autograd_fast", "run", "-m", "pytest"))
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr
    assert "warning" not in done.stdout


def test_too_late_is_a_usage_error(project):
    pytest.importorskip("autograd")
    program = "import sys, autograd, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    done = run(project, "--autograd-fast", expected="", command=("-c", program))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--autograd-fast: 'autograd' has been imported already" in done.stderr


def test_the_name_is_free_again_after_a_session(project):
    program = """
        import sys, pytest
        status = pytest.main(sys.argv[1:])
        print([name for name in sys.modules if name.split(".")[0] == "autograd"])
        sys.exit(status)
    """
    done = run(project, "--autograd-fast", expected="autograd_fast", command=("-c", textwrap.dedent(program)))
    assert done.returncode == 0 and done.stdout.endswith("[]\n"), done.stdout + done.stderr


def test_entry_point():
    """An installed package has the plugin under the name of its module, so that ``-p`` finds the same one."""
    try:
        distribution = importlib.metadata.distribution("autograd_fast")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed, used in place")
    plugins = [entry for entry in distribution.entry_points if entry.group == "pytest11"]
    assert [(entry.name, entry.value) for entry in plugins] == [("pytest_autograd_fast",) * 2]
