"""Random programs: their text is built line by line, each line tried on plain NumPy.

A program takes named inputs and computes values from them, one a line.  The text is run with ``np``, and with
the helpers of a namespace: plain NumPy, autograd_fast or autograd.
"""

import warnings

import numpy as onp

LIMIT_SIZE, LIMIT_VALUE = 60, 50.0
SHAPES = [(), (1,), (3,), (2, 3), (3, 1), (1, 3), (3, 3), (2, 1, 3), (0,), (2, 0)]
REAL_MAPS = [
    "np.sin({a})", "np.cos({a})", "np.tanh({a})", "np.exp(0.3 * {a})", "np.square({a})",
    "np.sqrt(1.0 + {a} ** 2)", "np.log1p({a} ** 2)", "np.arctan({a})", "-{a}", "+{a}", "np.abs({a})",
    "{a} ** 3", "{a} ** 2.0", "2.0 ** np.sin({a})", "1.0 / (2.0 + {a} * {a})", "np.expm1(0.2 * {a})",
    "np.sinh(0.3 * {a})", "np.log(3.0 + np.cos({a}))", "3 * {a} - 1", "np.maximum({a}, 0.1)",
    "np.minimum(0.1, {a})", "np.clip({a}, -0.7, 0.9)", "np.where({a} > 0.2, {a} * {a}, -{a})",
    "np.where({a} > 0.0, np.sqrt(np.where({a} > 0.0, {a}, 1.0)), 0.0)", "np.sinc({a})",
    "np.logaddexp({a}, 0.3)", "np.nan_to_num({a})", "np.real({a})", "np.floor({a}) + {a}",
    "np.sign({a}) * {a}", "{a} * 1j", "np.exp(1j * {a})", "np.arcsinh({a})", "np.fmax({a}, -0.2)",
    "np.mod({a}, 7.3)", "np.deg2rad({a})", "onp.sin({a})", "onp.multiply({a}, 0.5)",
]  # fmt: skip
COMPLEX_MAPS = [
    "np.sin({a})", "np.exp(0.3 * {a})", "{a} * {a}", "{a} ** 2", "np.conj({a})", "np.real({a})",
    "np.imag({a})", "-{a}", "1.0 / (3.0 + {a} * np.conj({a}))", "np.abs({a} + 3.0)", "{a} * 1j",
    "np.angle({a} + 4.0)", "np.cos({a})",
]  # fmt: skip
PAIRS = [
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / (3.0 + {b} * np.conj({b}))", "np.add({a}, {b})",
    "np.multiply({a}, {b})", "onp.add({a}, {b})", "np.where(np.real({a}) > np.real({b}), {a}, {b})",
    "{a} * 0.5 + {b} * np.sin({b})",
]  # fmt: skip
REAL_PAIRS = [
    "np.maximum({a}, {b})", "np.minimum({a}, {b})", "np.arctan2({a}, 3.0 + {b} ** 2)",
    "np.hypot({a}, 1.0 + {b} ** 2)", "np.logaddexp({a}, {b})", "(2.0 + np.sin({a})) ** {b}",
    "np.fmin({a}, {b})",
]  # fmt: skip
REDUCTIONS = ["np.sum({a}{o})", "np.mean({a}{o})", "np.prod({a}{o})", "np.var({a}{o})"]
REAL_REDUCTIONS = [
    "np.max({a}{o})",
    "np.min({a}{o})",
    "np.std({a}{o})",
    "np.log(np.sum(np.exp(0.5 * {a}){o}))",
    "np.amax({a}{o})",
]
WHOLE = [
    "np.ravel({a})", "np.reshape({a}, -1)", "np.transpose({a})", "{a}.T", "np.cumsum({a})", "{a}[None]",
    "{a}[..., None]", "np.atleast_2d({a})", "np.expand_dims({a}, 0)", "np.squeeze({a})", "np.tile({a}, 2)",
    "np.repeat({a}, 2)", "{a}[()]", "np.flip({a})", "np.roll({a}, 1)", "np.ravel({a}, order='F')",
    "np.diag({a})", "np.linalg.norm({a} + 2.0)", "np.copy({a})", "np.broadcast_to({a}, (2,) + np.shape({a}))",
    "{a}.reshape(-1)", "{a}.flatten()", "{a} * np.ones((2, 1))", "{a}.sum()",
    "np.sum({a}, where=np.real({a}) > 0.0)", "np.full((2,), np.sum({a}))", "np.array({a})",
    "np.asarray({a}) * 2",
]  # fmt: skip
ALONG = [
    "np.cumsum({a}, {i})", "np.flip({a}, {i})", "np.roll({a}, 1, {i})", "np.repeat({a}, 2, axis={i})",
    "np.moveaxis({a}, 0, {i})", "np.concatenate([{a}, {a} * 2.0], axis={i})",
    "np.stack([{a}, {a}], axis={i})", "np.take({a}, [0, 0], axis={i})", "np.swapaxes({a}, 0, {i})",
    "np.diff({a}, axis={i})", "np.cumprod(0.5 * {a}, {i})", "np.split({a}, 1, axis={i})[0]",
    "np.rollaxis({a}, {i})",
]  # fmt: skip
REAL_ALONG = ["np.sort({a}, {i})", "np.max({a}, axis={i})", "np.sum(np.sort({a}, {i}) * {a}, axis={i})"]
INDEXES = [
    "[0]", "[-1]", "[1:]", "[:-1]", "[::-1]", "[::2]", "[..., 0]", "[:, None]", "[[0, 0, -1]]", "[0, ...]",
    "[:, 0]", "[:, ::-1]", "[np.array([0, 1, 0])]", "[:, [0, 0]]", "[[0, 1], [0, 0]]", "[-1, -1]",
    "[None, :, 0]", "[1]", "[..., -1:]", "[:0]",
]  # fmt: skip
PRODUCTS = [
    "np.dot({a}, {b})", "{a} @ {b}", "np.matmul({a}, {b})", "np.outer({a}, {b})", "np.tensordot({a}, {b}, 1)",
    "np.einsum('i,i->', {a}, {b})", "np.einsum('ij,jk->ik', {a}, {b})", "np.einsum('ij,ij->j', {a}, {b})",
    "np.inner({a}, {b})", "np.dot({a}.T, {b})", "np.einsum('...i,...i->...', {a}, {b})", "np.kron({a}, {b})",
    "np.vdot({a}, {b})",
]  # fmt: skip
MATRICES = [
    "np.linalg.inv(np.eye(3) * 4.0 + np.tanh({a}))", "np.linalg.det(np.eye(3) + 0.3 * {a})", "np.trace({a})",
    "np.tril({a})", "np.linalg.solve(np.eye(3) * 4.0 + 0.5 * np.sin({a}), {a})", "np.diagonal({a})",
    "np.triu({a}, 1)", "{a} @ {a}", "np.linalg.slogdet(np.eye(3) * 4.0 + np.real({a}))[1]",
    "np.pad({a}, 1, mode='constant')",
]  # fmt: skip
JOINS = [
    "np.concatenate([np.ravel({a}), np.ravel({b})])", "np.stack([np.sum({a}), np.sum({b})])",
    "np.array([np.sum({a}), 1.0])", "np.array([[np.sum({a}), np.mean({b})], [2.0, np.sum({b})]])",
    "np.hstack([np.ravel({a}), np.ravel({b})])", "np.append(np.ravel({a}), np.sum({b}))",
    "np.vstack([np.ravel({a}), np.ravel({a})])",
]  # fmt: skip
BLOCKS = [
    "loop({a}, {b}, {n})", "rows({a})", "accumulate({a}, {n})", "through_list({a}, {b})",
    "through_dict({a}, {b})", "reuse({a}, {n})", "branch({a}, {b})", "in_place({a}, {b}, {n})",
    "nested({a}, {b})", "until({a})",
]  # fmt: skip
NESTED = ["slope({a}, {b})", "push({a}, {b})", "checked({a})", "slope_of_slope({a})"]
CONSTANTS = [
    "onp.arange(3)",
    "onp.array([True, False, True])",
    "onp.float32(0.7)",
    "2",
    "onp.array([[0.5], [-1.5]])",
    "0.25",
    "1j",
]


# ----- what a program's lines may call, in any namespace -----


def helpers(np, ag):
    """The functions of BLOCKS and NESTED; `ag` is None for plain NumPy, where derivatives are written out."""

    def loop(a, b, n):
        for i in range(n):
            a = 0.5 * a + np.sin(b) * (i + 1)
        return a

    def rows(a):
        total = 0.0
        for row in a:
            total = total + row * row
        return total

    def accumulate(a, n):
        total = a * 0.1
        for _ in range(n):
            total += a * total * 0.1
        return total

    def through_list(a, b):
        made = [a, (b, a * 2.0)]
        made[1:] = [made[1][0] * made[0]]
        return made[1] + made[0]

    def through_dict(a, b):
        made = {"a": a, "b": [b]}
        made["c"] = made["a"] * made["b"][0]
        return made["c"] - made["a"]

    def in_place(a, b, n):
        total, kept = a * 1.0, a + 0.0
        for i in range(n):
            total += 0.3 * b
            total *= 0.5 + 0.1 * i
            total -= np.sin(kept)
            total /= 2.0
        return total + kept

    def nested(a, b):
        made = {"a": (a, [b, a]), "b": {"c": b * 0.5}}
        first, (second, third) = made["a"]
        return first * second + third * made["b"]["c"] - made["a"][1][0]

    def until(a):
        steps = 0
        while onp.max(onp.abs(value_of(a)), initial=0.0) > 0.4 and steps < 8:
            a = a * 0.7
            steps += 1
        return a * (1.0 + steps)

    def reuse(a, n):
        for _ in range(n):
            a = 0.5 * (a + a * a * 0.3)
        return a + a

    def branch(a, b):
        return a * b if np.sum(np.real(a)) > 0 else a - b

    def slope(a, b):
        if ag is None:
            return np.cos(a) * b
        return ag.elementwise_grad(lambda z: np.sin(z) * b)(a)

    def push(a, b):
        if ag is None:
            return 2.0 * a * b
        return ag.make_jvp(lambda z: z * z)(a)(b)[1]

    def checked(a):
        return np.sin(a) * a if ag is None else ag.checkpoint(lambda z: np.sin(z) * z)(a)

    def slope_of_slope(a):
        if ag is None:
            return 6.0 * a
        return ag.elementwise_grad(lambda x: ag.elementwise_grad(lambda y: x * y * y + y**3 / 3.0)(x))(a)

    value_of = onp.asarray if ag is None else ag.tracer.getval
    scope = dict(locals())
    del scope["ag"]
    scope["onp"] = onp
    return scope


# ----- building -----


class Program:
    """The text of a program, its inputs, and the names of its results."""

    def __init__(self, inputs, lines, results, container):
        self.inputs, self.lines, self.results, self.container = inputs, lines, results, container
        self.code = compile("\n".join(lines), "<program>", "exec")

    def __repr__(self):
        given = [f"{k} = onp.{v!r}" for k, v in self.inputs.items()]
        return "\n".join(
            ["", *given, *self.lines, f"# results: {', '.join(self.results)}; inputs in a {self.container}"]
        )

    def pack(self, values):
        """Values for the inputs as the argument that the program takes."""
        if self.container == "dict":
            return dict(zip(self.inputs, values, strict=True))
        return list(values) if self.container == "list" else tuple(values)

    def unpack(self, packed):
        keys = self.inputs if self.container == "dict" else range(len(self.inputs))
        return [packed[k] for k in keys]

    def run(self, np, ag, packed):
        """The list of the results."""
        scope = helpers(np, ag) | dict(zip(self.inputs, self.unpack(packed), strict=True))
        exec(self.code, scope)
        return [scope[name] for name in self.results]


class Builder:
    """Draws a program with ``choose(n)``, a number below n."""

    def __init__(self, choose):
        self.choose = choose
        self.lines, self.values = [], {}
        self.scope = helpers(onp, None)

    def pick(self, items):
        return items[self.choose(len(items))]

    def name(self, accepts=lambda v: True):
        """A value, likelier a late one."""
        names = [name for name, value in self.values.items() if accepts(value)]
        if not names:
            return None
        return names[max(self.choose(len(names)), self.choose(len(names)))]

    def make_input(self):
        shape = self.pick(SHAPES[:6] if self.choose(4) else SHAPES)
        rng = onp.random.default_rng(self.choose(1000))
        value = rng.uniform(-1.5, 1.5, shape)
        if self.choose(4) == 0:
            value = value + 1j * rng.uniform(-1.0, 1.0, shape)
        return onp.asarray(value)

    def expression(self):
        a = self.name()
        value = self.values[a]
        real = not onp.iscomplexobj(value)
        kind = self.choose(11)
        axis = self.choose(max(value.ndim, 1)) - self.choose(2) * max(value.ndim, 1)
        same = self.name(lambda v: v.shape == value.shape and v.dtype == value.dtype)
        if kind <= 1:
            return self.pick(REAL_MAPS if real else COMPLEX_MAPS).format(a=a)
        if kind <= 3:
            b = self.name() if self.choose(4) else self.pick(CONSTANTS)
            both = real and b in self.values and not onp.iscomplexobj(self.values[b])
            return self.pick(PAIRS + REAL_PAIRS if both else PAIRS).format(a=a, b=b)
        if kind == 4:
            option = self.pick(
                ["", f", axis={axis}", f", axis={axis}, keepdims=True", ", axis=None", ", keepdims=True"]
            )
            return self.pick(REDUCTIONS + REAL_REDUCTIONS if real else REDUCTIONS).format(a=a, o=option)
        if kind == 5:
            return self.pick(WHOLE).format(a=a)
        if kind == 6:
            return self.pick(ALONG + REAL_ALONG if real else ALONG).format(a=a, i=axis)
        if kind == 7:
            return a + self.pick(INDEXES)
        if kind == 8:
            square = self.name(lambda v: v.shape == (3, 3))
            if square and self.choose(2):
                return self.pick(MATRICES).format(a=square)
            return self.pick(PRODUCTS).format(a=a, b=self.name())
        if kind == 9:
            return self.pick(JOINS).format(a=a, b=self.name())
        if real and self.choose(2):
            return self.pick(NESTED).format(a=a, b=same)
        return self.pick(BLOCKS).format(a=a, b=self.pick([same, self.name()]), n=self.choose(4))

    def add(self, expression):
        """Add a line if plain NumPy can run it and its result is moderate."""
        try:
            with onp.errstate(all="raise"), warnings.catch_warnings():
                warnings.simplefilter("error")
                value = eval(expression, self.scope)
        except (ValueError, TypeError, IndexError, AttributeError, ArithmeticError, Warning):
            return
        raw, value = value, onp.asarray(value)
        if value.dtype.kind not in "fc" or value.size > LIMIT_SIZE or value.ndim > 4:
            return
        if not onp.all(onp.isfinite(value)) or (value.size and onp.max(onp.abs(value)) > LIMIT_VALUE):
            return
        if "np.std" in expression and onp.min(onp.abs(value), initial=1.0) < 1e-6:
            return  # at equal numbers the deviation is not smooth, and rounding chooses its slope
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        self.scope[name], self.values[name] = raw, value

    def build(self):
        inputs = {}
        for k in range(1 + self.choose(3)):
            inputs[f"x{k}"] = self.values[f"x{k}"] = self.scope[f"x{k}"] = self.make_input()
        for _ in range(2 + self.choose(12)):
            self.add(self.expression())
        made = list(self.values)
        results = [made[-1]] + ([self.pick(made)] if self.choose(2) else [])
        return Program(inputs, self.lines, results, self.pick(["tuple", "list", "dict"]))
