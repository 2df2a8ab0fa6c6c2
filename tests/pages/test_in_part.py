"""A run that has judged some of a benchmark's items: every page that ranks or compares its rates says of how many they
are, and no sentence says "all"."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from streamlit.testing.v1 import AppTest

from backend.protocols import Protocol
from pages.equivariance import judged
from pages.model.lines import of_grid, seen, view
from pages.overview import latex
from pages.overview.notice import notice
from pages.overview.view import Grid
from pages.shared.data import findings, stored
from pages.shared.data.cell_bars import Bar
from pages.shared.drawing import cells, heatmap
from pages.shared.drawing.heatmap import Cell, Column, Row
from pages.shared.frame import sidebar
from tests.pages.results import world
from tests.store.writer import write_run

QUADS = [item for item in world() if item.protocol == Protocol.QUAD]
SUBSET = QUADS[0].subset
N = sum(item.subset == SUBSET for item in QUADS)


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.fixture
def part(small: Path) -> stored.StoredBenchmark:
    """The small world, with another system's scores of the quads of one subset, whose record says of no selection."""
    folder = write_run(
        small, world(), "9" * 16, ["itc"], model="predictions:part", skill=4.0, seed=9, name="small",
        selection={"split": None, "subset": SUBSET, "limit": None, "sample": None, "seed": 0},
    )  # fmt: skip
    record = json.loads((folder / "run.json").read_text())
    record["selection"]["subset"] = None
    (folder / "run.json").write_text(json.dumps(record))
    return stored.chosen()["small"]


@pytest.mark.slow
def test_the_pages_name_the_run_and_equivariance_says_all_of_no_part(
    part: stored.StoredBenchmark, visit: Callable[..., AppTest]
) -> None:
    said = f"{N:,} of the {len(QUADS):,} quads"
    assert part.partial == {"predictions:part": said}
    assert sidebar.partial(part) == [f"part is shown by a run of {said} only: its rates are of these."]
    assert sidebar.partial(part, ["fake:strong"]) == []
    assert sidebar.partial(part, ["predictions:part"]) == sidebar.partial(part)
    together = cast(Any, SimpleNamespace(category="all", quads="all quads", where="all quads", kind="itc"))
    which = judged.quads(part, together, "predictions:part", "itc", N)
    assert which == f"the {N:,} of {len(QUADS):,} quads that it has judged"
    assert judged.quads(part, together, "fake:strong", "itc", len(QUADS)) == "all quads"
    assert judged.caption(part, together, [("predictions:part", N), ("fake:strong", len(QUADS))]) == (
        f" Not of all these quads: part of {N:,} of {len(QUADS):,}; such a row compares with no other."
    )
    of_subset = cast(Any, SimpleNamespace(category=SUBSET, quads="those", where=SUBSET, kind="itc"))
    assert judged.quads(part, of_subset, "predictions:part", "itc", N) == "those"  # all of this subset
    page = visit("equivariance", benchmark="small", kind="itc", model="predictions:part")
    assert not page.exception
    assert f"of {N:,} quads that it has judged, of {len(QUADS):,} that there are" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("part")
@pytest.mark.parametrize(
    ("page", "without", "with_it"),
    [("failures", {"model": "fake:strong"}, {"model": "predictions:part"}),
     ("compare", {"a": "itc fake:strong", "b": "itc fake:weak"}, {"a": "itc fake:strong", "b": "itc predictions:part"}),
     ("equivariance", {"kind": "itm"}, {"kind": "itc"}), ("equivariance", {"category": "count"}, {"category": SUBSET}),
     ("model", {"model": "fake:strong"}, {}), ("item", {"item": "count/1"}, {}), ("robustness", {}, {}),
     ("debias", {}, {}), ("embeddings", {"model": "fake:strong"}, {}), ("overview", {}, {"by": "subset"})],
)  # fmt: skip
def test_the_sidebar_speaks_of_a_part_only_where_the_page_shows_its_rates(
    visit: Callable[..., AppTest], page: str, without: dict[str, str], with_it: dict[str, str]
) -> None:
    """“part is shown by a run of …” stood on every page of the benchmark, whatever model it showed."""
    captions_of = [visit(page, benchmark="small", **of).sidebar.caption for of in (without, with_it)]
    said = ["part is shown by a run" in " ".join(str(each.value) for each in captions) for captions in captions_of]
    assert said == [page == "overview", bool(with_it)]  # Overview shows every model


ROWS = [Row("a\titc", "whole", "similarity", "#000"), Row("b\titc", "part", "similarity", "#111")]
COLUMNS = [
    Column(f"{name}\tgroup_score", name, "group score", "", 1 / 6, "quads") for name in ("relation", "attribute")
]
CELLS = {
    ("a\titc", "relation\tgroup_score"): Cell(0.4, 450, (0.35, 0.45)),
    ("a\titc", "attribute\tgroup_score"): Cell(0.5, 450, (0.45, 0.55)),
    ("b\titc", "attribute\tgroup_score"): Cell(0.99, 250, (0.97, 1.0), of=450),
}
SHOWN = Grid(ROWS, COLUMNS, CELLS, dict.fromkeys(CELLS, "itc"))


def test_a_cell_of_a_part_has_its_share_and_wins_nothing() -> None:
    own = heatmap.view(ROWS, COLUMNS, CELLS)["rows"][1]["cells"][1]
    assert own["part"] == "◔ 56 %"
    assert "of 250 of the 450 items there are: it has judged no others" in own["tip"]
    assert heatmap.view(ROWS, COLUMNS, CELLS)["rows"][0]["cells"][1]["part"] == ""
    assert not any("part" in said.split() for fact in notice(SHOWN) for said in fact)
    widest = findings.widest(SHOWN)
    assert widest is not None
    assert (widest.best.label, widest.least.label) == ("whole", "whole")
    text = latex.table(SHOWN, "caption")
    assert r"\textbf" not in text
    assert r"(56 \% judged)" in text


def test_where_there_are_parts_alone_the_finding_says_of_how_many() -> None:
    alone = {key: cell for key, cell in CELLS.items() if key[0] == "b\titc"}
    shown = Grid(ROWS[1:], COLUMNS, alone, dict.fromkeys(alone, "itc"))
    said = findings.heat(findings.widest(shown), "world")
    assert "250 of the 450 items" in said
    lines = of_grid(shown)
    assert lines[0].sub == "56 % of its items, group score"
    assert lines[0].named == "attribute, 56 % of its items"
    assert view(lines, "")["lines"][0]["sub"] == "◔ 56 %, group score"
    assert seen("part", shown, lines, "world").startswith("part is right on 99.0 % of attribute (56 % of its items")


def test_a_bar_of_a_part_says_so_and_its_finding_says_all_of_nothing() -> None:
    counts = {"right": (200, 5), "outvoted_by_caption": (10, 3), "outvoted_by_image": (10, 30),
              "outvoted_by_both": (20, 10), "no_binding": (10, 70)}  # fmt: skip
    bar = Bar(Protocol.QUAD, "bundled:clip", "itc", "attribute", counts, 250, 0.8, 0.7, 0.85, "cosine", of=2250)
    assert "at least 70.0 % of the 250 of 2,250 quads that it has judged bind" in findings.cells(bar, "w", True).lower()
    (panel,) = cells.view([bar, bar], [])["parts"][0]["panels"]
    assert panel["rows"][0]["least"] == "at least 70.0 % bind; 250 of 2,250 judged"
    (line,) = cells.matrix([bar], [], {("bundled:clip", "itc"): ("", "")})["matrix"]["rows"]
    assert line["cells"][0]["part"] == "◔ 11 %"
