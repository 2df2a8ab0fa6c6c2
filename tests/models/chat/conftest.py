"""One loaded copy of each chat model of the zoo, shared by this folder's tests."""

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.models import load
from tests.zoo import chat as zoo
from tests.zoo.base import Case

CASES: dict[str, Case] = {
    case.name: case
    for found in pkgutil.iter_modules(zoo.__path__)
    for case in importlib.import_module(f"{zoo.__name__}.{found.name}").CASES
}
#: Looked at in `make check`; the others are marked slow.
FIRST = ("llava", "qwen", "gemma", "tiles")


def every() -> list[Any]:
    """The names of all cases, as parameters of a test."""
    quick = {case.name for name in FIRST for case in importlib.import_module(f"{zoo.__name__}.{name}").CASES}
    return [pytest.param(name, marks=[] if name in quick else [pytest.mark.slow]) for name in CASES]


@pytest.fixture(scope="session")
def chat(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Any, Any, Path]]:
    """name -> (adapter, the library's module as it was saved, folder)."""
    made: dict[str, tuple[Any, Any, Path]] = {}

    def get(name: str) -> tuple[Any, Any, Path]:
        if name not in made:
            if CASES[name].absent:
                pytest.skip(CASES[name].absent)
            folder = tmp_path_factory.mktemp("chat")
            module = CASES[name].build(folder)
            made[name] = (load(f"hf:{folder}", device="cpu"), module, folder)
        return made[name]

    return get


@pytest.fixture
def fresh(torch: Any, tmp_path: Path) -> Callable[[str], Path]:
    """name -> a folder of its own, to be damaged."""

    def build(name: str) -> Path:
        CASES[name].build(tmp_path)
        return tmp_path

    return build
