"""Tables that are cut to fit, and commands that messages suggest."""

import ast
import re
import shlex

import pytest

from backend import cli
from backend.verbs.shared.output import NARROWEST, WIDTH, note, print_fitting, print_table, say
from tests.conftest import ROOT

#: A command in a message, between backticks; `{…}` of an f-string has become `x`.
COMMAND = re.compile(r"`(flipside [a-z][^`]*)`")


def texts(tree: ast.AST) -> list[str]:
    """The texts of a module that are no docstrings, with a word for whatever is filled in."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            docs |= {id(part) for part in node.values}
            parts = (str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
            found.append("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            found.append(node.value)
    return found


def suggested() -> list[str]:
    files = [*(ROOT / "backend").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    return sorted({command for tree in trees for text in texts(tree) for command in COMMAND.findall(text)})


@pytest.mark.slow
def test_every_suggested_command_can_be_pasted():
    commands = suggested()
    assert len(commands) > 5
    for command in commands:
        assert "…" not in command
        words = shlex.split(command)[1:]
        verb = cli.LazyVerbs(name="flipside").get_command(None, words[0])
        assert verb is not None, command
        if len(words) > 2:  # a verb alone, or with one word, is a name for it
            verb.make_context(words[0], words[1:])


@pytest.mark.parametrize("columns", [1, 5, 40])
def test_a_table_fits_whatever_its_cells(capsys, columns):
    header = [f"column {n}" for n in range(columns)]
    assert print_fitting(header, [["x" * 500, *["y\nz"] * (columns - 1)] for _ in range(3)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "…" in "".join(lines)


def test_what_fits_is_not_cut(capsys):
    assert not print_fitting(["a", "b"], [["1", "two"]])
    assert capsys.readouterr().out.splitlines() == ["a  b", "1  two"]


def test_the_terminal_says_how_wide(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    print_fitting(["a"], [["x" * 500]])
    assert max(map(len, capsys.readouterr().out.splitlines())) == 100 > NARROWEST


def test_names_stay_whole_on_a_narrow_terminal(flipside, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = flipside("benchmarks").out
    assert "\nvideo_grounding " in out
    assert max(map(len, out.splitlines())) <= NARROWEST


@pytest.mark.long
@pytest.mark.parametrize("asked", [["benchmarks"], ["sql", "SELECT * FROM runs"]])
@pytest.mark.usefixtures("shipped_imported")
def test_the_verbs_with_long_cells(flipside, asked):
    answer = flipside(*asked)
    assert max(map(len, answer.out.splitlines())) <= WIDTH
    assert len(answer.out) < 8000
    assert "whole" in answer.err
    assert "--json" in answer.err


def test_what_files_hold_steers_no_terminal(capsys):
    hostile = "a\x1b[2Jb\x07\x9b\u202ec"
    say(hostile)
    note(hostile)
    print_table(("name",), [(hostile,)])
    print_fitting(("name",), [(hostile,)])
    seen = "".join(capsys.readouterr())
    assert seen.count("a\ufffd[2Jb\ufffd\ufffd\ufffdc") == 4
