"""Whole programs, each written once against a NumPy-like namespace, with its gradient by hand beside it.

``loss(np, *data)`` gives a function of the parameters (an array, a number, or a list of arrays);
``by_hand(x, *data)`` computes its value and returns its gradient, as one would write it in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as onp


@dataclass(frozen=True)
class Program:
    name: str
    loss: Callable[..., Callable[[Any], Any]]
    x: Any
    data: tuple[Any, ...] = ()
    by_hand: Callable[..., Any] | None = None
    kernel_bound: bool = False  # BLAS, LAPACK or whole-array loops take the time, not the cost per operation
    peers: tuple[str, ...] = ("autograd", "hand", "torch", "jax")


# --- chains of elementary operations -------------------------------------------------------------------


def horner(np, coefficients):
    def loss(x):
        y = 0.0
        for c in coefficients:
            y = y * x + c
        return y

    return loss


def horner_by_hand(x, coefficients):
    y, slope = 0.0, 0.0
    for c in coefficients:
        slope = slope * x + y
        y = y * x + c
    return slope


def decay(np, rate):
    """Twenty steps of a damped nonlinear recurrence on each entry."""

    def loss(x):
        drive, y = np.sin(x), x
        for _ in range(20):
            y = y + rate * (drive - y * y)
        return np.sum(y)

    return loss


def decay_by_hand(x, rate):
    drive, y, kept = onp.sin(x), x, []
    for _ in range(20):
        kept.append(y)
        y = y + rate * (drive - y * y)
    onp.sum(y)
    g, g_drive = onp.ones_like(x), onp.zeros_like(x)
    for y in reversed(kept):
        step = rate * g
        g_drive += step
        g = g - step * (2 * y)
    return g + g_drive * onp.cos(x)


def formula(np):
    """One long formula of elementary functions, few steps: bound by memory for large arrays."""

    def loss(x):
        u = np.log(x) / np.sqrt(x + 1.0)
        return np.sum(x * np.exp(-0.5 * u * u) * np.tanh(u) + np.sqrt(x))

    return loss


def formula_by_hand(x):
    a = onp.sqrt(x + 1.0)
    u = onp.log(x) / a
    e, t, r = onp.exp(-0.5 * u * u), onp.tanh(u), onp.sqrt(x)
    et = e * t
    onp.sum(x * et + r)
    gu = x * (e * (1 - t * t) - et * u)
    return et + gu * (1.0 / x - 0.5 * u / a) / a + 0.5 / r


# --- regression and networks ---------------------------------------------------------------------------


def logistic_regression(np, features, signs):
    def loss(w):
        margins = signs * np.dot(features, w)
        return np.mean(np.log1p(np.exp(-margins))) + 0.005 * np.sum(w * w)

    return loss


def logistic_regression_by_hand(w, features, signs):
    e = onp.exp(-signs * (features @ w))
    onp.mean(onp.log1p(e)) + 0.005 * (w @ w)
    return features.T @ (-signs * e / (1 + e)) / len(signs) + 0.01 * w


def mlp(np, inputs, onehot):
    """Three dense layers and the cross-entropy of classes."""

    def loss(params):
        h = inputs
        for k in (0, 2):
            h = np.tanh(np.dot(h, params[k]) + params[k + 1])
        logits = np.dot(h, params[4]) + params[5]
        return np.mean(np.logsumexp(logits, 1) - np.sum(logits * onehot, 1))

    return loss


def mlp_by_hand(params, inputs, onehot):
    h1 = onp.tanh(inputs @ params[0] + params[1])
    h2 = onp.tanh(h1 @ params[2] + params[3])
    logits = h2 @ params[4] + params[5]
    e = onp.exp(logits - logits.max(axis=1, keepdims=True))
    total = e.sum(axis=1, keepdims=True)
    onp.mean(onp.log(total) - onp.sum(logits * onehot, axis=1, keepdims=True))
    g3 = (e / total - onehot) / len(inputs)
    g2 = g3 @ params[4].T * (1 - h2 * h2)
    g1 = g2 @ params[2].T * (1 - h1 * h1)
    return [inputs.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ g3, g3.sum(axis=0)]


def rnn(np, inputs, targets):
    """A recurrent network that predicts a number at each time; inputs are (time, batch, features)."""

    def loss(params):
        W, U, b, v = params
        h = np.zeros((inputs.shape[1], W.shape[0]))
        total = 0.0
        for t in range(inputs.shape[0]):
            h = np.tanh(np.dot(h, W) + np.dot(inputs[t], U) + b)
            error = np.dot(h, v) - targets[t]
            total = total + np.sum(error * error)
        return total

    return loss


def rnn_by_hand(params, inputs, targets):
    W, U, b, v = params
    hs, errors, total = [onp.zeros((inputs.shape[1], W.shape[0]))], [], 0.0
    for x, target in zip(inputs, targets, strict=True):
        h = onp.tanh(hs[-1] @ W + x @ U + b)
        error = h @ v - target
        total += error @ error
        hs.append(h)
        errors.append(error)
    gW, gU, gb, gv = (onp.zeros_like(p) for p in params)
    g = onp.zeros_like(hs[0])
    for t in range(len(inputs) - 1, -1, -1):
        h, twice = hs[t + 1], 2 * errors[t]
        gv += h.T @ twice
        z = (g + twice[:, None] * v) * (1 - h * h)
        gW += hs[t].T @ z
        gU += inputs[t].T @ z
        gb += z.sum(axis=0)
        g = z @ W.T
    return [gW, gU, gb, gv]


def convolution(np, images, targets):
    """A layer of filters, a nonlinearity, and the mean activations as features."""

    def loss(params):
        filters, weights = params
        maps = np.tanh(np.convolve_images(images, filters))
        features = np.mean(np.reshape(maps, (maps.shape[0], maps.shape[1], -1)), 2)
        error = np.dot(features, weights) - targets
        return np.sum(error * error)

    return loss


def convolution_by_hand(params, images, targets):
    filters, weights = params
    windows = onp.lib.stride_tricks.sliding_window_view(images, filters.shape[1:], axis=(1, 2))
    maps = onp.tanh(onp.tensordot(windows, filters[:, ::-1, ::-1], axes=([3, 4], [1, 2])))
    features = maps.mean(axis=(1, 2))
    error = features @ weights - targets
    error @ error
    g = 2 * error[:, None] * weights / (maps.shape[1] * maps.shape[2])
    z = g[:, None, None, :] * (1 - maps * maps)
    correlation = onp.tensordot(z, windows, axes=([0, 1, 2], [0, 1, 2]))
    return [correlation[:, ::-1, ::-1], features.T @ (2 * error)]


# --- probability ---------------------------------------------------------------------------------------


def hmm(np, observed):
    """Minus the log-likelihood of a hidden Markov model, by the scaled forward recursion."""

    def normalised(logits):
        e = np.exp(logits)
        return e / np.sum(e, -1)[..., None]

    def loss(params):
        start, step, emit = (normalised(p) for p in params)
        alpha = start * emit[:, observed[0]]
        total = 0.0
        for symbol in observed[1:]:
            scale = np.sum(alpha)
            total = total - np.log(scale)
            alpha = np.dot(alpha / scale, step) * emit[:, symbol]
        return total - np.log(np.sum(alpha))

    return loss


def hmm_by_hand(params, observed):
    """By forward-backward: d log p / d log theta is how often theta is expected to be in use."""
    start, step, emit = (onp.exp(p) / onp.exp(p).sum(axis=-1, keepdims=True) for p in params)
    n = len(observed)
    alphas, scales = [], onp.empty(n)
    alpha = start * emit[:, observed[0]]
    for t in range(n):
        if t:
            alpha = alpha @ step * emit[:, observed[t]]
        scales[t] = alpha.sum()
        alpha = alpha / scales[t]
        alphas.append(alpha)
    onp.sum(onp.log(scales))
    beta = onp.ones_like(start)
    moves, shows = onp.zeros_like(step), onp.zeros_like(emit)
    for t in range(n - 1, -1, -1):
        shows[:, observed[t]] += alphas[t] * beta
        if t:
            ahead = emit[:, observed[t]] * beta / scales[t]
            moves += onp.outer(alphas[t - 1], ahead)
            beta = step @ ahead
    first = alphas[0] * beta
    moves *= step
    return [
        start * first.sum() - first,
        step * moves.sum(axis=1, keepdims=True) - moves,
        emit * shows.sum(axis=1, keepdims=True) - shows,
    ]


def mixture(np, points):
    """Minus the log-likelihood of a mixture of diagonal Gaussians."""

    def loss(params):
        logits, means, log_scales = params
        z = (points[:, None, :] - means) / np.exp(log_scales)
        logs = logits - np.logsumexp(logits, 0) - 0.5 * np.sum(z * z, 2) - np.sum(log_scales, 1)
        return -np.sum(np.logsumexp(logs, 1))

    return loss


def mixture_by_hand(params, points):
    logits, means, log_scales = params
    inverse = onp.exp(-log_scales)
    z = (points[:, None, :] - means) * inverse
    top = logits.max()
    weights = onp.exp(logits - top)
    weights /= weights.sum()
    logs = onp.log(weights) - 0.5 * onp.sum(z * z, axis=2) - onp.sum(log_scales, axis=1)
    most = logs.max(axis=1, keepdims=True)
    shares = onp.exp(logs - most)
    total = shares.sum(axis=1, keepdims=True)
    onp.sum(onp.log(total) + most)
    shares /= total
    weighted = shares[:, :, None] * z
    return [
        len(points) * weights - shares.sum(axis=0),
        -weighted.sum(axis=0) * inverse,
        shares.sum(axis=0)[:, None] - (weighted * z).sum(axis=0),
    ]


def gaussian_process(np, squares, y, identity):
    """Minus the log marginal likelihood; parameters are logs of length, amplitude and noise."""

    def loss(theta):
        K = np.exp(2.0 * theta[1]) * np.exp(-0.5 * squares * np.exp(-2.0 * theta[0]))
        L = np.linalg.cholesky(K + np.exp(2.0 * theta[2]) * identity)
        z = np.linalg.solve(L, y)
        return 0.5 * np.sum(z * z) + np.sum(np.log(np.diag(L)))

    return loss


def gaussian_process_by_hand(theta, squares, y, identity):
    scaled = squares * onp.exp(-2.0 * theta[0])
    K = onp.exp(2.0 * theta[1]) * onp.exp(-0.5 * scaled)
    noise = onp.exp(2.0 * theta[2])
    L = onp.linalg.cholesky(K + noise * identity)
    inverse = onp.linalg.inv(L)
    z = inverse @ y
    0.5 * (z @ z) + onp.sum(onp.log(onp.diag(L)))
    alpha = inverse.T @ z
    G = inverse.T @ inverse - onp.outer(alpha, alpha)  # twice the derivative in the covariance
    GK = G * K
    return onp.array([0.5 * onp.sum(GK * scaled), onp.sum(GK), onp.trace(G) * noise])


# --- differential equations and optimisation -----------------------------------------------------------


def predator_prey(np, start, target):
    """Fourth-order Runge-Kutta for a batch of Lotka-Volterra systems that share their four rates."""

    def loss(rates):
        a, b, c, d = rates[0], rates[1], rates[2], rates[3]

        def slope(u, v):
            uv = u * v
            return a * u - b * uv, d * uv - c * v

        h, (u, v) = 0.05, start
        for _ in range(20):
            k1, l1 = slope(u, v)
            k2, l2 = slope(u + 0.5 * h * k1, v + 0.5 * h * l1)
            k3, l3 = slope(u + 0.5 * h * k2, v + 0.5 * h * l2)
            k4, l4 = slope(u + h * k3, v + h * l3)
            u = u + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
            v = v + h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4)
        return np.sum((u - target[0]) ** 2) + np.sum((v - target[1]) ** 2)

    return loss


def predator_prey_by_hand(rates, start, target):
    a, b, c, d = rates
    h, (u, v), kept = 0.05, start, []
    for _ in range(20):
        us, vs, ks, ls = [], [], [], []
        for shift in (0.0, 0.5 * h, 0.5 * h, h):
            us.append(u + shift * ks[-1] if ks else u)
            vs.append(v + shift * ls[-1] if ls else v)
            uv = us[-1] * vs[-1]
            ks.append(a * us[-1] - b * uv)
            ls.append(d * uv - c * vs[-1])
        kept.append((us, vs))
        u = u + h / 6.0 * (ks[0] + 2.0 * (ks[1] + ks[2]) + ks[3])
        v = v + h / 6.0 * (ls[0] + 2.0 * (ls[1] + ls[2]) + ls[3])
    onp.sum((u - target[0]) ** 2) + onp.sum((v - target[1]) ** 2)
    gu, gv = 2 * (u - target[0]), 2 * (v - target[1])
    ga = gb = gc = gd = 0.0
    for us, vs in reversed(kept):
        next_u, next_v = gu, gv
        gk = gl = 0.0
        stages = zip(us, vs, (1, 2, 2, 1), (0.5 * h, 0.5 * h, h, 0.0), strict=True)
        for su, sv, weight, shift in reversed(list(stages)):
            k = h / 6.0 * weight * gu + shift * gk
            l = h / 6.0 * weight * gv + shift * gl
            uv, m = su * sv, d * l - b * k
            ga, gb, gc, gd = ga + k @ su, gb - k @ uv, gc - l @ sv, gd + l @ uv
            gk, gl = a * k + m * sv, m * su - c * l
            next_u, next_v = next_u + gk, next_v + gl
        gu, gv = next_u, next_v
    return onp.array([ga, gb, gc, gd])


def rosenbrock(np):
    def loss(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    return loss


def rosenbrock_by_hand(x):
    head, rest = x[:-1], x[1:]
    gap = rest - head * head
    onp.sum(100.0 * gap * gap + (1.0 - head) ** 2)
    g = onp.zeros_like(x)
    g[1:] = 200.0 * gap
    g[:-1] -= 400.0 * gap * head + 2.0 * (1.0 - head)
    return g


def rosenbrock_loop(np):
    def loss(x):
        total = 0.0
        for i in range(x.shape[0] - 1):
            total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        return total

    return loss


def rosenbrock_loop_by_hand(x):
    g, total = onp.zeros_like(x), 0.0
    for i in range(len(x) - 1):
        gap, rest = x[i + 1] - x[i] ** 2, 1.0 - x[i]
        total = total + 100.0 * gap**2 + rest**2
        g[i + 1] += 200.0 * gap
        g[i] -= 400.0 * gap * x[i] + 2.0 * rest
    return g


def matrix_power(np, start):
    """Three products of large matrices and little else."""

    def loss(A):
        M = start
        for _ in range(3):
            M = np.dot(M, A)
        return np.sum(M * M)

    return loss


def matrix_power_by_hand(A, start):
    Ms = [start]
    for _ in range(3):
        Ms.append(Ms[-1] @ A)
    onp.sum(Ms[-1] * Ms[-1])
    g, gA = 2 * Ms[-1], onp.zeros_like(A)
    for M in reversed(Ms[:-1]):
        gA += M.T @ g
        g = g @ A.T
    return gA
