"""All models of the zoo."""

import importlib
import pkgutil

from tests.zoo.base import Case


def cases() -> list[Case]:
    """Every file's CASES, in the order of their names."""
    modules = [f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__) if found.name != "base"]
    return [case for name in sorted(modules) for case in importlib.import_module(name).CASES]
