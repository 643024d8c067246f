"""What `debug` compares: the arrays that an operation keeps, when it was recorded and when it is used."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._fit import Like
from .._primitive import Primitive
from .._pullback import Pullback
from .._vspaces import VSpaceBase
from ..tracer import getval

_WITHOUT_ARRAYS = (
    type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis), type, types.ModuleType,
    types.BuiltinFunctionType, np.generic, np.dtype, np.ufunc, Like, Primitive, VSpaceBase, Pullback,
)  # fmt: skip


class _Unknown:
    """Stands for an object that may refer to any array."""


def _reachable(things: Iterable[Any]) -> Iterator[Any]:
    """The arrays that values, containers and closures refer to; `_Unknown` for an object of another kind."""
    pending, seen = list(things), set()
    while pending:
        x = getval(pending.pop())
        if id(x) in seen or isinstance(x, _WITHOUT_ARRAYS):
            continue
        seen.add(id(x))
        if isinstance(x, np.ndarray):
            yield x
        elif isinstance(x, (list, tuple, set, frozenset)):
            pending.extend(x)
        elif isinstance(x, dict):
            pending.extend(x.values())
        elif isinstance(x, types.FunctionType):
            pending.extend(x.__defaults__ or ())
            pending.extend((x.__kwdefaults__ or {}).values())
            pending.extend(_contents(x.__closure__ or ()))
        elif isinstance(x, types.MethodType):
            pending.extend((x.__func__, x.__self__))
        elif isinstance(x, functools.partial):
            pending.extend((x.func, x.args, x.keywords))
        else:
            yield _Unknown


def _contents(cells: Iterable[types.CellType]) -> Iterator[Any]:
    for cell in cells:
        with contextlib.suppress(ValueError):  # of a cell that is empty
            yield cell.cell_contents


def digest(x: Any) -> Any:
    """A value that differs, but for one case in 2**64, when the array was changed."""
    import hashlib  # takes long to import, and few programs come here

    x = np.asarray(x)
    if x.dtype.hasobject:
        return x.shape, tuple(map(id, x.flat))
    hashed = hashlib.blake2b(digest_size=8)
    if x.size and x.itemsize:
        hashed.update(np.ascontiguousarray(x).reshape(-1).view(np.uint8).data)
    return x.shape, hashed.digest()


class Fingerprint:
    """The arrays that a recorded operation keeps, as they were."""

    __slots__ = ("taken",)

    def __init__(self, saved: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ans: Any) -> None:
        names = {id(getval(ans)): "the result"}
        names |= {id(getval(x)): f"argument {name!r}" for name, x in kwargs.items()}
        names |= {id(getval(x)): f"argument {i}" for i, x in enumerate(args)}
        found = list(_reachable(saved))
        if any(x is _Unknown for x in found):
            found += _reachable([args, kwargs, ans])
        kept = {id(x): x for x in found if x is not _Unknown}
        unnamed = "an array that its rule keeps"
        self.taken = [(x, digest(x), names.get(key, unnamed)) for key, x in kept.items()]

    def changed(self) -> str | None:
        """What was changed in place since, None if nothing was."""
        for x, before, name in self.taken:
            if digest(x) != before:
                return name
        return None


def fingerprint(g: Any) -> Fingerprint:
    """The fingerprint of a cotangent."""
    return Fingerprint([g], (), {}, None)
