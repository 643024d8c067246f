"""The programs with their data: what is measured, at which sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as onp

from . import programs as p
from .programs import Program

# JAX unrolls the loops of a program that it compiles: some take it minutes, and are left out.
_NOT_JAX = ("autograd", "hand", "torch")


def _rng() -> onp.random.Generator:
    return onp.random.default_rng(20)


def _horner() -> Program:
    coefficients = _rng().uniform(-1, 1, 100).tolist()

    def loss(np):
        return p.horner(np, coefficients)

    def by_hand(x):
        return p.horner_by_hand(x, coefficients)

    return Program("scalar_polynomial", loss, onp.float64(0.9), (), by_hand)


def _decay(n: int, name: str) -> Callable[[], Program]:
    def make() -> Program:
        rate = 0.1
        x = _rng().uniform(0.1, 1.0, n)
        return Program(name, p.decay, x, (rate,), p.decay_by_hand, kernel_bound=n >= 10**5)

    return make


def _formula(n: int, name: str) -> Callable[[], Program]:
    def make() -> Program:
        x = _rng().uniform(0.5, 2.0, n)
        return Program(name, p.formula, x, (), p.formula_by_hand, kernel_bound=n >= 10**5)

    return make


def _logistic_regression() -> Program:
    rng = _rng()
    features, signs = rng.standard_normal((150, 8)), onp.sign(rng.standard_normal(150))
    x = rng.standard_normal(8)
    data = (features, signs)
    return Program("logistic_regression", p.logistic_regression, x, data, p.logistic_regression_by_hand)


def _mlp() -> Program:
    rng, widths = _rng(), (12, 24, 16, 4)
    params = []
    for rows, columns in zip(widths[:-1], widths[1:], strict=True):
        params += [rng.standard_normal((rows, columns)) / rows**0.5, rng.standard_normal(columns) * 0.1]
    inputs, onehot = rng.standard_normal((40, 12)), onp.eye(4)[rng.integers(0, 4, 40)]
    return Program("mlp", p.mlp, params, (inputs, onehot), p.mlp_by_hand)


def _rnn() -> Program:
    rng = _rng()
    params = [0.3 * rng.standard_normal(shape) for shape in ((12, 12), (2, 12), (12,), (12,))]
    data = (rng.standard_normal((40, 6, 2)), rng.standard_normal((40, 6)))
    return Program("rnn", p.rnn, params, data, p.rnn_by_hand)


def _hmm() -> Program:
    rng = _rng()
    params = [rng.standard_normal(shape) for shape in ((4,), (4, 4), (4, 6))]
    observed = rng.integers(0, 6, 40)
    return Program("hmm", p.hmm, params, (observed,), p.hmm_by_hand, peers=_NOT_JAX)


def _mixture() -> Program:
    rng = _rng()
    params = [rng.standard_normal(5), rng.standard_normal((5, 3)), 0.1 * rng.standard_normal((5, 3))]
    return Program("mixture", p.mixture, params, (rng.standard_normal((100, 3)),), p.mixture_by_hand)


def _gaussian_process() -> Program:
    rng, n = _rng(), 40
    t = onp.sort(rng.uniform(0, 5, n))
    data = ((t[:, None] - t) ** 2, onp.sin(t) + 0.1 * rng.standard_normal(n), onp.eye(n))
    theta = onp.array([0.1, -0.2, -1.0])
    return Program("gaussian_process", p.gaussian_process, theta, data, p.gaussian_process_by_hand)


def _predator_prey() -> Program:
    rng = _rng()
    data = (rng.uniform(0.5, 1.5, (2, 10)), rng.uniform(0.5, 1.5, (2, 10)))
    rates = onp.array([1.1, 0.4, 0.4, 0.3])
    return Program("ode_runge_kutta", p.predator_prey, rates, data, p.predator_prey_by_hand, peers=_NOT_JAX)


def _rosenbrock() -> Program:
    return Program("rosenbrock", p.rosenbrock, _rng().standard_normal(500), (), p.rosenbrock_by_hand)


def _rosenbrock_loop() -> Program:
    x = _rng().standard_normal(60)
    return Program("rosenbrock_loop", p.rosenbrock_loop, x, (), p.rosenbrock_loop_by_hand, peers=_NOT_JAX)


def _convolution() -> Program:
    rng = _rng()
    params = [rng.standard_normal((3, 4, 4)) * 0.3, rng.standard_normal(3)]
    data = (rng.standard_normal((5, 16, 16)), rng.standard_normal(5))
    return Program("convolution", p.convolution, params, data, p.convolution_by_hand, kernel_bound=True)


def _matrix_power() -> Program:
    rng, n = _rng(), 250
    A, start = rng.standard_normal((n, n)) / n**0.5, rng.standard_normal((n, n)) / n**0.5
    return Program("matrix_power", p.matrix_power, A, (start,), p.matrix_power_by_hand, kernel_bound=True)


PROGRAMS: dict[str, Callable[[], Program]] = {
    "scalar_polynomial": _horner,
    "decay_10": _decay(10, "decay_10"),
    "decay_1k": _decay(1000, "decay_1k"),
    "decay_100k": _decay(10**5, "decay_100k"),
    "formula_100": _formula(100, "formula_100"),
    "formula_1M": _formula(10**6, "formula_1M"),
    "logistic_regression": _logistic_regression,
    "mlp": _mlp,
    "rnn": _rnn,
    "hmm": _hmm,
    "mixture": _mixture,
    "gaussian_process": _gaussian_process,
    "ode_runge_kutta": _predator_prey,
    "rosenbrock": _rosenbrock,
    "rosenbrock_loop": _rosenbrock_loop,
    "convolution": _convolution,
    "matrix_power": _matrix_power,
}
