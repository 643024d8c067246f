"""Random programs against finite differences, HIPS, the other mode, and themselves without kernels.

``python tests/test_generated.py --minutes 10`` goes on for that long, with other programs each time, and
says how many there were.
"""

import argparse
import sys
import time
import warnings

import hypothesis
import numpy as onp
import pytest
from generated import Builder
from hypothesis import strategies as st

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels

try:
    import autograd as hips
    import autograd.numpy as hips_np
except ImportError:
    hips = hips_np = None

COUNTS = dict.fromkeys(("programs", "smooth", "second order", "third order", "compared with HIPS"), 0)
LINES_OF_THIRD_ORDER = 5


@st.composite
def programs(draw):
    """A program that shrinks well, or one whose choices are uniform."""
    if draw(st.booleans()):
        return Builder(lambda n: draw(st.integers(0, n - 1)) if n > 1 else 0).build()
    rng = onp.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Builder(lambda n: int(rng.integers(n))).build()


class Case:
    """A program with a direction in its inputs and weights of its results."""

    def __init__(self, program):
        self.program = program
        rng = onp.random.default_rng(0)
        self.x = [onp.asarray(v) for v in program.inputs.values()]
        self.values = [onp.asarray(v) for v in program.run(onp, None, program.pack(self.x))]
        self.weights = [self.like(rng, v) for v in self.values]
        self.v = [self.like(rng, x) for x in self.x]
        self.u = [self.like(rng, x) for x in self.x]
        self.w = [self.like(rng, x) for x in self.x]

    @staticmethod
    def like(rng, value):
        made = rng.uniform(-1.0, 1.0, value.shape)
        return onp.asarray(
            made + 1j * rng.uniform(-1.0, 1.0, value.shape) if onp.iscomplexobj(value) else made
        )

    def loss(self, np, ag):
        """A real function of the packed inputs."""

        def loss(packed):
            total = 0.0
            for y, w in zip(self.program.run(np, ag, packed), self.weights, strict=True):
                total = total + np.sum(np.real(y * w)) + 0.5 * np.sum(np.real(y * np.conj(y)))
            return total

        return loss

    def gradient(self, np, ag, values):
        packed = self.program.pack(values)
        return self.program.unpack(ag.grad(self.loss(np, ag))(packed))

    def along(self, f, direction=None, h=2e-4):
        """The derivative of a function of the list of inputs, along v by default; None where not smooth."""
        direction = self.v if direction is None else direction

        def difference(h):
            p2, p1, m1, m2 = (
                f([x + s * h * v for x, v in zip(self.x, direction, strict=True)]) for s in (2, 1, -1, -2)
            )
            return (8 * (p1 - m1) - (p2 - m2)) / (12 * h)

        coarse, fine = difference(h), difference(h / 3)
        scale = 1.0 + onp.max(onp.abs(fine), initial=0.0)
        return fine if onp.all(onp.abs(coarse - fine) < 1e-6 * scale) else None


def dot(a, b):
    """The pairing of cotangents and tangents, and the size of its terms."""
    pairs = [onp.asarray(x) * onp.asarray(y) for x, y in zip(a, b, strict=True)]
    return sum(onp.sum(onp.real(p)) for p in pairs), 1.0 + sum(onp.sum(onp.abs(p)) for p in pairs)


def assert_near(got, want, scale, tolerance, what):
    assert abs(got - want) <= tolerance * scale, f"{what}: {got}, expected {want}"


def check(program):
    """Every comparison of one program; numbers of what was compared are kept in COUNTS."""
    case = Case(program)
    packed = program.pack(case.x)
    COUNTS["programs"] += 1
    with warnings.catch_warnings(), onp.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        g = case.gradient(np, ag, case.x)
        for got, x in zip(g, case.x, strict=True):
            assert onp.shape(got) == x.shape and onp.asarray(got).dtype == x.dtype
        slope, scale = dot(g, case.v)

        want = case.along(lambda x: case.loss(onp, None)(program.pack(x)))
        if want is not None:
            COUNTS["smooth"] += 1
            assert_near(slope, want, scale, 1e-5, "gradient against differences")

        tangents = check_forward(case, packed)
        check_kernels(case, g, tangents)
        check_float32(case, g, smooth=want is not None)
        if want is not None:
            check_second_order(case, packed)
            if len(program.lines) <= LINES_OF_THIRD_ORDER:
                check_third_order(case, packed)
            check_hips(case, g, want, scale)


def check_forward(case, packed):
    run = lambda packed: case.program.run(np, ag, packed)
    values, tangents = ag.make_jvp(run)(packed)(case.program.pack(case.v))
    for value, tangent, plain in zip(values, tangents, case.values, strict=True):
        onp.testing.assert_allclose(value, plain, rtol=1e-10, atol=1e-10)
        assert onp.shape(tangent) == plain.shape, f"tangent of shape {onp.shape(tangent)} for {plain.shape}"
    vjp, _ = ag.make_vjp(run)(packed)
    pulled = case.program.unpack(vjp(case.weights))
    forward, scale = dot(case.weights, tangents)
    reverse, other = dot(pulled, case.v)
    assert_near(forward, reverse, max(scale, other), 1e-9, "forward against reverse mode")
    return tangents


def check_kernels(case, g, tangents):
    was = _kernels.set_enabled(False)
    try:
        slow = case.gradient(np, ag, case.x)
        run = ag.make_jvp(lambda packed: case.program.run(np, ag, packed))(case.program.pack(case.x))
        slow_tangents = run(case.program.pack(case.v))[1]
    finally:
        _kernels.set_enabled(was)
    for a, b in zip([*g, *tangents], [*slow, *slow_tangents], strict=True):
        onp.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10, err_msg="with and without kernels")


CHOOSING = ("sort", "max", "min", "clip", "where", "median", "partition", "abs", "sign", "%", "argmax")


def check_float32(case, g, smooth):
    single = [x.astype("F" if onp.iscomplexobj(x) else "f") for x in case.x]
    size = 1.0 + max(onp.max(onp.abs(a), initial=0.0) for a in g)
    # equal numbers may be unequal when rounded, so that sorting and selecting choose others
    smooth = smooth and not any(word in line for line in case.program.lines for word in CHOOSING)
    mixed = [s if i % 2 == 0 else x for i, (s, x) in enumerate(zip(single, case.x, strict=True))]
    for given in (single, mixed) if len(single) > 1 else (single,):
        for got, x, want in zip(case.gradient(np, ag, given), given, g, strict=True):
            assert onp.asarray(got).dtype == x.dtype and onp.shape(got) == x.shape
            if smooth:
                onp.testing.assert_allclose(got, want, rtol=0, atol=1e-3 * size, err_msg="single precision")


def slope_of(case, f, direction):
    """The derivative along a direction of a function of the packed inputs, by reverse mode."""

    def slope(packed):
        g = case.program.unpack(ag.grad(f)(packed))
        return sum(np.sum(np.real(a * b)) for a, b in zip(g, direction, strict=True))

    return slope


def check_order(case, packed, slope, tolerance, what):
    """One more derivative of `slope`, in both modes and against differences; whether it is smooth."""
    reverse, scale = dot(case.program.unpack(ag.grad(slope)(packed)), case.v)
    forward = ag.make_jvp(slope)(packed)(case.program.pack(case.v))[1]
    assert_near(forward, reverse, scale, tolerance * 1e-3, f"{what} order, forward against reverse")
    want = case.along(lambda x: slope(case.program.pack(x)))
    if want is None:
        return False
    COUNTS[f"{what} order"] += 1
    assert_near(reverse, want, scale, tolerance, f"{what} order against differences")
    return True


def check_second_order(case, packed):
    check_order(case, packed, slope_of(case, case.loss(np, ag), case.u), 1e-5, "second")


def check_third_order(case, packed):
    once = slope_of(case, case.loss(np, ag), case.u)
    if check_order(case, packed, slope_of(case, once, case.w), 1e-5, "third"):
        pushed = lambda packed: ag.make_jvp(once)(packed)(case.program.pack(case.w))[1]
        reverse = ag.make_jvp(slope_of(case, once, case.w))(packed)(case.program.pack(case.v))[1]
        forward = ag.make_jvp(pushed)(packed)(case.program.pack(case.v))[1]
        assert_near(forward, reverse, 1.0 + abs(reverse), 1e-8, "third order, forward over forward")


def check_hips(case, g, want, scale):
    """HIPS lacks some functions and is wrong in others; where it is right, the numbers are the same."""
    if hips is None:
        return
    try:
        theirs = case.gradient(hips_np, hips, case.x)
        slope, _ = dot(theirs, case.v)
    except Exception:
        return
    if any(onp.shape(a) != x.shape for a, x in zip(theirs, case.x, strict=True)):
        return
    if not abs(slope - want) <= 1e-5 * scale:
        return
    size = 1.0 + max(onp.max(onp.abs(a), initial=0.0) for a in g)
    apart = [onp.conj(a - b) for a, b in zip(g, theirs, strict=True)]
    most = max(onp.max(onp.abs(d), initial=0.0) for d in apart)
    if most > 1e-8 * size and not is_nearer(case, theirs, g, [d / most for d in apart]):
        return  # along v by chance
    COUNTS["compared with HIPS"] += 1
    for a, b in zip(g, theirs, strict=True):
        onp.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8 * size, err_msg="against HIPS")


def is_nearer(case, theirs, g, direction):
    """Whether differences along a direction in which two gradients differ speak for the first one."""
    want = case.along(lambda x: case.loss(onp, None)(case.program.pack(x)), direction)
    return want is not None and 4 * abs(dot(theirs, direction)[0] - want) < abs(dot(g, direction)[0] - want)


SETTINGS = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(hypothesis.HealthCheck),
    "phases": [hypothesis.Phase.explicit, hypothesis.Phase.generate, hypothesis.Phase.shrink],
}


@hypothesis.settings(max_examples=150, derandomize=True, **SETTINGS)
@hypothesis.given(programs())
def test_generated_programs(program):
    check(program)


def test_the_comparisons_see_a_wrong_rule(monkeypatch):
    """A program whose gradient is wrong must not pass."""
    right = ag.grad
    monkeypatch.setattr(ag, "grad", lambda f: lambda x: [1.001 * a for a in right(f)(x)])
    program = Builder(lambda n: 0).build()
    program.container = "list"
    with pytest.raises(AssertionError, match="differences"):
        check(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=None, help="the first seed; the clock by default")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        run = hypothesis.settings(max_examples=200, **SETTINGS)(hypothesis.given(programs())(check))
        try:
            hypothesis.seed(seed)(run)()
        except Exception:
            print(f"a program of --seed {seed} fails", file=sys.stderr)
            raise
        seed += 1
    print(", ".join(f"{name}: {n}" for name, n in COUNTS.items()))


if __name__ == "__main__":
    main()
