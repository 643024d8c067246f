"""``import autograd`` gives autograd_fast's modules, as long as one wants."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


def run(program, *arguments):
    """Run a program in a process of its own; returns what it printed."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


# HIPS's package is not there: the import system finds nothing of that name
ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "autograd":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.mark.parametrize("before", ["", ABSENT], ids=["as it is", "HIPS's package absent"])
def test_modules_are_the_very_objects(before):
    pytest.importorskip("scipy")
    run(
        before
        + textwrap.dedent("""
        import importlib, pkgutil, sys
        import autograd_fast
        autograd_fast.install_as_autograd()
        autograd_fast.install_as_autograd()
        import autograd
        assert autograd is autograd_fast

        names = [info.name for info in pkgutil.walk_packages(autograd_fast.__path__, "autograd_fast.")]
        assert "autograd_fast.scipy.stats.norm" in names
        for name in names:
            module = importlib.import_module("autograd" + name.removeprefix("autograd_fast"))
            assert module is sys.modules[name] and module.__spec__.name == module.__name__ == name

        # the forms of import
        import autograd.numpy.linalg
        import autograd.numpy as np
        from autograd import grad, numpy, extend
        from autograd.scipy.stats import norm
        from autograd.numpy.numpy_boxes import ArrayBox
        import autograd.scipy.special as special
        assert autograd.numpy.linalg is autograd_fast.numpy.linalg and numpy is np is autograd_fast.numpy
        assert special is autograd_fast.scipy.special and extend is autograd_fast.extend
        assert grad(lambda x: np.sin(x) * norm.pdf(0.0))(0.0) == norm.pdf(0.0)
        """)
    )


def test_modules_not_loaded_yet_are_found_under_either_name_first():
    pytest.importorskip("scipy")
    run("""
        import importlib.util, sys
        import autograd_fast
        autograd_fast.install_as_autograd()
        assert "autograd_fast.scipy" not in sys.modules
        spec = importlib.util.find_spec("autograd.scipy")
        assert spec.name == "autograd.scipy" and spec.submodule_search_locations is not None
        import autograd.scipy.linalg
        assert autograd.scipy is sys.modules["autograd_fast.scipy"]
        import autograd_fast.scipy.signal
        import autograd.scipy.signal
        assert autograd.scipy.signal is autograd_fast.scipy.signal is sys.modules["autograd.scipy.signal"]
        assert importlib.util.find_spec("autograd.nothing") is None
        try:
            import autograd.nothing
        except ModuleNotFoundError as error:
            assert error.name == "autograd.nothing"
        else:
            raise AssertionError
    """)


def test_flatten_stays_a_function():
    run("""
        import autograd_fast
        autograd_fast.install_as_autograd()
        import autograd.misc.flatten
        import autograd.misc.optimizers
        from autograd.misc.flatten import flatten_func
        from autograd.misc import flatten
        assert autograd.misc.flatten is flatten is autograd_fast.misc.flatten and callable(flatten)
    """)


CLASSES = """
    tracer.Box tracer.Node tracer.TraceStack core.VSpace core.VJPNode core.JVPNode core.SparseObject
    core.SparseBox builtins.SequenceBox builtins.DictBox builtins.ListVSpace builtins.TupleVSpace
    builtins.DictVSpace builtins.NamedTupleVSpace builtins.ContainerVSpace builtins.list builtins.dict
    misc.tracers.ConstGraphNode misc.tracers.FullGraphNode numpy.numpy_boxes.ArrayBox
    numpy.numpy_vspaces.ArrayVSpace numpy.numpy_vspaces.ComplexArrayVSpace numpy.numpy_vspaces.SVDResultVSpace
"""


def test_classes_say_autograd_as_their_module():
    """Each as HIPS's does, and as before after the alias is gone."""
    run(
        """
        import pickle, sys
        import autograd_fast, autograd_fast.misc.tracers
        from functools import reduce

        def find(root, path):
            return reduce(getattr, path.split("."), root)

        def names():
            return [(find(autograd_fast, path).__module__, repr(find(autograd_fast, path))) for path in paths]

        paths = sys.argv[1].split()
        before = names()
        autograd_fast.install_as_autograd()
        import autograd
        for path in paths:
            cls = find(autograd, path)
            module, _, name = path.rpartition(".")
            assert cls.__module__ == "autograd." + module, (path, cls.__module__)
            assert cls.__name__ == name
            assert repr(cls) == f"<class 'autograd.{path}'>"
            assert pickle.loads(pickle.dumps(cls)) is cls

        seen = []
        autograd.grad(lambda x: [seen.append((x, x._node, x * x)), x * 2.0][1])(1.0)
        box, node, product = seen[0]
        assert type(box).__module__ == type(product).__module__ == "autograd.numpy.numpy_boxes"
        assert type(node).__module__.split(".")[0] == "autograd"

        autograd_fast.uninstall_as_autograd()
        assert names() == before
        assert not [name for name in sys.modules if name.split(".")[0] == "autograd"]
        """,
        CLASSES,
    )


def test_table_of_classes_is_that_of_hips():
    """Nothing public in HIPS's modules is left out."""
    pytest.importorskip("autograd")
    from autograd_fast._alias import HOMES

    listing = """
        import importlib, pkgutil, autograd
        for info in pkgutil.walk_packages(autograd.__path__, "autograd."):
            try:
                module = importlib.import_module(info.name)
            except ImportError:
                continue
            for name, cls in vars(module).items():
                if isinstance(cls, type) and cls.__module__ == info.name and cls.__qualname__ == name:
                    print(info.name.removeprefix("autograd."), name)
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(listing)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    theirs = {tuple(line.split()) for line in printed.splitlines()}
    assert theirs
    # classes that stand for index helpers of NumPy, and have no instances that anyone meets
    theirs -= {("numpy.numpy_wrapper", "r_class"), ("numpy.numpy_wrapper", "c_class")}
    assert theirs <= {(path, name) for path, names in HOMES.items() for name in names.split()}


def test_uninstalling_gives_the_name_back():
    pytest.importorskip("autograd")
    run("""
        import autograd_fast
        autograd_fast.uninstall_as_autograd()
        autograd_fast.install_as_autograd()
        import autograd as alias
        autograd_fast.uninstall_as_autograd()
        autograd_fast.uninstall_as_autograd()
        import autograd
        assert autograd is not alias and autograd.__name__ == "autograd"
        assert autograd.grad(lambda x: x * x)(3.0) == alias.grad(lambda x: x * x)(3.0) == 6.0
    """)


def test_too_late_is_an_error():
    pytest.importorskip("autograd")
    run("""
        import sys
        import autograd
        import autograd_fast
        from autograd_fast import install_as_autograd
        before = dict(sys.modules), list(sys.meta_path), autograd_fast.tracer.Box.__module__
        try:
            install_as_autograd()
        except RuntimeError as error:
            assert "'autograd' has been imported already, from " in str(error), error
            assert autograd.__file__ in str(error) and "install_as_autograd()" in str(error)
        else:
            raise AssertionError
        assert before == (dict(sys.modules), list(sys.meta_path), autograd_fast.tracer.Box.__module__)
    """)


def test_versions_of_distributions_stay():
    pytest.importorskip("autograd")
    run("""
        from importlib import metadata
        installed = metadata.version("autograd")
        import autograd_fast
        autograd_fast.install_as_autograd()
        assert metadata.version("autograd") == installed
    """)


def test_a_client_module():
    """A program of the usual kind, private names included."""
    run("""
        import autograd_fast
        autograd_fast.install_as_autograd()

        import autograd.numpy as np
        import numpy as onp
        from autograd import elementwise_grad as egrad, grad, jacobian
        from autograd.core import make_vjp
        from autograd.extend import primitive, defvjp, vspace, Box, VSpace
        from autograd.numpy.numpy_vjps import unbroadcast_f
        from autograd.numpy.numpy_vspaces import ArrayVSpace
        from autograd.tracer import getval, isbox
        from autograd.util import subvals
        from autograd.wrap_util import unary_to_nary

        @primitive
        def logsumexp(x):
            top = onp.max(x)
            return top + onp.log(onp.sum(onp.exp(x - top)))

        defvjp(logsumexp, lambda ans, x: lambda g: onp.full(x.shape, g) * onp.exp(x - onp.full(x.shape, ans)))
        x = np.array([1.5, 2.5, 3.5])
        assert onp.allclose(grad(logsumexp)(x).sum(), 1.0)
        assert type(vspace(x)) is ArrayVSpace and isinstance(vspace(x), VSpace)

        @unary_to_nary
        def value_and_slope(fun, x):
            vjp, ans = make_vjp(fun, x)
            return ans, vjp(vspace(ans).ones())

        def f(x, scale):
            assert isbox(x) and isinstance(x, Box) and type(x).__module__.split(".")[0] == "autograd"
            return scale * np.sum(np.tanh(x))

        value, slope = value_and_slope(f)(x, 2.0)
        assert onp.allclose(slope, 2 / onp.cosh(x) ** 2) and onp.allclose(value, 2 * onp.tanh(x).sum())
        assert getval(x) is x and subvals((1, 2), [(0, 3)]) == (3, 2)
        assert jacobian(lambda x: x * x)(x).shape == (3, 3) and egrad(np.sin)(x).shape == (3,)
    """)


def test_program_in_the_guide():
    guide = Path(__file__).resolve().parents[1] / "docs" / "migrating.md"
    blocks = re.findall(r"^```python\n(.*?)^```", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks and all(run(block) for block in blocks)
