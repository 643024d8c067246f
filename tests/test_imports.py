"""What importing does, and what it leaves until a program asks for it."""

import os
import pickle
import subprocess
import sys

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import Primitive

LATE = {
    "autograd_fast": "debug detect_nans install_as_autograd strong_zeros uninstall_as_autograd",
    "autograd_fast.numpy": "emath numpy_jvps polynomial random",
}
# what a program may never use; NumPy itself may have imported some of it
UNUSED = {
    "autograd_fast._alias",
    "autograd_fast._commands",
    "autograd_fast._coverage",
    "autograd_fast._modes",
    "autograd_fast._recorded",
    "autograd_fast.misc",
    "autograd_fast.numpy.emath",
    "autograd_fast.numpy.polynomial",
    "autograd_fast.numpy.random",
    "autograd_fast.scipy",
    "autograd_fast.test_util",
    "copy",
    "dataclasses",
    "difflib",
    "importlib.util",
    "numpy.polynomial",
    "numpy.random",
    "numpy.testing",
    "scipy",
    "unittest",
}


def printed(program, **environment):
    """What a fresh process prints."""
    kept = {key: value for key, value in os.environ.items() if key != "AUTOGRAD_FAST_DEBUG"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=kept | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("statement", ["import autograd_fast", "import autograd_fast.numpy"])
def test_what_few_programs_use_is_not_imported(statement):
    program = f"import numpy, sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    assert UNUSED & set(printed(program)) == set()


def test_numpy_is_imported_before_the_rest():
    names = printed("import autograd_fast, sys; print(*sys.modules)")
    assert names.index("numpy") < min(i for i, name in enumerate(names) if name.startswith("autograd_fast."))


@pytest.mark.parametrize("module, name", [(m, name) for m, names in LATE.items() for name in names.split()])
def test_late_names_are_there_in_every_way_of_asking(module, name):
    ways = (
        f"from {module} import {name}",
        f"from {module} import *; {name}",
        f"import {module} as m; m.{name}",
        f"import {module} as m; assert {name!r} in dir(m) and {name!r} in m.__all__",
    )
    for way in ways:
        printed(way)


@pytest.mark.parametrize("module", [ag, np])
def test_names_that_are_not_there_are_told(module):
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_the_first_mode_works_on_what_was_recorded_before_it():
    program = """
import autograd_fast as ag, autograd_fast.numpy as np
pullback, _ = ag.make_vjp(lambda x: np.sqrt(x) * 0.0)(0.0)
try:
    with ag.detect_nans():
        pullback(1.0)
except FloatingPointError:
    print("raised")
"""
    assert printed(program) == ["raised"]


def test_debug_can_be_on_from_the_start():
    program = "import autograd_fast, autograd_fast._watch as w; print(w.is_on('debug'))"
    assert printed(program, AUTOGRAD_FAST_DEBUG="1") == ["True"]
    assert printed(program) == ["False"]


def test_primitives_have_the_docstrings_of_their_functions():
    for name in ("sin", "add", "sum", "reshape"):
        assert getattr(np, name).__doc__ == getattr(onp, name).__doc__
    assert "boxes are recorded" in Primitive.__doc__


def test_a_docstring_can_be_given_to_a_primitive_and_taken_away():
    np.sin.__doc__ = "Opposite over hypotenuse."
    try:
        assert np.sin.__doc__ == "Opposite over hypotenuse."
        assert pickle.loads(pickle.dumps(np.sin)) is np.sin
    finally:
        del np.sin.__doc__
    assert np.sin.__doc__ == onp.sin.__doc__


def test_primitives_know_what_they_wrap():
    function = ag.primitive(lambda x: 2 * x)
    assert function.__wrapped__ is function.fun
    assert np.sin.__wrapped__ is onp.sin
