"""A small neural network on Fisher's iris data, trained by Adam on random mini-batches.

The parameters are a list of (weights, bias) pairs: `grad` differentiates with respect to the whole list
and returns a list of the same form.

    python neural_network.py [--iterations N] [--seed N]
"""

from __future__ import annotations

import argparse

import numpy as onp
from iris import SPECIES, load_split

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.misc.optimizers import adam

BATCH = 35
LAYERS = (4, 16, 16, len(SPECIES))

Parameters = list[tuple[onp.ndarray, onp.ndarray]]


def initial_parameters(rng: onp.random.Generator) -> Parameters:
    """Gaussian weights scaled so that every layer starts with outputs of unit size; no bias."""
    return [
        (rng.standard_normal((fan_in, fan_out)) / onp.sqrt(fan_in), onp.zeros(fan_out))
        for fan_in, fan_out in zip(LAYERS[:-1], LAYERS[1:], strict=True)
    ]


def log_probabilities(parameters, features):
    """Tanh layers, then a log-softmax."""
    hidden = features
    for weights, bias in parameters[:-1]:
        hidden = np.tanh(np.dot(hidden, weights) + bias)
    weights, bias = parameters[-1]
    logits = np.dot(hidden, weights) + bias
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def loss(parameters, features, one_hot):
    """Mean negative log-likelihood and a small penalty on the weights."""
    penalty = 0.0
    for weights, _bias in parameters:
        penalty = penalty + np.sum(weights**2)
    return -np.sum(one_hot * log_probabilities(parameters, features)) / len(features) + 1e-3 * penalty


def accuracy(parameters: Parameters, features: onp.ndarray, labels: onp.ndarray) -> float:
    """The share of flowers whose most probable species is the right one."""
    return float(onp.mean(onp.argmax(log_probabilities(parameters, features), axis=1) == labels))


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Train, report, and return the reported numbers."""
    parser = argparse.ArgumentParser(description="a small neural network on Fisher's iris data")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="of the split, the weights and the batches")
    options = parser.parse_args(arguments)

    data = load_split(options.seed)
    one_hot = onp.eye(len(SPECIES))[data.train_y]
    rng = onp.random.default_rng(options.seed)
    start = initial_parameters(rng)
    gradient = ag.grad(loss)

    def batch_gradient(parameters, _step):
        rows = rng.choice(len(data.train_y), size=BATCH, replace=False)
        return gradient(parameters, data.train_x[rows], one_hot[rows])

    def report(parameters, step, _gradient):
        if step % 50 == 0:
            print(f"step {step:4d}   loss {float(loss(parameters, data.train_x, one_hot)):.4f}")

    trained = adam(batch_gradient, start, callback=report, num_iters=options.iterations, step_size=0.01)
    first, last = (float(loss(parameters, data.train_x, one_hot)) for parameters in (start, trained))
    held_out = accuracy(trained, data.test_x, data.test_y)
    print(f"loss: {first:.4f} -> {last:.4f}")
    print(f"held-out accuracy: {held_out:.4f}")
    return {"first_loss": first, "loss": last, "accuracy": held_out}


if __name__ == "__main__":
    main()
