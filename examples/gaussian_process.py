"""Gaussian-process regression whose hyperparameters are learned from the marginal likelihood.

Observations of sin(3 x) with noise of standard deviation 0.1.  Three numbers are learned, as logarithms:
the length scale and the size of the functions, and the size of the noise.  The gradient goes through a
Cholesky factorisation and the solution of linear systems.

    python gaussian_process.py [--iterations N] [--seed N]
"""

from __future__ import annotations

import argparse

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.misc.optimizers import adam

NOISE = 0.1


def truth(x: onp.ndarray) -> onp.ndarray:
    """The function behind the observations."""
    return onp.sin(3.0 * x)


def covariance(log_length, log_size, x, y):
    """Squared-exponential covariance between the points x and y."""
    distance = (x[:, None] - y[None, :]) / np.exp(log_length)
    return np.exp(2.0 * log_size - 0.5 * distance**2)


def factor(parameters, x):
    """Cholesky factor of the covariance of noisy observations at x."""
    log_length, log_size, log_noise = parameters
    noise = np.exp(2.0 * log_noise) + 1e-8
    return np.linalg.cholesky(covariance(log_length, log_size, x, x) + noise * onp.eye(len(x)))


def negative_log_likelihood(parameters, x, y):
    """Of the observations, with the unknown function integrated out: half of y' K^-1 y + log det 2 pi K."""
    lower = factor(parameters, x)
    whitened = np.linalg.solve(lower, y)
    log_det = 2.0 * np.sum(np.log(np.diag(lower)))
    return 0.5 * (np.dot(whitened, whitened) + log_det + len(x) * onp.log(2.0 * onp.pi))


def predict(parameters, x, y, where):
    """Mean and standard deviation of the function at new points."""
    lower = factor(parameters, x)
    cross = np.linalg.solve(lower, covariance(parameters[0], parameters[1], x, where))
    mean = np.dot(cross.T, np.linalg.solve(lower, y))
    variance = np.exp(2.0 * parameters[1]) - np.sum(cross**2, axis=0)
    return mean, np.sqrt(np.maximum(variance, 0.0))


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Learn the hyperparameters, predict between the observations, and return the reported numbers."""
    parser = argparse.ArgumentParser(description="Gaussian-process regression with learned hyperparameters")
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0, help="of the observations")
    options = parser.parse_args(arguments)

    rng = onp.random.default_rng(options.seed)
    x = onp.sort(rng.uniform(-2.0, 2.0, size=40))
    y = truth(x) + NOISE * rng.standard_normal(len(x))
    where = onp.linspace(-1.8, 1.8, 101)
    start = onp.log(onp.array([1.0, 1.0, 0.5]))
    gradient = ag.grad(negative_log_likelihood)

    def report(parameters, step, _gradient):
        if step % 50 == 0:
            print(f"step {step:4d}   loss {float(negative_log_likelihood(parameters, x, y)):8.3f}")

    learned = adam(
        lambda parameters, _step: gradient(parameters, x, y),
        start,
        callback=report,
        num_iters=options.iterations,
        step_size=0.05,
    )
    first, last = (float(negative_log_likelihood(parameters, x, y)) for parameters in (start, learned))
    mean, spread = predict(learned, x, y, where)
    error = float(onp.sqrt(onp.mean((mean - truth(where)) ** 2)))
    covered = float(onp.mean(onp.abs(mean - truth(where)) < 2.0 * spread))
    length, size, noise = (float(number) for number in onp.exp(learned))
    print(f"loss: {first:.3f} -> {last:.3f}")
    print(f"length scale {length:.3f}, size {size:.3f}, noise {noise:.4f} (true noise {NOISE})")
    print(f"root mean square error: {error:.4f}, within two standard deviations: {covered:.2f}")
    return {"first_loss": first, "loss": last, "noise": noise, "error": error, "covered": covered}


if __name__ == "__main__":
    main()
