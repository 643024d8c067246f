"""numpy.polynomial.hermite, traced: series in Hermite polynomials; the class is NumPy's own."""

from numpy.polynomial.hermite import *  # noqa: F403

from ..._pickling import reference_modules
from ..rules.polynomial_bases import traced

globals().update(traced("hermite"))
reference_modules.append(__name__)
