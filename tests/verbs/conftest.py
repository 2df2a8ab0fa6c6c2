"""What tests of `flipside add-predictions` share: a table of four choices, and what adds to it and reports."""

from pathlib import Path

import pytest


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A choice table of four items, of which the third has two foils."""
    path = tmp_path / "set.csv"
    path.write_text(
        "id,image,caption,foil_1,foil_2\n1,a.png,a red cube,a blue cube,\n2,b.png,two cups,three cups,\n"
        "3,c.png,a dog,a cat,a cow\n4,d.png,left,right,\n"
    )
    return path


@pytest.fixture
def add(flipside, own):
    def call(*files: Path, name: str = "sys", **more: object):
        options = [word for key, value in more.items() for word in (f"--{key}", *([] if value is True else [value]))]
        return flipside(
            "add-predictions", *files, "--as", name, "--benchmark", "custom", "--data", own, "--json", *options
        )

    return call


@pytest.fixture
def accuracy(flipside):
    def call(name: str = "sys", metric: str = "accuracy") -> tuple[float | None, int, int]:
        found = flipside("report", "--model", f"predictions:{name}", "--benchmark", "custom:set", "--json").json
        entry = found["metrics"][metric]
        return entry["value"], entry["n"], entry["ties"]

    return call
