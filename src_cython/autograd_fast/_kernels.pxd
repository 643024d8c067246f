cdef bint enabled

cdef enum Kernel:
    NO_KERNEL = -1
    NEGATIVE = 0
    EXP
    LOG
    LOG1P
    EXPM1
    SQRT
    SQUARE
    SIN
    COS
    TANH
    ABSOLUTE
    ADD
    SUBTRACT
    MULTIPLY
    DIVIDE
    POWER
    MAXIMUM
    MINIMUM
    N_KERNELS
    SUM
    MEAN
    MAX
    MIN
    DOT
    MATMUL

cdef object forward1(int kernel, object x)
cdef object forward2(int kernel, object x, object y)
cdef object pull1(int kernel, object g, object x, object ans)
cdef object pull2(int kernel, int argnum, object g, object x, object y, object ans)
cdef object sum_all(object x)
cdef object reduce_axis(int kernel, object x, object axis, object keepdims)
cdef object pull_reduction(int kernel, object g, object like, object axis, object ans)
cdef object dot_product(object x, object y)
cdef object pull_product(int argnum, object g, object x, object y)
cdef object add_into(object total, object g)
cdef object add_at(object total, object index, object g)
cdef object sum_leading(object g, tuple shape)
cdef object new_float64(double value)
