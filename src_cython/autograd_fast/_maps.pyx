"""Calls of rules' maps, in the forms that these are declared in."""

from functools import partial

import numpy as np

from autograd_fast._watch cimport watched, watcher


cdef object map_picks(object map_, object g, tuple picks, object x, object y, object ans):
    """Call a map with those of two operands and the result that it asks for."""
    cdef Py_ssize_t n = len(picks)
    if watched:
        return watcher.map(map_, True, g, tuple([pick(i, x, y, ans) for i in picks]), -1)
    if n == 0:
        return map_(g)
    if n == 1:
        return map_(g, pick(picks[0], x, y, ans))
    return map_(g, *[pick(i, x, y, ans) for i in picks])


cdef object quiet_map(object map_, object g, tuple picks, object x, object y, object ans):
    """What a rule's map in Python gives, for a comparison; its warnings are not the user's."""
    with np.errstate(all="ignore"):
        return map_picks(map_, g, picks, x, y, ans)


cdef inline object pick(int i, object x, object y, object ans):
    return ans if i == -1 else x if i == 0 else y


cdef object call_map(
    object map_, tuple picks, bint takes_argnum, bint entrywise, Py_ssize_t argnum,
    object g, object ans, tuple args, dict kwargs,
):
    """Call a map with what it asks for of the arguments and the result, or with all of them."""
    if picks is not None:
        if kwargs is not None:
            check_ufunc_options(kwargs)
        picked = tuple([ans if i == -1 else args[i] for i in picks])
        return watcher.map(map_, True, g, picked, argnum) if watched else map_(g, *picked)
    if watched:
        map_ = partial(map_, argnum) if takes_argnum else map_
        map_ = map_ if kwargs is None else partial(map_, **kwargs)
        return watcher.map(map_, entrywise, g, (ans, *args), argnum)
    if takes_argnum:
        return map_(argnum, g, ans, *args) if kwargs is None else map_(argnum, g, ans, *args, **kwargs)
    return map_(g, ans, *args) if kwargs is None else map_(g, ans, *args, **kwargs)


cdef int check_ufunc_options(dict kwargs) except -1:
    """Pass the keywords of a ufunc call that change no derivative."""
    for name, value in kwargs.items():
        if name not in ("dtype", "casting", "order", "subok", "sig", "signature") and not (
            (name == "where" and value is True) or (name == "out" and value is None)
        ):
            raise NotImplementedError(
                f"the keyword argument {name}={value!r} of a ufunc has no derivative: call it without "
                "it and combine the results outside"
            )
    return 0
