from collections.abc import Callable
from typing import Any, final

@final
class UnaryFunction:
    @property
    def __name__(self) -> str: ...
    def __call__(self, x: Any) -> Any: ...

class NaryBase:
    _unary_operator: Callable[..., Any]
    _fun: Callable[..., Any]
    _argnum: Any
    _recipe: tuple[Any, ...]
    def __init__(
        self,
        unary_operator: Callable[..., Any],
        nary_operator: Callable[..., Any],
        fun: Callable[..., Any],
        argnum: Any,
        op_args: tuple[Any, ...],
        op_kwargs: dict[str, Any],
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def elementwise_gradient(fun: Callable[..., Any], x: Any) -> Any: ...
def gradient(fun: Callable[..., Any], x: Any) -> Any: ...
def gradient_and_aux(fun: Callable[..., Any], x: Any) -> tuple[Any, Any]: ...
def value_and_gradient(fun: Callable[..., Any], x: Any) -> tuple[Any, Any]: ...
