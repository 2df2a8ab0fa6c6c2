"""What pages ask once a server is asked before anybody opens them, so that a first visit asks it no more."""

import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.live.scoring.examples import EXAMPLES
from backend.metrics import projection
from backend.perturb import foils
from backend.store import queries
from backend.store.alpha import curves, uncertainty
from backend.store.compare import compare, flow
from backend.store.enrichment import clumps as enrichment
from backend.store.failures import models_right
from backend.store.items import point_verdicts
from backend.store.items.embeddings import parts
from backend.store.quads import deviations
from backend.store.reasons import showcase
from pages.debias import ahead
from pages.debias import curves as debias_curves
from pages.embeddings import ahead as embeddings_ahead
from pages.embeddings import data as embeddings_data
from pages.embeddings import over
from pages.failures import ahead as failures_ahead
from pages.overview import ahead as overview_ahead
from pages.overview import data as page_data
from pages.shared.data import cell_bars, stored
from pages.shared.drawing.thumbnails import LARGE
from pages.shared.server import thumbnail_route, waiting, warm
from tests.pages import results
from tests.pages.opening import opened
from tests.store.writer import write_run

#: A page, and what is asked for it: the module and the function's name there.
ASKED: list[tuple[str, Any, str]] = [
    ("failures", models_right, "_by_bits"), ("equivariance", deviations, "_frame"),
    ("embeddings", projection, "neighbours"), ("embeddings", enrichment, "groups_of"),
    ("debias", uncertainty, "_verdict"), ("debias", curves, "_curve"), ("debias", debias_curves, "gain"),
    ("compare", compare, "_shared"), ("compare", compare, "_row"), ("compare", compare, "rates"),
    ("compare", flow, "words"),
]  # fmt: skip


@pytest.fixture
def small(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A benchmark of some made-up models, alone in its cache."""
    # Else later tests of this process would be asked ahead of, too, by a thread that reads beside them.
    monkeypatch.setattr(warm, "_asked", [("", 0.0)])
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    results.write(flipside_cache)
    stored._opened.clear()
    yield "small"
    stored.store().close()
    stored._opened.clear()


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[int]:
    asked: list[int] = []
    known: Callable[..., Any] = getattr(module, name)

    def ask(*args: Any, **more: Any) -> Any:
        asked.append(1)
        return known(*args, **more)

    monkeypatch.setattr(module, name, ask)
    return asked


@pytest.mark.slow
@pytest.mark.parametrize(("page", "module", "name"), ASKED)
def test_a_first_visit_asks_nothing_that_was_asked_ahead(small, monkeypatch, page, module, name):
    monkeypatch.setattr(ahead, "FEW", 0)
    asked = counted(monkeypatch, module, name)
    warm.ask(small)
    before = len(asked)
    assert before, "asked ahead"
    app = opened(page).run()
    assert not app.exception
    assert len(asked) == before


@pytest.mark.slow
def test_pictures_of_the_first_cards_are_drawn_ahead(small, monkeypatch):
    drawn: list[tuple[str, int]] = []
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(thumbnail_route, "is_served", lambda: True)
    monkeypatch.setattr(thumbnail_route, "_jpeg", lambda *of: drawn.append(of) or b"")
    monkeypatch.setattr(
        thumbnail_route, "addresses", lambda uris, size: [asked.append((uri, size)) or "thumbnails/x" for uri in uris]
    )
    warm.ask(small)
    app = opened("failures").run()
    assert not app.exception
    large = {each for each in asked if each[1] == LARGE}
    assert large
    assert large <= set(drawn)


@pytest.mark.slow
def test_the_next_choices_of_failures_are_asked_once_nobody_waits(small, monkeypatch):
    """Another model, and the right ones: the page asks the store nothing more of them."""
    monkeypatch.setattr(waiting, "quiet", lambda _: True)
    asked = counted(monkeypatch, queries, "failures")
    cards = counted(monkeypatch, queries, "card_items")
    warm.ask(small)
    once = len(asked)
    warm.more(small)
    before = len(asked), len(cards)
    assert before[0] > once
    benchmark = stored.chosen()[small]
    assert len(benchmark.models) > 1
    for named in (*({"model": model} for model in benchmark.models[: 1 + failures_ahead.OTHERS]), {"show": "right"}):
        app = opened("failures")
        for key, value in named.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception
    assert (len(asked), len(cards)) == before


@pytest.mark.slow
@pytest.mark.parametrize("every", [True, False])
def test_the_first_look_at_another_benchmark_is_asked_once_nobody_waits(small, flipside_cache, monkeypatch, every):
    """Of Overview: neither what papers print, nor its failure on top, nor its bars; of many items nothing is."""
    write_run(flipside_cache, results.world(120), "5" * 16, ["itc"], model=results.STRONG, seed=5, name="other")
    stored._opened.clear()
    monkeypatch.setattr(waiting, "quiet", lambda _: True)
    monkeypatch.setattr(overview_ahead, "MOST", 1000 if every else 10)
    asked = [
        counted(monkeypatch, showcase, "real_failures"), counted(monkeypatch, cell_bars.stored_bars, "of_runs"),
        counted(monkeypatch, page_data, "printed_beside"),
    ]  # fmt: skip
    warm.more(small, ["pages.overview.ahead"])
    before = [len(each) for each in asked]
    assert all(before) == every
    app = opened("overview")
    app.query_params["benchmark"] = "other"
    app.run()
    assert not app.exception
    assert ([len(each) for each in asked] == before) == every


@pytest.mark.slow
def test_other_subsets_of_the_map_are_asked_once_nobody_waits(small, monkeypatch):
    """Neither who is near whom, nor what is right, nor whether wrong ones lie together is asked again."""
    monkeypatch.setattr(waiting, "quiet", lambda _: True)
    benchmark = stored.chosen()[small]
    model = embeddings_data.able(benchmark)[0]
    listed, known = parts(benchmark.protocols), embeddings_data.first_part(benchmark, model)
    other = next(part for part in listed if part != known)
    monkeypatch.setattr(embeddings_data, "first_part", lambda *_: other)  # so that the one with vectors comes next
    monkeypatch.setattr(embeddings_ahead, "OTHERS", len(listed))
    asked = [
        counted(monkeypatch, projection, "neighbours"), counted(monkeypatch, point_verdicts, "verdicts"),
        counted(monkeypatch, over, "_near_errors"),
    ]  # fmt: skip
    warm.more(small, ["pages.embeddings.ahead"])
    before = [len(each) for each in asked]
    assert all(before)
    app = opened("embeddings")
    app.query_params["part"] = known
    app.run()
    assert not app.exception
    assert [len(each) for each in asked] == before


def test_what_is_asked_next_waits_for_quiet_and_ends_with_the_server(monkeypatch):
    class Module:
        """Of a page that asks two things next."""

        @staticmethod
        def more(of: str) -> Iterator[None]:
            for step in "ab":
                said.append(f"{of} {step}")
                yield

    def quiet(_: float) -> bool:
        said.append("quiet?")
        return len(said) != 1  # somebody waits, once

    said: list[str] = []
    monkeypatch.setattr(warm, "_benchmark", lambda name: name)
    monkeypatch.setattr(warm.importlib, "import_module", {"one": Module, "none": object()}.__getitem__)
    monkeypatch.setattr(waiting, "quiet", quiet)
    warm.more("small", ["none", "one"])
    assert said == ["quiet?", "quiet?", "quiet?", "small a", "quiet?", "small b", "quiet?"]
    said.clear()
    monkeypatch.setattr(warm, "_closed", threading.Event())
    warm.close()
    warm.more("small", ["one"])
    assert "small a" not in said


def test_one_thread_alone_asks_what_is_chosen_next(monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(warm, "_benchmark", lambda name: asked.append(name))
    with warm._one_more() as begun:
        assert begun
        warm.more("small", [])
        assert not asked
    warm.more("small", [])
    assert asked == ["small"]


@pytest.mark.slow
def test_nothing_is_asked_of_many_items_or_of_no_benchmark(small, monkeypatch):
    asked = counted(monkeypatch, models_right, "_by_bits")
    warm.ask("")
    warm.ask("no such")
    monkeypatch.setattr(warm, "MOST", 10)
    warm.ask(small)
    assert not asked
    monkeypatch.setattr(warm, "MOST", 1000)
    warm.ask(small, ["pages.no_such_page.ahead"])  # what goes wrong ahead of a page stops nothing


def test_every_page_that_asks_ahead_is_found():
    assert warm.AHEAD == (
        "pages.atlas.ahead",
        "pages.compare.ahead",
        "pages.debias.ahead",
        "pages.embeddings.ahead",
        "pages.equivariance.ahead",
        "pages.failures.ahead",
        "pages.overview.ahead",
        "pages.robustness.ahead",
        "pages.try_it.ahead",
    )


def test_what_the_words_of_the_first_example_may_become_is_there(small):
    importlib.import_module("pages.try_it.ahead").prepare(stored.chosen()[small])
    before = foils.proposals.cache_info()
    assert all(foils.proposals(text) for text in EXAMPLES[0].texts)
    assert foils.proposals.cache_info().misses == before.misses


def test_what_was_asked_ahead_is_asked_again_where_the_results_moved_on(monkeypatch):
    asked: list[str] = []
    come = threading.Event()

    def ask(benchmark: str) -> None:
        asked.append(benchmark)
        come.set()

    monkeypatch.setattr(warm, "ask", ask)
    monkeypatch.setattr(warm, "more", lambda _: None)
    monkeypatch.setattr(warm, "OUT", 0.0)
    monkeypatch.setattr(warm, "_asked", [("one", -1e9)])
    generation = ["one"]
    monkeypatch.setattr(warm, "_reading", lambda: generation[0])
    warm._drawn.set()
    warm.drawn("small")
    assert warm._asked[0][0] == "one"
    generation[0] = "two"
    warm.drawn("small")
    assert come.wait(20)
    generation[0] = "three"  # of a run that is being scored, a moment later
    warm.drawn("small")
    assert warm._asked[0][0] == "two"
    assert asked == ["small"]
    come.clear()
    warm.again()  # but where somebody has asked for it, as for the example of Robustness
    warm.drawn("small")
    assert come.wait(20)
    assert asked == ["small", "small"]
