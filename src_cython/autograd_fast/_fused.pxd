cdef object pull1(int kernel, object g, object x, object ans, bint into_g=*, bint lazy=*)
cdef object pull2(
    int kernel, int argnum, object g, object x, object y, object ans, bint into_g=*, bint lazy=*
)
cdef object pull_choice(bint first, object g, object mask, bint into_g)
cdef object where(object mask, object x, object y)
cdef tuple pull_pair(int kernel, object g, object x, object y, object ans, bint into_g)
cdef object pull_both_factors(object g, object x)
cdef bint pull_number1(int kernel, double g, object x, object ans, double *out) noexcept
cdef bint pull_number2(int kernel, int argnum, double g, object x, object y, double *out) noexcept
