"""Every chart has a finding; none hands on a picture of scores that may not be handed on."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.shared.data import handing_on, stored
from pages.shared.drawing import finding

PAGES = Path(__file__).parents[4] / "pages"
#: What draws a chart of stored results; own inputs of Try it are no results.
_CHARTS = re.compile(
    r"st\.(?:vega_lite_chart|altair_chart)\(|\b(?:heatmap|cells|steps|scatter|gap|canvas|plane)\.draw\(|\bdraw_violins\("
)
#: Files with such calls whose finding stands elsewhere, and where.
_ELSEWHERE = {"failures/pictures/causes.py": "failures/after.py, the same bars"}


def test_every_file_that_draws_a_chart_draws_a_finding_for_each() -> None:
    lacking = {}
    for path in sorted(PAGES.rglob("*.py")):
        name = path.relative_to(PAGES).as_posix()
        text = path.read_text(encoding="utf-8")
        if name.startswith(("try_it/", "shared/", "static_site/")):
            continue
        charts = len(_CHARTS.findall(text))
        drawn = len(
            re.findall(
                r"\bfinding\.draw\(|\b_to_copy\((?:to_copy|benchmark, plane)|\b_finding\(benchmark, of, said", text
            )
        )
        if drawn < charts:
            lacking[name] = (charts, drawn)
    assert set(lacking) == set(_ELSEWHERE), lacking


@pytest.mark.parametrize(("sharing", "chart"), [("verdicts", ""), ("everything", "plane")])
def test_a_chart_of_single_scores_has_no_picture_where_verdicts_alone_may_be_handed_on(
    monkeypatch: pytest.MonkeyPatch, sharing: str, chart: str
) -> None:
    records = {"own": {"model": {"spec": "hf:a/b"}}, "fetched": {"model": {"public": {"sharing": sharing}}}}
    store = SimpleNamespace(run=lambda run: SimpleNamespace(record=records[run]), cached=lambda key, make: make())
    monkeypatch.setattr(stored, "store", lambda: store)
    found, note = handing_on.picture("plane", ["own", "fetched"])
    assert found == chart
    assert (note == "") == bool(chart)
    assert handing_on.picture("plane", ["own"]) == ("plane", "")
    assert finding.data("said", found, "f", {}, note=note)["note"] == note
