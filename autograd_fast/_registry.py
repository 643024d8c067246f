"""Dictionaries and sets that users may change at any time, and that tell the core of every change.

HIPS's registries are plain containers that the tracer reads on each operation.  Ours are read once, at the
change: the core keeps what it needs in C fields, and a subclass of dict or set keeps those fields true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

_MISSING = object()


class LiveDict(dict):  # type: ignore[type-arg]
    """A dict that calls ``on_change(key, value)`` after a key is set, with value None after it is removed."""

    def __init__(self, on_change: Callable[[Any, Any], None]) -> None:
        super().__init__()
        self._on_change = on_change

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._on_change(key, value)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self._on_change(key, None)

    def pop(self, key: Any, *default: Any) -> Any:
        value = super().pop(key, *default)
        if key not in self:
            self._on_change(key, None)
        return value

    def popitem(self) -> Any:
        key, value = super().popitem()
        self._on_change(key, None)
        return key, value

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: Any) -> LiveDict:  # type: ignore[override, misc]
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class LiveSet(set):  # type: ignore[type-arg]
    """A set that calls ``on_change(item, present)`` after an item has come or gone."""

    def __init__(self, on_change: Callable[[Any, bool], None], items: Iterable[Any] = ()) -> None:
        super().__init__()
        self._on_change = on_change
        for item in items:
            self.add(item)

    def _become(self, items: Iterable[Any]) -> None:
        new = set(items)
        for item in list(self):
            if item not in new:
                self.discard(item)
        for item in new:
            self.add(item)

    def add(self, item: Any) -> None:
        super().add(item)
        self._on_change(item, True)

    def discard(self, item: Any) -> None:
        super().discard(item)
        self._on_change(item, False)

    def remove(self, item: Any) -> None:
        super().remove(item)
        self._on_change(item, False)

    def pop(self) -> Any:
        item = super().pop()
        self._on_change(item, False)
        return item

    def clear(self) -> None:
        self._become(())

    def update(self, *others: Iterable[Any]) -> None:
        self._become(set(self).union(*others))

    def intersection_update(self, *others: Iterable[Any]) -> None:
        self._become(set(self).intersection(*others))

    def difference_update(self, *others: Iterable[Any]) -> None:
        self._become(set(self).difference(*others))

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        self._become(set(self).symmetric_difference(other))

    def __ior__(self, other: Any) -> LiveSet:  # type: ignore[override, misc]
        self.update(other)
        return self

    def __iand__(self, other: Any) -> LiveSet:  # type: ignore[override, misc]
        self.intersection_update(other)
        return self

    def __isub__(self, other: Any) -> LiveSet:  # type: ignore[override, misc]
        self.difference_update(other)
        return self

    def __ixor__(self, other: Any) -> LiveSet:  # type: ignore[override, misc]
        self.symmetric_difference_update(other)
        return self

    def __reduce__(self) -> Any:
        return set, (list(self),)


class LiveSets(dict):  # type: ignore[type-arg]
    """A mapping of keys to `LiveSet`, made on first use; ``on_change(key, item, present)``."""

    def __init__(self, on_change: Callable[[Any, Any, bool], None]) -> None:
        super().__init__()
        self._on_change = on_change

    def __missing__(self, key: Any) -> LiveSet:
        self[key] = ()
        return self[key]

    def __setitem__(self, key: Any, items: Iterable[Any]) -> None:
        old = super().get(key, _MISSING)
        if old is items:
            return
        if old is not _MISSING:
            old.clear()
        super().__setitem__(key, LiveSet(lambda item, present: self._on_change(key, item, present), items))

    def __delitem__(self, key: Any) -> None:
        self[key].clear()
        super().__delitem__(key)

    def pop(self, key: Any, *default: Any) -> Any:
        if key in self:
            items = set(self[key])
            del self[key]
            return items
        return super().pop(key, *default)

    def popitem(self) -> Any:
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def setdefault(self, key: Any, default: Any = ()) -> LiveSet:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, items in dict(*args, **kwargs).items():
            self[key] = items

    def __ior__(self, other: Any) -> LiveSets:  # type: ignore[override, misc]
        self.update(other)
        return self
