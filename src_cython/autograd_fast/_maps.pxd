cdef object map_picks(object map_, object g, tuple picks, object x, object y, object ans)
cdef object quiet_map(object map_, object g, tuple picks, object x, object y, object ans)
cdef object call_map(
    object map_, tuple picks, bint takes_argnum, bint entrywise, Py_ssize_t argnum,
    object g, object ans, tuple args, dict kwargs,
)
