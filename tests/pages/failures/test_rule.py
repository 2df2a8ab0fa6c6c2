"""What was asked in several orders has one verdict an item: files that are handed on, and the verbs, name the rule."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from backend.store.failures import own_verdicts
from pages.failures.filters import Filters
from pages.failures.taken import export
from pages.failures.taken.export import Taken
from tests.pages.compare.asked import BENCHMARK, ONCE, SCORED, TWICE, add

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_shipped")]
RULE = "right only in every order of asking"


def test_the_files_of_failures_name_the_rule(
    flipside: Callable[..., Any], tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: LaTeX and the HTML report had 6 of 9 wrong beside a page that said 66.7 % right."""
    add(flipside, tmp_path, TWICE, ONCE)
    taken = _taken(monkeypatch)
    for model, rule in ((TWICE, RULE), (ONCE, "")):
        page = visit("failures", benchmark=BENCHMARK, model=model, kind="verdict")
        assert not page.exception
        files = taken[-1]
        assert files.latex().count(f"rule: {RULE}") == (3 if rule else 0), "head and both captions"
        assert (RULE in files.report()) == bool(rule)
        assert set(files.named.get("rule", [""])) == {rule}


def _taken(monkeypatch: pytest.MonkeyPatch) -> list[Taken]:
    """What is there to be taken away of each visit, the last one last."""
    taken: list[Taken] = []

    def made(benchmark: object, chosen: Filters, wanted: object, _total: int) -> None:
        taken.append(Taken(export.stored.store(), benchmark, chosen, wanted, ""))  # type: ignore[arg-type]

    monkeypatch.setattr(export, "draw", made)
    return taken


def test_what_may_be_picked_for_its_outcome_has_no_interval_in_files(
    flipside: Callable[..., Any], tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shares of items with a verdict of one's own, or with a margin, had Wilson's interval in LaTeX and the report."""
    add(flipside, tmp_path, ONCE)
    taken = _taken(monkeypatch)
    page = visit("failures", benchmark=BENCHMARK, model=ONCE, kind="verdict")
    own_verdicts.give(taken[-1].benchmark.hash, "a/2", "model_wrong")
    for human, picked in (("", False), ("none", True), ("model_wrong", True)):
        page = visit("failures", benchmark=BENCHMARK, model=ONCE, kind="verdict", **({"human": human} if human else {}))
        assert not page.exception
        files = taken[-1]
        assert files.wanted.human == tuple(filter(None, [human]))
        assert files.by_outcome is picked
        assert bool(files.summary["low"].isna().all()) is picked
        assert ("no intervals: " in files.latex(), "without intervals: " in files.report()) == (picked, picked)
    narrowed = Taken(files.store, files.benchmark, files.chosen, replace(files.wanted, margin=(-1.0, 0.0)), "")
    assert narrowed.by_outcome


def test_the_verbs_name_the_rule_and_what_chance_alone_gives(flipside: Callable[..., Any], tmp_path: Path) -> None:
    add(flipside, tmp_path, TWICE, SCORED)
    of = ("--benchmark", BENCHMARK)
    listed = flipside("failures", "--model", TWICE, *of)
    assert f"; {RULE}" in listed.out
    assert flipside("failures", "--model", TWICE, *of, "--json").json["rule"] == RULE
    assert flipside("failures", "--model", SCORED, *of, "--json").json["rule"] == ""
    found = flipside("compare", TWICE, SCORED, *of, "--json").json
    assert (found["a"]["rule"], found["b"]["rule"]) == (RULE, "")
    assert f"Chance over all that is compared: {TWICE} 25.0 % in every order, {SCORED} 50.0 %." in found["notes"]
    assert f"Right only in every order of asking: {TWICE}." in flipside("compare", TWICE, SCORED, *of).out
