from collections.abc import Callable, Mapping
from typing import Any, final

from ._primitive import Node
from ._registry import LiveDict
from ._tables import Derivative, Table

@final
class VJPRule:
    def __init__(self, table: Table) -> None: ...
    @property
    def table(self) -> Table: ...
    def __call__(self, argnums: Any, ans: Any, args: Any, kwargs: Any) -> Any: ...

@final
class JVPRule:
    def __init__(self, table: Table) -> None: ...
    @property
    def table(self) -> Table: ...
    def __call__(self, argnums: Any, gs: Any, ans: Any, args: Any, kwargs: Any) -> Any: ...

class VJPNode(Node):
    parents: Any
    vjp: Any
    def initialize_root(self) -> None: ...

@final
class NodeVJP:
    def __init__(self, node: VJPNode, count: int) -> None: ...
    def __call__(self, g: Any) -> tuple[Any, ...]: ...

class JVPNode(Node):
    g: Any
    def initialize_root(self, g: Any) -> None: ...

primitive_vjps: LiveDict
primitive_jvps: LiveDict

def install(
    fun: Any,
    entries: Mapping[int, Derivative],
    variadic_from: int = ...,
    variadic_rule: Derivative | None = ...,
) -> None: ...
def set_element_cotangent(function: Callable[..., Any]) -> None: ...
def set_tangent_adder(adder: Callable[..., Any]) -> None: ...
