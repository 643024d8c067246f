# cython: c_api_binop_methods=True
"""The operators and attributes of boxed arrays and numbers.

An operator slot of C gets its operands in either order, so one method serves `a + b` and its reflection.
"""

cimport cython
import numpy as np

from autograd_fast._kernels cimport GETITEM
from autograd_fast._linear cimport linear
from autograd_fast._ops cimport is_plain, op1, op2
from autograd_fast._primitive cimport Primitive, call_primitive
from autograd_fast._tracer cimport BoxBase, is_box, unbox
from autograd_fast._primitive import trace_primitives_map
from cpython.object cimport Py_EQ, Py_GT, Py_LE, Py_LT, Py_NE, PyTypeObject

cdef extern from *:
    """
    static void agf_set_subscript(PyTypeObject *type, PyObject *(*subscript)(PyObject *, PyObject *)) {
        type->tp_as_mapping->mp_subscript = (binaryfunc) subscript;
        PyType_Modified(type);
    }
    /* Slots without methods: what asks a value for `__iter__` or `__float__` is to take a box, which stands
       for an array as well as for a number, for neither an iterable nor a number. */
    static void agf_set_conversions(PyTypeObject *type, PyObject *(*iterate)(PyObject *),
                                    PyObject *(*refuse)(PyObject *)) {
        type->tp_iter = iterate;
        type->tp_as_number->nb_float = type->tp_as_number->nb_int = type->tp_as_number->nb_index = refuse;
        PyType_Modified(type);
    }
    /* A subclass in Python gets slots that look the methods up by name; these call them directly, until a
       user sets a method, which resets the slot. */
    static void agf_inherit_operators(PyTypeObject *type, PyTypeObject *base) {
        PyNumberMethods *to = type->tp_as_number, *from = base->tp_as_number;
    #define AGF_INHERIT(slot) if (from->slot) to->slot = from->slot
        AGF_INHERIT(nb_add); AGF_INHERIT(nb_subtract); AGF_INHERIT(nb_multiply); AGF_INHERIT(nb_true_divide);
        AGF_INHERIT(nb_floor_divide); AGF_INHERIT(nb_remainder); AGF_INHERIT(nb_matrix_multiply);
        AGF_INHERIT(nb_power); AGF_INHERIT(nb_negative); AGF_INHERIT(nb_positive); AGF_INHERIT(nb_absolute);
    #undef AGF_INHERIT
    }
    """
    void agf_set_subscript(PyTypeObject *, object (*)(object, object))
    void agf_set_conversions(PyTypeObject *, object (*)(object), object (*)(object))
    void agf_inherit_operators(PyTypeObject *, PyTypeObject *)

cdef object ndarray = np.ndarray
cdef object generic = np.generic
cdef object namespace = None
cdef Primitive add, subtract, multiply, true_divide, floor_divide, mod, matmul, power, negative, positive
cdef Primitive absolute, equal, not_equal, less, less_equal, greater, greater_equal, getitem


def set_namespace(module):
    """Tell the operators which traced namespace they stand for."""
    global namespace, add, subtract, multiply, true_divide, floor_divide, mod, matmul, power, negative
    global positive, absolute, equal, not_equal, less, less_equal, greater, greater_equal
    namespace = module
    add, subtract, multiply, true_divide = module.add, module.subtract, module.multiply, module.true_divide
    floor_divide, mod, matmul, power = module.floor_divide, module.mod, module.matmul, module.power
    negative, positive, absolute = module.negative, module.positive, module.absolute
    equal, not_equal, less = module.equal, module.not_equal, module.less
    less_equal, greater, greater_equal = module.less_equal, module.greater, module.greater_equal


def set_getitem(cls, primitive):
    """Let ``cls.__getitem__`` be `primitive`, and subscription call it without a look-up."""
    global getitem
    getitem = primitive
    cls.__getitem__ = primitive
    agf_inherit_operators(<PyTypeObject *> cls, <PyTypeObject *> ArrayBoxBase)
    agf_set_subscript(<PyTypeObject *> cls, subscript)
    agf_set_conversions(<PyTypeObject *> cls, iterate, refuse_conversion)


cdef object ufunc_hook = None


def set_ufunc_hook(function):
    """Tell boxes how a call of a plain ufunc is traced: ``function(ufunc, method, inputs, kwargs)``."""
    global ufunc_hook
    ufunc_hook = function


cdef object subscript(object box, object index):
    if simple(index) and getitem.kernel == GETITEM:
        return linear(getitem, box, index, None)
    return call_primitive(getitem, (box, index), None, False)


cdef inline bint simple(object index) noexcept:
    """Whether an index is made of numbers, slices and arrays, so that no box is in it."""
    if isinstance(index, (int, slice)) or index is None or index is Ellipsis or type(index) is ndarray:
        return type(index) is not ndarray or index.dtype != object
    if type(index) is tuple:
        for item in <tuple> index:
            if not simple(item):
                return False
        return True
    return isinstance(index, generic)


cdef inline object binary(Primitive prim, object a, object b):
    if understood(a) and understood(b):
        return op2(prim, a, b)
    if getattr(type(b), "__array_ufunc__", True) is None or getattr(type(a), "__array_ufunc__", True) is None:
        return NotImplemented
    return prim(a, b)


cdef inline bint understood(object x) except -1:
    """Whether the operand is a number, an array or a box, so that no other class has a say."""
    return is_box(x) or isinstance(x, (float, int, complex, ndarray, generic))


cdef object iterate(object box):
    if not box.shape:
        raise TypeError("iteration over a 0-d array")
    return iter([box[i] for i in range(box.shape[0])])


cdef object refuse_conversion(object box):
    raise TypeError(
        "a traced value can't be made a plain number by float(), int(), complex() or math, or be used as an "
        "index of a list: its derivative would be lost. Use the functions of autograd_fast.numpy on it, or "
        "take the plain value, without derivative, with getval(x) from autograd_fast.tracer"
    )


cdef inline bint simple_operand(object x) noexcept:
    """Whether the operand is a box, a number or an array of no derived class."""
    return is_box(x) or is_plain(x)


@cython.auto_pickle(False)
cdef class ArrayBoxBase(BoxBase):
    """The slots of ArrayBox; the class that users see, and may change, derives from it."""

    def __add__(a, b):
        return binary(add, a, b)

    def __sub__(a, b):
        return binary(subtract, a, b)

    def __mul__(a, b):
        return binary(multiply, a, b)

    def __truediv__(a, b):
        return binary(true_divide, a, b)

    def __floordiv__(a, b):
        return binary(floor_divide, a, b)

    def __mod__(a, b):
        return binary(mod, a, b)

    def __matmul__(a, b):
        return binary(matmul, a, b)

    def __divmod__(a, b):
        quotient = binary(floor_divide, a, b)
        return NotImplemented if quotient is NotImplemented else (quotient, binary(mod, a, b))

    def __pow__(a, b, modulus):
        if modulus is not None:
            raise TypeError("pow() with a modulus has no derivative")
        return binary(power, a, b)

    def __neg__(self):
        return op1(negative, self)

    def __pos__(self):
        return op1(positive, self)

    def __abs__(self):
        return op1(absolute, self)

    def __richcmp__(self, other, int op):
        cdef Primitive prim
        if op == Py_LT:
            prim = less
        elif op == Py_LE:
            prim = less_equal
        elif op == Py_EQ:
            prim = equal
        elif op == Py_NE:
            prim = not_equal
        elif op == Py_GT:
            prim = greater
        else:
            prim = greater_equal
        return binary(prim, self, other)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        cdef object traced
        if not kwargs and method == "__call__":
            traced = trace_primitives_map.get(ufunc)
            if type(traced) is Primitive and (<Primitive> traced).composite is None:
                if len(inputs) == 2 and simple_operand(inputs[0]) and simple_operand(inputs[1]):
                    return op2(<Primitive> traced, inputs[0], inputs[1])
                if len(inputs) == 1:
                    return op1(<Primitive> traced, inputs[0])
        return ufunc_hook(ufunc, method, inputs, kwargs)

    def __hash__(self):
        return <Py_ssize_t> <void *> self >> 4

    def __len__(self):
        return len(self._value)

    def __format__(self, spec):
        return str(self) if not spec else format(unbox(self), spec)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def shape(self):
        value = unbox(self)
        return value.shape if isinstance(value, (ndarray, generic)) else np.shape(value)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return np.size(unbox(self))

    @property
    def dtype(self):
        return np.result_type(unbox(self))

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.dtype.itemsize * self.size
