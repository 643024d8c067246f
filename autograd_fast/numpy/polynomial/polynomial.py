"""numpy.polynomial.polynomial, traced: series in powers; the class is NumPy's own."""

from numpy.polynomial.polynomial import *  # noqa: F403

from ..._pickling import reference_modules
from ..rules.polynomial_bases import traced

globals().update(traced("polynomial"))
reference_modules.append(__name__)
