ctypedef void (*changed_t)() noexcept

cdef int watched
cdef object watcher
cdef dict notes
cdef void set_on_change(changed_t function) noexcept
