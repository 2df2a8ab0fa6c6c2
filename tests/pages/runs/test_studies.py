"""The grid of a study on the Runs page: every state by sign and words, nothing of a file as HTML."""

import json

from backend.study.state import CellState, StudyState, folder_of, write
from pages.runs.studies import grid


def study(**more):
    cells = [
        [CellState(state="done", n_items=1200, left_out=3), CellState(state="missing", why="<b>no</b> files " * 9)],
        [CellState(state="running", done=30, total=120), CellState(state="waiting")],
    ]
    models, benchmarks = ["<i>One</i>", "Two"], ["world", "visla"]
    return StudyState("mine-00000000", "Mine & yours", "/home/me/grid.toml", models, benchmarks, cells, **more)


def test_every_state_has_a_sign_and_words():
    html = str(grid(study(), working=True))
    assert "✓ 1,200 items, 3 left out" in html
    assert "… 25 %" in html
    assert "· waits" in html
    assert "&lt;i&gt;One&lt;/i&gt;" in html
    assert "<b>" not in html
    assert "✗ &lt;b&gt;no&lt;/b&gt; files" in html


def test_a_cell_that_nobody_fills_any_more_does_not_run():
    html = str(grid(study(), working=False))
    assert "25 %" not in html
    assert html.count("· not yet") == 2


def test_the_page_shows_the_studies_of_this_cache(shipped_imported, visit):
    write(study())
    page = visit("runs")
    assert not page.exception
    assert any("Mine & yours: 1 of 4 cells" in box.label for box in page.expander)
    assert json.loads((folder_of("mine-00000000") / "state.json").read_text())["title"] == "Mine & yours"
