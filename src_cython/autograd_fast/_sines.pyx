"""Sines and cosines for pullbacks, in a loop that compilers turn into vector instructions.

A value is what NumPy computes, to the bit; a derivative need not be, and these cost about half of the C
library's.  They are the series of fdlibm (``k_sin.c``, ``k_cos.c``, Sun Microsystems) after a reduction by
pi/2 in three parts (Cody and Waite, *Software Manual for the Elementary Functions*, 1980), without a branch:
``k * HIGH`` and ``k * MIDDLE`` are exact, and what the subtraction of the latter rounds away is kept.
"""

from libc.math cimport fabs

cdef extern from *:
    """
    #define ROUND(x) (((x) + 6755399441055744.0) - 6755399441055744.0)  /* to the nearest whole number */
    #define LIMIT 1024.0  /* below, the remainder is right to the last place, near multiples of pi/2 too */
    #define HIGH 1.57079632673412561417e+00
    #define MIDDLE 6.07710050630396597660e-11
    #define LOW 2.02226624879595063154e-21
    #define OVER 6.36619772367581382433e-01  /* 2 / pi */
    """
    double ROUND(double x) noexcept nogil
    double LIMIT, HIGH, MIDDLE, LOW, OVER


cdef bint sines(bint shift, const double *x, double *out, Py_ssize_t n) noexcept nogil:
    """``out = sin(x)``, or ``cos(x)`` with `shift`, each to 1 ulp; False if an entry is too large or NaN.

    The sine of -0 is 0.
    """
    cdef Py_ssize_t i, inside = 0
    cdef double k, y, rest, lost, z, sine, cosine, half, odd, turns
    for i in range(n):
        inside += fabs(x[i]) < LIMIT
    if inside != n:
        return False
    for i in range(n):
        k = ROUND(x[i] * OVER)
        # x = k pi/2 + y + rest
        z = x[i] - k * HIGH
        y = z - k * MIDDLE
        lost = k * LOW - ((z - y) - k * MIDDLE)
        z = y - lost
        rest = (y - z) - lost
        y = z
        z = y * y
        sine = 8.33333333332248946124e-03 + z * (
            -1.98412698298579493134e-04 + z * (
                2.75573137070700676789e-06 + z * (
                    -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
                )
            )
        )
        sine = y - ((z * (0.5 * rest - z * y * sine) - rest) + z * y * 1.66666666666666324348e-01)
        cosine = z * (
            4.16666666666666019037e-02 + z * (
                -1.38888888888741095749e-03 + z * (
                    2.48015872894767294178e-05 + z * (
                        -2.75573143513906633035e-07 + z * (
                            2.08757232129817482790e-09 + z * -1.13596475577881948265e-11
                        )
                    )
                )
            )
        )
        half = 1.0 - 0.5 * z
        cosine = half + (((1.0 - half) - 0.5 * z) + (z * cosine - y * rest))
        # which of them, and its sign: the last two bits of k
        half = 0.5 * (k + shift)
        turns = ROUND(half - 0.25)
        odd = 2.0 * (half - turns)
        half = 0.5 * turns
        out[i] = (1.0 - 4.0 * (half - ROUND(half - 0.25))) * (sine * (1.0 - odd) + cosine * odd)
    return True
