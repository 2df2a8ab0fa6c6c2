"""The faults that scripts/planted.py plants can still be planted: each stands once in its file."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTS = tomllib.loads((ROOT / "scripts" / "planted.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_finds_its_place(name):
    fault = FAULTS[name]
    assert (ROOT / fault["file"]).read_text(encoding="utf-8").count(fault["old"]) == 1, (
        f"scripts/planted.toml, [{name}]: `old` must stand once in {fault['file']}; write there what stands now"
    )
    assert fault["old"] != fault["new"]
    assert [path for path in fault["near"] if not (ROOT / path).exists()] == []
