"""The documentation is true: it names every verb and metric, its links lead somewhere, and its code runs."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from backend.benchmarks import REGISTRY
from backend.cli import VERBS
from backend.metrics.core.registry import METRICS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)


SHELL_LINES = [
    pytest.param(line, id=f"{page.name}: {line}")
    for page in PAGES
    for block in blocks(page, "sh")
    for line in block.splitlines()
    if line.strip()
]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_documented(verb):
    found = re.search(rf"(flipside|python -m backend|`){{1}} ?{verb}\b", TEXT)
    assert found, f"no page says how to use `{verb}`: write it in docs/command-line.md"


@pytest.mark.parametrize("name", REGISTRY)
def test_every_benchmark_has_its_section(name):
    there = f"\n## {name}\n" in (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert there, f"write the section '## {name}' in docs/benchmarks.md"


@pytest.mark.parametrize("name", [metric.name for metric in METRICS])
def test_every_metric_has_its_formula(name):
    there = f"`{name}`" in (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert there, f"write `{name}` with its formula and paper in docs/methods.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_are_there(page):
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        mend = "; run `make screenshots`" if "screenshots/" in target else ""
        assert (page.parent / target).exists(), f"{page.name} points to {target}, which is not there{mend}"


@pytest.mark.parametrize("line", SHELL_LINES)
def test_shell_lines_work(line, tmp_path):
    words = shlex.split(line.replace("~/", f"{tmp_path}/"), comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M)
        assert words[1] in targets, f"the Makefile has no target {words[1]}"
        return
    assert words[0] == "flipside" or words[:3] == [".venv/bin/python", "-m", "backend"], "a line is `make …` or a verb"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=lambda page: page.name)
def test_a_pages_commands_run_one_after_another(page, tmp_path):
    for line in "\n".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line.replace("~/", f"{tmp_path}/"), comments=True)
        if words[:1] == ["flipside"]:
            words = [".venv/bin/python", "-m", *words]
        if words[:1] == [".venv/bin/python"]:
            done = subprocess.run(
                [sys.executable, *words[1:]],
                cwd=ROOT,
                env=dict(os.environ),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{line}\n{done.stderr}"


CONTRIBUTED = blocks(ROOT / "CONTRIBUTING.md", "python")


@pytest.mark.parametrize("number", range(len(CONTRIBUTED)))
def test_contributed_examples_are_short_and_run(number, tmp_path):
    code = CONTRIBUTED[number]
    assert len(code.splitlines()) < 30
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    checked = subprocess.run([sys.executable, "-m", "ruff", "check", "--config", ROOT / "pyproject.toml", "--ignore",
                              "D100,T201,INP001", tmp_path], capture_output=True, text=True, check=False)  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    if "st.dataframe" not in code:  # the page is drawn by the test that `make new-page` writes (test_scaffold.py)
        exec(compile(code, f"CONTRIBUTING.md block {number}", "exec"), {"__name__": "example"})  # noqa: S102


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_the_contributed_model_is_scored_stored_and_judged(tmp_path, monkeypatch, flipside_cache, flipside):
    """The example as it stands, through `run` and `report`, with the line of the registry that the page asks for."""
    from backend.models import registry

    code = next(block for block in CONTRIBUTED if "class MyFamily" in block)
    (tmp_path / "my_contributed_family.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    line = registry.Family(
        "myfamily", "my_contributed_family:MyFamily", frozenset({"t2t"}), "lengths of texts", ("fake:ok",), ("fake",)
    )
    monkeypatch.setattr(registry, "FAMILIES", (*registry.FAMILIES, line))
    lines = [f"{k}.jpg\tone {k}\tone, {k}\tnot that number {k} at all" for k in range(4)]
    header = "filename\tcaption\tsecond positive\tnegative_caption"
    (tmp_path / "Generic_VISLA.tsv").write_text("\n".join([header, *lines]) + "\n")
    asked = ("--model", "fake:lengths", "--benchmark", "visla")
    done = flipside("run", *asked, "--data", tmp_path, "--kinds", "t2t", "--json")
    assert (done.code, done.json["parts"]["t2t"]["rows"]) == (0, 12), done.err
    rates = flipside("report", *asked, "--json").json["metrics"]
    assert rates["t2t_accuracy"]["n"] == 4
    # By hand: lengths 5, 6 and 24 as vectors (length, 1): the first two are nearest to each other.
    assert rates["t2t_accuracy"]["value"] == 1.0


def test_the_contributed_benchmark_reads_a_file(tmp_path):
    code = next(block for block in CONTRIBUTED if "MINE" in block)
    space: dict = {"__name__": "example"}
    exec(code, space)  # noqa: S102
    (tmp_path / "mine.json").write_text('{"7": {"image": "1.jpg", "caption": "a cat", "foil": "a dog"}, "8": {}}')
    first, second = space["MINE"].read(space["MINE"].opened(tmp_path))
    assert (first.item_id, first.texts) == ("all/7", ("a cat", "a dog"))
    assert (second.item, second.reason) == ("8", "has no 'image'")
