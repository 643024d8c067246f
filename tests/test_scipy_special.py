"""The derivatives of scipy.special against finite differences of SciPy."""

import numpy as onp
import pytest

pytest.importorskip("scipy")

import runpy

import scipy.special
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast.scipy import special

A = onp.array([[0.3, 1.2, 2.7]])
B = onp.array([[1.6], [0.4]])
P = onp.array([0.15, 0.5, 0.83])
R = onp.array([-2.3, -0.4, 0.7, 2.9])
Z = onp.array([0.4 + 0.3j, 1.7 - 0.8j])


def traced(name):
    """The function of that name: SciPy's for plain NumPy, ours for the traced namespace."""
    return lambda np, *args, **kwargs: getattr(scipy.special if np is onp else special, name)(*args, **kwargs)


def fixed(name, *head):
    """With its first arguments held fixed."""
    return lambda np, *args: traced(name)(np, *head, *args)


ONE_OPERAND = {
    "gamma": [R, A], "gammaln": [R, A], "loggamma": [A], "rgamma": [R], "psi": [R, A], "digamma": [A],
    "erf": [R], "erfc": [R], "erfi": [R], "erfinv": [R / 3], "erfcinv": [P],
    "erfcx": [R, 30 * A], "dawsn": [R, -30 * A],
    "ndtr": [R], "log_ndtr": [R, -4 * A, 3 * A], "ndtri": [P], "ndtri_exp": [-A],
    "expit": [R], "log_expit": [R], "logit": [P],
    "j0": [R], "j1": [R], "y0": [A], "y1": [A], "i0": [R], "i1": [R], "k0": [A], "k1": [A],
    "i0e": [R], "i1e": [R], "k0e": [A], "k1e": [A],
    "entr": [A], "expm1": [R], "log1p": [A], "exp2": [R], "exp10": [R / 3], "cbrt": [R], "cosm1": [R],
    "exprel": [R],
    "sindg": [R], "cosdg": [R], "tandg": [R], "cotdg": [R], "exp1": [A], "expi": [R], "spence": [A],
    "ellipk": [P], "ellipe": [P], "ellipkm1": [P],
}  # fmt: skip
MORE_OPERANDS = {
    "beta": [(A, B)], "betaln": [(A, B)], "poch": [(A, B)], "binom": [(A + 2, B)],
    "gammainc": [(A, B), (5 * A, 4 * B)], "gammaincc": [(A, B)],
    "gammaincinv": [(A, P)], "gammainccinv": [(A, P)],
    "betainc": [(A, B, P), (5 * A, 4 * B, P)], "betaincc": [(A, B, P)],
    "betaincinv": [(A + 0.5, B, P)], "betainccinv": [(A + 0.5, B, P)],
    "stdtr": [(A, R[:, None])], "stdtrit": [(A + 1, P)],
    "chdtr": [(A, B)], "chdtrc": [(A, B)], "fdtr": [(A, B, P)], "fdtrc": [(A, B, P)],
    "gdtr": [(A, B, P)], "gdtrc": [(A, B, P)],
    "xlogy": [(A, B)], "xlog1py": [(A, B)], "rel_entr": [(A, B)], "kl_div": [(A, B)],
    "huber": [(A, R[:, None])], "pseudo_huber": [(A, R[:, None])],
    "boxcox": [(A, R[:, None] / 3)], "boxcox1p": [(A, R[:, None] / 3)],
    "inv_boxcox": [(A / 3, R[:, None] / 3)], "inv_boxcox1p": [(A / 3, R[:, None] / 3)],
    "owens_t": [(A, R[:, None])],
}  # fmt: skip
ORDERED = {
    "polygamma": (1, 2), "jn": (0, 1, 3), "jv": (0.5, -1.3), "yn": (0, 2), "yv": (0.5, 2), "iv": (0, 0.7, 2),
    "ive": (0, 0.7), "kv": (0.7, 2), "kve": (0.7,), "kn": (0, 2), "jve": (0.7,), "yve": (0.7,),
    "hankel1": (1, 0.5), "hankel2": (1,), "hankel1e": (1,), "hankel2e": (0.5,), "expn": (0, 1, 3),
}  # fmt: skip

TOLERANCES = {"rtol": 1e-5, "atol": 1e-7}


@pytest.mark.parametrize("name", ONE_OPERAND)
def test_one_operand(name):
    for x in ONE_OPERAND[name]:
        check_both_modes(traced(name), x, **TOLERANCES)
    check_both_modes(traced(name), ONE_OPERAND[name][-1].ravel()[0], **TOLERANCES)


@pytest.mark.parametrize("name", MORE_OPERANDS)
def test_more_operands(name):
    if not hasattr(scipy.special, name):
        pytest.skip("not in this SciPy")
    for operands in MORE_OPERANDS[name]:
        check_both_modes(traced(name), *operands, float32=False, **TOLERANCES)


@pytest.mark.parametrize("name", ORDERED)
def test_argument_of_an_ordered_function(name):
    for order in ORDERED[name]:
        check_both_modes(fixed(name, order), A, float32=name != "yn", **TOLERANCES)


@pytest.mark.parametrize(
    "name", ["gamma", "loggamma", "rgamma", "psi", "erf", "erfcx", "dawsn", "wofz", "exp1"]
)
def test_complex(name):
    check_both_modes(traced(name), Z, float32=False, **TOLERANCES)


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv", "kve", "hankel1"])
def test_complex_bessel(name):
    check_both_modes(fixed(name, 0.7), Z, float32=False, **TOLERANCES)


def test_multigammaln():
    check_both_modes(lambda np, x: traced("multigammaln")(np, x, 3), onp.array([2.3, 4.1]), **TOLERANCES)


@pytest.mark.parametrize("name", ["polygamma", "jv", "jn", "yn", "yv", "iv", "ive", "kv", "kn", "hankel1"])
def test_traced_order_raises(name):
    with pytest.raises(NotImplementedError, match="derivative in its operand"):
        ag.grad(lambda n: anp.real(getattr(special, name)(n, 1.3)))(1.0)
    with pytest.raises(NotImplementedError, match="derivative in its operand"):
        ag.make_jvp(lambda n: getattr(special, name)(n, 1.3))(1.0)(1.0)


def test_scaled_bessel_of_complex_raises():
    with pytest.raises(NotImplementedError, match="real arguments"):
        ag.grad(lambda z: anp.real(special.ive(1.0, z)))(0.3 + 0.4j)


def test_gammasgn_is_constant():
    assert special.gammasgn(-0.5) == -1.0
    assert ag.grad(lambda x: x * special.gammasgn(x))(-0.5) == -1.0


LOGSUMEXP = [
    {},
    {"axis": 0},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 2)},
    {"axis": (0, -1), "keepdims": True},
    {"b": onp.array([[0.5], [2.0]])},
    {"axis": 1, "b": onp.array([[0.5], [2.0]])},
    {"axis": 1, "b": onp.array([[0.5], [-2.0]]), "return_sign": True},
]


@pytest.mark.parametrize("options", LOGSUMEXP)
def test_logsumexp(options):
    x = onp.random.default_rng(0).standard_normal((3, 2, 4))

    def log(np, x):
        result = traced("logsumexp")(np, x, **options)
        return result[0] if options.get("return_sign") else result

    check_both_modes(log, x, **TOLERANCES)


@pytest.mark.parametrize("number", [2.0, onp.float32(2.0), onp.array(2.0), onp.array(2.0, "f")])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_of_a_number(number, axis, keepdims):
    def f(x):
        return anp.sum(3 * special.logsumexp(x, axis=axis, keepdims=keepdims))

    assert f(number) == 6
    gradient = ag.grad(f)(number)
    assert gradient == 3 and onp.shape(gradient) == ()
    assert gradient.dtype == onp.result_type(number)


def test_logsumexp_operand_b():
    rng = onp.random.default_rng(1)
    x, b = rng.standard_normal((2, 3)), onp.array([0.4, 1.0, 2.0])
    check_both_modes(lambda np, x, b: traced("logsumexp")(np, x, b=b, axis=1), x, b, **TOLERANCES)
    check_both_modes(
        lambda np, b: traced("logsumexp")(np, x[0], b=b), rng.uniform(1, 2, (3, 3)), **TOLERANCES
    )
    negative = onp.array([0.4, -3.0, 2.0])
    check_both_modes(
        lambda np, b: traced("logsumexp")(np, x, b=b, axis=-1, return_sign=True)[0], negative, **TOLERANCES
    )


def test_logsumexp_complex():
    z = onp.array([0.4 + 0.3j, 1.7 - 0.8j, 0.1 + 2j])
    check_both_modes(traced("logsumexp"), z, float32=False, **TOLERANCES)
    if onp.isrealobj(scipy.special.logsumexp(z, return_sign=True)[0]):
        for part in (0, 1):

            def result(np, z, part=part):
                return traced("logsumexp")(np, z, return_sign=True)[part]

            check_both_modes(result, z, float32=False, **TOLERANCES)


def test_logsumexp_of_infinities():
    with onp.errstate(invalid="raise"):
        some = onp.array([-onp.inf, 0.5, 1.5])
        onp.testing.assert_allclose(ag.grad(special.logsumexp)(some), scipy.special.softmax(some))
        none = onp.array([-onp.inf, -onp.inf])
        onp.testing.assert_array_equal(ag.grad(special.logsumexp)(none), [0.0, 0.0])
        onp.testing.assert_array_equal(ag.make_jvp(special.logsumexp)(none)(onp.ones(2))[1], 0.0)
        rows = onp.array([[-onp.inf, -onp.inf], [0.0, 0.0]])
        got = ag.grad(lambda x: anp.sum(special.logsumexp(x, axis=1)))(rows)
        onp.testing.assert_allclose(got, [[0.0, 0.0], [0.5, 0.5]])
        above = onp.array([-onp.inf, 2.0, onp.inf])
        onp.testing.assert_array_equal(ag.grad(special.logsumexp)(above), [0.0, 0.0, 1.0])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": -1}])
def test_values_of_logsumexp(dtype, options):
    rows = [
        [0.0, -50.0, 3.0], [-onp.inf] * 3, [-onp.inf, 1.0, 1.0], [onp.inf, 2.0, -onp.inf],
        [800.0, 801.0, 0.0],
        [onp.nan, 1.0, onp.inf], [0.0, -50.0, -50.0], [-800.0] * 3,
    ]  # fmt: skip
    table = onp.array(rows, dtype)
    for x in (table, *table[:, None]):
        got = ag.make_jvp(lambda x: special.logsumexp(x, **options))(x)(onp.ones_like(x))[0]
        with onp.errstate(all="ignore"):
            want = scipy.special.logsumexp(x, **options)
        assert got.dtype == want.dtype and got.shape == want.shape
        onp.testing.assert_allclose(got, want, rtol=1e-15 if dtype == "f8" else 1e-6, atol=1e-16)


def test_logsumexp_of_a_list_and_by_keyword():
    assert onp.isclose(ag.grad(lambda x: special.logsumexp([x, 2 * x]))(0.0), 1.5)
    x = onp.array([0.1, 1.0, -2.0])
    onp.testing.assert_allclose(ag.grad(lambda x: special.logsumexp(a=x))(x), scipy.special.softmax(x))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_softmax(name, axis):
    x = onp.random.default_rng(2).standard_normal((3, 4))
    check_both_modes(lambda np, x: traced(name)(np, x, axis=axis), x, **TOLERANCES)


@pytest.mark.parametrize(
    "name, args, argnum, slope",
    [
        ("xlogy", (0.0, 0.0), 1, 0.0),
        ("xlogy", (0.0, 2.0), 1, 0.0),
        ("rel_entr", (0.0, 2.0), 1, 0.0),
        ("kl_div", (0.0, 2.0), 1, 1.0),
        ("j1", (0.0,), 0, 0.5),
        ("i1", (0.0,), 0, 0.5),
        ("rgamma", (-2.0,), 0, 2.0),
        ("rgamma", (0.0,), 0, 1.0),
        ("gammainc", (1.0, 0.0), 1, 1.0),
        ("gammainc", (1.0, 0.0), 0, 0.0),
        ("betainc", (1.0, 1.0, 0.0), 2, 1.0),
        ("expit", (40.0,), 0, onp.exp(-40.0)),
        ("log_ndtr", (-1e4,), 0, 1e4 + 1e-4),
        ("log_ndtr", (100.0,), 0, 0.0),
        ("erfcx", (1e6,), 0, -1e-12 / onp.sqrt(onp.pi)),
        ("dawsn", (-1e6,), 0, -5e-13),
        ("boxcox", (2.0, 0.0), 1, onp.log(2.0) ** 2 / 2),
        ("inv_boxcox", (2.0, 0.0), 1, -2 * onp.exp(2.0)),
        ("exprel", (0.0,), 0, 0.5),
        ("spence", (1.0,), 0, -1.0),
        ("pseudo_huber", (1.0, 0.0), 1, 0.0),
        ("gammainc", (1e-6, 1.0), 0, -0.219384383),
        ("gammainc", (3000.0, 3001.0), 0, -0.00728143142),
        ("ellipk", (0.0,), 0, onp.pi / 8),
        ("ellipe", (0.0,), 0, -onp.pi / 8),
    ],
)
def test_singular_and_extreme_points(name, args, argnum, slope):
    got = ag.grad(getattr(special, name), argnum)(*args)
    onp.testing.assert_allclose(got, slope, rtol=1e-5)
    onp.testing.assert_allclose(ag.make_jvp(getattr(special, name), argnum)(*args)(1.0)[1], slope, rtol=1e-5)


def test_higher_derivatives_of_incomplete_functions():
    # Third derivatives of P(1, x) in x are known, and mixed ones do not depend on the order of taking them.
    assert onp.isclose(ag.grad(ag.grad(ag.grad(lambda x: special.gammainc(1.0, x))))(0.7), onp.exp(-0.7))
    one = ag.grad(ag.grad(lambda a, x: special.gammainc(a, x), 0), 1)(1.7, 0.9)
    other = ag.grad(ag.grad(lambda a, x: special.gammainc(a, x), 1), 0)(1.7, 0.9)
    assert onp.isclose(one, other, rtol=1e-12)
    one = ag.grad(ag.grad(special.betainc, 0), 1)(1.7, 0.9, 0.3)
    other = ag.grad(ag.grad(special.betainc, 1), 0)(1.7, 0.9, 0.3)
    assert onp.isclose(one, other, rtol=1e-12)


def test_file_runs_by_its_path():
    names = runpy.run_path(special.__file__)
    assert names["erf"](0.3) == scipy.special.erf(0.3)
    assert onp.isclose(ag.grad(names["gammaln"])(2.3), scipy.special.psi(2.3))
