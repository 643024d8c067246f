from typing import Any

def set_joins(
    args_primitive: Any,
    array_primitive: Any,
    concatenate: Any,
    stack: Any,
    hstack: Any,
    vstack: Any,
    column_stack: Any,
    append: Any,
) -> None: ...
def array_of(nested: Any) -> Any: ...
