"""Planted causes are found: `make planted` with few seeds. The whole table stands in docs/reasons.md."""

import pytest

from scripts import kept_study, planted_reasons
from scripts.planted_reasons import (
    CAUSELESS,
    KEPT,
    MAIN,
    PAGE,
    SECOND,
    TABLES,
    WORLDS,
    judged,
    markdown,
    missed,
    put,
    summary,
)

SEEDS = range(6)


@pytest.fixture(scope="module")
def results():
    return {name: summary(judged(WORLDS[name], seed) for seed in SEEDS) for name in (*MAIN, *SECOND, *CAUSELESS)}


def test_the_criteria_are_met(results):
    assert missed(results) == []


def test_each_criterion_can_be_missed(results):
    for name, key, value, says in (
        (MAIN[0], "precision outvoted_by_both", 0.89, "at least 0.9"),
        (MAIN[1], "recall grounded", 0.79, "at least 0.8"),
        (MAIN[1], "recall by_bias", None, "at least 0.8"),
        (SECOND[0], "false seen", 0.2, "are luck"),
        (CAUSELESS[1], "wrongly seen", 0.011, "wrongly seen"),
    ):
        worse = {**results, name: {**results[name], key: {"mean": value, "error": 0.001, "n": 6}}}
        assert any(says in line for line in missed(worse))


def test_what_spoils_the_evidence_costs_recall_and_not_truth():
    for name in ("choices, 60 % of the other images fit", "choices, own image twice as variable, no causes"):
        found = summary(judged(WORLDS[name], seed) for seed in SEEDS)
        assert found["wrongly seen"]["mean"] <= 0.01
    lopsided = summary(judged(WORLDS["choices, a tenth each bound"], seed) for seed in SEEDS)
    assert 0.3 < lopsided["recall grounded"]["mean"] < 0.8
    turned = summary(judged(WORLDS["quads, read in reverse"], seed) for seed in SEEDS)
    assert turned["precision reversed"]["mean"] >= 0.9
    assert turned["recall reversed"]["mean"] >= 0.8


def test_other_images_that_fit_spoil_both_reasons_of_what_is_not_seen_and_neither_of_what_is():
    """Why of captions that other images may fit neither `by_bias` nor `no_evidence` is said (docs/reasons.md)."""
    taken, known = (
        summary(judged(WORLDS[f"choices, 60 % {of}"], seed) for seed in SEEDS)
        for of in ("fit, taken as none", "of the other images fit")
    )
    for word in ("by_bias", "no_evidence"):
        assert taken[f"precision {word}"]["mean"] < 0.75
        assert known[f"recall {word}"]["mean"] == 0
    tenth = summary(judged(WORLDS["choices, 10 % of the other images fit"], seed) for seed in SEEDS)
    for word in ("grounded", "outvoted"):
        assert tenth[f"precision {word}"]["mean"] >= 0.9


def test_the_page_holds_the_kept_table():
    kept = kept_study.read(KEPT)
    assert markdown(kept) in PAGE.read_text(encoding="utf-8"), "run `make planted`"
    assert kept["seeds"][1] >= 19
    assert {table: list(rows) for table, rows in kept["tables"].items()} == {t: list(r) for t, r in TABLES.items()}
    assert kept["missed"] == missed(kept["tables"]["Reasons"])


def test_a_stopped_study_goes_on(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- planted -->\nold\n<!-- /planted -->\nb\n", encoding="utf-8")
    asked = []
    rows = {"one": lambda seed: asked.append(seed) or {"share": 0.5}}
    monkeypatch.setattr(planted_reasons, "TABLES", {"Reasons": {}, "Blind audit": rows})
    monkeypatch.setattr(planted_reasons, "missed", lambda results: [])
    monkeypatch.setattr(planted_reasons, "PAGE", page)
    monkeypatch.setattr(planted_reasons, "KEPT", tmp_path / "kept.json.gz")
    for seeds in ("2", "3"):
        monkeypatch.setattr("sys.argv", ["planted", "--seeds", seeds, "--log", str(tmp_path / "log.jsonl")])
        with pytest.raises(SystemExit) as ended:
            planted_reasons.main()
        assert ended.value.code == 0
    assert asked == [0, 1, 2]
    assert "| one | 0.50 |" in page.read_text(encoding="utf-8")
    assert "old" not in page.read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match="no place for the table"):
        put(page, "elsewhere", "")
