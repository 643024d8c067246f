"""numpy.polynomial in its six bases against finite differences of plain NumPy."""

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np

MODULES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
rng = onp.random.default_rng(5)


def draw(*shape):
    return rng.standard_normal(shape)[()]


def draw_complex(*shape):
    return draw(*shape) + 1j * draw(*shape)


X = rng.uniform(-0.9, 0.9, 6)
CASES = {
    "val": ("P.val(x, y)", X, draw(4)),
    "val number": ("P.val(x, y)", 0.3, draw(4)),
    "val many": ("P.val(x, y)", X[:2], draw(3, 2)),
    "val tensor": ("P.val(x, y, tensor=False)", X[:2], draw(3, 2)),
    "val constant": ("P.val(x, y)", X, draw(1)),
    "val complex": ("P.val(x, y)", draw_complex(2), draw_complex(3)),
    "val list": ("P.val([x, 0.2], y)", 0.3, draw(4)),
    "val2d": ("P.val2d(x, y, z)", X[:2], X[2:4], draw(3, 2)),
    "val3d": ("P.val3d(x, y, z, w)", X[:2], X[2:4], X[4:], draw(2, 3, 2)),
    "valnd": ("P.valnd([x, y], z)", X[:2], X[2:4], draw(3, 2)),
    "valnd array": ("P.valnd(x, y)", X.reshape(2, 3), draw(2, 3)),
    "grid2d": ("P.grid2d(x, y, z)", X[:2], X[2:5], draw(3, 2)),
    "grid3d": ("P.grid3d(x, y, z, w)", X[:2], X[2:4], X[4:], draw(2, 2, 2)),
    "vander": ("P.vander(x, 3)", X),
    "vander 0": ("P.vander(x, 0) * x[:, None]", X),
    "vander2d": ("P.vander2d(x, y, [1, 2])", X[:3], X[3:]),
    "vander3d": ("P.vander3d(x, y, z, [1, 2, 1])", X[:2], X[2:4], X[4:]),
    "fit": ("P.fit(x, y, 2)", X, draw(6)),
    "fit degrees": ("P.fit(x, y, [0, 2])", X, draw(6)),
    "fit weights": ("P.fit(x, y, 1, w=z)", X, draw(6), 1 + X**2),
    "fit many": ("P.fit(x, y, 1)", X, draw(6, 2)),
    "fit residuals": ("P.fit(x, y, 1, full=True)[1][0]", X, draw(6)),
    "roots": ("P.roots(x)", onp.array([-6.0, 1.0, 2.0, 0.7])),
    "roots complex": ("P.roots(x)", draw_complex(4)),
    "root": ("P.roots(x)", draw(2)),
    "fromroots": ("P.fromroots(x)", onp.sort(draw(3))),
    "companion": ("P.companion(x)", draw(4)),
    "companion 1": ("P.companion(x)", draw(2)),
    "add": ("P.add(x, y)", draw(3), draw(2)),
    "sub": ("P.sub(x, y)", draw(2), draw(3)),
    "mul": ("P.mul(x, y)", draw(3), draw(2)),
    "mul complex": ("P.mul(x, y)", draw_complex(3), draw(2)),
    "mulx": ("P.mulx(x)", draw(3)),
    "mulx 1": ("P.mulx(x)", draw(1)),
    "div": ("P.div(x, y)", draw(5), draw(2) + 3),
    "div by a number": ("P.div(x, y)[0]", draw(5), draw(1) + 3),
    "div same degree": ("P.div(x, y)[0]", draw(3), draw(3) + 3),
    "div short": ("P.div(x, y)[1] * y[0]", draw(2), draw(3)),
    "pow": ("P.pow(x, 3)", draw(3)),
    "der": ("P.der(x, 2)", draw(4)),
    "der scale": ("P.der(x, 1, y)", draw(4), 0.7),
    "der axis": ("P.der(x, axis=1)", draw(2, 4)),
    "der 0": ("P.der(x, 0)", draw(3)),
    "int": ("P.int(x, 2, [0.3, 0.4])", draw(4)),
    "int everything": ("P.int(x, 1, k=y, lbnd=z, scl=w)", draw(4), 0.3, 0.2, 1.4),
    "int axis": ("P.int(x, axis=1)", draw(2, 4)),
    "int constant": ("P.int(x, m=1, k=[0.3], axis=0)", draw(3, 2)),
    "line": ("P.line(x, y)", 0.3, 0.7),
    "trim": ("P.trim(np.append(x, [0.0, 0.0]))", draw(3)),
}


def compiled(text, module):
    text = text.replace("P.", f"np.polynomial.{module}.{MODULES[module]}")
    return eval(f"lambda np, x=None, y=None, z=None, w=None: {text}")


if not hasattr(onp.polynomial.polynomial, "polyvalnd"):  # new in NumPy 2.5
    CASES = {name: case for name, case in CASES.items() if "valnd" not in name}


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", CASES)
def test_rule(module, name):
    text, *args = CASES[name]
    check_both_modes(compiled(text, module), *args, float32=False, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("module", list(MODULES)[1:])
def test_weight_and_conversions(module):
    prefix = MODULES[module]
    for name in (f"{prefix}weight", f"poly2{prefix}", f"{prefix}2poly"):
        check_both_modes(lambda np, x, name=name: getattr(getattr(np.polynomial, module), name)(x), X[:4])


def test_values_from_roots():
    f = lambda np, x, r: np.polynomial.polynomial.polyvalfromroots(x, r)
    check_both_modes(f, X, draw(3))
    check_both_modes(f, X[:2], draw(3, 2))
    g = lambda np, x, r: np.polynomial.polynomial.polyvalfromroots(x, r, tensor=False)
    check_both_modes(g, X[:2], draw(3, 2))


def test_interpolation():
    f = lambda np, a: np.polynomial.chebyshev.chebinterpolate(lambda x, a: np.exp(a * x), 3, args=(a,))
    check_both_modes(f, 0.7, float32=False)
    g = lambda np, a: np.polynomial.chebyshev.chebinterpolate(lambda x: np.exp(a * x), 3)
    check_both_modes(g, 0.7, float32=False)


@pytest.mark.parametrize("module", MODULES)
def test_trailing_zeros_are_dropped(module):
    prefix = MODULES[module]
    subtract = getattr(getattr(np.polynomial, module), prefix + "sub")
    c = onp.array([1.0, 2.0, 3.0])
    value, tangent = ag.make_jvp(lambda c: subtract(c, [0.0, 0.0, 3.0]))(c)(onp.ones(3))
    onp.testing.assert_array_equal(value, [1.0, 2.0])
    onp.testing.assert_array_equal(tangent, [1.0, 1.0])


def test_errors_are_numpy_s():
    x = onp.ones(3)
    with pytest.raises(ZeroDivisionError):
        ag.grad(lambda c: np.sum(np.polynomial.legendre.legdiv(c, [0.0])[0]))(x)
    with pytest.raises(ValueError, match="Power must be a non-negative integer"):
        ag.grad(lambda c: np.sum(np.polynomial.hermite.hermpow(c, -1)))(x)
    with pytest.raises(ValueError, match="incompatible"):
        ag.grad(lambda c: np.sum(np.polynomial.chebyshev.chebval2d(c, x[:2], onp.eye(2))))(x)
    with pytest.raises(ValueError, match="deg must be non-negative"):
        ag.grad(lambda c: np.sum(np.polynomial.laguerre.lagvander(c, -1)))(x)
