"""A recurrent network that learns to predict the next character of a text, and then writes some.

The loop over time is an ordinary Python loop; the gradient flows back through all of it.

    python rnn.py [--iterations N] [--seed N]
"""

from __future__ import annotations

import argparse

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.misc.optimizers import adam

TEXT = (
    "Peter Piper picked a peck of pickled peppers. A peck of pickled peppers Peter Piper picked. "
    "If Peter Piper picked a peck of pickled peppers, "
    "where is the peck of pickled peppers Peter Piper picked? "
)
ALPHABET = sorted(set(TEXT))
HIDDEN = 24
LENGTH = 20

Parameters = dict[str, onp.ndarray]


def initial_parameters(rng: onp.random.Generator) -> Parameters:
    """Small Gaussian weights."""
    letters = len(ALPHABET)
    return {
        "input": 0.3 * rng.standard_normal((letters, HIDDEN)),
        "recurrent": rng.standard_normal((HIDDEN, HIDDEN)) / onp.sqrt(HIDDEN),
        "bias": onp.zeros(HIDDEN),
        "output": 0.3 * rng.standard_normal((HIDDEN, letters)),
        "output bias": onp.zeros(letters),
    }


def advance(parameters, state, letters):
    """The next state, and the log-probabilities of the next letter; one row for each sequence."""
    drive = np.dot(letters, parameters["input"]) + np.dot(state, parameters["recurrent"])
    state = np.tanh(drive + parameters["bias"])
    logits = np.dot(state, parameters["output"]) + parameters["output bias"]
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return state, shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def loss(parameters, sequences):
    """Mean negative log-likelihood in bits a character; `sequences` is one-hot: (time, sequence, letter)."""
    state = onp.zeros((sequences.shape[1], HIDDEN))
    total = 0.0
    for now, following in zip(sequences[:-1], sequences[1:], strict=True):
        state, log_p = advance(parameters, state, now)
        total = total - np.sum(following * log_p)
    return total / ((len(sequences) - 1) * sequences.shape[1] * onp.log(2.0))


def write(parameters: Parameters, start: str, count: int) -> str:
    """Continue `start` with the most probable letters."""
    codes = onp.eye(len(ALPHABET))
    state = onp.zeros((1, HIDDEN))
    text = start
    for position in range(len(start) + count - 1):
        state, log_p = advance(parameters, state, codes[[ALPHABET.index(text[position])]])
        if position == len(text) - 1:
            text += ALPHABET[int(onp.argmax(log_p))]
    return text


def main(arguments: list[str] | None = None) -> dict[str, float | str]:
    """Train, write a line, and return the reported numbers and the line."""
    parser = argparse.ArgumentParser(description="a character-level recurrent network")
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the batches")
    options = parser.parse_args(arguments)

    rng = onp.random.default_rng(options.seed)
    codes = onp.eye(len(ALPHABET))[[ALPHABET.index(letter) for letter in TEXT]]
    windows = onp.stack([codes[i : i + LENGTH + 1] for i in range(len(TEXT) - LENGTH)], axis=1)
    start = initial_parameters(rng)
    gradient = ag.grad(loss)

    def batch_gradient(parameters, _step):
        return gradient(parameters, windows[:, rng.choice(windows.shape[1], size=12, replace=False)])

    def report(parameters, step, _gradient):
        if step % 50 == 0:
            print(f"step {step:4d}   {float(loss(parameters, windows)):.3f} bits a character")

    trained = adam(batch_gradient, start, callback=report, num_iters=options.iterations, step_size=0.01)
    first, last = (float(loss(parameters, windows)) for parameters in (start, trained))
    line = write(trained, "Peter ", 60)
    print(f"loss: {first:.3f} -> {last:.3f} bits a character")
    print(f"written: {line}")
    return {"first_loss": first, "loss": last, "line": line}


if __name__ == "__main__":
    main()
