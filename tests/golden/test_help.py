"""What may be typed: verbs, their options and arguments, which stay; and the words of every help, as they are."""

import json
import sys

import pytest

from backend.cli import VERBS
from tests.golden.calls import options, with_json
from tests.golden.kept import FOLDER, check_shape, check_value
from tests.golden.test_json import CASES

OPTIONS = FOLDER / "shapes" / "options.json"
PROGRAM = "flipside"
#: Documents of these verbs are asked for elsewhere.
ELSEWHERE = {"report": "test_report.py"}


def test_no_verb_and_no_option_goes():
    """A type changes, `required` or `once` is new: all that breaks what somebody typed."""
    check_shape("options", {PROGRAM: options(""), **{verb: options(verb) for verb in VERBS}})


def test_nothing_new_has_to_be_given():
    """An option that was not there cannot be in anybody's script."""
    kept = json.loads(OPTIONS.read_text(encoding="utf-8"))
    for verb in kept.keys() & VERBS.keys():
        new = {name: takes for name, takes in options(verb).items() if name not in kept[verb]}
        assert not [name for name, takes in new.items() if "required" in takes.split("|")], verb


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_the_words_of_every_help(flipside, monkeypatch, verb):
    """In 80 columns, without colour, as `flipside` was typed; nothing in it is of this machine."""
    monkeypatch.setattr(sys, "argv", [PROGRAM])
    for name in ("COLUMNS", "TERMINAL_WIDTH", "_TYPER_FORCE_DISABLE_TERMINAL", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    answer = flipside(*([verb] if verb else []), "--help")
    assert (answer.code, answer.err) == (0, "")
    assert "\x1b" not in answer.out
    check_value(f"help/{verb or PROGRAM}.txt", answer.out)


def test_every_verb_with_json_has_its_documents_kept():
    kept = {path.parent.name for path in (FOLDER / "shapes" / "json").glob("*/*.json")}
    asked = {case.partition("/")[0] for case in CASES} | ELSEWHERE.keys()
    lacking = sorted(set(with_json()) ^ asked)
    assert not lacking, (
        f"a verb with --json has a case and a test in tests/golden/test_json.py; see {', '.join(lacking)}"
    )
    assert kept == asked, "run `make golden`; the shapes of a verb that is gone are deleted by hand"


def test_every_kept_help_is_a_verb_s():
    kept = {path.stem for path in (FOLDER / "values" / "help").glob("*.txt")}
    assert kept == {PROGRAM, *VERBS}, "run `make golden`; the file of a verb that is gone is deleted by hand"
