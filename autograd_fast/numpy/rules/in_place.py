"""NumPy's functions that write into an array: it can't be a traced one, so they say what to use instead."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite
from ...tracer import isbox
from .. import numpy_wrapper as anp

_FROM_PARTS = "build the array from its parts with np.where, np.concatenate or np.stack"
_INSTEAD = {
    "copyto": "np.where(where, src, dst) gives the array that it would make",
    "fill_diagonal": "np.where(np.eye(n, dtype=bool), val, a) gives the matrix that it would make",
    "place": _FROM_PARTS,
    "put": _FROM_PARTS,
    "put_along_axis": _FROM_PARTS,
    "putmask": "np.where(mask, values, a) gives the array that it would make",
}


def _refuse(name: str, instead: str) -> None:
    @composite(getattr(onp, name), anp)
    def refused(*args: Any, **kwargs: Any) -> Any:
        into = args[0] if args else next(iter(kwargs.values()))
        what = "a traced array" if isbox(into) else "a plain array from traced values"
        raise TypeError(
            f"numpy.{name} would write into {what}, and the derivative would be lost; "
            f"make a new array instead: {instead}"
        )


for _name, _instead in _INSTEAD.items():
    _refuse(_name, _instead)
