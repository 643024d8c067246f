from autograd_fast._tables cimport Table
from autograd_fast._primitive cimport Primitive

ctypedef object (*linear_t)(Primitive, object, object, object)
ctypedef object (*push_t)(int, object, object, object, object, object)

cdef object op1(Primitive prim, object a)
cdef object op2(Primitive prim, object a, object b)
cdef object apply1(Primitive prim, object x)
cdef object apply2(Primitive prim, object x, object y)
cdef object apply_reduction(Primitive prim, object x, object axis, object keepdims)
cdef object reduction(Primitive prim, object a, object axis, object keepdims)
cdef bint is_plain(object x) noexcept
cdef Table rules_of(Primitive prim, object node)
cdef Table short_table(Primitive prim, object node)
cdef object spread_like(object t, object ans, Primitive prim, Py_ssize_t argnum)
cdef void set_linear_way(linear_t linear, push_t extremum) noexcept
