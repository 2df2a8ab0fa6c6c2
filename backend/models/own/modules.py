"""The torch modules behind an object of the user's own, in evaluation mode for a while. torch is not imported."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from backend.models.own.settings import DEEP, MANY


def held_modules(thing: Any) -> list[Any]:
    """Torch modules: an object itself, and those that it holds in attributes, lists and dictionaries, or in objects
    among these."""
    found: list[Any] = []
    seen: dict[int, Any] = {}
    waiting = [(thing, 0)]
    while waiting and len(seen) < MANY:
        each, depth = waiting.pop()
        if id(each) in seen or isinstance(each, str | bytes | type | ModuleType):
            continue
        seen[id(each)] = each
        own: dict[str, Any] = getattr(each, "__dict__", {})
        if isinstance(each, Mapping):
            held = list(each.values())
        elif isinstance(each, list | tuple | set | frozenset):
            held = list(each)
        else:
            held = [value for name, value in own.items() if name not in ("_parameters", "_buffers", "_modules")]
        if callable(getattr(type(each), "modules", None)) and "training" in own:
            found.append(each)
            waiting += [(part, depth) for part in each.modules()]
        if depth < DEEP:
            waiting += [(one, depth + 1) for one in held]
    return found


@contextlib.contextmanager
def evaluating(modules: Sequence[Any]) -> Iterator[None]:
    """Modules in evaluation mode; each of their parts afterwards as it was."""
    before = [(part, part.training) for module in modules for part in module.modules()]
    try:
        for module in modules:
            module.eval()
        yield
    finally:
        for part, training in before:
            part.training = training
