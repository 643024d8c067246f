"""The derivatives of NumPy's functions, by the chapters of its reference.

Those of random draws, of polynomials in other bases and of ``emath`` come with the modules that they are
about, when these are imported.
"""

from . import (
    creation,
    einsum,
    elementwise,
    fourier,
    in_place,
    indexing,
    joining,
    linalg_norms,
    linalg_products,
    linalg_solve,
    linalg_spectral,
    matrices,
    nan_reductions,
    numerical,
    operands,
    padding,
    piecewise,
    polynomials,
    products,
    reductions,
    series,
    shape,
    short_ways,
    sorting,
    statistics,
    subscripts,
    ufunc_methods,
    zero,
)
