"""The examples run from any folder and print what they promise."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograd_fast

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PARTS = sorted(path.name for path in (EXAMPLES / "under_the_hood").glob("part*.py"))
HAS_SCIPY = importlib.util.find_spec("scipy") is not None

# What the experiments must be seen to print, beside the assertions that they hold.
PRINTED = {
    "01": ["sin", "multiply", "[1, 0]"],
    "02": ["-6.41614684", "[6.20807342 1."],
    "03": ["grad(square)(3.0) = 6.0"],
    "04": ["for an index and a sum: 2"],
    "05": ["accumulated: 6.0"],
    "06": ["dot(A, x), by the vector   [1.0, 10.0] -> [41.0, 52.0, 63.0]"],
    "07": ["scalar bias  shape ()      -> 66.0", "vector bias  shape (3,)    -> [11.0, 22.0, 33.0]"],
    "08": ["tangent -0.41614683"],
    "09": [" 1000                     1000          1"],
    "10": ["boxes on entry: [2, 1, 0]   counter after: -1"],
    "11": ["forward passes: 1"],
    "12": ["wrong reverse rule, reverse mode     fails"],
    "13": ["without a rule:", "unruly", "480.0 and, frozen, 288.0"],
    "14": ["engine and rules:"],
}


def run(script, folder, *arguments):
    """The output of an example started in `folder`; warnings are errors."""
    # Where the library under test was imported from, and whatever else this process was told to search.
    paths = [str(Path(autograd_fast.__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-W", "error", str(EXAMPLES / script), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def number(output, pattern):
    """The number that stands where `pattern` has its parentheses."""
    found = re.search(pattern, output)
    assert found, f"{pattern!r} is not in:\n{output}"
    return float(found.group(1))


def losses(output):
    return number(output, r"loss: (\S+) ->"), number(output, r"loss: \S+ -> (-?[\d.]+)")


@pytest.mark.parametrize(
    "method",
    [
        pytest.param("SciPy", marks=pytest.mark.skipif(not HAS_SCIPY, reason="SciPy is not installed")),
        "Adam",
    ],
)
def test_logistic_regression(method, tmp_path):
    output = run("logistic_regression.py", tmp_path, *(["--no-scipy"] if method == "Adam" else []))
    assert "gradient check: passed" in output
    assert method in re.search(r"optimiser: (.*)", output).group(1)
    # The loss is strictly convex, so that every method must come to the same minimum.
    assert losses(output) == pytest.approx((1.098612, 0.131762), abs=2e-6)
    assert number(output, r"slope left (\S+)") < 1e-4
    assert number(output, r"held-out accuracy: (\S+)") >= 0.9


def test_neural_network(tmp_path):
    output = run("neural_network.py", tmp_path, "--iterations", "200")
    assert losses(output)[1] < 0.15
    assert number(output, r"held-out accuracy: (\S+)") >= 0.9


def test_gaussian_process(tmp_path):
    output = run("gaussian_process.py", tmp_path)
    first, last = losses(output)
    assert first > 30 and last < -8
    assert 0.07 < number(output, r"noise (\S+) \(true") < 0.15
    assert number(output, r"square error: ([\d.]+)") < 0.1


def test_rnn(tmp_path):
    output = run("rnn.py", tmp_path, "--iterations", "50")
    first, last = losses(output)
    assert first > 4 and last < 1.2
    assert "written: Peter " in output


def test_all_parts_are_there():
    assert [name[4:6] for name in PARTS] == sorted(PRINTED)


@pytest.mark.parametrize("name", PARTS)
def test_under_the_hood(name, tmp_path):
    output = run(f"under_the_hood/{name}", tmp_path)
    for text in PRINTED[name[4:6]]:
        assert text in output
