"""Every differentiable function of NumPy on every kind of array: as on a plain copy, or a clear error."""

import ast
import warnings

import numpy as onp
import pytest
from layouts import DTYPES, LAYOUTS, SUBCLASSES

import autograd_fast as ag
import autograd_fast.numpy as np
import autograd_fast.scipy.special as special
from autograd_fast._coverage.measure import _WORDS, OPERANDS, _direction, _leaves, _loss, _spread_leaves
from autograd_fast._coverage.namespaces import PROBES, lookup
from autograd_fast._coverage.numpy_probes import REAL_ONLY
from autograd_fast.core import primitive_vjps

CLEAR = (TypeError, ValueError, NotImplementedError)
NAMES = [name for name in PROBES if lookup(name) is not None]
# NumPy computes these in double precision whatever their operands; polydiv drops entries that round to 0.
NO_OTHER_PRECISION = {"np.frompyfunc", "np.vectorize", "ndarray.tolist", "ndarray.item", "np.polydiv"}
TOLERANCE = {"e": 0.03, "f": 2e-4, "F": 2e-4}


class Probe:
    """The expression of a probe as a function of its array operands."""

    def __init__(self, name):
        text = PROBES[name]
        self.code = compile(text, text, "eval")
        used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        self.numbers = {k: v for k, v in OPERANDS.items() if k in used and onp.ndim(v) == 0}
        self.arrays = [k for k in OPERANDS if k in used and onp.ndim(OPERANDS[k]) > 0]

    def values(self, kind=lambda v: v):
        return [kind(OPERANDS[k]) for k in self.arrays]

    def run(self, np, *values):
        scope = {"np": np, **_WORDS, **self.numbers, **dict(zip(self.arrays, values, strict=True))}
        return eval(self.code, scope)

    def derivatives(self, values, k):
        """The gradient of a scalar of the result, and the tangents of the leaves of the result."""
        f = _spread_leaves(self.run)
        g = ag.grad(lambda *v: _loss(f, np, *v), k)(*values)
        v = _direction(values[k])
        return g, [onp.asarray(t) for t in _leaves(ag.make_jvp(lambda *v: f(np, *v), k)(*values)(v)[1])]


def attempt(f, *args):
    """The result, or the exception that was raised."""
    with warnings.catch_warnings(), onp.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except Exception as error:
            return error


def assert_as(got, want, tolerance, what):
    got, want = (onp.asarray(v.astype(complex) if v.dtype == object else v) for v in (got, want))
    size = max(1.0, onp.max(onp.abs(want), initial=0.0))
    onp.testing.assert_allclose(got, want, rtol=0, atol=tolerance * size, err_msg=what)


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def compare(name, kind, plain, tolerance, what, errors=()):
    """Derivatives at operands of a kind, against those at plain operands with the same numbers."""
    probe = Probe(name)
    values, copies = probe.values(kind), probe.values(plain)
    if isinstance(attempt(probe.run, onp, *values), Exception):
        return
    for k in range(len(values)):
        want = attempt(probe.derivatives, copies, k)
        got = attempt(probe.derivatives, values, k)
        label = f"{name} of {what} arrays, operand {k}"
        if isinstance(want, Exception):
            assert isinstance(got, Exception), f"{label}: no error, but {want!r} with a plain one"
            continue
        if isinstance(got, Exception):
            assert isinstance(got, errors), f"{label}: {got!r}"
            continue
        assert type(got[0]) is onp.ndarray and got[0].shape == values[k].shape, label
        assert not onp.shares_memory(got[0], values[k]) and got[0].flags.writeable, label
        assert got[0].dtype.newbyteorder("=") == values[k].dtype.newbyteorder("="), label
        assert_as(got[0], want[0], tolerance, label)
        for mine, theirs in zip(got[1], want[1], strict=True):
            assert mine.shape == theirs.shape, label
            assert_as(mine, theirs, tolerance, label)


def test_layouts(name):
    for what, layout in LAYOUTS.items():
        if what == "empty" and name.startswith("np.fft."):
            continue  # NumPy pads an empty operand with whatever is in memory
        compare(name, layout, lambda v, layout=layout: onp.array(layout(v), v.dtype, order="C"), 1e-12, what)


def test_precisions(name):
    for char in DTYPES:
        complex_ = char in "FDG"
        if (complex_ and name in REAL_ONLY) or (name in NO_OTHER_PRECISION or name.startswith("np.random")):
            continue
        turn = (lambda v: v * (1 + 0.3j)) if complex_ else (lambda v: v)
        kind = lambda v, char=char, turn=turn: turn(v).astype(char)
        plain = lambda v, kind=kind, c=complex_: kind(v).astype(complex if c else float)
        compare(name, kind, plain, TOLERANCE.get(char, 1e-9), onp.dtype(char).name, CLEAR)


def test_object_arrays(name):
    probe = Probe(name)
    values, copies = probe.values(lambda v: v.astype(object)), probe.values()
    for k in range(len(values)):
        got, want = attempt(probe.derivatives, values, k), attempt(probe.derivatives, copies, k)
        if isinstance(got, Exception):
            assert isinstance(got, (*CLEAR, AttributeError)), f"{name}: {got!r}"
            continue
        assert not isinstance(want, Exception)
        assert_as(got[0].astype(complex).real, want[0], 1e-9, name)  # objects may be complex


@pytest.mark.parametrize("dtype", ["q", "B", "?"])
def test_integers_as_constants(name, dtype):
    probe = Probe(name)
    whole = [onp.round(2 * onp.abs(v)) for v in probe.values()]
    for k in range(len(whole) if len(whole) > 1 else 0):
        floats = [v if i == k else w for i, (v, w) in enumerate(zip(probe.values(), whole, strict=True))]
        floats = [v if i == k else v.astype(dtype).astype(float) for i, v in enumerate(floats)]
        values = [v if i == k else v.astype(dtype) for i, v in enumerate(floats)]
        plain, expected = attempt(probe.run, onp, *values), attempt(probe.run, onp, *floats)
        if isinstance(plain, Exception) or isinstance(expected, Exception):
            continue
        for a, b in zip(_leaves(plain), _leaves(expected), strict=True):
            a, b = onp.asarray(a), onp.asarray(b, float)
            if a.dtype == object or onp.shape(a) != onp.shape(b) or not onp.allclose(a, b, equal_nan=True):
                break  # integers mean something else here
        else:
            got, want = attempt(probe.derivatives, values, k), attempt(probe.derivatives, floats, k)
            if isinstance(want, Exception) or not onp.all(onp.isfinite(want[0])):
                continue
            assert not isinstance(got, Exception), f"{name}, operand {k}: {got!r}"
            assert_as(got[0], want[0], 1e-9, f"{name}, operand {k}")


SPECIAL = {
    name: prim
    for name, prim in vars(special).items()
    if isinstance(getattr(prim, "fun", None), onp.ufunc) and prim in primitive_vjps
}


@pytest.mark.parametrize("name", SPECIAL)
def test_layouts_and_precisions_of_special_functions(name):
    prim = SPECIAL[name]
    values = [onp.linspace(0.2, 0.8, 6).reshape(2, 3) + 0.03 * i for i in range(prim.fun.nin)]
    kinds = {**LAYOUTS, "float32": lambda v: v.astype("f")}

    def derivatives(values, k):
        f = lambda *v: np.sum(np.real(prim(*v) if prim.fun.nout == 1 else prim(*v)[0]))
        g = ag.grad(f, k)(*values)
        return g, ag.make_jvp(f, k)(*values)(onp.ones_like(values[k]))[1]

    for k in range(prim.fun.nin):
        for what, kind in kinds.items():
            turned = [kind(v) for v in values]
            got = attempt(derivatives, turned, k)
            want = attempt(derivatives, [onp.array(v, float) for v in turned], k)
            if isinstance(want, Exception):
                assert isinstance(got, NotImplementedError), got
                continue
            assert not isinstance(got, Exception), f"{name} of {what} arrays, operand {k}: {got!r}"
            tolerance = 1e-3 if what == "float32" else 1e-12
            for mine, theirs in zip(got, want, strict=True):
                assert_as(onp.asarray(mine), onp.asarray(theirs), tolerance, f"{name} of {what} arrays")


@pytest.mark.parametrize("what", SUBCLASSES)
def test_subclasses_as_constants(name, what):
    """The derivative is that of what NumPy computes with the other operands of such a class, or an error."""
    if (name, what) == ("np.dstack", "matrix"):
        pytest.skip("NumPy itself overflows the stack")
    probe = Probe(name)
    for k in range(len(probe.arrays) if len(probe.arrays) > 1 else 0):
        values = [v if i == k else SUBCLASSES[what](v) for i, v in enumerate(probe.values())]
        got = attempt(probe.derivatives, values, k)
        if isinstance(got, Exception):
            assert isinstance(got, (*CLEAR, AttributeError)), f"{name}: {got!r}"
            continue
        v, h = _direction(values[k]), 1e-5

        def loss(s, k=k, values=values, v=v, h=h):
            moved = [x + s * h * v if i == k else x for i, x in enumerate(values)]
            return float(onp.ma.filled(_loss(probe.run, onp, *moved), onp.nan))

        slope = attempt(lambda loss=loss, h=h: (loss(1) - loss(-1)) / (2 * h))
        if not isinstance(slope, Exception) and onp.isfinite(slope):
            assert type(got[0]) is onp.ndarray
            assert_as(onp.sum(got[0] * v), onp.asarray(slope), 1e-5, f"{name} beside {what}")
