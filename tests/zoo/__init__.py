"""All models of the zoo."""

import importlib
import pkgutil

from tests.zoo.base import Case


def cases() -> list[Case]:
    """Every file's CASES, in the order of their names, those in folders included."""
    found = pkgutil.walk_packages(__path__, f"{__name__}.")
    modules = sorted(module.name for module in found if not module.ispkg and module.name != f"{__name__}.base")
    return [case for name in modules for case in importlib.import_module(name).CASES]
