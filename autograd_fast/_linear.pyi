from typing import Any

def set_linear_primitives(
    getitem: Any,
    scatter: Any,
    reshape: Any,
    transpose: Any,
    spread: Any,
    sum_: Any,
    divide: Any,
    multiply: Any,
    where_: Any,
) -> None: ...
def set_log_sum_exp(prim: Any) -> None: ...
