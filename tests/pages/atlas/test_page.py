"""The Atlas' page without a browser: with and without its file, its address, and its docs against the real file."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.live import real_results
from backend.live.jobs.record import Job
from backend.published.atlas import measures, reading
from pages.atlas import chance, correlation, data, labels, others, plane, taught, view
from pages.atlas.view import View
from tests.pages.atlas.conftest import SPEC
from tests.pages.opening import unfolded

Visit = Callable[..., AppTest]


def test_examples_hold() -> None:
    assert [doctest.testmod(module).failed for module in (chance, correlation, labels, plane)] == [0, 0, 0, 0]


def texts(page: AppTest) -> str:
    html = "".join(str(part.proto.body) for part in page.get("html"))
    return html + " ".join(str(each.value) for each in (*page.markdown, *page.caption, *page.code))


@pytest.mark.usefixtures("nothing_shipped")
def test_without_the_file_it_says_what_comes_and_starts_the_fetch(
    flipside_cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(real_results, "begin", lambda names: begun.append(names) or real_results.jobs.Job)
    monkeypatch.setattr(real_results.jobs.Job, "job_id", "x", raising=False)
    page = visit("atlas")
    assert not page.exception
    said = texts(page)
    for words in (
        "1 file",
        "411.2 kB",
        "https://github.com",
        "ytaek",
        "none stated",
        "136 columns",
    ):
        assert words in said, words
    unfolded(page, "atlas-terminal")
    assert "fetch results --only atlas --yes" in texts(page)
    next(each for each in page.button if each.label == "Agree and fetch").click().run()
    assert begun == [["atlas"]]


@pytest.mark.usefixtures("nothing_shipped")
def test_what_it_will_show_stays_while_the_fetch_waits_and_a_failed_one_is_told(
    flipside_cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page was empty behind a training, and without a network it came back without a word."""
    job = Job("20260101T000000000000-000000", "fetch", ("results",), state="queued")
    monkeypatch.setattr(real_results, "working", lambda: job)
    said = texts(visit("atlas"))
    assert "wait in the queue" in said
    assert "Which benchmarks are alike" in said
    monkeypatch.setattr(real_results, "working", lambda: None)
    monkeypatch.setattr(real_results, "last", lambda: SimpleNamespace(exit_code=1, arguments=()))
    monkeypatch.setattr("backend.live.jobs.output.reason", lambda job: "github.com does not answer.")
    page = visit("atlas")
    assert "brought nothing: github.com does not answer" in page.error[0].value.replace("\\", "")
    assert any(each.label == "Agree and fetch" for each in page.button)


@pytest.mark.usefixtures("scored", "there")
def test_the_page_shows_all_and_keeps_its_state_in_its_address(visit: Visit) -> None:
    page = visit("atlas", x="winoground::text", y="winoground::image", entry="OpenCLIP/ViT-B-32/openai")
    assert not page.exception
    assert "Of 3 taught models" not in texts(page)  # folded
    unfolded(page, "atlas-fold-how", "atlas-fold-taught", "atlas-fold-alike", "atlas-fold-others")
    assert not page.exception
    assert not page.error
    said = texts(page)
    for words in (
        "15 models of 5 families", "Pareto front", "Stars: 1 result", "Of 3 taught models", "Highest over 15 models",
        "Score it here", "Here against print", "What is known of why", "arXiv 2406.09388", "none stated",
    ):  # fmt: skip
        assert words in said, words
    assert "--benchmark sugarcrepe" in said
    assert "--benchmark winoground" not in said  # it has been scored
    page.selectbox(key="y").set_value("mean:zero-shot").run()
    assert not page.exception
    assert page.query_params["y"] == "mean:zero-shot"
    assert "No run can stand here" in texts(page)
    page.selectbox(key="given").set_value("zero-shot").run()
    assert "Of 91 pairs" in texts(page)
    page.selectbox(key="entry").set_value("StructuredCLIP/NegCLIP/coco-ft").run()
    assert "No spec runs these weights here by name" in texts(page)
    page.selectbox(key="entry").set_value(f"stored:itc {SPEC}").run()
    assert not page.exception
    assert page.query_params["entry"] == [f"stored:itc {SPEC}"] or page.query_params["entry"] == f"stored:itc {SPEC}"
    assert "The same weights in the Atlas" in texts(page)
    assert " of 16</td>" in texts(page)


@pytest.mark.usefixtures("nothing_shipped", "there")
def test_a_link_with_nonsense_opens(visit: Visit, flipside_cache: Path) -> None:
    page = visit("atlas", x="no::such", y="winoground::text", families="<b>", hide="all", entry="x", of="y", given="z")
    assert not page.exception
    assert page.session_state["x"] == measures.TASKS
    assert page.session_state["entry"] == ""
    both = visit("atlas", x="winoground::text", y="winoground::text")
    assert not both.exception


@pytest.mark.usefixtures("nothing_shipped")
def test_a_changed_file_is_refused_in_a_sentence(visit: Visit, there: Path, flipside_cache: Path) -> None:
    there.write_text(there.read_text().replace("ViT-B-32", "ViT-B-33"))
    page = visit("atlas")
    assert not page.exception
    assert "another file than the one that was fetched" in page.error[0].value


@pytest.mark.slow
def test_what_the_docs_say_of_the_real_file_is_so(shared_data: Path) -> None:
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    st.cache_resource.clear()
    atlas = reading.read(path)
    docs = " ".join((Path(__file__).parents[3] / "docs" / "pages" / "atlas.md").read_text(encoding="utf-8").split())
    first = View(measures.measures()[measures.TASKS], measures.measures()[measures.COMPOSITION])
    alike = view.together(data.correlations(atlas, (first.x, first.y), None))
    assert re.search(r"ρ = \d\.\d\d \[.*?\]", alike)[0] in docs  # type: ignore[index]
    assert len(view.front(first, atlas)) == 4
    assert "four models are on their front" in docs
    chosen = correlation.chosen(correlation.BENCHMARKS)
    found = data.correlations(atlas, chosen, None)
    assert "Of 105 pairs, 7 are not" in correlation.sentence(found)
    whatsup = [each.key for each in found.measures].index("mean:whatsup")
    opened = (found.low <= 0) & (found.high >= 0)
    assert opened[whatsup].sum() == np.triu(opened, 1).sum() == 7  # all seven are What'sUp's
    assert "Of 91 pairs, 54 are not" in correlation.sentence(data.correlations(atlas, chosen, first.x))
    assert "of 91 pairs, 54 are not told" in docs
    changed = taught.changes(atlas, first.x, first.y)
    assert taught.sentence(changed) == (
        "Of 6 taught models 6 rose on more of the 12 compositionality benchmarks than they fell on (0 beyond chance), "
        "and 6 fell on more of the 21 zero-shot tasks than they rose on (1 beyond chance)."
    )
    beyond = [c for c, tests in zip(changed, taught.adjusted(changed), strict=True) if min(tests) <= taught.LEVEL]  # type: ignore[type-var]
    assert [atlas.entries[c.pair.taught].arch for c in beyond] == ["CE-CLIP"]
    said = " ".join(others.why(atlas))
    for words in ("2, 2, 3 of 400 items", "RN101-quickgelu openai have the same rates in all 136", "but of 5,000"):
        assert words in said
