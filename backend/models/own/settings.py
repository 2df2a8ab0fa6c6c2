"""What decides the scores of an object besides its `state_dict`: numbers and words among its attributes, its code as it
was imported, and the functions that prepare its inputs.

`Net(scale=1.0)` and `Net(scale=2.0)` may have equal parameters, and so may one net with two preprocessings: without
this, the scores of the first would be taken for the second.
"""

import enum
import functools
import hashlib
import inspect
from collections.abc import Mapping
from pathlib import PurePath
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from backend.models.own import identity

#: Objects inside objects are followed so far; registered parts of a torch module are followed to the last.
DEEP = 4
#: So many values are read; a graph of objects that is larger (a trainer's, say) is read up to there.
MANY = 20_000
#: Attributes of torch's modules that are no settings: `training` is set while one scores.
_OF_TORCH = {"training", "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_is_full_backward_hook"}


def settings_of(thing: Any, *more: Any) -> str:
    """A word for all that; more: functions that are called with it, each of which may be None.

    Two objects with one word may still differ in what is no plain value (a socket, a file). Raises nothing of its own.
    """
    walk = _Walk()
    walk.feed(thing, 0, registered=True)
    for each in more:
        walk.feed(each, 0)
    return f"settings {walk.digest.hexdigest()}"


_PLAIN = (str, bytes, bool, int, float, complex, type(None), enum.Enum, PurePath)


class _Walk:
    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # a number of `id` belongs to another object as soon as its first one is gone

    def feed(self, value: Any, depth: int, *, registered: bool = False) -> None:
        """Take a value in. registered: its parameters are in the state_dict that is read elsewhere."""
        if isinstance(value, _PLAIN):
            self._say(type(value).__name__, repr(value))
            return
        if len(self._kept) >= MANY:
            return
        known = self._numbers.setdefault(id(value), len(self._kept))
        self._kept.append(value)
        if known != len(self._kept) - 1:
            self._say("again", str(known))
        elif not self._container(value, depth) and not self._callable(value, depth):
            if isinstance(value, np.ndarray) or callable(getattr(type(value), "detach", None)):
                said, data = identity.bytes_of(value) or (type(value).__name__, b"")
                self._say(said, hashlib.sha256(data).hexdigest())
            else:
                self._object(value, depth, registered)

    def _container(self, value: Any, depth: int) -> bool:
        """Take in what holds other values; whether it does."""
        if isinstance(value, set | frozenset):
            self._say("set", " ".join(sorted(repr(entry) for entry in value if isinstance(entry, _PLAIN))))
        elif isinstance(value, Mapping | list | tuple):
            self._say("mapping" if isinstance(value, Mapping) else "list", str(len(value)))
            for entry in (each for pair in value.items() for each in pair) if isinstance(value, Mapping) else value:
                self.feed(entry, depth + 1)
        else:
            return False
        return True

    def _callable(self, value: Any, depth: int) -> bool:
        """Take in a function, a class or a module; whether it is one."""
        if isinstance(value, functools.partial):
            self.feed((value.func, value.args, value.keywords), depth + 1)
        elif inspect.ismethod(value):
            self.feed((value.__func__, value.__self__), depth + 1)
        elif inspect.isfunction(value):
            self._function(value, depth)
        elif inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, ModuleType):
            self._say("name", _name(value))
        else:
            return False
        return True

    def _object(self, value: Any, depth: int, registered: bool) -> None:
        kind = type(value)
        self._say("object", _name(kind))
        if depth > DEEP:
            return
        if _is_plain_word(kind):
            self._say("word", str(value))
        for base in kind.__mro__:
            if identity.is_own_class(base):
                for name, entry in sorted(vars(base).items()):
                    if inspect.isfunction(entry) or (isinstance(entry, _PLAIN) and not name.startswith("__")):
                        self._say("of the class", name)
                        self.feed(entry, depth + 1)
        held: Mapping[str, Any] = getattr(value, "__dict__", {})
        is_module = "_parameters" in held and "_modules" in held
        for name, entry in sorted(held.items()):
            if not (is_module and name in _OF_TORCH):
                self._say("attribute", name)
                self.feed(entry, depth + 1)
        if is_module:
            loose = held.get("_non_persistent_buffers_set", ())
            buffers = {name: entry for name, entry in held["_buffers"].items() if not registered or name in loose}
            self.feed(dict(held["_parameters"]) if not registered else {}, depth + 1)
            self.feed(buffers, depth + 1)
            for name, part in held["_modules"].items():
                self._say("part", name)
                self.feed(part, depth, registered=registered)

    def _function(self, function: Any, depth: int) -> None:
        self._say("function", function.__qualname__)
        self._code(function.__code__)
        self.feed(function.__defaults__, depth + 1)
        self.feed(function.__kwdefaults__, depth + 1)
        for cell in function.__closure__ or () if depth <= DEEP else ():
            try:
                self.feed(cell.cell_contents, depth + 1)
            except ValueError:  # not bound yet
                continue

    def _code(self, code: CodeType) -> None:
        self._say("code", hashlib.sha256(code.co_code).hexdigest())
        self._say("names", " ".join(code.co_names))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant)
            else:
                self.feed(constant, DEEP)

    def _say(self, *words: str) -> None:
        for word in words:
            self.digest.update(f"{len(word)}:{word};".encode("utf-8", "surrogatepass"))


def _name(thing: Any) -> str:
    """What a class, function or module is called. A class of the user's own goes without its module's name: a file's
    stands for its path, and a script's is `__main__`."""
    if inspect.isclass(thing) and identity.is_own_class(thing):
        return thing.__qualname__
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', thing.__name__)}"


def _is_plain_word(kind: type) -> bool:
    """Whether what it prints stands for an object wholly: a dtype or a device of torch."""
    return kind.__module__ == "torch" and kind.__name__ in ("dtype", "device", "Size", "layout")
