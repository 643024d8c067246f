"""Derivatives of sorting and of sets of values: entries move, ties keep their order (a stable sort)."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite, derivative, linear
from ...tracer import getval, primitive
from .. import numpy_wrapper as anp
from ._helpers import gather
from .operands import along, as_array, dtype_of

# ----- sort, partition: a permutation along an axis


def stable_argsort(x: Any, axis: int) -> Any:
    """The stable argsort; the quicker kind where nothing is tied."""
    order = onp.argsort(x, axis=axis)
    entries = onp.moveaxis(onp.take_along_axis(x, order, axis), axis, -1)
    if onp.all(entries[..., 1:] > entries[..., :-1]):
        return order
    return onp.argsort(x, axis=axis, kind="stable")


@primitive
def permute_along(x: Any, order: Any, axis: int) -> Any:
    """``take_along_axis`` for an `order` that has every index once."""
    return onp.take_along_axis(x, order, axis)


def _inverse(order: Any, axis: int) -> Any:
    inverse = onp.empty_like(order)
    onp.put_along_axis(
        inverse, order, onp.arange(order.shape[axis]).reshape(along(axis, order.ndim, -1, 1)), axis
    )
    return inverse


linear(permute_along, lambda g, ans, x, order, axis: permute_along(g, _inverse(order, axis), axis))


@composite(onp.sort, anp)
def _sort(a, axis=-1, *args, **kwargs):
    a = as_array(a)
    if axis is None:
        a, axis = anp.reshape(a, -1), 0
    return permute_along(a, stable_argsort(getval(a), axis), axis)


if hasattr(onp, "msort"):  # left NumPy with version 2

    @composite(onp.msort, anp)
    def _msort(a):
        return anp.sort(a, axis=0)


def _partition_order(x: Any, ans: Any, axis: int) -> Any:
    """Where the entries of `ans` come from: equal ranks, ties in order."""
    ranks = _inverse(stable_argsort(getval(ans), axis), axis)
    return onp.take_along_axis(stable_argsort(getval(x), axis), ranks, axis)


def _partition_vjp(g, ans, x, kth, axis=-1, *args, **kwargs):
    if axis is None:
        return anp.reshape(_partition_vjp(g, ans, anp.reshape(x, -1), kth, 0), anp.shape(x))
    return permute_along(g, _inverse(_partition_order(x, ans, axis), axis), axis)


def _partition_jvp(t, ans, x, kth, axis=-1, *args, **kwargs):
    if axis is None:
        return _partition_jvp(anp.reshape(t, -1), ans, anp.reshape(x, -1), kth, 0)
    return permute_along(t, _partition_order(x, ans, axis), axis)


derivative(anp.partition, vjp=_partition_vjp, jvp=_partition_jvp, saves="x ans")


@composite(onp.sort_complex, anp)
def _sort_complex(a):
    return anp._astype(anp.sort(a, axis=-1), onp.sort_complex(onp.empty(0, dtype_of(a))).dtype)


# ----- sets of values: each taken from where it first occurs


def _first_places(flat: Any, values: Any) -> Any:
    """Where each of `values` first occurs in the array `flat`."""
    order = onp.argsort(flat, kind="stable")
    return order[onp.searchsorted(flat[order], values)]


def _flat_join(*arrays: Any) -> Any:
    return anp.concatenate([anp.reshape(a, -1) for a in arrays])


@composite(onp.unique, anp)
def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, **kwargs):
    ar = as_array(ar)
    _, index, inverse, counts = onp.unique(getval(ar), True, True, True, axis, **kwargs)
    values = gather(ar, index) if axis is None else anp.take(ar, index, axis)
    wanted = [(return_index, index), (return_inverse, inverse), (return_counts, counts)]
    extras = [extra for wish, extra in wanted if wish]
    return (values, *extras) if extras else values


def _picked(joined: Any, values: Any) -> Any:
    """Plain `values`, each of which occurs in the traced vector `joined`, as entries of it."""
    return anp.asarray(gather(joined, _first_places(getval(joined), values)), values.dtype)


def _set_operation(raw: Any) -> None:
    """Declare a function of two arrays whose result consists of entries of theirs."""

    @composite(raw, anp)
    def traced(ar1, ar2, *args, **kwargs):
        ar1, ar2 = as_array(ar1), as_array(ar2)
        return _picked(_flat_join(ar1, ar2), raw(getval(ar1), getval(ar2), *args, **kwargs))


for _raw in (onp.union1d, onp.setdiff1d, onp.setxor1d):
    _set_operation(_raw)


if hasattr(onp, "unique_values"):

    @composite(onp.unique_values, anp)
    def _unique_values(x):
        x = as_array(x)
        return _picked(anp.reshape(x, -1), onp.unique_values(getval(x)))

    def _named_sets(raw: Any) -> None:
        """Declare a function whose result names the distinct values and plain indices or counts."""

        @composite(raw, anp)
        def traced(x):
            x = as_array(x)
            plain = raw(getval(x))
            return plain._replace(values=_picked(anp.reshape(x, -1), plain.values))

    for _named in (onp.unique_all, onp.unique_counts, onp.unique_inverse):
        _named_sets(_named)


@composite(onp.intersect1d, anp)
def _intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    ar1, ar2 = as_array(ar1), as_array(ar2)
    values, first, second = onp.intersect1d(getval(ar1), getval(ar2), assume_unique, return_indices=True)
    common = gather(ar1, first)
    return (common, first, second) if return_indices else common
