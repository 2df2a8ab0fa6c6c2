"""`make new-…` writes what works: CONTRIBUTING's examples through engine, command line and pages, in a copy."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import scaffold
from tests.conftest import ROOT

NAMES = {"family": "letters", "benchmark": "pets", "perturbation": "dusk", "metric": "big_win", "verb": "say_hello",
         "page": "counts", "kind": "near_by", "protocol": "three_of_five"}  # fmt: skip
TESTS = ["models/texts/test_letters.py", "benchmarks/test_pets.py", "perturb/test_dusk.py", "metrics/test_big_win.py",
         "verbs/test_say_hello.py", "pages/counts/test_counts.py", "models/test_near_by_scores.py",
         "metrics/test_three_of_five.py"]  # fmt: skip
#: What is large and only read.
LINKED = ("backend/bundled", "docs/screenshots")


@pytest.mark.parametrize("thing", NAMES)
def test_a_plan_has_code_a_test_and_its_registry_line(thing):
    name = NAMES[thing]
    plan = scaffold.THINGS[thing](name)
    for path, text in {**plan.files, **plan.changed}.items():
        if path.endswith(".py"):
            ast.parse(text, path)
        assert "NAME" not in text or path in plan.changed, path
    assert any(path.startswith("tests/") for path in plan.files)
    assert any("yours:" in text for text in [*plan.files.values(), *plan.changed.values()])
    assert any(name in text or name.replace("_", "-") in text for text in plan.changed.values())
    assert all(
        "`make " in line or "docs/" in line or "sources.json" in line or "scripts." in line for line in plan.left
    )


@pytest.mark.parametrize(
    ("thing", "name", "says"),
    [
        ("benchmark", "visla", "there is a benchmark 'visla' already"),
        ("verb", "add-predictions", "there is a verb 'add_predictions' already"),
        ("page", "try-it", "there is a page 'try_it' already"),
        ("metric", "group_score", "already"),
        ("perturbation", "negation", "already"),
        ("family", "fake", "already"),
        ("kind", "itc", "there is a kind 'itc' already"),
        ("protocol", "quad", "there is a protocol 'quad' already"),
        ("benchmark", "", "needs a name: make new-benchmark NAME=my_benchmark"),
        ("page", "My Page", "is no name"),
        ("metric", "../x", "is no name"),
        ("verb", "class", "no word of Python"),
        ("perturbation", "json", "no word of Python"),
        ("benchmark", "base", "backend/benchmarks/base.py is there already; nothing is written"),
    ],
)
def test_names_that_are_taken_or_none_are_refused(thing, name, says, capsys):
    assert scaffold.main([thing, name]) == 2
    assert says in capsys.readouterr().err


def test_make_takes_the_name_either_way():
    for words in (["NAME=mine"], ["mine"]):
        shown = subprocess.check_output(["make", "-n", "new-page", *words], cwd=ROOT, text=True)
        assert 'scripts.scaffold page "mine"' in shown


@pytest.fixture
def copy(tmp_path):
    """The working tree without what is large, which is linked."""
    folder = tmp_path / "copy"
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).splitlines()
    for name in listed:
        if not name.startswith(LINKED) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_is_written_passes_its_own_tests_and_the_linter(copy):
    for thing, name in NAMES.items():
        done = python(copy, "-m", "scripts.scaffold", thing, name)
        assert done.returncode == 0, done.stderr
    tests = [f"tests/{path}" for path in TESTS]
    assert all((copy / path).is_file() for path in tests)
    tried = python(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    assert tried.returncode == 0, tried.stdout[-4000:]
    for order in (["check", "."], ["format", "--check", "."]):
        linted = python(copy, "-m", "ruff", *order)
        assert linted.returncode == 0, linted.stdout
    again = python(copy, "-m", "scripts.scaffold", "benchmark", "pets")
    assert again.returncode == 2
    assert "there is a benchmark 'pets' already" in again.stderr
    assert "pets" in python(copy, "-m", "backend", "benchmarks").stdout
