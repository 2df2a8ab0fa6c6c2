"""The card of real results, and systems that go by names of their own."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from backend.live import real_results
from backend.live.jobs.record import Job
from backend.store.catalog.public import Public
from pages.overview.fetched import facts, lines
from pages.shared.data import stored
from pages.shared.drawing import colours
from tests.pages import results
from tests.store.writer import write_run


@pytest.fixture(autouse=True)
def nobody_called(monkeypatch):
    monkeypatch.setattr(colours, "_called", {})


def test_the_card_says_what_comes_and_starts_the_fetch(small, visit, monkeypatch):
    begun = []
    monkeypatch.setattr(real_results, "begin", lambda names: begun.append(names) or real_results.jobs.Job)
    monkeypatch.setattr(real_results.jobs.Job, "job_id", "x", raising=False)
    page = visit("overview")
    said = " ".join(str(each.value) for each in [*page.markdown, *page.caption])
    said += "".join(str(part.proto.body) for part in page.get("html"))
    for word in ("See real models here", "licence", "MIT", "none stated", "85f6c2a33fe5", "You will see"):
        assert word.lower() in said.lower(), word
    button = next(each for each in page.button if each.label.startswith("Agree and fetch"))
    assert button.label == "Agree and fetch all (13.6 MB)"
    button.click().run()
    assert begun == [["winoground", "gpt-4v", "visla", "atlas"]]


@pytest.mark.parametrize("name", ["overview", "runs"])
def test_each_package_is_ticked_by_itself(small, visit, monkeypatch, name):
    begun = []
    monkeypatch.setattr(real_results, "begin", lambda names: begun.append(names) or real_results.jobs.Job)
    monkeypatch.setattr(real_results.jobs.Job, "job_id", "x", raising=False)
    page = visit(name, **({"tab": "real"} if name == "runs" else {}))
    ticks = {each.key.removeprefix("real-results-tick-"): each for each in page.checkbox if "tick" in str(each.key)}
    assert list(ticks) == ["winoground", "gpt-4v", "visla", "atlas"]
    assert "4.8 MB" in ticks["winoground"].label
    captions = " ".join(each.value for each in page.caption)
    assert "github.com/juletx/spatial-reasoning · licence: MIT" in captions.replace("\\", "")
    for other in ("gpt-4v", "visla", "atlas"):
        page.checkbox(key=f"real-results-tick-{other}").uncheck().run()
    button = page.button(key="real-results-chosen")
    assert button.label == "Agree and fetch 1 (4.8 MB)"
    page.checkbox(key="real-results-tick-winoground").uncheck().run()
    button = page.button(key="real-results-chosen")
    assert button.disabled
    assert button.label == "Tick what to fetch"
    page.checkbox(key="real-results-tick-winoground").check().run()
    page.button(key="real-results-chosen").click().run()
    assert begun == [["winoground"]]


def test_names_are_names_and_two_of_one_name_are_told_apart_by_source():
    both = ["predictions:flava_itm", "predictions:flava_itm-etxaniz", "predictions:clip", "bundled:clip"]
    colours.call({
        "predictions:flava_itm": ("flava_itm", "Winoground"), "predictions:flava_itm-etxaniz": ("flava_itm", "Etxaniz"),
        "predictions:clip": ("clip", "Winoground"),
    })  # fmt: skip
    assert colours.label("predictions:flava_itm-etxaniz") == "flava_itm"
    assert colours.labels(["predictions:clip"]) == {"predictions:clip": "clip"}
    assert colours.labels(both) == {
        "bundled:clip": "clip", "predictions:clip": "clip (Winoground)",
        "predictions:flava_itm": "flava_itm (Winoground)", "predictions:flava_itm-etxaniz": "flava_itm (Etxaniz)",
    }  # fmt: skip
    assert colours.labels(["predictions:mine", "hf:a/mine"]) == {
        "hf:a/mine": "mine", "predictions:mine": "mine (predictions)"
    }  # fmt: skip


def test_sixty_models_have_sixty_marks(monkeypatch):
    monkeypatch.setattr(colours, "_given", {})
    many = [f"predictions:model {k}" for k in range(60)]
    assert len(set(colours.styles([*many, *colours.ORDER]).values())) == 68


def test_heads_and_repeats_are_said():
    found = {
        "predictions:a_itc": Public("a_itc", "S", "A", "contrastive", terms="MIT"),
        "predictions:a_itm": Public("a_itm", "S", "A", "matching", terms="MIT"),
        "predictions:b": Public("b", "T", "B", "matching", repeats="predictions:a_itm", how="equal", terms="none"),
    }
    names = {spec: each.name for spec, each in found.items()}
    said = lines(found, names)
    assert facts(found, names)[:2] == [("S", ": 2 rows; MIT."), ("T", ": 1 row; none.")]
    assert said[0].startswith("**S**")
    assert "A (a_itc, a_itm)" in facts(found, names)[2][1]
    assert "b repeats" in said[3]


def test_what_came_is_a_click_away_while_another_benchmark_is_shown(small, visit, monkeypatch):
    shown = real_results.Offer("winoground", "W", "small", 1, 1, (), "MIT", (), "", here=True)
    monkeypatch.setattr(real_results, "offers", lambda models: [shown])
    assert "Real models are here, too" not in " ".join(str(each.value) for each in visit("overview").markdown)
    write_run(small, results.world(20), "9" * 16, ["itc"], model="fake:ok", name="other")
    stored.store().refresh()
    page = visit("overview", benchmark="other")
    assert "Real models are here, too" in " ".join(str(each.value) for each in page.markdown)
    next(each for each in page.button if each.label.startswith("small · ")).click().run()
    assert not page.exception


def test_a_fetch_that_failed_says_why_and_what_to_do(small, visit, monkeypatch):
    job = SimpleNamespace(exit_code=1, arguments=real_results.words(["atlas"]))
    monkeypatch.setattr(real_results, "last", lambda: job)
    monkeypatch.setattr("backend.live.jobs.output.reason", lambda job: "raw.githubusercontent.com does not answer.")
    page = visit("overview")
    said = " ".join(str(each.value) for each in [*page.markdown, *page.error, *page.warning])
    said += "".join(str(part.proto.body) for part in page.get("html"))
    said = said.replace("\\", "")
    assert "brought nothing: raw.githubusercontent.com does not answer." in said
    assert "fetch results --from DIR" in said
    assert "See real models here" in said
    known = real_results.offers([])
    come = [replace(each, here=each.name == "atlas") for each in known]  # out of a folder, as the sentence advises
    monkeypatch.setattr(real_results, "offers", lambda models: come)
    assert "brought nothing" not in " ".join(str(each.value) for each in visit("overview").error)
    job.arguments = real_results.WORDS  # of all: those that are here are not all
    assert "brought nothing" in " ".join(str(each.value) for each in visit("overview").error)


def test_the_card_stays_until_a_real_model_is_here(small, visit, monkeypatch):
    """Failed before: with the Atlas' rates alone the card was gone, and no real model was to be seen."""
    offers = real_results.offers([])
    assert [each.name for each in offers if not each.models] == ["visla", "atlas"]
    only = [replace(each, here=not each.models) for each in offers]
    monkeypatch.setattr(real_results, "offers", lambda models: only)
    page = visit("overview")
    assert "See real models here" in " ".join(str(each.value) for each in page.markdown)
    ticks = [str(each.key) for each in page.checkbox if "tick" in str(each.key)]
    assert ticks == ["real-results-tick-winoground", "real-results-tick-gpt-4v"]


@pytest.mark.parametrize(("state", "says"), [("queued", "wait in the queue"), ("running", "are being fetched")])
def test_a_fetch_that_waits_says_so(small, visit, monkeypatch, state, says):
    job = Job("20260101T000000000000-000000", "fetch", ("results",), state=state)
    monkeypatch.setattr(real_results, "working", lambda: job)
    page = visit("overview")
    assert says in " ".join(str(each.value) for each in page.markdown)
    stopped: list[str] = []
    monkeypatch.setattr(real_results.jobs, "cancel", stopped.append)
    page.button(key="real-results-stop").click().run()
    assert not page.exception
    assert stopped == [job.job_id]
