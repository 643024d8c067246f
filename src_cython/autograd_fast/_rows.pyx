"""Pullbacks of many cotangents at once: the rows of an array, as a Jacobian needs them.

Note [Rows].  An array of cotangents has one axis more than the value, the first.  A rule that acts entry by
entry broadcasts over it; sums, products, subscripts and shape changes are written here with their axes moved
by one.  Any other rule is applied row by row and its results are stacked, so that every graph of arrays can
go this way.  Containers, boxes and users' kinds of cotangents can't: `NotByRows` sends the caller back to one
cotangent at a time.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._backward cimport pairs_of_user_node
from autograd_fast._core cimport (
    CLOSURE, EINSUM, ITEM, JOIN, LINEAR, PICKS, PRODUCT, REDUCTION, TAKE, VJPNode, rule_in_c,
)
from autograd_fast._tables cimport Derivative, Table
from autograd_fast._fit cimport Like, like, zeros_like_operand
from autograd_fast._einsum cimport einsum_rows
from autograd_fast._joins cimport row_pieces
from autograd_fast._kernels cimport GETITEM, MEAN, RESHAPE, SCATTER, SPREAD, TRANSPOSE
from autograd_fast._maps cimport map_picks
from autograd_fast._tracer cimport is_box

cnp.import_array()

cdef object ndarray = np.ndarray


class NotByRows(Exception):
    """A value that is no plain array or number."""


cdef inline int check_plain(object x) except -1:
    if is_box(x):
        raise NotByRows
    return 0


cdef list row_contributions(VJPNode node, object gs, Py_ssize_t m, Py_ssize_t n):
    """The cotangents that a node with a rule gives to its `n` parents, `m` rows of each."""
    cdef Py_ssize_t k
    if type(gs) is not ndarray or len(gs) != m:
        raise NotByRows
    if node.kind == PICKS:
        return [elementwise(node, node.argnum(k), gs, m) for k in range(n)]
    if node.kind == REDUCTION:
        return [spread_back(node, gs, m)]
    if node.kind == PRODUCT:
        return [product(node, node.argnum(k), gs, m) for k in range(n)]
    if node.kind == TAKE or node.kind == LINEAR:
        made = linear(node, gs, m)
        if made is not None:
            return [made]
    if node.kind == JOIN:
        return row_pieces(node, gs)
    if node.kind == EINSUM:
        check_plain(node.s0)
        check_plain(node.s1)
        rows = [einsum_rows(node, node.argnum(k), gs) for k in range(n)]
        if all([made is not None for made in rows]):
            return rows
    if node.kind == ITEM:
        raise NotByRows
    return one_by_one(node, gs, m, n)


cdef list row_of(VJPNode node, object g, Py_ssize_t n):
    if node.kind != CLOSURE:
        return node.contributions(g, n)
    pairs = pairs_of_user_node(node, g)
    if node.s1 is not None:
        pairs = node.fitted(pairs)
    return [contribution for _, contribution in pairs]


cdef list one_by_one(VJPNode node, object gs, Py_ssize_t m, Py_ssize_t n):
    cdef list rows = [row_of(node, g, n) for g in gs]
    cdef Py_ssize_t k
    for row in rows:
        for item in row:
            if not isinstance(item, (ndarray, np.generic, float)):
                raise NotByRows
    return [np.stack([row[k] for row in rows]) for k in range(n)]


cdef object fitted(object gs, object spec, Py_ssize_t m):
    """Rows of cotangents summed over broadcast axes to the operand's shape, of its kind and dtype."""
    cdef tuple shape, given
    cdef Py_ssize_t extra, i
    cdef list axes
    if type(spec) is not Like:
        check_plain(spec)
        spec = like(spec)
        if type(spec) is not Like:
            raise NotByRows
    shape, given = (<Like> spec).shape, gs.shape
    if given[1:] != shape:
        extra = len(given) - 1 - len(shape)
        axes = [1 + i for i in range(extra)]
        for i in range(len(shape)):
            if shape[i] == 1 and given[1 + extra + i] != 1:
                axes.append(1 + extra + i)
        gs = np.sum(gs, axis=tuple(axes), keepdims=True).reshape((m, *shape))
    dtype = (<Like> spec).dtype
    if gs.dtype is not dtype and dtype.kind in "fc":
        gs = (gs.real if dtype.kind == "f" and gs.dtype.kind == "c" else gs).astype(dtype, copy=False)
    return gs


cdef object elementwise(VJPNode node, Py_ssize_t argnum, object gs, Py_ssize_t m):
    cdef Table table = node.rule
    cdef Derivative d = table.find(argnum)
    cdef object spec = node.s0 if argnum == 0 else node.s1
    cdef object pulled = None
    if d.vjp is None:
        zero = zeros_like_operand(gs[0] if spec is None else spec)
        return np.zeros((m, *zero.shape), zero.dtype)
    check_plain(node.s0)
    check_plain(node.s1)
    check_plain(node.s2)
    if table.kernel >= 0:
        pulled = rule_in_c(table.kernel, argnum, gs, node.s0, node.s1, node.s2)
    if pulled is None:
        pulled = map_picks(d.vjp, gs, d.vjp_picks, node.s0, node.s1, node.s2)
    if type(pulled) is not ndarray or pulled.shape != gs.shape:
        raise NotByRows
    return fitted(pulled, like(gs[0]) if spec is None else spec, m)


cdef object spread_back(VJPNode node, object gs, Py_ssize_t m):
    """Rows for the operand of a reduction."""
    cdef int kernel = (<Table> node.rule).kernel
    cdef object spec = node.s0, axis = node.s1
    cdef tuple shape
    cdef list kept
    check_plain(spec)
    shape = np.shape(spec) if type(spec) is not Like else (<Like> spec).shape
    kept = [1] * len(shape) if axis is None else list(shape)
    if axis is not None:
        kept[axis] = 1
    if kernel > MEAN:
        slope = node.contribution(0, np.ones(np.shape(node.s2), gs.dtype)[()])
        return fitted(gs.reshape((m, *kept)) * slope, spec, m)
    gs = gs.reshape((m, *kept))
    if kernel == MEAN:
        gs = gs / ((<Like> spec).size if axis is None else shape[axis])
    return fitted(np.broadcast_to(gs, (m, *shape)), spec, m)


cdef object product(VJPNode node, Py_ssize_t argnum, object gs, Py_ssize_t m):
    """Rows for an operand of a product of matrices, vectors or numbers."""
    cdef object other = node.s1 if argnum == 0 else node.s0
    cdef object spec = node.s0 if argnum == 0 else node.s1
    cdef object pulled
    cdef Py_ssize_t nd, own
    check_plain(other)
    check_plain(spec)
    nd, own = np.ndim(other), (<Like> like(spec)).ndim
    if nd > 2 or own > 2 or (nd == 0) != (own == 0):
        return one_by_one_product(node, argnum, gs)
    if nd == 0:
        pulled = gs * other
    elif nd == 1 and own == 1:
        pulled = gs[:, None] * other
    elif nd == 2 and own == 2:
        pulled = np.matmul(gs, other.T) if argnum == 0 else np.matmul(other.T, gs)
    elif nd == 2:
        pulled = np.matmul(gs, other.T) if argnum == 0 else np.matmul(gs, other)
    elif argnum == 0:
        pulled = gs[:, :, None] * other
    else:
        pulled = other[:, None] * gs[:, None, :]
    return fitted(pulled, spec, m)


cdef object one_by_one_product(VJPNode node, Py_ssize_t argnum, object gs):
    cdef Py_ssize_t k = 0 if node.argnum(0) == argnum else 1
    return np.stack([node.contribution(k, g) for g in gs])


cdef object linear(VJPNode node, object gs, Py_ssize_t m):
    """Rows for the operand of a subscript, a change of shape, or an adjoint of these; None row by row."""
    cdef int kernel = (<Table> node.rule).kernel
    cdef Like spec = node.s0
    cdef object index = node.s1
    if kernel == GETITEM or kernel == SCATTER:
        if not is_simple_index(index):
            return None
        index = (slice(None), *index) if type(index) is tuple else (slice(None), index)
        if kernel == SCATTER:
            return fitted(gs[index], spec, m)
        out = np.zeros((m, *spec.shape), gs.dtype)
        out[index] = gs
        return fitted(out, spec, m)
    if kernel == RESHAPE:
        return gs.reshape((m, *spec.shape))
    if kernel == TRANSPOSE:
        axes = range(len(spec.shape))[::-1] if index is None else index
        axes = np.argsort([axis % len(spec.shape) for axis in axes]).tolist()
        return gs.transpose((0, *[1 + axis for axis in axes]))
    if kernel == SPREAD:
        axes = tuple(range(1, gs.ndim)) if index is None else 1 + index % (gs.ndim - 1)
        return np.sum(gs, axis=axes).reshape((m, *spec.shape))
    return None


cdef bint is_simple_index(object index) noexcept:
    """Whether an index takes each entry at most once and means the same behind another axis."""
    if type(index) is tuple:
        for item in <tuple> index:
            if not isinstance(item, (int, slice)) and item is not Ellipsis and item is not None:
                return False
            if isinstance(item, bool):
                return False
        return True
    if index is None or index is Ellipsis:
        return True
    return isinstance(index, (int, slice)) and not isinstance(index, bool)
