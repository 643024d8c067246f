from autograd_fast._primitive cimport Primitive


cdef Primitive getitem_primitive
cdef Primitive reshape_primitive
cdef Primitive transpose_primitive
cdef Primitive spread_primitive
cdef object linear(Primitive prim, object a, object p, object q)
cdef object apply_linear(Primitive prim, object x, object p, object q)
