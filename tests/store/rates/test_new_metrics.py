"""One declaration is all that a new metric takes: `report` and Overview show it, a share in per cent and anything else
in its own unit."""

import numpy as np
import pytest

from backend.items import Kind, Protocol
from backend.metrics.core import registry
from backend.metrics.core.compare import compare
from backend.metrics.core.registry import Metric
from backend.metrics.statistics import Rate
from backend.store.build.reader import open_store
from backend.store.queries import heatmap, models
from pages.overview import facts, notice, view
from pages.shared.drawing import heatmap as drawn
from tests.store.conftest import MODEL

ITC = frozenset({Kind.ITC})


def first_foil(scored):
    return compare(np.asarray(scored.scores)[:, :1], np.asarray(scored.scores)[:, 1:2])


def spread(scored):
    """5 for every group: a number that no share can be, from as many items as there are."""
    return Rate(5.0, len(np.asarray(scored.scores)), 0, (4.0, 6.0))


@pytest.fixture
def declared():
    about = (Protocol.CHOICE, ITC, "higher")
    registry.declare(
        Metric("beats_first_foil", "Beats the first foil", *about, (0.0, 1.0), 0.5, "s(I,truth) > s(I,foil 1)", "ours",
               "a test", short="first foil", headline=True, judge=first_foil)
    )  # fmt: skip
    registry.declare(
        Metric("spread", "Spread", *about, (0.0, None), None, "5", "ours", "a test", headline=True, share=False,
               unit="steps", measure=spread)
    )  # fmt: skip
    yield
    for name in ("beats_first_foil", "spread"):
        registry.METRICS.remove(registry.by_name(name))
        registry._BY_NAME.pop(name)


@pytest.mark.slow
@pytest.mark.usefixtures("declared", "toy")
def test_one_declaration_is_seen_in_report_and_on_overview(flipside):
    args = ("report", "--model", MODEL, "--benchmark", "toy", "--kind", "itc", "--by", "subset")
    found = flipside(*args, "--json").json
    for table in (found["metrics"], found["by"]["choice"]):
        assert 0 <= table["beats_first_foil"]["value"] <= 1
        assert table["spread"]["value"] == 5.0
        assert table["spread"]["n"] == table["accuracy"]["n"]
    lines = [line for line in flipside(*args).out.splitlines() if "spread" in line]
    assert lines
    assert all("5.00 steps" in line and "[4.00, 6.00]" in line and "%" not in line for line in lines)

    store = open_store()
    benchmark = found["benchmark_hash"]
    assert len(models(store, benchmark))
    frame = heatmap(store, benchmark).rename(columns={"lo": "low", "hi": "high"})
    shown = view.grid(view.headline(frame), ["choice"], "itc")
    columns = {column.key.split("\t")[1]: column for column in shown.columns}
    assert columns["beats_first_foil"].sub == "first foil"
    assert (columns["spread"].sub, columns["spread"].unit) == ("Spread, steps", "steps")
    cells = {cell["id"].split("\t")[-1]: cell for cell in drawn.view(shown.rows, shown.columns, shown.cells)["rows"][0][
        "cells"] if cell}  # fmt: skip
    assert cells["spread"]["value"] == "5.00"
    assert "5.00 steps [4.00, 6.00]" in cells["spread"]["tip"]
    assert "%" in cells["beats_first_foil"]["tip"]
    assert list(facts.no_shares(frame)["unit"].unique()) == ["steps"]
    assert not any("Spread" in text for fact in notice.notice(shown) for text in fact)


def test_two_metrics_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two metrics are called rsum"):
        registry.declare(registry.by_name("rsum"))
