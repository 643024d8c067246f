from collections.abc import Callable, Iterable
from typing import Any, final

from ._primitive import Primitive

ANS: int

@final
class Derivative:
    def __init__(
        self,
        vjp: Callable[..., Any] | None,
        jvp: Callable[..., Any] | None,
        saves: Iterable[int] = ...,
        vjp_picks: tuple[int, ...] | None = ...,
        jvp_picks: tuple[int, ...] | None = ...,
        broadcasts: bool = ...,
        takes_argnum: bool = ...,
        saves_operands: bool = ...,
        joint: bool = ...,
        entrywise: bool = ...,
    ) -> None: ...
    @property
    def vjp(self) -> Callable[..., Any] | None: ...
    @property
    def jvp(self) -> Callable[..., Any] | None: ...
    @property
    def vjp_picks(self) -> tuple[int, ...] | None: ...
    @property
    def jvp_picks(self) -> tuple[int, ...] | None: ...
    @property
    def broadcasts(self) -> bool: ...
    @property
    def takes_argnum(self) -> bool: ...
    @property
    def saves_operands(self) -> bool: ...
    @property
    def joint(self) -> bool: ...
    @property
    def entrywise(self) -> bool: ...

@final
class Table:
    def __init__(self, prim: Primitive) -> None: ...
    @property
    def prim(self) -> Primitive: ...
    def set(self, argnum: int, entry: Derivative) -> None: ...
    def set_variadic(self, first: int, entry: Derivative) -> None: ...
