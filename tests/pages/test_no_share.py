"""A made-up metric that is no share, and of which less is better: every place that shows metrics gets it right."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.items import Kind, Protocol
from backend.metrics import statistics
from backend.metrics.core import registry
from backend.metrics.core.registry import Metric, by_name
from backend.metrics.core.scored import Scored
from backend.metrics.statistics import Rate
from pages.overview import data, latex
from pages.overview.controls import Said, address_of
from pages.overview.facts import no_shares
from pages.overview.notice import notice
from pages.overview.view import grid, headline
from pages.shared.data import stored
from pages.shared.drawing import heatmap
from pages.shared.help import glossary
from pages.tour import target
from pages.try_it.many import batch_results
from tests.pages import results

Visit = Callable[..., AppTest]
NAME, TITLE = "points_lost", "Points lost"


def points_lost(given: Scored) -> Rate:
    """100 times by how much the best foil lies above the truth, on average."""
    s = np.asarray(given.scores)
    lost = 100 * np.clip(np.nanmax(s[:, 1:], axis=1) - s[:, 0], 0, None)
    return Rate(float(lost.mean()), len(lost), 0, statistics.bootstrap(lost, np.arange(len(lost))))


@pytest.fixture
def declared(small: Path) -> Iterator[Path]:
    registry.declare(
        Metric(NAME, TITLE, Protocol.CHOICE, frozenset({Kind.ITC}), "lower", (0.0, None), 40.0,
               "100 max(0, s(I,foil) - s(I,truth))", "ours", "a test", short="points lost", headline=True, share=False,
               unit="points", measure=points_lost)
    )  # fmt: skip
    yield small
    registry.METRICS.remove(by_name(NAME))
    registry._BY_NAME.pop(NAME)


def shown() -> tuple[stored.StoredBenchmark, Any]:
    benchmark = stored.chosen()["small"]
    frame = headline(data.rates(benchmark, "subset"))
    return benchmark, grid(frame, list(benchmark.subsets), "itc")


@pytest.mark.long
@pytest.mark.usefixtures("declared")
def test_report(flipside: Callable[..., Any]) -> None:
    args = ("report", "--model", results.WEAK, "--benchmark", "small", "--kind", "itc", "--by", "concept")
    found = flipside(*args, "--json").json
    entry = found["metrics"][NAME]
    assert entry["unit"] == "points"
    assert entry["chance"] == 40.0
    assert entry["value"] > 1  # no share could be
    assert found["metrics"]["accuracy"]["unit"] == "share"
    assert {group for group, table in found["by"].items() if NAME in table}  # grouped, too
    (line,) = [line for line in flipside(*args).out.splitlines() if line.startswith(NAME)]
    assert f"{entry['value']:.2f} points" in line
    assert "40.00" in line
    assert "%" not in line.removesuffix("95 %")


@pytest.mark.long
@pytest.mark.usefixtures("declared")
def test_overview_and_its_latex() -> None:
    _, found = shown()
    column = next(c for c in found.columns if c.key.endswith(f"\t{NAME}"))
    assert (column.unit, column.direction, column.sub) == ("points", "lower", "points lost, points")
    cells = {row.key.split("\t")[0]: found.cells[row.key, column.key] for row in found.rows
             if (row.key, column.key) in found.cells}  # fmt: skip
    assert cells[results.STRONG].value < cells[results.WEAK].value
    drawn = {row["key"].split("\t")[0]: cell for row in heatmap.view(found.rows, [column], found.cells)["rows"]
             for cell in row["cells"] if cell}  # fmt: skip
    # Best first is by falling `rate`: the model that loses less comes first, though its number is smaller.
    assert drawn[results.STRONG]["rate"] > drawn[results.WEAK]["rate"]
    strong = drawn[results.STRONG]
    assert strong["value"] == f"{cells[results.STRONG].value:.2f}"
    assert "points [" in strong["tip"]
    assert "%" not in strong["tip"]
    assert strong["mark"] == ""  # far from its chance level, and no share
    assert heatmap.view(found.rows, [column], found.cells)["columns"][0]["chance"] == "40.00 points"
    assert not any(TITLE.lower() in text.lower() for fact in notice(found) for text in fact)

    text = latex.table(found, "What is lost")
    at = [f"\\scriptsize {c.sub}" for c in found.columns].index("\\scriptsize points lost, points") + 1
    lines = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if line.count(" & ")]
    assert r"\textbf" not in text
    assert next(line[at] for line in lines if line[0] == "chance") == "40.00"
    accuracy = next(k for k, c in enumerate(found.columns, 1) if c.key.endswith("\taccuracy"))
    assert next(line[accuracy] for line in lines if line[0] == "chance") == "25.0"  # one of four captions

    every = no_shares(data.rates(stored.chosen()["small"], "concept", every=True))
    assert set(every.loc[every["metric"] == TITLE, "unit"]) == {"points"}
    assert len(every[every["metric"] == TITLE]["group"].unique()) > 1


@pytest.mark.usefixtures("declared")
def test_a_cell_leads_to_items_that_have_verdicts() -> None:
    benchmark, found = shown()
    place = next(place for place in found.cells if place[1].endswith(f"\t{NAME}"))
    address = address_of(found, benchmark, Said("subset", False, "group_score", "itc"), place, None)
    assert address is not None
    assert address["metric"] == "accuracy"
    lowest = target._lowest(benchmark)
    assert lowest is not None
    assert lowest.metric != NAME


@pytest.mark.slow
@pytest.mark.usefixtures("declared")
def test_the_pages(visit: Visit) -> None:
    overview = visit("overview", benchmark="small", score="itc", order=f"-choice|{NAME}")
    assert not overview.exception
    assert overview.session_state["order"] == f"-choice|{NAME}"
    for page, key in (("failures", "metric"), ("compare", "metric")):
        app = visit(page, benchmark="small", metric=NAME)
        assert not app.exception
        (chosen,) = [box for box in app.selectbox if box.label == "Metric"]
        # Items have no verdict by it: it is not offered, and an address that names it opens the page as it is.
        assert TITLE not in chosen.options
        assert "Accuracy" in chosen.options
        assert app.session_state[key] == "auto"


@pytest.mark.usefixtures("declared")
def test_glossary_and_the_table_of_a_saved_set() -> None:
    (entry,) = [entry for entry in glossary.entries("points lost")["Choices"] if entry[0] == TITLE]
    assert entry[2] == "lower is better; from 0; unit: points; chance 40"
    assert batch_results._said(NAME, 12.5, 40, (10.0, 15.0)) == "12.50 points [10.00, 15.00] (n = 40)"
    assert batch_results._said("accuracy", 0.5, 40, (0.35, 0.65)) == "50.0 % [35.0, 65.0] (n = 40)"
