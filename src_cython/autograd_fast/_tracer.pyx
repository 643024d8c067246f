"""Traces and boxes.  Knows no primitive and no derivative.

Note [Trace serials].  `_trace` and `trace_stack.top` are depths in the own thread, as HIPS shows them.  Which
of two boxes is the inner one is decided by a hidden serial, unique in the process and growing with time, so
that traces of different threads never pass for one another.  The low 20 bits are used by hand-made boxes
alone: ``new_box(value, n, node)`` with no trace n open belongs to a trace of its own, inside the innermost
open one (or, with none open, older than every trace that the thread opens later), at level n.

Note [The C stack].  Python's limit of recursion counts calls, whatever the size of the stack; on a thread
with a small one, nested containers would overflow it first.  What recurses over containers asks at each level
whether the stack runs short, and raises RecursionError while there is room to unwind.

Note [Dropping later].  The last reference to a box inside a box, or to a node of a user's class, is not given
up inside the deallocation of what held it but after it, by the outermost such deallocation of the thread, so
that chains of any length are freed on any stack.
"""

import warnings

cimport cython
import numpy as np

from autograd_fast._registry import LiveDict, LiveSet

from autograd_fast._memory cimport keep_freed
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define AGF_THREAD_LOCAL __declspec(thread)
    #else
    #define AGF_THREAD_LOCAL __thread
    #endif
    #if defined(__linux__) || defined(__APPLE__)
    #include <pthread.h>
    #endif
    #include <stdlib.h>

    static AGF_THREAD_LOCAL PyObject *agf_innermost = NULL;
    static AGF_THREAD_LOCAL unsigned long long agf_hand_epoch = 0;

    static PyObject *agf_new_object(PyTypeObject *type, PyObject *no_args) {
        return type->tp_new(type, no_args, NULL);
    }
    static int agf_same_construction(PyTypeObject *type, PyTypeObject *base, PyTypeObject *with_own_new) {
        return type->tp_init == base->tp_init && type->tp_new != with_own_new->tp_new;
    }
    static int agf_is_heap_type(PyTypeObject *type) {
        return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    }
    static void agf_rename(PyTypeObject *type, const char *name) {
        type->tp_name = name;
        PyType_Modified(type);
    }

    /* See Note [The C stack]. */
    #if defined(__linux__) && !defined(_GNU_SOURCE)
    extern int pthread_getattr_np(pthread_t, pthread_attr_t *);
    #endif
    #define AGF_RESERVE (48 * 1024)
    static AGF_THREAD_LOCAL char *agf_stack_low = NULL, *agf_stack_high = NULL;

    static int agf_stack_is_short(void) {
        char here;
        char *now = &here;
        if (agf_stack_high == NULL) {
    #if defined(__linux__)
            pthread_attr_t attributes;
            void *low;
            size_t size;
            agf_stack_high = (char *) 1;
            if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
                if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
                    agf_stack_low = (char *) low;
                    agf_stack_high = (char *) low + size;
                }
                pthread_attr_destroy(&attributes);
            }
    #elif defined(__APPLE__)
            agf_stack_high = (char *) pthread_get_stackaddr_np(pthread_self());
            agf_stack_low = agf_stack_high - pthread_get_stacksize_np(pthread_self());
    #else
            agf_stack_high = (char *) 1;
    #endif
        }
        return agf_stack_low < now && now < agf_stack_high && now - agf_stack_low < AGF_RESERVE;
    }

    /* See Note [Dropping later]. */
    static AGF_THREAD_LOCAL PyObject **agf_later = NULL;
    static AGF_THREAD_LOCAL size_t agf_later_used = 0, agf_later_room = 0;
    static AGF_THREAD_LOCAL int agf_dropping = 0;

    static void agf_drop(PyObject *x) {
        if (agf_dropping) {
            if (agf_later_used == agf_later_room) {
                size_t room = 2 * agf_later_room + 64;
                PyObject **grown = (PyObject **) realloc(agf_later, room * sizeof(PyObject *));
                if (grown == NULL) {
                    Py_DECREF(x);
                    return;
                }
                agf_later = grown;
                agf_later_room = room;
            }
            agf_later[agf_later_used++] = x;
            return;
        }
        agf_dropping = 1;
        Py_DECREF(x);
        while (agf_later_used > 0) {
            x = agf_later[--agf_later_used];
            Py_DECREF(x);
        }
        free(agf_later);
        agf_later = NULL;
        agf_later_room = 0;
        agf_dropping = 0;
    }

    typedef struct { PyObject_HEAD PyObject *value; } agf_box;
    static PyTypeObject *agf_box_type;
    static destructor agf_free_box;

    static void agf_dealloc_box(PyObject *self) {
        PyObject *value = ((agf_box *) self)->value;
        if (value != NULL && Py_REFCNT(value) == 1 && PyObject_TypeCheck(value, agf_box_type)) {
            PyObject_GC_UnTrack(self);
            ((agf_box *) self)->value = NULL;
            agf_drop(value);
        }
        agf_free_box(self);
    }

    static int agf_free_boxes_in_turn(PyTypeObject *type, PyObject *box, PyObject *value) {
        agf_box_type = type;
        agf_free_box = type->tp_dealloc;
        type->tp_dealloc = agf_dealloc_box;
        return ((agf_box *) box)->value == value; /* whether the field is where it was taken to be */
    }
    """
    bint agf_stack_is_short() noexcept
    void agf_drop(PyObject *) noexcept
    bint agf_free_boxes_in_turn(PyTypeObject *, object, object) noexcept
    PyObject *agf_innermost
    bint agf_is_heap_type(PyTypeObject *) noexcept
    void agf_rename(PyTypeObject *, const char *)
    unsigned long long agf_hand_epoch
    object agf_new_object(PyTypeObject *, object)
    bint agf_same_construction(PyTypeObject *, PyTypeObject *, PyTypeObject *) noexcept

cdef extern from "Python.h":
    bint PyObject_TypeCheck(object, PyTypeObject *) noexcept
    int Py_EnterRecursiveCall(char *) except 1
    void Py_LeaveRecursiveCall() noexcept
    PyTypeObject *Py_TYPE(object) noexcept

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef unsigned long long serials = 1
cdef int HAND_BITS = 20
cdef long HAND_LEVELS = (1 << 20) - 2


# ---------------------------------------------------------------- traces

@cython.final
cdef class Trace:
    """One run of a function under differentiation; boxes of one trace share this object."""

    def __repr__(self):
        return f"<Trace {self.depth}, serial {self.serial >> HAND_BITS}{', ended' if self.ended else ''}>"


cdef Trace innermost():
    """The innermost open trace of this thread, or None."""
    cdef Trace t
    while agf_innermost != NULL:
        t = <Trace> agf_innermost
        if not t.ended:
            return t
        set_innermost(t.outer)
    return None


cdef void set_innermost(Trace t):
    global agf_innermost
    cdef PyObject *old = agf_innermost
    if t is None:
        agf_innermost = NULL
    else:
        Py_INCREF(t)
        agf_innermost = <PyObject *> t
    if old != NULL:
        Py_DECREF(<object> old)


cdef Trace open_trace():
    global serials
    cdef Trace outer = innermost()
    cdef Trace t = Trace.__new__(Trace)
    serials += 1
    t.serial = serials << HAND_BITS
    t.depth = 0 if outer is None else outer.depth + 1
    t.outer = outer
    set_innermost(t)
    return t


cdef int close_trace(Trace t) except -1:
    t.ended = True
    innermost()
    return 0


cdef Trace trace_at(long depth):
    """The open trace of that depth in this thread, or a trace for hand-made boxes."""
    global serials, agf_hand_epoch
    cdef Trace inner = innermost()
    cdef Trace t = inner
    while t is not None:
        if t.depth == depth and not t.ended:
            return t
        t = t.outer
    if depth < 0 or depth > HAND_LEVELS:
        raise ValueError(f"a box's trace number is at least 0 and at most {HAND_LEVELS}, got {depth}")
    t = Trace.__new__(Trace)
    t.by_hand = True
    t.depth = depth
    if inner is not None:
        t.serial = inner.serial + <unsigned long long> depth + 1
    else:
        if agf_hand_epoch == 0:
            serials += 1
            agf_hand_epoch = serials << HAND_BITS
        t.serial = agf_hand_epoch + <unsigned long long> depth + 1
    return t


class _NewTrace:
    __slots__ = ("_trace",)

    def __enter__(self):
        cdef Trace t = open_trace()
        self._trace = t
        return t.depth

    def __exit__(self, *exc_info):
        close_trace(self._trace)


class TraceStack:
    """The traces open in the calling thread."""

    __slots__ = ()

    @property
    def top(self):
        """Depth of the innermost open trace of this thread, -1 outside of every trace."""
        cdef Trace t = innermost()
        return -1 if t is None else t.depth

    @top.setter
    def top(self, depth):
        # programs reset HIPS's count after an exception; traces close themselves here
        if depth != self.top:
            raise ValueError(
                f"trace_stack.top is {self.top}, by the traces that are open; it can't be set to {depth!r}"
            )

    def new_trace(self):
        """A context manager that opens a trace and gives its depth."""
        return _NewTrace()


trace_stack = TraceStack()


cdef Trace outermost_check(Trace top, Trace other):
    """An operation mixes boxes of two traces: neither may have ended while the other runs."""
    if other.ended != top.ended and not other.by_hand and not top.by_hand:
        raise RuntimeError(escaped_message)
    return top


cdef str escaped_message = (
    "A value traced by a derivative that has already returned is used in a running one, so its derivative "
    "would be lost without a word. Return what you need from the differentiated function (as an output, or "
    "by grad_and_aux), or take the plain value with getval(x) from autograd_fast.tracer."
)


# ---------------------------------------------------------------- boxes

@cython.auto_pickle(False)
cdef class BoxBase:
    """The fields of a box: a value, the node that made it, and the trace that both belong to."""

    def __init__(self, value, trace, node):
        self._value = value
        self._node = node
        self.origin = trace_at(trace)

    @property
    def _trace(self):
        return -1 if self.origin is None else self.origin.depth

    @_trace.setter
    def _trace(self, depth):
        self.origin = trace_at(depth)


cdef int free_boxes_in_turn() except -1:
    """See Note [Dropping later].  A slot, for a __dealloc__ would cost each box a hundred instructions."""
    cdef BoxBase probe = BoxBase.__new__(BoxBase)
    probe._value = BoxBase
    if not agf_free_boxes_in_turn(<PyTypeObject *> BoxBase, probe, BoxBase):
        raise SystemError("the fields of boxes are not where they were compiled to be")
    return 0


free_boxes_in_turn()


cdef void drop(PyObject *x) noexcept:
    """Give up a reference, the last one perhaps; see Note [Dropping later]."""
    agf_drop(x)


cdef type array_box = None
cdef bint array_box_registered = False
cdef bint array_maps_to_box = False
cdef bint float64_maps_to_box = False
cdef bint float_maps_to_box = False


def _type_mapping_changed(value_type, maker):
    global array_maps_to_box, float64_maps_to_box, float_maps_to_box
    array_maps_to_box = array_box is not None and type_mappings.get(ndarray) is array_box
    float64_maps_to_box = array_box is not None and type_mappings.get(float64) is array_box
    float_maps_to_box = array_box is not None and type_mappings.get(float) is array_box


def _box_type_changed(box_type, present):
    global array_box_registered
    array_box_registered = array_box is not None and set.__contains__(box_types, array_box)


type_mappings = LiveDict(_type_mapping_changed)
box_types = LiveSet(_box_type_changed)
type_fallbacks = []


def set_array_box(cls):
    """Tell the core which class boxes arrays and numbers."""
    global array_box
    array_box = cls
    keep_freed(cls)
    _type_mapping_changed(None, None)
    _box_type_changed(None, None)


cdef bint is_other_box(object x) noexcept:
    cdef PyTypeObject *t = Py_TYPE(x)
    if t == <PyTypeObject *> ndarray or t == <PyTypeObject *> float64 or t == <PyTypeObject *> int:
        return False
    if not PyObject_TypeCheck(x, <PyTypeObject *> BoxBase):
        return False
    return <object> t in <set> box_types


def isbox(x):
    """Whether `x` is a traced value (its type is registered as a box)."""
    return is_box(x)


cdef object unbox(object x):
    while is_box(x):
        x = (<BoxBase> x)._value
    return x


def getval(x):
    """The plain value inside any number of boxes; what is not a box is returned as it is."""
    return unbox(x)


class _WithOwnNew(BoxBase):
    """Its slot for __new__ is the one that every class with a __new__ in Python has."""

    def __new__(cls):
        return BoxBase.__new__(cls)


cdef object with_own_new = _WithOwnNew


cdef inline bint constructed_plainly(object maker) noexcept:
    """Whether calling `maker` would do no more than fill the fields of a new box."""
    return isinstance(maker, type) and agf_same_construction(
        <PyTypeObject *> maker, <PyTypeObject *> BoxBase, <PyTypeObject *> with_own_new
    )


cdef object make_box(object value, Trace origin, object node):
    cdef PyTypeObject *t = Py_TYPE(value)
    cdef BoxBase box
    cdef object maker
    if (
        (t == <PyTypeObject *> ndarray and array_maps_to_box)
        or (t == <PyTypeObject *> float64 and float64_maps_to_box)
        or t == <PyTypeObject *> array_box
        or (t == <PyTypeObject *> float and float_maps_to_box)
    ):
        maker = array_box
    else:
        maker = box_maker(value)
    if constructed_plainly(maker):
        box = <BoxBase> agf_new_object(<PyTypeObject *> maker, ())
        box._value = value
        box._node = node
        box.origin = origin
        return box
    made = maker(value, origin.depth, node)
    if isinstance(made, BoxBase):
        (<BoxBase> made).origin = origin
    return made


cdef object box_maker(object value):
    cdef object maker = type_mappings.get(type(value))
    if maker is None:
        for fallback in type_fallbacks:
            if fallback(type(value)):
                maker = type_mappings.get(type(value))
                break
    if maker is None:
        raise TypeError(f"Can't differentiate w.r.t. type {type(value)}")
    return maker


def new_box(value, trace, node):
    """Box `value` as a result of `node` in the trace of depth `trace`.

    Raises
    ------
    TypeError
        If no box is registered for the type of `value`.
    """
    return make_box(value, trace_at(trace), node)


# ---------------------------------------------------------------- tracing a function

result_hook = None
array_hook = None


def set_array_hook(hook):
    """Tell the core how to make one boxed array of an object array of boxes."""
    global array_hook
    array_hook = hook


def set_result_hook(hook):
    """Tell the core how to box a result that is no box itself but contains boxes."""
    global result_hook
    result_hook = hook


cdef object checked_result(object end):
    """A result that contains boxes in a container or an object array, boxed as a whole."""
    if is_box(end) or result_hook is None or isinstance(end, (float, int, complex)):
        return end
    if not contains_box(end):
        return end
    return array_hook(end) if isinstance(end, ndarray) else result_hook(end)


def trace(start_node, fun, x):
    """Call ``fun`` on a box of `x` in a new trace.

    Returns
    -------
    value, node
        The result and the node that made it; the node is None, and a warning is given, if the result does
        not depend on `x`.
    """
    cdef Trace t = open_trace()
    cdef object end
    try:
        end = checked_result(fun(make_box(x, t, start_node)))
    finally:
        close_trace(t)
    return trace_result(t, end)


cdef tuple trace_result(Trace t, object end):
    cdef Trace o
    if is_box(end):
        o = (<BoxBase> end).origin
        if o.serial == t.serial:
            return (<BoxBase> end)._value, (<BoxBase> end)._node
        if o.ended:
            raise RuntimeError(escaped_message)
        if o.serial > t.serial and not o.by_hand:
            raise RuntimeError(
                "The result belongs to a derivative that another thread started later and that is still "
                "running: each of the two traces would have to be inside the other. Let only one of the two "
                "functions use values traced by the other."
            )
    warnings.warn("Output seems independent of input.", stacklevel=2)
    return end, None


def contains_box(x):
    """Whether `x` is a box, or a list, tuple, dict or object array with a box inside."""
    if is_box(x):
        return True
    if type(x) is list or isinstance(x, tuple):
        return any_contains_box(x)
    if isinstance(x, dict):
        return any_contains_box(x.values())
    if not isinstance(x, ndarray) or x.dtype != object:
        return False
    return any_contains_box(np.asarray(x).ravel())  # what a matrix is made of are matrices


def has_boxes(args, kwargs):
    """Whether any of the arguments of a call is, or contains, a box."""
    for arg in args:
        if contains_box(arg):
            return True
    return bool(kwargs) and contains_box(kwargs)


cdef bint any_contains_box(object items) except -1:
    enter_container()
    try:
        for item in items:
            if contains_box(item):
                return True
        return False
    finally:
        leave_container()


cdef int enter_container() except -1:
    """Before the elements of a container are looked at; RecursionError if it is nested too deep."""
    check_stack()
    Py_EnterRecursiveCall(b" in nested containers")
    return 0


cdef void leave_container() noexcept:
    Py_LeaveRecursiveCall()


cpdef int check_stack() except -1:
    """Raise RecursionError if the C stack of this thread runs short."""
    if agf_stack_is_short():
        raise RecursionError("containers are nested deeper than the stack of this thread allows")
    return 0


cdef dict type_names = {}


def set_module(cls, module):
    """Let ``cls.__module__`` be `module`; for a compiled class it is a part of its name."""
    if agf_is_heap_type(<PyTypeObject *> cls):
        cls.__module__ = module
        return
    name = f"{module}.{cls.__name__}".encode()
    type_names[cls] = type_names.get(cls, ()) + (name,)  # the name must live as long as the class
    agf_rename(<PyTypeObject *> cls, PyBytes_AS_STRING(name))
