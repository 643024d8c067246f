"""What a primitive's rules are: a `Derivative` for each operand, in a `Table`."""

cimport cython

from autograd_fast._fit cimport function_name
from autograd_fast._kernels cimport NO_KERNEL
from autograd_fast._maps cimport call_map

ANS = -1


@cython.final
cdef class Derivative:
    """The rule of one operand: a map for each mode, and what the VJP map needs."""

    def __init__(
        self, vjp, jvp, saves=frozenset(), vjp_picks=None, jvp_picks=None, broadcasts=False,
        takes_argnum=False, saves_operands=False, joint=False, entrywise=False,
    ):
        self.vjp, self.jvp = vjp, jvp
        self.vjp_picks, self.jvp_picks = vjp_picks, jvp_picks
        self.broadcasts, self.takes_argnum, self.saves_operands = broadcasts, takes_argnum, saves_operands
        self.joint, self.entrywise = joint, entrywise
        for name in saves:
            self.saves |= SAVES_ANS if name == ANS else 1u << <unsigned int> name


@cython.final
cdef class Table:
    """The rules of one primitive by operand."""

    def __init__(self, prim):
        self.prim = prim
        self.variadic_from = -1
        self.elementwise = True
        self.kernel = NO_KERNEL

    def set(self, argnum, Derivative entry):
        if argnum == 0:
            self.d0 = entry
        elif argnum == 1:
            self.d1 = entry
        else:
            if self.others is None:
                self.others = {}
            self.others[argnum] = entry
        self.elementwise = self.elementwise and entry.vjp_picks is not None and argnum < 2

    def set_variadic(self, Py_ssize_t first, Derivative entry):
        self.variadic_from, self.variadic = first, entry
        self.elementwise = False

    cdef Derivative find(self, Py_ssize_t argnum):
        cdef Derivative entry = self.d0 if argnum == 0 else self.d1 if argnum == 1 else None
        if entry is None and self.others is not None:
            entry = self.others.get(argnum)
        if entry is None and 0 <= self.variadic_from <= argnum:
            entry = self.variadic
        return entry

    cdef bint is_operand(self, Py_ssize_t argnum):
        return self.find(argnum) is not None


cdef Derivative find_any_rule(Table table, Py_ssize_t argnum, str mode):
    cdef Derivative entry = table.find(argnum)
    if entry is None:
        raise NotImplementedError(f"{mode} of {function_name(table.prim)} wrt argnum {argnum} not defined")
    return entry


cdef object call_vjp(Derivative d, Py_ssize_t argnum, object g, object ans, tuple args, dict kwargs):
    return call_map(d.vjp, d.vjp_picks, d.takes_argnum, d.entrywise, argnum, g, ans, args, kwargs)


cdef object call_jvp(Derivative d, Py_ssize_t argnum, object t, object ans, tuple args, dict kwargs):
    return call_map(d.jvp, d.jvp_picks, d.takes_argnum, d.entrywise, argnum, t, ans, args, kwargs)
