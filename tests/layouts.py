"""Arrays with the same numbers in every way that NumPy can keep them."""

import warnings

import numpy as onp


class Sub(onp.ndarray):
    """A subclass that changes nothing."""


def unaligned(a):
    made = onp.zeros(a.nbytes + 1, "u1")[1:].view(a.dtype).reshape(a.shape)
    made[...] = a
    return made


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def strided(a):
    """A view of every second entry along each axis."""
    for axis in range(a.ndim):
        a = onp.repeat(a, 2, axis)
    return a[(slice(None, None, 2),) * a.ndim]


def reversed_strides(a):
    turn = (slice(None, None, -1),) * a.ndim
    return a[turn].copy()[turn]


def zero_strides(a):
    return onp.broadcast_to(a[:1], a.shape)


def masked(a):
    return onp.ma.array(a, mask=onp.arange(a.size).reshape(a.shape) % 3 == 1)


def matrix(a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return onp.asmatrix(a)


LAYOUTS = {
    "Fortran": lambda a: onp.asfortranarray(a),
    "strided": strided,
    "reversed": reversed_strides,
    "zero strides": zero_strides,
    "read-only": read_only,
    "unaligned": unaligned,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "empty": lambda a: a[:0],
}
DTYPES = "efgFG"
SUBCLASSES = {
    "masked": masked,
    "nothing masked": lambda a: onp.ma.array(a),
    "matrix": matrix,
    "subclass": lambda a: a.view(Sub),
}
