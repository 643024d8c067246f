"""numpy.polynomial.laguerre, traced: series in Laguerre polynomials; the class is NumPy's own."""

from numpy.polynomial.laguerre import *  # noqa: F403

from ..._pickling import reference_modules
from ..rules.polynomial_bases import traced

globals().update(traced("laguerre"))
reference_modules.append(__name__)
