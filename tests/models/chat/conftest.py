"""One loaded copy of each chat model of the zoo, shared by this folder's tests."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.models import load
from tests.zoo.base import Case

CASES: dict[str, Case] = {
    case.name: case
    for name in ("chat_llava", "chat_qwen", "chat_gemma", "chat_tiles")
    for case in importlib.import_module(f"tests.zoo.{name}").CASES
}


@pytest.fixture(scope="session")
def chat(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Any, Any, Path]]:
    """name -> (adapter, the library's module as it was saved, folder)."""
    made: dict[str, tuple[Any, Any, Path]] = {}

    def get(name: str) -> tuple[Any, Any, Path]:
        if name not in made:
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
