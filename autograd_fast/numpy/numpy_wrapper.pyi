# The names of the traced namespace are made at import, one for each of NumPy's.
from collections.abc import MutableMapping
from typing import Any

numpy_version: str

def wrap_namespace(old: MutableMapping[str, Any], new: MutableMapping[str, Any]) -> None: ...
def __getattr__(name: str) -> Any: ...
