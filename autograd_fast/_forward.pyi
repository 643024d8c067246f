from collections.abc import Callable
from typing import Any, final

@final
class Pushforward:
    def __call__(self, g: Any) -> tuple[Any, Any]: ...

def make_jvp(fun: Callable[..., Any], x: Any) -> Pushforward: ...
