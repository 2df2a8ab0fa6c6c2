"""What an item's page leads to."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.store.build.reader import open_store
from backend.store.catalog import not_scored
from backend.store.queries import ItemDetail
from pages.item import full
from pages.shared.data import stored
from tests.pages import results

LABEL = "What would each loss of teaching ask of these scores?"


@pytest.mark.long
def test_a_quad_with_scores_that_are_taught_leads_to_the_losses(
    flipside_cache: Path, visit: Callable[..., AppTest]
) -> None:
    assert flipside_cache.is_dir()
    open_store(follow=False, wait=True).close()  # what ships is imported before a page asks for it
    st.cache_resource.clear()
    st.cache_data.clear()
    for item, model, kind, leads in (
        ("attribute/1", "bundled:clip", "itc", True),
        ("attribute/1", "bundled:matcher", "itm", True),
        ("attribute/1", "bundled:captioner", "gen", False),
        ("choice/1", "bundled:clip", "itc", False),
    ):
        page = visit("item", benchmark="world", item=item, model=model, kind=kind)
        assert not page.exception
        found = [link.proto for link in page.get("page_link") if link.proto.label == LABEL]
        assert [parse_qs(link.query_string) for link in found] == [
            {"benchmark": ["world"], "view": ["what-if"], "item": [item], "model": [model], "kind": [kind]}
        ] * leads, (item, model)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_mark_in_the_head_names_the_kind_and_unit_of_its_margin(visit: Callable[..., AppTest]) -> None:
    """A sentence on another kind of the same model, with another margin, may lead below it."""
    page = visit("item", benchmark="small", item="choice/1", model=results.STRONG, kind="itm")
    assert not page.exception
    said = "".join(element.proto.body for element in page.get("html"))
    head = said.partition('class="fs-chips"')[2].partition("</div>")[0]
    assert "fake:strong · similarity<b>" in head
    assert head.count(" cosine</span>") == head.count("similarity<b>")
    assert "log-odds" not in head, "that is the unit of the sentence below"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_an_item_whose_picture_cannot_be_read_says_why_it_has_no_score(
    visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = not_scored.sentence("itc", "this item", "image cannot be read")
    asked = stored.item

    def lacking(benchmark: str, item_id: str) -> ItemDetail:
        detail = asked(benchmark, item_id)
        none = {name: getattr(detail, name).iloc[:0] for name in ("scores", "tokens", "outcomes", "evidence")}
        return replace(detail, left_out=((line, (results.STRONG,)),), **none)

    monkeypatch.setattr(stored, "item", lacking)
    page = visit("item", benchmark="small", item="choice/1")
    assert not page.exception
    said = "".join(element.proto.body for element in page.get("html"))
    assert f"fake:strong: {line}" in said
    assert "No model has scored this item yet" not in said, "its model has a run, and it was left out of that"


def test_what_made_an_item_is_named_for_readers() -> None:
    assert full.origin("backend.world, seed 0") == "the bundled world, seed 0"
    assert full.origin("Visual Genome") == "Visual Genome"
