"""What changed, the view without a browser: what it opens on, its empty states, hostile records and addresses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from backend.protocols import Protocol
from backend.store.compare import flow
from backend.store.compare.compare import Side, against, shared
from backend.store.queries import Setting
from tests.pages import results
from tests.pages.opening import unfolded
from tests.store import taught_runs, writer
from tests.store.taught_runs import BASE, PLAIN, TAUGHT

Visit = Callable[..., AppTest]
HOSTILE = "<script>alert(1)</script> **bold** [a](http://b) $x$ :red[y]"
RUNS = {"base": "a" * 16, "after": "c" * 16, "plain": "b" * 16}


def html_of(page: AppTest) -> str:
    return " ".join(str(getattr(block.proto, "body", "")) for block in page.get("html"))


def whole(page: AppTest) -> AppTest:
    """The page with all its folds open."""
    return unfolded(page, *(f"teach-{name}" for name in ("items", "concepts", "ledger", "curves", "about")))


def filled(root: Path) -> None:
    taught_runs.write(root, results.world(120), name="small", parts=("itc", "t2t"))


def refreshed() -> Any:
    from pages.shared.data import stored

    stored.store().refresh()
    return stored.store()


@pytest.fixture
def cache(flipside_cache: Path, nothing_shipped: None) -> Path:
    return flipside_cache


@pytest.mark.slow
def test_it_opens_against_the_plain_training_and_says_the_same_as_the_store(cache: Path, visit: Visit) -> None:
    filled(cache)
    page = whole(visit("teach", series="mine"))
    assert not page.exception
    html = html_of(page)
    assert "than plain, the same 300 steps without its method" in html.replace("fake:", "")
    assert "the method’s own: after − plain training" in html
    assert "taught from fake:base by the recipe eqsim, 300 steps, on 9,600 fresh pairs" in html
    store = refreshed()
    sides = [Side(RUNS[name], Setting("itc")) for name in ("base", "after", "plain")]
    found = flow.family(shared(store, sides), Protocol.QUAD)
    row = against(found, baseline=2, others=[1]).iloc[0]
    assert f"<b>{int(row['only_b']):,} right</b>" in html
    assert f"<b>{int(row['only_a']):,} wrong</b>" in html
    assert page.session_state["against"] == "plain"
    assert "Zero-shot classification: not measured" in html

    page = visit("teach", series="mine", against="before", protocol="choice", which="lost", parts="reasons")
    assert not page.exception
    found = flow.family(shared(store, sides), Protocol.CHOICE)
    row = against(found, baseline=0, others=[1]).iloc[0]
    html = html_of(page)
    assert f"<b>fixed {int(row['only_b']):,}</b>" in html
    assert f"<b>broke {int(row['only_a']):,}</b>" in html
    assert "have not been scored under other images" in html
    assert page.query_params["which"] in ("lost", ["lost"])


@pytest.mark.slow
def test_what_became_of_what_is_counted_once_a_run(cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(cache)
    page = whole(visit("teach", series="mine", against="before"))  # the gallery of the items stands open
    counted, known = [], flow.links

    def links(*given: Any) -> Any:
        counted.append(given)
        return known(*given)

    monkeypatch.setattr(flow, "links", links)
    page.run()
    assert not page.exception
    assert any(box.label == "Of the flow" for box in page.selectbox)
    assert len(counted) == 1


@pytest.mark.slow
def test_a_band_in_the_address_shows_its_items_and_an_unknown_one_is_named(cache: Path, visit: Visit) -> None:
    filled(cache)
    page = visit("teach", series="mine", against="before")
    store = refreshed()
    sides = [Side(RUNS[name], Setting("itc")) for name in ("base", "after", "plain")]
    found = flow.family(shared(store, sides), Protocol.QUAD)
    words = flow.words(store, found, sides, Protocol.QUAD)
    table = flow.links(flow.ends(found, words, (0, 1), "cells"), Protocol.QUAD)
    link = table[table["which"] == "broke"].iloc[0]
    identity = f"{link['a']}>{link['b']}:broke"
    page = visit("teach", series="mine", against="before", link=identity, which="lost")  # its fold stands open
    assert not page.exception
    assert page.session_state["link"] == identity
    shown = next(box for box in page.selectbox if box.label == "Of the flow")
    assert shown.options[shown.index or 0].endswith(f" · {link['n']:,}")

    page = visit(
        "teach", series="gone", against="nobody", protocol="x", group="y", link="a>b:fixed", which="z", parts="q"
    )
    assert not page.exception
    assert page.session_state["link"] == "any"
    assert any(
        "no choice on this page" in toast.value or "no choices on this page" in toast.value for toast in page.toast
    )


@pytest.mark.slow
@pytest.mark.parametrize("said", ["yes", 3, ["base"], {"base": ["x"], "step": "many", "trained_on": "all"}])
def test_a_record_of_another_form_is_an_untaught_model(cache: Path, visit: Visit, said: Any) -> None:
    items = results.world(60)
    for run, model, step in (("a" * 16, BASE, 10), ("c" * 16, TAUGHT, 30)):
        folder = writer.write_run(cache, items, run, ["itc"], model=model, name="small", seed=step)
        taught_runs.say(folder, said, series={HOSTILE: step})
    page = whole(visit("teach"))
    assert not page.exception
    html = html_of(page)
    assert "After 20 steps" in html
    assert "nothing of it can be called the method’s" in html
    assert "<script>" not in html
    assert page.session_state["series"] == HOSTILE


@pytest.mark.slow
def test_hostile_names_stay_text(cache: Path, visit: Visit) -> None:
    items = results.world(60)
    base, plain, made = (f"fake:{name}{HOSTILE}" for name in ("1", "2", "3"))
    writer.write_run(cache, items, "a" * 16, ["itc"], model=base, name="small", skill=0.1)
    folder = writer.write_run(cache, items, "b" * 16, ["itc"], model=plain, name="small", seed=4)
    trained = [{"file": "<b>x</b>"}]
    taught_runs.say(folder, taught_runs.taught(base, "baseline", trained_on=trained))
    folder = writer.write_run(cache, items, "c" * 16, ["itc"], model=made, name="small", seed=5)
    taught_runs.say(folder, taught_runs.taught(base, "<i>eq</i>", trained_on=trained), series={HOSTILE: 300})
    page = whole(visit("teach", series=HOSTILE))
    assert not page.exception
    html = html_of(page)
    for bad in ("<script>", "<i>eq</i>", "<b>x</b>"):
        assert bad not in html
    assert "&lt;i&gt;eq&lt;/i&gt;" in html


@pytest.mark.slow
def test_items_that_were_trained_on_are_said(cache: Path, visit: Visit) -> None:
    filled(cache)
    hash_ = writer.write_benchmark(cache, results.world(120), "small")
    source = [{"benchmark": "small", "hash": hash_, "items": 40}]
    for run, recipe in (("b" * 16, "baseline"), ("c" * 16, "eqsim")):
        taught_runs.say(cache / "runs" / run, taught_runs.taught(recipe=recipe, trained_on=source))
    page = whole(visit("teach", series="mine"))
    assert not page.exception
    html = html_of(page)
    assert "<b>Trained on these items:</b>" in html
    assert "taught (40 of its items)" in html
    assert "on 40 items of small." in html
    assert "What was fixed here says nothing of other items" in html


@pytest.mark.slow
def test_one_checkpoint_alone_asks_for_its_base(cache: Path, visit: Visit) -> None:
    folder = writer.write_run(cache, results.world(60), "c" * 16, ["itc"], model=TAUGHT, name="small")
    taught_runs.say(folder, taught_runs.taught(base="hf:gone <b>"), series={"mine": 300})
    page = visit("teach")
    assert not page.exception
    html = html_of(page)
    assert "Only one checkpoint of mine has been scored here" in html
    assert "--model &#39;hf:gone &lt;b&gt;&#39; --benchmark small --kinds itc" in html


@pytest.mark.slow
def test_two_checkpoints_without_a_kind_in_common_name_both(cache: Path, visit: Visit) -> None:
    items = results.world(60)
    writer.write_run(cache, items, "a" * 16, ["itm"], model=BASE, name="small")
    folder = writer.write_run(cache, items, "c" * 16, ["itc"], model=TAUGHT, name="small")
    taught_runs.say(folder, taught_runs.taught(), series={"mine": 300})
    page = visit("teach")
    assert not page.exception
    html = html_of(page)
    assert "no score kind in common" in html
    assert f"--model {TAUGHT} --benchmark small --kinds itm" in html


@pytest.mark.slow
def test_a_series_of_texts_alone_has_verdicts_and_no_curves(cache: Path, visit: Visit) -> None:
    items = results.world(60)
    taught_runs.write(cache, items, name="small", parts=("t2t",))
    page = whole(visit("teach", series="mine"))
    assert not page.exception
    html = html_of(page)
    assert "60 triplets" in html or "triplets" in html
    assert "How far from equivariant" not in html
    assert page.session_state["protocol"] == "triplet"


@pytest.mark.slow
def test_without_a_series_it_says_how_to_have_one(cache: Path, visit: Visit) -> None:
    writer.write_run(cache, results.world(60), "a" * 16, ["itc"], model=BASE, name="small")
    page = visit("teach")
    assert not page.exception
    assert "No two checkpoints of one training are here" in html_of(page)
    assert "--series my-training" in html_of(page)


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_the_taught_models_are_taken_over_by_one_button(visit: Visit) -> None:
    page = visit("teach")
    assert not page.exception
    assert page.session_state["series"] == "clip-relational"
    page.button(key="changed-take").click().run()
    assert not page.exception
    assert page.session_state["series"] == "clip-eqsim"
    html = html_of(page)
    assert "than clip-plain, the same 300 steps without its method" in html
    assert "2,250 quads" in html
    whole(page)
    assert not [button for button in page.button if button.key == "changed-take"]
    assert any(button.label.startswith("Score it") for button in page.button)  # retrieval does not ship
    assert PLAIN not in html


@pytest.mark.slow
def test_what_is_missing_is_scored_by_the_words_of_its_own_run(
    cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(cache)
    started: list[tuple[str, list[str], str]] = []
    monkeypatch.setattr("backend.live.jobs.jobs.start", lambda verb, words, title: started.append((verb, words, title)))
    page = whole(visit("teach", series="mine"))
    assert not page.exception
    html = html_of(page)
    assert "Reasons of triplets and reasons of choices of small: not measured" in html
    button = next(button for button in page.button if button.label.startswith("Score it"))
    button.click().run()
    assert not page.exception
    assert [(verb, words[1], words[-3:]) for verb, words, _ in started] == [
        ("run", model, ["--counterfactual", "16", "--json"]) for model in (BASE, TAUGHT, PLAIN)
    ]
    assert all(title.startswith("Teach, what changed: ") for _, _, title in started)
