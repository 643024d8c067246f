"""Elements of traced containers, and cotangents of containers gathered element by element.

Taking an element costs the same for a container of any size, forward and backward: a node keeps the
container's skeleton, made once for each box, and the cotangents of elements meet in one `Parts`, of which the
container's cotangent is made when all of them have arrived.
"""

cimport cython
cimport numpy as cnp

from autograd_fast._vspaces import vspace

from autograd_fast._core cimport ITEM, JVPNode, VJPNode
from autograd_fast._fit cimport Like, like, zeros_like_operand
from autograd_fast._primitive cimport Node, Primitive
from autograd_fast._sums cimport add_cotangents
from autograd_fast._tracer cimport BoxBase, is_box, make_box, unbox
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object) noexcept

cdef extern from *:
    """
    static void
    agf_set_container_subscript(PyTypeObject *type, PyObject *(*subscript)(PyObject *, PyObject *)) {
        type->tp_as_mapping->mp_subscript = (binaryfunc) subscript;
        PyType_Modified(type);
    }
    """
    void agf_set_container_subscript(PyTypeObject *, object (*)(object, object))

cnp.import_array()


cdef bint all_like(tuple specs) noexcept:
    for spec in specs:
        if type(spec) is not Like:
            return False
    return True


@cython.final
@cython.auto_pickle(False)
cdef class Skeleton:
    """The structure of a container: its class, and for each key what a cotangent of that element is like."""

    def __init__(self, value):
        self.kind = type(value)
        if isinstance(value, dict):
            self.specs = {key: spec_of(value, key, item) for key, item in value.items()}
        else:
            self.specs = tuple([spec_of(value, key, item) for key, item in enumerate(value)])
            if all_like(self.specs):  # numbers and arrays alone: see Note [Untracked nodes] in _core
                PyObject_GC_UnTrack(self.specs)
                PyObject_GC_UnTrack(self)

    def space(self):
        """The vector space of containers of this structure."""
        if self.vs is None:
            self.vs = vspace(self.make({}))
        return self.vs

    cdef object zero(self, object key):
        spec = self.specs[key]
        return zeros_like_operand(spec) if type(spec) is Like else spec.zeros()

    cdef object make(self, object parts):
        """A container of this structure, zero where `parts` has no element."""
        cdef list made
        cdef Py_ssize_t i
        if self.kind is dict:
            return {key: parts[key] if key in parts else self.zero(key) for key in self.specs}
        made = [parts[i] if i in parts else self.zero(i) for i in range(len(self.specs))]
        if self.kind is list:
            return made
        return tuple(made) if self.kind is tuple else self.kind(*made)


cdef object spec_of(object container, object key, object item):
    cdef object spec = like(item)
    if type(spec) is Like:
        return spec
    try:
        return vspace(item)
    except TypeError as error:
        raise TypeError(f"element {key!r} of a {type(container).__name__}: {error}") from None


@cython.final
@cython.auto_pickle(False)
cdef class Parts:
    """The cotangent of a container of which some elements have arrived."""

    def __init__(self, skeleton):
        self.skeleton = skeleton
        self.parts = {}
        self.owned = set()

    cdef int add(self, object key, object g) except -1:
        cdef bint owned
        if key not in self.parts:
            self.parts[key] = g
            return 0
        owned = key in self.owned
        self.parts[key] = add_cotangents(self.parts[key], &owned, g)
        if owned:
            self.owned.add(key)
        else:
            self.owned.discard(key)
        return 0

    cdef object whole(self):
        return self.skeleton.make(self.parts)


@cython.auto_pickle(False)
cdef class ContainerBoxBase(BoxBase):
    """The part of a container's box that is compiled."""


cdef object container_take = None
cdef object take_vjp = None
cdef object take_jvp = None
cdef dict python_getitem = {}


def set_container_take(primitive):
    """Tell the core the primitive by which elements are taken in every case but the plain one."""
    global container_take, take_vjp, take_jvp
    container_take = primitive
    take_vjp, take_jvp = (<Primitive> primitive).vjp_rule, (<Primitive> primitive).jvp_rule


def set_container_getitem(cls):
    """Let subscription of boxes of `cls` try the short way before ``cls.__getitem__``."""
    python_getitem[cls] = cls.__getitem__
    cls.__getitem__ = getitem  # not a Python function, which the interpreter would call past the slot
    agf_set_container_subscript(<PyTypeObject *> cls, subscript)


cdef object subscript(object box, object key):
    cdef object taken = take(box, key)
    if taken is not None:
        return taken
    for cls in type(box).__mro__:
        if cls in python_getitem:
            return python_getitem[cls](box, key)
    raise TypeError(f"{type(box).__name__} has no subscription")


def getitem(self, key):
    """The element at `key`."""
    return subscript(self, key)


cdef object take(object a, object key):
    """One element of a traced list, tuple or dict; None if it is another case."""
    cdef ContainerBoxBase box = <ContainerBoxBase> a
    cdef object value = box._value, plain, item
    cdef VJPNode node
    cdef JVPNode forward
    cdef Py_ssize_t i, n
    plain = unbox(value) if is_box(value) else value
    if type(plain) is dict:
        if key not in <dict> plain:
            return None
    elif type(key) is int and isinstance(plain, (list, tuple)):
        if type(plain) is not list and type(plain) is not tuple and not hasattr(type(plain), "_fields"):
            return None
        i, n = key, len(plain)
        i = i + n if i < 0 else i
        if not 0 <= i < n:
            return None
        key = i
    else:
        return None
    if type(box._node) is VJPNode:
        if (<Primitive> container_take).vjp_rule is not take_vjp:
            return None
        item = subscript(value, key) if is_box(value) else value[key]
        node = VJPNode.__new__(VJPNode)
        node.kind = ITEM
        node.p0 = <Node> box._node
        if box.skeleton is None:
            box.skeleton = Skeleton(plain)
        node.s0, node.s1 = box.skeleton, key
        return make_box(item, box.origin, node)
    if type(box._node) is JVPNode:
        if (<Primitive> container_take).jvp_rule is not take_jvp:
            return None
        item = subscript(value, key) if is_box(value) else value[key]
        forward = JVPNode.__new__(JVPNode)
        forward.g = (<JVPNode> box._node).g[key]
        return make_box(item, box.origin, forward)
    return None


def elements(box):
    """All elements of a boxed sequence, as a list."""
    return [box[i] for i in range(len(box._value))]
