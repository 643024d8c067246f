"""Multinomial logistic regression on Fisher's iris data.

The loss is written in NumPy; `value_and_grad` turns it into the pair that `scipy.optimize.minimize` asks
for with ``jac=True``.  Without SciPy the library's own Adam does the same work in more steps.

    python logistic_regression.py [--no-scipy] [--iterations N] [--seed N]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as onp
from iris import SPECIES, load_split

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.misc.optimizers import adam
from autograd_fast.test_util import check_grads

PENALTY = 1e-3


def log_probabilities(weights, features):
    """Log-softmax of one affine function for each species; `weights` is flat, as optimisers like it."""
    table = weights.reshape(features.shape[1] + 1, len(SPECIES))
    logits = np.dot(features, table[:-1]) + table[-1]
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def make_loss(features: onp.ndarray, labels: onp.ndarray) -> Callable:
    """Mean negative log-likelihood of the labels, and a ridge penalty that makes it strictly convex."""
    one_hot = onp.eye(len(SPECIES))[labels]

    def loss(weights):
        fit = -np.sum(one_hot * log_probabilities(weights, features)) / len(labels)
        return fit + PENALTY * np.sum(weights**2)

    return loss


def minimize(loss: Callable, start: onp.ndarray, iterations: int, use_scipy: bool) -> tuple[onp.ndarray, str]:
    """Minimise by SciPy's L-BFGS where it can be had, by Adam otherwise: the weights, and the method."""
    if use_scipy:
        try:
            from scipy.optimize import minimize as scipy_minimize
        except ImportError:
            pass
        else:
            result = scipy_minimize(
                ag.value_and_grad(loss), start, jac=True, method="L-BFGS-B", options={"maxiter": iterations}
            )
            return result.x, "L-BFGS (SciPy)"
    gradient = ag.grad(loss)
    weights = adam(lambda weights, _step: gradient(weights), start, num_iters=iterations, step_size=0.1)
    return weights, "Adam"


def accuracy(weights: onp.ndarray, features: onp.ndarray, labels: onp.ndarray) -> float:
    """The share of flowers whose most probable species is the right one."""
    return float(onp.mean(onp.argmax(log_probabilities(weights, features), axis=1) == labels))


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Fit, report, and return the reported numbers."""
    parser = argparse.ArgumentParser(description="multinomial logistic regression on Fisher's iris data")
    parser.add_argument("--no-scipy", action="store_true", help="use the library's own Adam")
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the split")
    options = parser.parse_args(arguments)

    data = load_split(options.seed)
    loss = make_loss(data.train_x, data.train_y)
    start = onp.zeros((data.train_x.shape[1] + 1) * len(SPECIES))

    check_grads(loss, modes=["fwd", "rev"], order=2)(start + 0.1)
    print("gradient check: passed (both modes, second order)")
    weights, method = minimize(loss, start, options.iterations, not options.no_scipy)
    final_loss = float(loss(weights))
    slope = float(onp.max(onp.abs(ag.grad(loss)(weights))))
    held_out = accuracy(weights, data.test_x, data.test_y)
    print(f"optimiser: {method}")
    print(f"loss: {float(loss(start)):.6f} -> {final_loss:.6f}, largest slope left {slope:.1e}")
    print(f"training accuracy: {accuracy(weights, data.train_x, data.train_y):.4f}")
    print(f"held-out accuracy: {held_out:.4f}")
    return {"loss": final_loss, "slope": slope, "accuracy": held_out}


if __name__ == "__main__":
    main()
