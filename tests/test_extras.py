"""How extras are installed, in messages and in the docs: no index has a package of ours."""

import re
import tomllib
from pathlib import Path

from backend import extras

ROOT = Path(__file__).parents[1]
SETUP = (ROOT / "scripts" / "setup.sh").read_text("utf-8")


def test_what_make_setup_brings() -> None:
    found = re.search(r"-e '\.\[(.+)\]'", SETUP)
    assert found is not None
    assert {*found[1].split(",")} == {*extras.WITH_SETUP}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {*extras.WITH_SETUP, "ray", "s3"} == {*declared}


def test_no_command_asks_an_index_for_a_package_of_ours() -> None:
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "backend").rglob("*.py")]
    asked = [
        f"{path.name}: {said}"
        for path in files
        for said in re.findall(r"pip\s+install\s+[\"']?flipside[^\n]*", path.read_text("utf-8"))
        if " @ file:" not in said
    ]
    assert asked == []
