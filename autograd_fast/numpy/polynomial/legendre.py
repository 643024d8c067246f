"""numpy.polynomial.legendre, traced: series in Legendre polynomials; the class is NumPy's own."""

from numpy.polynomial.legendre import *  # noqa: F403

from ..._pickling import reference_modules
from ..rules.polynomial_bases import traced

globals().update(traced("legendre"))
reference_modules.append(__name__)
