"""Nodes and the primitive call.  Knows no derivative: what a node records is the node class's affair."""

import inspect
import sys
from functools import partial

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._registry import LiveSets

from autograd_fast._kernels cimport DOT, MATMUL, SUM, WHERE
from autograd_fast._tracer cimport BoxBase, Trace, array_box, is_box, make_box, outermost_check, unbox
from autograd_fast._tracer import contains_box
from autograd_fast._watch cimport watched, watcher
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF

cdef extern from *:
    """
    #define AGF_NARGS(n) ((Py_ssize_t)((n) & ~PY_VECTORCALL_ARGUMENTS_OFFSET))

    static void agf_enable_vectorcall(PyTypeObject *type, Py_ssize_t offset) {
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
        PyType_Modified(type);
    }
    """
    Py_ssize_t AGF_NARGS(size_t) noexcept
    void agf_enable_vectorcall(PyTypeObject *, Py_ssize_t)

cdef extern from "Python.h":
    object PyObject_Vectorcall(object, PyObject **, size_t, PyObject *)
    PyTypeObject *Py_TYPE(object) noexcept
    object PyMethod_New(object, object)
    object PyTuple_New(Py_ssize_t)
    void PyTuple_SET_ITEM(object, Py_ssize_t, object)

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object ufunc_type = np.ufunc
cdef object matrix = np.matrix
cdef dict modules = sys.modules
cdef object plain_array_ufunc = np.ndarray.__array_ufunc__
cdef unsigned long long node_count = 0


# ---------------------------------------------------------------- nodes

cdef unsigned long long next_seq() noexcept:
    global node_count
    node_count += 1
    return node_count


cdef PyTypeObject *own_node_types[2]
cdef unsigned long long changes = 0


cdef void set_own_node_types(type vjp, type jvp) noexcept:
    """Take the classes of nodes whose parents come before them and stay."""
    own_node_types[0], own_node_types[1] = <PyTypeObject *> vjp, <PyTypeObject *> jvp


cdef unsigned long long graph_changes() noexcept:
    """How many times nodes were changed by hand, or made of a user's class."""
    return changes


cdef void graph_changed() noexcept:
    global changes
    changes += 1


cdef class Node:
    """A step of a recorded computation.  Derive from it to record in another way.

    A subclass has a constructor ``(value, fun, args, kwargs, parent_argnums, parents)``, called once for each
    primitive operation, and ``initialize_root(*args)``, called by `new_root`.
    """

    def __cinit__(self):
        self.seq = next_seq()
        if Py_TYPE(self) != own_node_types[0] and Py_TYPE(self) != own_node_types[1]:
            graph_changed()

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        raise NotImplementedError(f"{type(self).__name__} must define __init__")

    def initialize_root(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} must define initialize_root")

    @classmethod
    def new_root(cls, *args, **kwargs):
        """A node without parents, to start a trace with."""
        root = cls.__new__(cls)
        root.initialize_root(*args, **kwargs)
        return root

    cdef bint has_rule(self, Primitive prim):
        return True

    cdef bint has_rule_at(self, Primitive prim, Py_ssize_t argnum):
        return True

    cdef object record(
        self, Primitive prim, object value, tuple args, dict kwargs, tuple argnums, tuple parents
    ):
        return type(self)(value, prim, args, {} if kwargs is None else kwargs, argnums, parents)


# ---------------------------------------------------------------- primitives

def _notrace_changed(node_type, fun, present):
    cdef Primitive prim
    if isinstance(fun, Primitive):
        prim = fun
        if prim.notrace is None:
            prim.notrace = set()
        if present:
            prim.notrace.add(node_type)
        else:
            prim.notrace.discard(node_type)
            if not prim.notrace:
                prim.notrace = None


cdef enum:
    UNKNOWN = -9

notrace_primitives = LiveSets(_notrace_changed)
trace_primitives_map = {}


def register_notrace(trace_type, primitive_fun):
    """Let nodes of `trace_type` leave no trace of `primitive_fun`, whose derivative is zero."""
    notrace_primitives[trace_type].add(primitive_fun)


@cython.auto_pickle(False)
@cython.final
cdef class Docstring:
    """The docstring of a class of functions, and for an instance without one of its own that of its `fun`."""

    cdef str of_class

    def __init__(self, of_class):
        self.of_class = of_class

    def __get__(self, instance, owner):
        return self.of_class if instance is None else getattr(instance.fun, "__doc__", None)


cdef class Primitive:
    """A function whose calls on boxes are recorded; made by `primitive`.

    ``fun`` is the function itself.  Other attributes may be set freely.
    """

    __doc__ = Docstring(__doc__)

    def __cinit__(self):
        self.vectorcall = primitive_vectorcall
        self.kernel = -1
        self.out_place = UNKNOWN

    def __init__(self, fun):
        self.fun = fun
        self.is_ufunc = isinstance(fun, ufunc_type)
        self.nin = fun.nin if self.is_ufunc else 0
        self._is_autograd_primitive = True

    def __call__(self, *args, called_by_autograd_dispatcher=False, **kwargs):
        return call_primitive(self, args, kwargs or None, called_by_autograd_dispatcher)

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)

    def __repr__(self):
        return f"<primitive {getattr(self, '__name__', self.fun)}>"

    def __getattr__(self, name):
        if name == "__wrapped__":
            return self.fun
        if name == "__signature__":
            return signature_of(self.fun)
        if name == "__annotations__":
            return {}
        if self.is_ufunc and not name.startswith("__"):
            attribute = getattr(self.fun, name)
            return partial(ufunc_method, self.fun, name) if callable(attribute) else attribute
        raise AttributeError(f"primitive {getattr(self.fun, '__name__', '')!r} has no attribute {name!r}")

    def __dir__(self):
        return sorted(set(object.__dir__(self)).union(dir(self.fun) if self.is_ufunc else ()))

    def __reduce__(self):
        recipe = getattr(self, "_recipe", None)
        return reduce_primitive(self) if recipe is None else recipe

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def signature_of(fun):
    """The signature of a function, one that takes anything if it tells none."""
    try:
        return inspect.signature(fun)
    except (TypeError, ValueError):
        return inspect.signature(lambda *args, **kwargs: None)


reduce_primitive = None


def set_reduce(function):
    """Tell primitives how they are pickled."""
    global reduce_primitive
    reduce_primitive = function


ufunc_method = None
masked_ufunc = None


def set_ufunc_method(function):
    """Tell primitives how ``ufunc.reduce`` and the like are traced: ``function(ufunc, method, *args)``."""
    global ufunc_method
    ufunc_method = function


def set_masked_ufunc(function):
    """Tell primitives how a ufunc with a mask is traced: ``function(traced, args, kwargs)``."""
    global masked_ufunc
    masked_ufunc = function


def primitive(f_raw):
    """Make a function whose calls on boxes are recorded, so that a rule can be given for its derivative.

    Parameters
    ----------
    f_raw : callable
        Takes and returns plain values.

    Returns
    -------
    Primitive
        Give it rules with `defvjp` and `defjvp`.  ``.fun`` is `f_raw`.
    """
    cdef Primitive prim = Primitive(f_raw)
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        if attribute == "__doc__" and prim.is_ufunc:
            continue  # NumPy composes it anew each time
        try:
            setattr(prim, attribute, getattr(f_raw, attribute))
        except (AttributeError, TypeError):
            pass
    if not hasattr(prim, "__name__"):
        prim.__name__ = "[unknown name]"
    trace_primitives_map[f_raw] = prim
    return prim


cdef op1_t short_way_1 = NULL
cdef op2_t short_way_2 = NULL
cdef reduction_t short_reduction = NULL


cdef void set_short_ways(op1_t one, op2_t two, reduction_t reduction) noexcept:
    """Take the functions that call a primitive on one or two operands, a box among them, or reduce a box."""
    global short_way_1, short_way_2, short_reduction
    short_way_1, short_way_2, short_reduction = one, two, reduction


cdef choice_t short_choice = NULL


cdef void set_choice_way(choice_t function) noexcept:
    """Take the function that calls `where` on a mask and two operands, a box among them."""
    global short_choice
    short_choice = function


cdef object reduce_by_keywords(Primitive prim, PyObject **args, Py_ssize_t n, tuple names):
    """A reduction of a box with the keywords axis and keepdims alone; None if it is another call."""
    cdef object axis = None, keepdims = False, value
    cdef Py_ssize_t i
    if not 1 <= n <= 2 or not is_box(<object> args[0]):
        return None
    if n == 2:
        axis = <object> args[1]
    for i in range(len(names)):
        value = <object> args[n + i]
        if names[i] == "axis" and n == 1:
            axis = value
        elif names[i] == "keepdims" and type(value) is bool:
            keepdims = value
        else:
            return None
    if axis is not None and type(axis) is not int:
        return None
    return short_reduction(prim, <object> args[0], axis, keepdims)


cdef object primitive_vectorcall(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef Primitive prim = <Primitive> self
    cdef Py_ssize_t i, n = AGF_NARGS(nargsf)
    cdef bint plain = kwnames == NULL
    cdef dict kwargs = None
    cdef tuple positional
    cdef object dispatched = False
    cdef PyTypeObject *t
    cdef bint boxes = False, looks_inside = prim.stacks_lists or prim.composite is not None
    if plain:
        for i in range(n):
            t = Py_TYPE(<object> args[i])
            if t == <PyTypeObject *> float or t == <PyTypeObject *> int:
                continue
            if t == <PyTypeObject *> ndarray:
                if cnp.PyArray_TYPE(<cnp.ndarray> <object> args[i]) == cnp.NPY_OBJECT:
                    plain = plain and not looks_inside
            elif t == <PyTypeObject *> list or t == <PyTypeObject *> tuple or t == <PyTypeObject *> dict:
                plain = plain and (not looks_inside or (i == 1 and prim.kernel > MATMUL))
            elif is_box(<object> args[i]):
                boxes = True
        if watched:
            plain = False
        if plain and not boxes:
            return PyObject_Vectorcall(prim.fun, args, nargsf, NULL)
        plain = plain and prim.composite is None and (not prim.is_ufunc or n == prim.nin)
        if plain and n == 1:
            return short_way_1(prim, <object> args[0])
        if plain and n == 2:
            return short_way_2(prim, <object> args[0], <object> args[1])
        if plain and n == 3 and prim.kernel == WHERE and not is_box(<object> args[0]):
            chosen = short_choice(prim, <object> args[0], <object> args[1], <object> args[2])
            if chosen is not None:
                return chosen
    positional = PyTuple_New(n)
    for i in range(n):
        Py_INCREF(<object> args[i])
        PyTuple_SET_ITEM(positional, i, <object> args[i])
    if kwnames != NULL:
        if SUM <= prim.kernel < DOT:
            reduced = reduce_by_keywords(prim, args, n, <tuple> kwnames)
            if reduced is not None:
                return reduced
        kwargs = {}
        for i in range(len(<tuple> kwnames)):
            kwargs[(<tuple> kwnames)[i]] = <object> args[n + i]
        dispatched = kwargs.pop("called_by_autograd_dispatcher", False)
        if not kwargs:
            kwargs = None
    return call_primitive(prim, positional, kwargs, dispatched)


cdef object call_raw(Primitive prim, tuple args, dict kwargs):
    if watched:
        return watcher.call(prim, args, kwargs)
    if kwargs is None:
        return prim.fun(*args)
    return prim.fun(*args, **kwargs)


cdef Py_ssize_t first_box(tuple args) noexcept:
    cdef Py_ssize_t i
    for i in range(len(args)):
        if is_box(args[i]):
            return i
    return -1


cdef object call_primitive(Primitive prim, tuple args, dict kwargs, bint dispatched):
    """Call a primitive: unbox the boxes of the innermost trace, go on with what is left, record, box."""
    cdef Trace top
    cdef Py_ssize_t i
    cdef list argnums, argvals, parents
    cdef BoxBase box
    cdef Node node
    cdef object arg, ans, made
    if prim.is_ufunc:
        args = lists_as_arrays(args, prim.nin)
        if is_masked(prim, args, kwargs) and (dispatched or not has_overrider(args)):
            return masked_ufunc(prim, args, kwargs)
    if prim.composite is not None and (contains_box(args) or (kwargs is not None and contains_box(kwargs))):
        if not user_has_rule(prim, args) and not is_unrecorded(prim, args):
            refuse_subclasses(prim.__name__, args)
            if kwargs is not None:
                refuse_subclasses(prim.__name__, tuple(kwargs.values()))
            if watched:
                return watcher.composite(prim, args, kwargs)
            return prim.composite(*args) if kwargs is None else prim.composite(*args, **kwargs)
    if kwargs is not None:
        for arg in kwargs.values():
            if is_box(arg) or (prim.stacks_lists and type(arg) in (list, tuple)):
                args, kwargs = bind_boxes(prim, args, kwargs)
                break
    if prim.stacks_lists:
        args = stack_lists(args)
    i = first_box(args)
    if i < 0:
        return call_raw(prim, args, kwargs)
    if prim.stacks_lists and writes_out(prim, args, kwargs):
        raise NotImplementedError(
            f"{prim.__name__} of a traced value can't write into out=, whose derivative would be "
            "lost; use its result"
        )
    if prim.is_ufunc and not dispatched and has_overrider(args):
        return call_raw(prim, args, kwargs)
    top = (<BoxBase> args[i]).origin
    for arg in args[i + 1:]:
        if is_box(arg) and top is not None:
            if (<BoxBase> arg).origin is None or (<BoxBase> arg).origin.serial > top.serial:
                top = (<BoxBase> arg).origin
    if top is None:
        raise TypeError(homeless)
    argvals, argnums, parents, outer = list(args), [], [], []
    for i in range(len(args)):
        if is_box(args[i]):
            box = args[i]
            if box.origin is None or not isinstance(box._node, Node):
                raise TypeError(homeless)
            if box.origin.serial == top.serial:
                argvals[i] = box._value
                argnums.append(i)
                parents.append(box._node)
            else:
                outer.append(box.origin)
    args = tuple(argvals)
    node = parents[-1]
    if prim.notrace is not None and type(node) in <set> prim.notrace:
        return call_primitive(prim, args, kwargs, dispatched)
    for origin in outer:
        outermost_check(top, origin)
    ans = call_primitive(prim, args, kwargs, dispatched)
    if is_box(ans) and (<BoxBase> ans).origin.serial >= top.serial:
        raise RuntimeError(
            f"the function of primitive {prim.__name__} uses a traced value that is not among its arguments, "
            "so its derivative would be lost without a word: pass the value as an argument"
        )
    if watched:
        made = watcher.record(node, prim, ans, args, kwargs, tuple(argnums), tuple(parents))
    else:
        made = node.record(prim, ans, args, kwargs, tuple(argnums), tuple(parents))
    try:
        return make_box(ans, top, made)
    except Exception as error:
        if dispatched:
            raise NotImplementedError from error
        raise


cdef str homeless = (
    "a box without a node or a trace was used in an operation: make boxes with new_box(value, trace, node), "
    "with a node such as VJPNode.new_root()"
)


cpdef int refuse_subclasses(str name, tuple args) except -1:
    """TypeError if a function of traced values that is made of others gets masked arrays or matrices."""
    for arg in args:
        if type(arg) is ndarray or type(arg) is float:
            continue
        if isinstance(arg, matrix) or is_masked_array(arg):
            raise TypeError(
                f"{name} of traced values can't take a {type(arg).__name__}, whose mask or product would be "
                "ignored: give np.asarray of it, and leave out what is masked by weights or np.where"
            )
        if type(arg) is tuple or type(arg) is list:
            refuse_subclasses(name, tuple(arg))
    return 0


cdef bint is_masked_array(object x) except -1:
    """Whether `x` is a masked array; the module is not imported before there can be one."""
    cdef object module = modules.get("numpy.ma")
    return module is not None and isinstance(x, module.MaskedArray)


cdef bint user_has_rule(Primitive prim, tuple args) except -1:
    """Whether a rule was given for a function that is otherwise differentiated through its parts."""
    cdef Py_ssize_t i
    if prim.vjp_rule is None and prim.jvp_rule is None:
        return False
    i = first_box(args)
    return (
        i >= 0 and isinstance((<BoxBase> args[i])._node, Node)
        and (<Node> (<BoxBase> args[i])._node).has_rule(prim)
    )


cdef bint is_unrecorded(Primitive prim, tuple args) except -1:
    """Whether the nodes of the first box don't record a function, which takes plain values then."""
    cdef Py_ssize_t i = -1 if prim.notrace is None else first_box(args)
    return i >= 0 and type((<BoxBase> args[i])._node) in <set> prim.notrace


cdef bint is_masked(Primitive prim, tuple args, dict kwargs) except -1:
    """Whether boxes are operands of a ufunc with a mask `where`, which computes some entries only."""
    if kwargs is None or prim.notrace is not None or kwargs.get("where", True) is True:
        return False
    return first_box(args) >= 0 and prim.fun.signature is None and not writes_out(prim, args, kwargs)


cdef bint writes_out(Primitive prim, tuple args, dict kwargs) except -1:
    """Whether a call of a NumPy function names an array to write its result into."""
    cdef Py_ssize_t position
    if kwargs is not None and kwargs.get("out") is not None:
        out = kwargs["out"]
        return not isinstance(out, tuple) or any([item is not None for item in out])
    if len(args) < 2:
        return False
    if prim.is_ufunc:
        position = prim.fun.nin
    else:
        position = place_of_out(prim)
        if position < 0:
            return False
    return len(args) > position and args[position] is not None


cdef Py_ssize_t place_of_out(Primitive prim) except -2:
    """The position of the argument `out`, -1 if it has none."""
    if prim.out_place == UNKNOWN:
        prim.out_place = find_out(prim)
    return prim.out_place


cdef Py_ssize_t find_out(Primitive prim) except -2:
    cdef Py_ssize_t i = 0
    if signature(prim) is False:
        return -1
    for name, parameter in signature(prim).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY):
            return -1
        if name == "out":
            return i
        i += 1
    return -1


cdef object signature(Primitive prim):
    """The signature of the function, False if it tells none."""
    if prim.signature is None:
        try:
            prim.signature = inspect.signature(prim.fun)
        except (TypeError, ValueError):
            prim.signature = False
    return prim.signature


cdef bint has_overrider(tuple args) except -1:
    """Whether an operand that is no box wants to see calls of ufuncs (as an xarray object does)."""
    cdef object override
    for arg in args:
        if type(arg) is ndarray or type(arg) is float or is_box(arg):
            continue
        override = getattr(type(arg), "__array_ufunc__", None)
        if override is not None and override is not plain_array_ufunc:
            return True
    return False


cdef bint covers(object rule, Py_ssize_t argnum) except -1:
    """Whether a user's rule is about an argument, as far as it tells."""
    return rule is not None and argnum in getattr(rule, "covers", (argnum,))


cdef bint has_rule_for(Primitive prim, BoxBase box, Py_ssize_t argnum) except -1:
    return isinstance(box._node, Node) and (<Node> box._node).has_rule_at(prim, argnum)


cdef tuple bind_boxes(Primitive prim, tuple args, dict kwargs):
    """Move keyword arguments that are boxes to their positions, with defaults in between.

    A function of a user that has no rule there, and no box among its positional arguments, is called on the
    boxes themselves, and what it does with them is traced.
    """
    cdef list bound = list(args)
    cdef set pending = {name for name, value in kwargs.items() if contains_box(value)}
    cdef dict rest = dict(kwargs)
    cdef bint opaque = prim.stacks_lists or first_box(args) >= 0
    if not pending:
        return args, kwargs
    if signature(prim) is not False:
        for position, parameter in enumerate(prim.signature.parameters.values()):
            if not pending or parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY):
                break
            if position < len(bound):
                continue
            if parameter.name in rest:
                value = rest.pop(parameter.name)
                if not opaque and is_box(value) and not has_rule_for(prim, value, position):
                    return args, kwargs
                bound.append(value)
                pending.discard(parameter.name)
            elif parameter.default is not parameter.empty:
                bound.append(parameter.default)
            else:
                break
    if not pending:
        return tuple(bound), rest or None
    if not opaque:
        return args, kwargs
    if prim.signature is False:
        raise NotImplementedError(
            f"{prim.__name__} tells no names of its arguments, so traced ones can't be passed by keyword: "
            f"pass {', '.join(sorted(pending))} by position"
        )
    raise NotImplementedError(
        f"{prim.__name__} can't be differentiated with respect to its keyword argument {min(pending)!r}: it "
        "has no position. Pass it by position where the function allows it, or as a plain value "
        "(autograd_fast.tracer.getval)."
    )


list_stacker = None


def set_list_stacker(stacker):
    """Tell the core how to make one traced array of nested lists that contain boxes."""
    global list_stacker
    list_stacker = stacker


cdef tuple lists_as_arrays(tuple args, Py_ssize_t count):
    """The first `count` arguments, the operands of a ufunc, as arrays where they are lists."""
    cdef list made = None
    cdef Py_ssize_t i
    for i in range(min(count, len(args))):
        if type(args[i]) in (list, tuple):
            if made is None:
                made = list(args)
            made[i] = list_stacker(args[i]) if contains_box(args[i]) else np.asarray(args[i])
    return args if made is None else tuple(made)


cdef tuple stack_lists(tuple args):
    cdef list stacked = None
    cdef Py_ssize_t i
    for i in range(len(args)):
        if (type(args[i]) in (list, tuple, ndarray) and contains_box(args[i])) or (
            is_box(args[i]) and type(unbox(args[i])) in (list, tuple)
        ):
            if stacked is None:
                stacked = list(args)
            stacked[i] = list_stacker(args[i])
    return args if stacked is None else tuple(stacked)


def find_top_boxed_args(args):
    """The boxes of the innermost trace among `args`.

    Returns
    -------
    boxes : list of (argnum, box)
    trace : int
        Depth of that trace, -1 if there is no box.
    node_type : type or None
    ufunc_dispatch_needed : bool
        Whether an operand that is no box overrides ufuncs beside an array's box.
    """
    cdef Trace top = None
    cdef bint array_boxes = False
    boxes, node_type = [], None
    for argnum, arg in enumerate(args):
        if not is_box(arg):
            continue
        array_boxes = array_boxes or type(arg) is array_box
        if top is None or (<BoxBase> arg).origin.serial > top.serial:
            boxes, top, node_type = [], (<BoxBase> arg).origin, type((<BoxBase> arg)._node)
        if (<BoxBase> arg).origin.serial == top.serial:
            boxes.append((argnum, arg))
    depth = -1 if top is None else top.depth
    return boxes, depth, node_type, array_boxes and has_overrider(tuple(args))


cdef int enable_vectorcall() except -1:
    cdef Primitive probe = Primitive.__new__(Primitive)
    cdef Py_ssize_t offset = <char *> &probe.vectorcall - <char *> <PyObject *> probe
    agf_enable_vectorcall(<PyTypeObject *> Primitive, offset)
    return 0


enable_vectorcall()
