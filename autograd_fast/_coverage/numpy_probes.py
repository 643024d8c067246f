"""A program for each differentiable function of NumPy, from which the coverage table is measured.

Each line is a name and an expression, whose variables are the operands of `measure.OPERANDS`: ``x``, ``y``
are numbers, ``a``, ``b`` vectors of both signs, ``p``, ``q`` positive ones, ``u`` within the unit interval,
``o`` beyond one, ``m``, ``n`` matrices of 2 by 3 and 3 by 2, ``s``, ``t`` regular square ones.
"""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """Lines of ``name expression``."""
    return dict(line.split(None, 1) for line in text.strip().splitlines())


def _each(names: str, expression: str) -> dict[str, str]:
    """One expression for several names, of which it says ``NAME``."""
    return {name: expression.replace("NAME", name) for name in names.split()}


ELEMENTWISE = {
    **_each(
        """np.negative np.positive np.exp np.exp2 np.expm1 np.sin np.cos np.tan np.sinh np.cosh np.tanh
        np.arctan np.atan np.arcsinh np.asinh np.square np.abs np.absolute np.conj np.conjugate np.real
        np.imag np.sinc np.nan_to_num np.real_if_close np.fabs np.cbrt np.i0 np.deg2rad np.rad2deg
        np.degrees np.radians np.emath.sqrt np.emath.log np.emath.log2 np.emath.log10""",
        "NAME(a)",
    ),
    **_each("np.log np.log2 np.log10 np.log1p np.sqrt np.reciprocal", "NAME(p)"),
    **_each("np.arcsin np.asin np.arccos np.acos np.arctanh np.atanh", "NAME(u)"),
    **_each("np.arccosh np.acosh", "NAME(o)"),
    **_each("np.emath.arccos np.emath.arcsin np.emath.arctanh", "NAME(a)"),
    **_each("np.add np.subtract np.multiply np.divide np.true_divide", "NAME(m, p[:3])"),
    **_each("np.power np.pow np.float_power np.emath.power", "NAME(p, q)"),
    **_each("np.maximum np.minimum np.fmax np.fmin np.logaddexp np.logaddexp2", "NAME(a, b)"),
    **_each(
        "np.arctan2 np.atan2 np.hypot np.mod np.remainder np.fmod np.copysign np.heaviside", "NAME(a, q)"
    ),
    **_table("""
        np.angle a * np.angle(a + 0.4j)
        np.emath.logn np.emath.logn(o, p)
        np.modf np.modf(a)[0]
        np.frexp np.frexp(a)[0]
        np.ldexp np.ldexp(a, [1, 2, 0, 3])
        np.divmod np.divmod(a, q)[1]
        np.nextafter np.nextafter(a, 9.0)
        np.where np.where(np.array([True, False, True, False]), a, b)
        np.clip np.clip(a, x - 1.4, y)
        np.select np.select([[True, False, True, False], [True, True, False, False]], [a, b], x)
        np.choose np.choose([0, 1, 1, 0], [a, b])
        np.piecewise np.piecewise(a, [np.array([True, False, True, False])], [np.sin, np.cos])
        np.vectorize np.vectorize(lambda v, w: v * w)(a, b)
        np.frompyfunc np.frompyfunc(lambda v, w: v * w, 2, 1)(a, b)
    """),
}

UFUNC_METHODS = {
    f"ufunc.{name}": expression
    for name, expression in {
        "reduce": "np.multiply.reduce(m, axis=1)",
        "accumulate": "np.multiply.accumulate(m, axis=1)",
        "outer": "np.multiply.outer(a, b)",
        "reduceat": "np.multiply.reduceat(a, [0, 2, 1])",
    }.items()
}

REDUCTIONS = {
    **_each(
        """np.sum np.mean np.prod np.max np.min np.amax np.amin np.std np.var np.ptp np.median np.nansum
        np.nanmean np.nanprod np.nanmax np.nanmin np.nanstd np.nanvar np.nanmedian""",
        "NAME(m, axis=-1, keepdims=True)",
    ),
    **_each(
        "np.cumsum np.cumprod np.nancumsum np.nancumprod np.cumulative_sum np.cumulative_prod",
        "NAME(m, axis=1)",
    ),
    **_each("np.quantile np.nanquantile", "NAME(m, 0.3 * x, axis=1)"),
    **_each("np.percentile np.nanpercentile", "NAME(m, 30 * x, axis=1)"),
    **_each("np.trapezoid np.trapz", "NAME(a, b)"),
    **_table("""
        np.average np.average(a, weights=p)
        np.cov np.cov(m)
        np.corrcoef np.corrcoef(s)
    """),
}

SHAPE = {
    **_each(
        "np.ravel np.squeeze np.diag np.diagflat np.copy np.transpose np.flip np.flipud np.fliplr np.rot90",
        "NAME(m)",
    ),
    **_each("np.tril np.triu np.trace np.diagonal np.matrix_transpose np.permute_dims", "NAME(s)"),
    **_each(
        """np.array np.asarray np.asanyarray np.ascontiguousarray np.asfortranarray np.asarray_chkfinite
        np.require np.atleast_1d np.atleast_2d np.atleast_3d""",
        "NAME(m)",
    ),
    **_each(
        "np.concatenate np.concat np.stack np.vstack np.hstack np.dstack np.column_stack np.row_stack",
        "NAME([a, b])",
    ),
    **_each("np.split np.array_split", "NAME(a, [1, 3])"),
    **_table("""
        np.reshape np.reshape(m, (3, 2), order='F')
        np.swapaxes np.swapaxes(m, 0, -1)
        np.moveaxis np.moveaxis(m, 0, -1)
        np.rollaxis np.rollaxis(m, 1)
        np.expand_dims np.expand_dims(m, (0, -1))
        np.broadcast_to np.broadcast_to(a, (2, 4))
        np.broadcast_arrays np.broadcast_arrays(m, a[:3])
        np.roll np.roll(m, (1, 2), axis=(0, 1))
        np.tile np.tile(m, (2, 1))
        np.repeat np.repeat(m, [1, 0, 2], axis=-1)
        np.resize np.resize(m, (2, 4))
        np.append np.append(m, a)
        np.block np.block([[m, m], [m, m]])
        np.insert np.insert(a, [1, 3], b[:2])
        np.delete np.delete(m, 1, axis=1)
        np.pad np.pad(m, 1, mode='reflect')
        np.unstack np.unstack(m)
        np.hsplit np.hsplit(m, 3)
        np.vsplit np.vsplit(m, 2)
        np.dsplit np.dsplit(m[:, None], 3)
        np.meshgrid np.meshgrid(a, b)
        np.astype np.astype(m, m.dtype)
        np.trim_zeros np.trim_zeros(np.append(a, [0.0, 0.0]))
        np.apply_along_axis np.apply_along_axis(np.cumsum, 1, m)
        np.apply_over_axes np.apply_over_axes(np.sum, m, (0, 1))
        np.fromfunction np.fromfunction(lambda i: x * i, (3,))
        np.r_ np.concatenate([np.r_[x, y]])
        np.c_ np.concatenate([np.c_[x, y]])
        np.ix_ np.ix_(a)[0]
    """),
}

CREATION = _table("""
    np.full np.full((2, 3), x)
    np.full_like np.full_like(np.ones(3), x)
    np.linspace np.linspace(x, y, 5)
    np.logspace np.logspace(x, y, 5)
    np.geomspace np.geomspace(x, y, 5)
    np.arange np.arange(x, 3.1, y)
    np.vander np.vander(a, 3)
    np.kaiser np.kaiser(5, x)
""")

SORTING = {
    **_each("np.sort np.unique np.unique_values", "NAME(a)"),
    **_each("np.unique_all np.unique_counts np.unique_inverse", "NAME(a)[0]"),
    **_each("np.union1d np.setxor1d", "NAME(a, b)"),
    **_table("""
        np.sort_complex np.sort_complex(a)
        np.partition np.partition(m, 1, axis=-1)
        np.setdiff1d np.setdiff1d(a, [9.0])
        np.intersect1d np.intersect1d(a, a[:2])
        np.extract np.extract([True, False, True, True], a)
        np.compress np.compress([True, False, True], m, axis=1)
        np.take np.take(m, [2, 0, 0], axis=1)
        np.take_along_axis np.take_along_axis(m, np.array([[0, 2, 2]]), axis=1)
    """),
}

PRODUCTS = {
    **_each("np.dot np.matmul np.linalg.matmul", "NAME(m, n)"),
    **_each("np.inner np.vdot np.convolve np.correlate np.vecdot np.linalg.vecdot", "NAME(a, b)"),
    **_each("np.outer np.kron np.linalg.outer", "NAME(a, b)"),
    **_each("np.cross np.linalg.cross", "NAME(m, a[:3])"),
    **_each("np.tensordot np.linalg.tensordot", "NAME(m, n, axes=([0, 1], [1, 0]))"),
    **_table("""
        np.einsum np.einsum('ij,jk->ki', m, n)
        np.matvec np.matvec(m, a[:3])
        np.vecmat np.vecmat(a[:2], m)
    """),
}

LINALG = {
    **_each(
        """np.linalg.inv np.linalg.det np.linalg.eigvalsh np.linalg.eigvals np.linalg.svdvals np.linalg.cond
        np.linalg.norm np.linalg.matrix_norm np.linalg.vector_norm np.linalg.trace np.linalg.diagonal
        np.linalg.matrix_transpose""",
        "NAME(s)",
    ),
    **_table("""
        np.linalg.slogdet np.linalg.slogdet(s)[1]
        np.linalg.solve np.linalg.solve(s, a[:3])
        np.linalg.cholesky np.linalg.cholesky(positive_definite(np, s))
        np.linalg.pinv np.linalg.pinv(n)
        np.linalg.eigh np.abs(np.linalg.eigh(s)[1])
        np.linalg.eig np.abs(np.linalg.eig(s)[1])
        np.linalg.svd np.abs(np.linalg.svd(s)[0])
        np.linalg.qr np.linalg.qr(n)
        np.linalg.lstsq np.linalg.lstsq(n, a[:3], rcond=None)[0]
        np.linalg.matrix_power np.linalg.matrix_power(s, 3)
        np.linalg.multi_dot np.linalg.multi_dot([m, n, m])
        np.linalg.tensorinv np.linalg.tensorinv(s, ind=1)
        np.linalg.tensorsolve np.linalg.tensorsolve(s, a[:3])
    """),
}

FFT = {
    **_each("np.fft.fft np.fft.ifft np.fft.hfft np.fft.irfft np.fft.rfft np.fft.ihfft", "NAME(a, 5)"),
    **_each(
        """np.fft.fft2 np.fft.ifft2 np.fft.irfft2 np.fft.rfft2 np.fft.fftn np.fft.ifftn np.fft.irfftn
        np.fft.rfftn""",
        "NAME(m, (3, 4), axes=(0, 1))",
    ),
    **_each("np.fft.fftshift np.fft.ifftshift", "NAME(m, axes=1)"),
    **_each("np.fft.fftfreq np.fft.rfftfreq", "NAME(5, d=x)"),
}

NUMERICAL = _table("""
    np.diff np.diff(m, prepend=x)
    np.ediff1d np.ediff1d(a)
    np.gradient np.gradient(a, x)
    np.interp np.interp(u, [-1.0, 0.0, 2.0], a[:3])
    np.unwrap np.unwrap(5 * a)
    np.bincount np.bincount([0, 2, 1, 2], weights=a)
    np.histogram np.histogram([0.1, 0.2, 0.7, 0.8], bins=2, weights=a)[0]
    np.histogram2d np.histogram2d([0.1, 0.2, 0.7, 0.8], [1.0, 2.0, 3.0, 3.0], bins=2, weights=a)[0]
    np.histogramdd np.histogramdd([[0.1, 0.2, 0.7, 0.8], [1.0, 2.0, 3.0, 3.0]], bins=2, weights=a)[0]
    np.polyval np.polyval(a, x)
    np.polyfit np.polyfit(u, b, 2)
    np.polyadd np.polyadd(a, b[:2])
    np.polysub np.polysub(a, b[:2])
    np.polymul np.polymul(a, b[:2])
    np.polydiv np.polydiv(a, p[:2])
    np.polyder np.polyder(a)
    np.polyint np.polyint(a, k=x)
    np.poly np.poly(a)
    np.roots np.roots(np.append(o, x))
""")

RANDOM = {
    **_each(
        """np.random.normal np.random.uniform np.random.laplace np.random.logistic np.random.gumbel
        np.random.lognormal""",
        "seeded(np).NAME(x, y, 3)".replace("NAME", "_NAME_"),
    ),
    **_each("np.random.exponential np.random.rayleigh", "seeded(np)._NAME_(x, 3)"),
    **_each("np.random.weibull np.random.pareto np.random.power", "seeded(np)._NAME_(y, 3)"),
    **_table("""
        np.random.gamma seeded(np).gamma(2.0, x, 3)
        np.random.triangular seeded(np).triangular(-1.0, x, y + 1, 3)
        np.random.multivariate_normal seeded(np).multivariate_normal(a[:3], np.eye(3))
        np.random.permutation seeded(np).permutation(a)
        np.random.choice seeded(np).choice(a, 3)
    """),
}
RANDOM = {name: text.replace("_" + name + "_", name.rpartition(".")[2]) for name, text in RANDOM.items()}


def _series(module: str, prefix: str) -> dict[str, str]:
    """The functions of one of the modules of numpy.polynomial."""
    text = """
        val BASE(x, a)
        val2d BASE(u, b, s)
        val3d BASE(u, u, u, np.ones((2, 1, 1)) * s)
        valnd BASE((u, b), s)
        grid2d BASE(u, b, m)
        grid3d BASE(u, u, a, np.ones((2, 1, 1)) * m)
        vander BASE(u, 2)
        vander2d BASE(u, b, (1, 2))
        vander3d BASE(u, b, a, (1, 2, 1))
        fit BASE(u, b, 2)
        roots BASE(np.append(o, x))
        fromroots BASE(a)
        companion BASE(a)
        add BASE(a, b[:2])
        sub BASE(a, b[:2])
        mul BASE(a, b[:2])
        mulx BASE(a)
        div BASE(a, p[:2])
        pow BASE(a, 2)
        der BASE(a, scl=x)
        int BASE(a, 1, [x], y)
        line BASE(x, y)
        trim BASE(a)
        valfromroots BASE(u, a)
        weight BASE(u)
    """
    place = f"np.polynomial.{module}."
    table = {
        place + prefix + name: call.replace("BASE", place + prefix + name)
        for name, call in _table(text).items()
    }
    for name in (f"poly2{prefix}", f"{prefix}2poly"):
        table[place + name] = f"{place}{name}(a)"
    return table


POLYNOMIAL = {
    **_series("polynomial", "poly"),
    **_series("chebyshev", "cheb"),
    **_series("legendre", "leg"),
    **_series("laguerre", "lag"),
    **_series("hermite", "herm"),
    **_series("hermite_e", "herme"),
    "np.polynomial.chebyshev.chebinterpolate": (
        "np.polynomial.chebyshev.chebinterpolate(lambda v, w: np.exp(v * w), 3, (x,))"
    ),
}

METHODS = {
    "ndarray." + name: expression
    for name, expression in {
        **_each("sum mean prod max min std var ptp cumsum cumprod", "m.NAME(axis=1)"),
        **_each("conj conjugate copy flatten ravel squeeze tolist transpose view", "np.array(m.NAME())"),
        **_each("T mT real", "m.NAME * 1"),
        **_table("""
            flat m.flat[1:5]
            imag m.imag * m
            astype m.astype(m.dtype)
            clip a.clip(x - 1.4, y)
            compress m.compress([True, False, True], axis=1)
            diagonal s.diagonal(1)
            dot m.dot(m.T)
            item m.item(2)
            repeat m.repeat(2, axis=0)
            reshape m.reshape(3, 2)
            swapaxes m.swapaxes(0, 1)
            take m.take([0, 2], axis=1)
            trace s.trace()
            to_device m.to_device('cpu')
            __copy__ m.__copy__()
            __deepcopy__ m.__deepcopy__({})
            __getitem__ m[:, [0, 2]]
            __iter__ sum(m)
        """),
    }.items()
}

OPERATORS = {
    "op " + name: expression
    for name, expression in _table("""
        + a + b
        - a - b
        * a * b
        / a / p
        ** p ** q
        % a % q
        @ m @ n
        -x -a
        +x +a
        abs abs(a)
        divmod divmod(a, q)[1]
        pow pow(p, q)
        [] m[..., None, ::-1]
    """).items()
}

CHAPTERS = {
    "elementwise functions": ELEMENTWISE,
    "methods of ufuncs": UFUNC_METHODS,
    "reductions": REDUCTIONS,
    "shapes and joins": SHAPE,
    "creation": CREATION,
    "sorting and selecting": SORTING,
    "products": PRODUCTS,
    "numpy.linalg": LINALG,
    "numpy.fft": FFT,
    "numerical functions": NUMERICAL,
    "numpy.random": RANDOM,
    "numpy.polynomial": POLYNOMIAL,
    "methods and attributes of arrays": METHODS,
    "operators": OPERATORS,
}

# complex operands make no sense, or NumPy orders them by their real parts
_REAL = """
    np.fabs np.cbrt np.i0 np.deg2rad np.rad2deg np.degrees np.radians np.maximum np.minimum np.fmax
    np.fmin np.logaddexp np.logaddexp2 np.arctan2 np.atan2 np.hypot np.mod np.remainder np.fmod
    np.copysign np.heaviside np.modf np.frexp np.ldexp np.divmod np.nextafter np.clip np.angle np.max
    np.min np.amax np.amin np.ptp np.median np.nanmax np.nanmin np.nanmedian np.quantile np.nanquantile
    np.percentile np.nanpercentile np.arange np.kaiser np.sort np.unique np.unique_values np.unique_all
    np.unique_counts np.unique_inverse np.union1d np.setxor1d np.setdiff1d np.intersect1d np.partition
    np.sort_complex np.unwrap np.fft.rfft np.fft.ihfft np.fft.rfft2 np.fft.rfftn np.fft.fftfreq
    np.fft.rfftfreq np.emath.logn np.linalg.slogdet np.polyfit np.histogram2d np.bincount np.histogramdd
    np.geomspace ndarray.max ndarray.min ndarray.ptp ndarray.clip np.fromfunction np.interp
"""
REAL_ONLY = {"op %", "op divmod", *RANDOM, *_REAL.split()}

# NumPy itself computes these in double precision, or they take no float32
DOUBLE_ONLY = {"np.frompyfunc", "np.vectorize", "ndarray.tolist", "ndarray.item"}
