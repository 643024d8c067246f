"""Boxes among the objects of other libraries, in containers and keywords, and boxes looked at."""

import collections
import collections.abc
import copy
import dataclasses
import math
import numbers
import operator
import typing

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np

X = onp.array([1.0, 2.0, 3.0])
ONES = onp.ones(3)


def assert_close(got, want):
    assert type(got) in (onp.ndarray, onp.float64) and onp.asarray(got).dtype == float
    onp.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def array(v, **options):
    xarray = pytest.importorskip("xarray")
    return xarray.DataArray(v, dims="x", **options)


# ----- xarray: boxes inside, and operands from outside -----

XARRAY = {
    "sum": (lambda v: (array(v) ** 2).sum().data, 2 * X),
    "mean": (lambda v: (array(v) ** 2).mean().data, 2 * X / 3),
    "item": (lambda v: (array(v) * 2).sum().item(), 2 * ONES),
    "ufunc": (lambda v: np.sum(onp.sin(array(v)).data), onp.cos(X)),
    "traced function": (lambda v: np.sum(np.sin(array(v)).data), onp.cos(X)),
    "position": (lambda v: (array(v) ** 2).isel(x=1).data, [0, 4, 0]),
    "label": (lambda v: (array(v, coords={"x": [10, 20, 30]}) ** 2).sel(x=20).data, [0, 4, 0]),
    "constant on the left": (lambda v: np.sum((array(X) * v).data), X),
    "constant on the right": (lambda v: np.sum((v * array(X)).data), X),
    "outer": (lambda v: (array(v) * array(ONES).rename(x="y")).sum().data, 3 * ONES),
}


@pytest.mark.parametrize(("f", "want"), XARRAY.values(), ids=XARRAY)
def test_xarray(f, want):
    assert_close(ag.grad(f)(X), want)
    assert_close(ag.make_jvp(f)(X)(ONES)[1], onp.sum(want))


def test_xarray_dataset():
    xarray = pytest.importorskip("xarray")

    def f(v):
        data = xarray.Dataset({"a": ("x", v), "b": ("x", v * 2)})
        return (data.a * data.b).sum().data

    assert_close(ag.grad(f)(X), 4 * X)


# ----- pandas -----


def test_pandas_values_beside_boxes():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X, "b": 2 * X})
    v = onp.array([1.0, 2.0])
    for f in (
        lambda v: np.sum(np.dot(frame.values, v)),
        lambda v: np.sum(np.dot(frame, v)),
        lambda v: np.sum(frame @ v),
        lambda v: np.sum(frame.to_numpy() * v),
    ):
        assert_close(ag.grad(f)(v), [6.0, 12.0])
    assert_close(ag.grad(lambda v: np.sum(frame["a"].to_numpy() * v))(X), X)


def test_pandas_series_of_boxes():
    pandas = pytest.importorskip("pandas")
    assert_close(ag.grad(lambda v: (pandas.Series([v[0], v[1]]) ** 2).sum())(X), [2.0, 4.0, 0.0])
    assert_close(ag.grad(lambda v: (pandas.Series(list(v)) * pandas.Series(X)).sum())(X), X)


FOREIGN = {
    "dot, series first": lambda s, v: np.dot(s, v) ** 2,
    "dot, series last": lambda s, v: np.dot(v, s) ** 2,
    "inner": lambda s, v: np.inner(s, v) ** 2,
    "outer": lambda s, v: np.sum(np.outer(s, v) ** 2),
    "tensordot": lambda s, v: np.tensordot(s, v, 1) ** 2,
    "einsum": lambda s, v: np.einsum("i,i", s, v) ** 2,
    "concatenate": lambda s, v: np.sum(np.concatenate([s, v]) ** 2),
    "where": lambda s, v: np.sum(np.where(s > 1.5, v, s) ** 2),
    "interp": lambda s, v: np.sum(np.interp([1.5], s, v) ** 2),
    "subscript": lambda s, v: np.sum(v[onp.asarray(s > 1.5)] ** 2),
}


@pytest.mark.parametrize("made_by", ["pandas", "xarray"])
@pytest.mark.parametrize("f", FOREIGN.values(), ids=FOREIGN)
def test_gradients_beside_other_arrays_are_numpys(f, made_by):
    """To second order, and as with an array in the place of the other library's."""
    other = pytest.importorskip("pandas").Series(X) if made_by == "pandas" else array(X)
    for of in (ag.grad, ag.hessian, lambda g: lambda v: ag.make_jvp(g)(v)(ONES)[1]):
        assert_close(of(lambda v: f(other, v))(2 * X), of(lambda v: f(X, v))(2 * X))


def test_objects_of_other_libraries_are_no_arguments():
    """They have no vector space: the error says of which type, as HIPS's does."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="Can't differentiate w.r.t. type .*Series"):
        ag.grad(lambda v: np.sum(v**2))(pandas.Series(X))
    with pytest.raises(TypeError, match="Can't differentiate w.r.t. type .*DataArray"):
        ag.grad(lambda v: np.sum(v**2))(array(X))


# ----- containers -----

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Holder:
    data: object


def test_named_tuples_and_ordered_dicts():
    gradient = ag.grad(lambda p: p.x**2 * np.sum(p.y))(Point(2.0, X))
    assert isinstance(gradient, Point) and gradient.x == 24.0
    assert_close(gradient.y, 4 * ONES)
    inside = ag.grad(lambda p: p["m"].x * p["n"][0].y)({"m": Point(2.0, 1.0), "n": [Point(0.0, 3.0)]})
    assert inside["m"] == Point(3.0, 0.0) and inside["n"][0].y == 2.0
    ordered = ag.grad(lambda p: p["b"] * p["a"] ** 2)(collections.OrderedDict(b=2.0, a=3.0))
    assert isinstance(ordered, collections.OrderedDict) and list(ordered.items()) == [("b", 9.0), ("a", 12.0)]
    sent = []
    ag.grad(lambda v: [sent.append(Point(v, [v * 2])), v * 1.0][1])(1.0)
    assert sent[0]._replace(x=0).x == 0

    def f(v):
        pair = Point(v * 2, v**2)
        x, y = pair
        return pair.x * y + sum(pair)

    assert_close(ag.grad(f)(3.0), 6 * 9 + 2 + 6)


class Line(collections.namedtuple("Line", "slope offset")):
    """A named tuple with methods, as typing.NamedTuple makes them too."""

    kind = "line"

    def at(self, x):
        return self.slope * x + self.offset

    @property
    def root(self):
        return -self.offset / self.slope

    @classmethod
    def flat(cls, offset):
        return cls(0.0, offset)


class Settings(dict):
    def total(self):
        return sum(self.values())


def test_methods_of_named_tuples_and_dicts():
    line = Line(2.0, 3.0)
    assert ag.grad(lambda p: p.at(5.0))(line) == Line(5.0, 1.0)
    assert ag.grad(lambda p: p.root)(line) == Line(0.75, -0.5)
    assert ag.grad(lambda p: p.flat(p.offset**2).at(1.0))(line) == Line(0.0, 6.0)
    gradient = ag.grad(lambda p: p.total() ** 2)(Settings(a=1.0, b=2.0))
    assert type(gradient) is Settings and gradient == {"a": 6.0, "b": 6.0}
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        ag.grad(lambda p: p.missing)(line)


def test_missing_keys_make_no_entries():
    given = collections.defaultdict(float, a=2.0)
    assert dict(ag.grad(lambda d: d["a"] ** 2 + d.get("b", 1.0))(given)) == {"a": 4.0}
    with pytest.raises(KeyError, match="'b' is not in the traced defaultdict"):
        ag.grad(lambda d: d["a"] * d["b"])(given)
    assert given == {"a": 2.0}


def test_text_beside_numbers(lib):
    """A dict of parameters may hold an array of names."""
    names = onp.array(["rate", "bias"])
    gradient = lib.ag.grad(lambda p: lib.np.sum(p["w"] ** 2))({"w": X, "names": names})
    onp.testing.assert_array_equal(gradient["w"], 2 * X)
    assert gradient["names"].shape == (2,)
    assert lib.ag.grad(lambda p: p[0] * len(p[1]["n"]))([2.0, {"n": names}])[0] == 2.0


def test_boxes_in_objects():
    assert_close(ag.grad(lambda v: np.sum(dataclasses.replace(Holder(0), data=v * 2).data))(X), 2 * ONES)
    assert_close(ag.grad(lambda v: np.sum(copy.deepcopy(Holder([v])).data[0] ** 2))(X), 2 * X)
    assert_close(ag.grad(lambda v: np.sum(collections.deque([v, v]).popleft()))(X), ONES)


# ----- boxes as keyword arguments -----

KEYWORDS = {
    "sum": (lambda v: np.sum(a=v), ONES),
    "initial": (lambda v: np.sum(X, initial=v[0]), [1, 0, 0]),
    "clip": (lambda v: np.sum(np.clip(X, a_min=v[1], a_max=10.0)), [0, 2, 0]),
    "full": (lambda v: np.sum(np.full(shape=(2,), fill_value=v[0])), [2, 0, 0]),
    "linspace": (lambda v: np.sum(np.linspace(start=0.0, stop=v[0], num=3)), [1.5, 0, 0]),
    "interp": (lambda v: np.sum(np.interp(x=[1.5], xp=X, fp=v)), [0.5, 0.5, 0]),
    "tensordot": (lambda v: np.sum(np.tensordot(a=v, b=X, axes=0)), 6 * ONES),
}


@pytest.mark.parametrize(("f", "want"), KEYWORDS.values(), ids=KEYWORDS)
def test_boxes_as_keywords(f, want):
    assert_close(ag.grad(f)(X), want)
    assert_close(ag.make_jvp(f)(X)(ONES)[1], onp.sum(want))


DISTRIBUTIONS = {
    "norm": [("logpdf", {"loc": 0.3, "scale": 1.7}), ("cdf", {"loc": 0.3, "scale": 1.7})],
    "t": [("logpdf", {"df": 3.5, "loc": 0.3, "scale": 1.7})],
    "gamma": [("logpdf", {"a": 2.5})],
    "beta": [("logpdf", {"a": 2.5, "b": 1.5})],
    "chi2": [("logpdf", {"df": 3.0})],
    "poisson": [("logpmf", {"mu": 1.5})],
}
CASES = [(name, fun, given, of) for name, cs in DISTRIBUTIONS.items() for fun, given in cs for of in given]


@pytest.mark.parametrize(("name", "fun", "given", "of"), CASES)
def test_parameters_of_distributions_as_keywords(name, fun, given, of):
    stats = pytest.importorskip("scipy.stats")
    ours = getattr(pytest.importorskip("autograd_fast.scipy.stats"), name)
    x = X if name == "poisson" else X / 4

    def total(density):
        return lambda value: np.sum(density(x, **{**given, of: value}))

    h = 1e-6
    theirs = total(getattr(getattr(stats, name), fun))
    numeric = (theirs(given[of] + h) - theirs(given[of] - h)) / (2 * h)
    onp.testing.assert_allclose(ag.grad(total(getattr(ours, fun)))(given[of]), numeric, rtol=1e-5)


# ----- boxes looked at -----


def look(inspect, at=X):
    """What a function of the box returns."""
    seen = []

    def f(v):
        seen.append(inspect(v))
        return np.sum(v) if isinstance(v, ag.extend.Box) and hasattr(v, "shape") else v[0]

    ag.grad(f)(at)
    return seen[0]


def test_completion_offers_what_arrays_have():
    offered = set(look(dir))
    assert {"sum", "mean", "T", "shape", "dtype", "reshape", "dot", "astype", "_value", "_node"} <= offered
    assert {"__getitem__", "index", "count"} <= set(look(dir, [1.0]))
    assert {"keys", "values", "items", "get"} <= set(look(dir, {0: 1.0}))
    assert {"reduce", "accumulate", "at", "outer", "nin"} <= set(dir(np.add))


def test_representations_show_class_and_value():
    assert look(repr) == "<ArrayBox of trace 0: array([1., 2., 3.])>"
    assert look(str) == "Autograd ArrayBox with value [1. 2. 3.]"
    assert look(lambda v: f"{v[1]}") == "Autograd ArrayBox with value 2.0"
    assert look(repr, [1.0]).startswith("<SequenceBox of trace 0: [1.0]") and "DictBox" in look(
        repr, {0: 1.0}
    )
    nested = []
    ag.grad(lambda x: ag.grad(lambda y: [nested.append(repr(x * y)), x * y][1])(2.0))(3.0)
    assert nested[0].startswith("<ArrayBox of trace 1: <ArrayBox of trace 0: ") and "6.0" in nested[0]


PROTOCOLS = [collections.abc.Iterable, collections.abc.Sequence, numbers.Number]
PROTOCOLS += [typing.SupportsFloat, typing.SupportsInt, typing.SupportsIndex, typing.SupportsComplex]
CONVERSIONS = [float, int, complex, operator.index, math.sin, "%f".__mod__, lambda v: [0, 1, 2][v]]


def test_boxes_claim_to_be_neither_iterable_nor_numbers(lib):
    """They stand for arrays and for numbers; programs ask so to tell the two apart."""

    def f(v):
        assert not any(isinstance(v, protocol) for protocol in PROTOCOLS)
        assert not any(hasattr(v, name) for name in ("__iter__", "__float__", "__int__", "__index__"))
        assert [type(entry) for entry in v] == [type(v)] * 3
        first, *others = v
        return first * sum(others)

    onp.testing.assert_array_equal(lib.ag.grad(f)(X), [5.0, 1.0, 1.0])
    for convert in CONVERSIONS:
        with pytest.raises(TypeError):
            lib.ag.grad(lambda v, convert=convert: convert(v) * v)(1.0)
    with pytest.raises(TypeError):
        lib.ag.grad(lambda v: list(v)[0])(2.0)


def test_pandas_takes_boxes_for_operands(lib):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(X)
    assert_close(lib.ag.grad(lambda v: lib.np.sum((series < v).values * v**2))(2 * X), 4 * X)


def test_ipython_completes_and_shows_boxes():
    completer = pytest.importorskip("IPython.core.completer")
    pretty = pytest.importorskip("IPython.lib.pretty")

    def complete(v):
        return set(completer.Completer(namespace={"v": v}).attr_matches("v.resh"))

    assert look(complete) == {"v.reshape"}
    assert "ArrayBox" in look(pretty.pretty)


def test_a_vjp_may_use_the_boxes_that_its_caller_had(lib):
    """It runs when their trace has ended, inside of an outer one that their values belong to."""
    extend = lib.module("extend")

    def cube(x):
        run = extend.primitive(lambda plain: plain**3)
        extend.defvjp(run, lambda ans, plain: lambda g: g * 3 * slope(lib.np.reshape(x, ())))
        return run(x)

    def slope(x):
        return (x._value if isinstance(x, extend.Box) else x) ** 2

    assert lib.ag.grad(cube)(2.0) == 12.0 and lib.ag.grad(lib.ag.grad(cube))(2.0) == 12.0
