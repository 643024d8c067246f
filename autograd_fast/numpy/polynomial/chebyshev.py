"""numpy.polynomial.chebyshev, traced: series in Chebyshev polynomials; the class is NumPy's own."""

from numpy.polynomial.chebyshev import *  # noqa: F403

from ..._pickling import reference_modules
from ..rules.polynomial_bases import traced

globals().update(traced("chebyshev"))
reference_modules.append(__name__)
