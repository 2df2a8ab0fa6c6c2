"""What has been derived from one generation of the database, kept in memory: the one cache of store and pages."""

import copy
import dataclasses
import pickle
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T")

#: Bytes of all values together, as `size_of` counts them; the least recently used go first. One value always stays.
MOST_BYTES: Final = 256 * 2**20
#: Values; small ones would otherwise pile up as long as the program runs.
MOST_VALUES: Final = 4000
#: Of a longer list, table column or mapping as many entries are measured, and stand for the others.
SAMPLED: Final = 100
#: The same of frames and dataclasses: a gallery's dozen took 6 ms to measure by eight of them, at each first look.
LARGE: Final = 3
#: Objects within objects are measured so far down.
DEEPEST: Final = 8
#: Of what nothing can be changed: most entries of long lists are such, and need not be looked at one by one.
_PLAIN: Final = frozenset({str, bytes, int, float, bool, type(None)})

#: Makes the caller's own copy of a value; None for one that cannot be changed.
Copier = Callable[[], Any] | None


@dataclass
class _Kept:
    value: Any
    copier: Copier
    size: int


class Cache:
    """Values by key, bounded in memory; any number of threads may use it.

    A value is made once: threads that ask for the same key wait for the first. What is handed out may be changed
    freely without changing what is kept: frames and series are copy-on-write copies, lists, dictionaries and sets are
    copied (so are those inside dataclasses and tuples), arrays are read-only. Only what lies in the cells of a frame's
    object columns, and objects of other classes, are shared: leave these as they are. An error is not kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, most_values: int = MOST_VALUES) -> None:
        self.most_bytes, self.most_values = most_bytes, most_values
        self.bytes = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._making: dict[Hashable, threading.RLock] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made by `make` where there is none."""
        found = self._find(key)
        if found is None:
            with self._lock:
                making = self._making.setdefault(key, threading.RLock())
            with making:
                found = self._find(key)
                if found is None:
                    try:
                        found = self._keep(key, make())
                    finally:
                        with self._lock:
                            self._making.pop(key, None)
        value: T = found.value if found.copier is None else found.copier()
        return value

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Keep a value that was made elsewhere, unless there is one. size: its bytes, as they were counted there."""
        if self._find(key) is None:
            self._keep(key, value, size)

    def values_of(self, generation: str) -> dict[Hashable, tuple[object, int]]:
        """What is kept under keys of the form (generation, key), by key: the values themselves, not to be changed, and
        their bytes."""
        with self._lock:
            kept = list(self._kept.items())
        return {key[1]: (of.value, of.size) for key, of in kept if isinstance(key, tuple) and key[0] == generation}

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self.bytes = 0

    def _find(self, key: Hashable) -> _Kept | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def _keep(self, key: Hashable, value: Any, size: int | None = None) -> _Kept:
        kept = _Kept(value, copier_of(value), size_of(value) + size_of(key) if size is None else size)
        with self._lock:
            before = self._kept.pop(key, None)
            self.bytes += kept.size - (before.size if before else 0)
            self._kept[key] = kept
            while len(self._kept) > 1 and (self.bytes > self.most_bytes or len(self._kept) > self.most_values):
                self.bytes -= self._kept.popitem(last=False)[1].size
        return kept


def copier_of(value: Any) -> Copier:
    """What hands out a value that callers cannot spoil; arrays in it are made read-only here.

    >>> copier_of("text") is None, copier_of((1, 2)) is None
    (True, True)
    >>> kept = {"a": [1]}
    >>> given = copier_of(kept)()
    >>> given["a"].append(2); kept
    {'a': [1]}
    """
    if isinstance(value, pd.DataFrame | pd.Series):
        return lambda: value.copy(deep=False)  # pandas 3 copies on write
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
        return None
    if isinstance(value, dict):
        within = {key: found for key, each in value.items() if (found := copier_of(each)) is not None}
        return _of_mapping(value, within)
    if isinstance(value, list | tuple):
        return _of_sequence(value)
    if isinstance(value, set):
        return value.copy
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _of_dataclass(value)
    return None


def _of_mapping(value: dict[Any, Any], within: dict[Any, Callable[[], Any]]) -> Copier:
    def copied() -> dict[Any, Any]:
        other = copy.copy(value)
        other.update({key: inner() for key, inner in within.items()})
        return other

    return copied


def _of_sequence(value: list[Any] | tuple[Any, ...]) -> Copier:
    within: dict[int, Callable[[], Any]] = {}
    if not _PLAIN.issuperset(map(type, value)):
        within = {at: found for at, each in enumerate(value) if (found := copier_of(each)) is not None}
    if not within:
        return value.copy if isinstance(value, list) else None

    def copied() -> Any:
        each = list(value)
        for at, inner in within.items():
            each[at] = inner()
        if isinstance(value, list):
            return each
        return type(value)(*each) if hasattr(value, "_fields") else tuple(each)  # a NamedTuple takes its fields

    return copied


def _of_dataclass(value: Any) -> Copier:
    named = ((field.name, copier_of(getattr(value, field.name))) for field in dataclasses.fields(value))
    within = {name: found for name, found in named if found is not None}
    if not within:
        return None

    def copied() -> Any:
        other = copy.copy(value)
        for name, inner in within.items():
            object.__setattr__(other, name, inner())
        return other

    return copied


def size_of(value: Any) -> int:
    """Bytes that a value takes, roughly: long lists and columns are measured by a sample.

    >>> size_of(np.zeros(1000)) >= 8000, size_of(["word"] * 10_000) > 10_000
    (True, True)
    """
    return _size(value, set(), 0)


def _size(value: Any, seen: set[int], depth: int) -> int:
    if depth > DEEPEST or isinstance(value, str | bytes | int | float | np.generic | type(None)):
        return sys.getsizeof(value)
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + (_sampled(value.ravel(), seen, depth) if value.dtype == object else 100)
    if isinstance(value, pd.DataFrame):
        return sum(_size(column, seen, depth + 1) for _, column in value.items()) + 1000
    if isinstance(value, pd.Series):
        cells = _sampled(value.array, seen, depth) if value.dtype == object else 0
        return int(value.array.nbytes) + cells + 100
    if isinstance(value, dict):
        return sys.getsizeof(value) + _sampled(list(value), seen, depth) + _sampled(list(value.values()), seen, depth)
    if isinstance(value, list | tuple | set | frozenset):
        return sys.getsizeof(value) + _sampled(list(value), seen, depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (getattr(value, field.name) for field in dataclasses.fields(value))
        return sys.getsizeof(value) + sum(_size(each, seen, depth + 1) for each in fields)
    try:  # a chart, say: what hangs on such an object is more than its own
        return len(pickle.dumps(value, protocol=5))
    except (pickle.PicklingError, TypeError, AttributeError):  # a lambda within, say
        return sys.getsizeof(value)


def _sampled(entries: Any, seen: set[int], depth: int) -> int:
    """Bytes of the entries, counted on at most SAMPLED of them, evenly spread; on LARGE where they are objects of many
    fields or columns, of which each takes as long to measure as a hundred words."""
    n = len(entries)
    is_large = n > LARGE and (isinstance(entries[0], pd.DataFrame) or dataclasses.is_dataclass(entries[0]))
    some = [entries[at] for at in range(0, n, max(1, n // (LARGE if is_large else SAMPLED)))]
    return sum(_size(each, seen, depth + 1) for each in some) * n // max(1, len(some))
