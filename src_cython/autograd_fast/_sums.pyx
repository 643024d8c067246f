"""Sums of cotangents.

Note [Who owns a cotangent].  A rule may return the very array that it was given, so a contribution is
changed in place only if nobody else refers to it or shares its memory.  Otherwise the first sum of two
contributions is a new array, which the frontier owns; further ones are added to it in place.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._vspaces import vspace

from autograd_fast._fit cimport numpy_functions
from autograd_fast._kernels cimport ADD, VERIFY, enabled, forward2, verify
from autograd_fast._reductions cimport add_into
from autograd_fast._scaled cimport Scaled, sum_scaled, whole
from autograd_fast._tracer cimport array_box
from autograd_fast._vspaces cimport arrays_are_plain
from autograd_fast._watch cimport watched, watcher
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    Py_ssize_t Py_REFCNT(object) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef object add_in_place = np.add


cdef class SparseObject:
    """A cotangent that is zero but for a part: ``mut_add(array)`` adds it to an array that it may change.

    Parameters
    ----------
    vs : VSpace
        The space that the whole of it lives in.
    mut_add : callable
    """

    cdef public object vs
    cdef public object mut_add

    def __init__(self, vs, mut_add):
        self.vs, self.mut_add = vs, mut_add


sparse_object_types = {SparseObject}
cdef object sparse_add = None


def set_sparse_add(function):
    """Tell the core the primitive that adds a sparse cotangent to a dense one."""
    global sparse_add
    sparse_add = function


cdef bint is_sparse(object g) except -1:
    cdef PyTypeObject *t = Py_TYPE(g)
    if t == <PyTypeObject *> ndarray or t == <PyTypeObject *> array_box or t == <PyTypeObject *> float64:
        return False
    if t == <PyTypeObject *> Scaled:
        return False
    return <object> t in <set> sparse_object_types


cdef object dense(object g):
    return sparse_add(vspace(g), None, g)


cdef bint is_ours(object g, Py_ssize_t references) noexcept:
    """Whether `g` is an array with its own memory and just so many references, the caller's."""
    return (
        Py_TYPE(g) == <PyTypeObject *> ndarray and Py_REFCNT(g) == references
        and cnp.PyArray_CHKFLAGS(<cnp.ndarray> g, cnp.NPY_ARRAY_OWNDATA | cnp.NPY_ARRAY_WRITEABLE)
    )


cdef object add_cotangents(object prev, bint *owned, object g):
    """`sum_of`, seen by the modes that are on."""
    cdef object context, total
    if type(prev) is Scaled or type(g) is Scaled:
        if VERIFY and not is_sparse(g):  # before the sum, which may take the place of what it adds to
            with np.errstate(all="ignore"):
                expected = np.add(whole(g), whole(prev))
        total = sum_scaled(prev, owned, g) if enabled and arrays_are_plain else None
        if total is not None:
            if VERIFY and not is_sparse(g):
                verify("add", whole(total), expected)
            return total
        owned[0] = owned[0] and type(prev) is not Scaled
        prev, g = whole(prev), whole(g)
    if not watched:
        return sum_of(prev, owned, g)
    context = watcher.before_sum(prev, g)
    total = sum_of(prev, owned, g)
    watcher.after_sum(context, total)
    return total


cdef object sum_of(object prev, bint *owned, object g):
    """The sum of two contributions; `owned` tells whether `prev` may be changed, then whether the sum may."""
    cdef cnp.ndarray a, b
    cdef object vs, total, expected = None
    if type(prev) is ndarray and type(g) is ndarray and arrays_are_plain:
        a, b = prev, g
        if a.ndim and cnp.PyArray_SAMESHAPE(a, b) and cnp.PyArray_TYPE(a) == cnp.PyArray_TYPE(b):
            if VERIFY:
                with np.errstate(all="ignore"):
                    expected = np.add(a, b)
            if owned[0]:
                total = add_into(a, b) if enabled else None
                total = add_in_place(a, b, a) if total is None else total
            else:
                owned[0] = True
                total = forward2(ADD, a, b) if enabled else None
                total = add_in_place(a, b) if total is None else total
            if VERIFY:
                verify("add", total, expected)
            return total
    elif type(prev) is float64 and type(g) is float64:
        owned[0] = False
        total = forward2(ADD, prev, g)
        return prev + g if total is None else total
    if is_sparse(g):
        vs = vspace(g)
        if not owned[0]:
            prev = vs.mut_add(None, prev)
        owned[0] = True
        return sparse_add(vs, prev, g)
    if type(prev) is array_box or type(g) is array_box:
        owned[0] = False
        return numpy_functions.add(prev, g)
    vs = vspace(g)
    if owned[0]:
        return vs.mut_add(prev, g)
    owned[0] = True
    return vs.add(prev, g)


def add_outgrads(prev_g_flagged, g):
    """Add `g` to a pair (sum so far, whether it may be changed in place), or to None.

    Returns
    -------
    (sum, mutable)
    """
    cdef bint owned
    if prev_g_flagged is None:
        return (dense(g), True) if is_sparse(g) else (g, False)
    owned = prev_g_flagged[1]
    total = add_cotangents(prev_g_flagged[0], &owned, g)
    return total, owned


def sum_outgrads(gs):
    """The sum of one or more cotangents or tangents."""
    total = None
    for g in gs:
        total = add_outgrads(total, g)
    if total is None:
        raise ValueError("sum_outgrads needs at least one cotangent")
    return total[0]
