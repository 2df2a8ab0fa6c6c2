"""Compare without a browser: what it answers, and what its address says."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend import called, written
from backend.store.build.reader import open_store
from backend.store.compare.compare import Side, rates, shared
from backend.store.failures import selections
from backend.store.queries import Setting
from pages.compare.opening import DEBIASED
from pages.shared.data import picked_set, stored
from pages.shared.frame.alpha import Taken
from pages.shared.frame.plain import plain
from tests.pages import results
from tests.pages.opening import opened, unfolded


def html_of(page: AppTest) -> str:
    return " ".join(str(getattr(block.proto, "body", "")) for block in page.get("html"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_compare_answers_and_its_address_reopens(visit: Callable[..., AppTest]) -> None:
    page = visit("compare", a=f"itc {results.WEAK}", b=f"itc {results.STRONG}", by="subset", metric="group_score")
    assert not page.exception
    said = html_of(page)
    assert " beats " in said
    assert "Checkpoints as curves" not in [box.label for box in page.expander], "no run names a step"
    assert page.session_state["by"] == "subset"
    assert page.query_params["metric"] in ("group_score", ["group_score"])
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="0.5")
    assert not page.exception
    assert "α = 0.5" in html_of(page)
    page = visit("compare", a=f"itc {results.STRONG}", b=f"t2t {results.STRONG}")
    assert "no verdict in common" in html_of(page)
    more = f"t2t {results.STRONG}"
    page = visit("compare", a=f"itc {results.WEAK}", b=f"itc {results.STRONG}", more=more)
    assert "no verdict in common" in html_of(page)
    assert re.search(r"Without [^.]*strong · t2t the others share [\d,]+ verdicts?\.", html_of(page))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_becoming_what_b_is_swaps_the_two(visit: Callable[..., AppTest]) -> None:
    """Failed before: B became whatever stands first, without having been touched."""
    weak, strong, other = f"itc {results.WEAK}", f"itc {results.STRONG}", f"t2t {results.STRONG}"
    for pair in ((weak, strong), (strong, weak), (weak, other), (other, weak)):
        page = visit("compare", a=pair[0], b=pair[1])
        page.selectbox(key="a").set_value(pair[1]).run()
        assert not page.exception
        assert (page.selectbox(key="a").value, page.selectbox(key="b").value) == (pair[1], pair[0])
        assert not page.toast
    page = visit("compare", a=strong, b=weak)
    page.selectbox(key="a").set_value(other).run()
    assert (page.selectbox(key="a").value, page.selectbox(key="b").value) == (other, weak)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_was_picked_among_the_margins_reopens_from_its_address(visit: Callable[..., AppTest]) -> None:
    sides_ = {"a": f"itc {results.WEAK}", "b": f"itc {results.STRONG}"}
    benchmark = stored.chosen()["small"]
    runs = [benchmark.runs[name] for name in (results.WEAK, results.STRONG)]
    found = shared(open_store(), [Side(run, Setting("itc")) for run in runs])
    ids = list(dict.fromkeys(found.frame["item_id"]))[3:8]
    kept = selections.keep(benchmark.hash, [*ids, "not/compared"], "a lasso")
    page = visit("compare", **sides_, picked=kept.key)
    assert not page.exception
    assert [each.value for each in page.markdown if "selected" in each.value] == [
        "**5 selected** of 6 picked items; the others are not compared here"
    ]
    assert page.query_params["picked"] in (kept.key, [kept.key])
    page.button(key="compare-let-go").click().run()
    assert not any("selected" in each.value for each in page.markdown)
    assert "picked" not in page.query_params
    page = visit("compare", **sides_, picked="no-such-set")
    assert not page.exception
    assert not any("selected" in each.value for each in page.markdown)
    (told,) = [toast.value for toast in page.toast]
    assert told == plain(picked_set.gone("no-such-set", False, "small"))
    assert "picked" not in page.query_params


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_a_link_asks_for_in_vain_is_said(visit: Callable[..., AppTest]) -> None:
    """An α without a side, a side twice: all of it was dropped without a word, or called unknown."""
    weak, strong = f"itc {results.WEAK}", f"itc {results.STRONG}"
    page = visit("compare", a=weak, b=strong, alpha="0.5")
    assert [toast.value for toast in page.toast] == [
        plain(
            "The link asks for alpha = 0.5, which no side here uses: only “gen, prior taken away” is judged under an α."
        )
    ]
    assert "alpha" not in page.query_params, "what no side uses stood in the address for good"
    page = visit("compare", a=weak, b=weak)
    (told,) = [toast.value for toast in page.toast]
    assert "with itself" in told
    assert page.session_state["a"] == weak != page.session_state["b"]
    page = visit("compare", a=weak, b=strong, more=strong)
    (told,) = [toast.value for toast in page.toast]
    assert "as A or B and once more" in told
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="0.5")
    assert not page.toast, "a side is judged by it"
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="7")
    assert [toast.value for toast in page.toast] == [
        plain("The link asks for alpha = 7, which goes from 0.001 to 2 here: it stands at 2.")
    ]
    assert page.session_state["alpha"] == 2
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="nan")
    (told,) = [toast.value for toast in page.toast]
    assert "alpha “nan”" in told
    page = visit("compare", a=weak, b=strong, prior="noise:3")
    (told,) = [toast.value for toast in page.toast]
    assert plain("prior = noise:3, which no side here uses") in told, "it was called unknown, too"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_sides_begin_under_the_alpha_of_all_pages_and_say_where_they_do_not() -> None:
    speaker, strong = results.SPEAKER, results.STRONG
    page = opened("compare")
    page.session_state["_alpha_taken"] = Taken(0.8694, "images:3", "sum")
    page.query_params["a"], page.query_params["b"] = f"itc {strong}", f"gen {speaker}"
    page.run()
    assert not page.exception
    assert page.session_state["b"] == f"{DEBIASED} {speaker}"
    said = html_of(page)
    assert "speaker · gen, α = 0.869, sums" in said
    assert "Not judged at the α of all pages: fake:strong · itc (itc scores have no α)." in said
    assert page.query_params["alpha"] in ("0.8694", ["0.8694"])
    sides = page.session_state["b"], page.selectbox(key="prior").value, page.selectbox(key="norm").value
    assert sides == (f"{DEBIASED} {speaker}", "images:3", "sum")
    of = [Side("1" * 16, Setting("itc")), Side("3" * 16, Setting("gen", 0.8694, "images:3", "sum"))]
    stored = rates(shared(open_store(), of))  # what the sentence says is what the store has under it
    for value, n in zip(stored["value"].tolist(), stored["n"].tolist(), strict=True):
        assert written.percent(value, n) in said
    page.selectbox(key="b").set_value(f"gen {speaker}").run()
    assert page.session_state["b"] == f"gen {speaker}", "what is chosen by hand stays"
    assert "speaker · gen (α = 0, as chosen here)" in html_of(page)
    assert not {"alpha", "prior", "norm"} & {*page.query_params}, "no side uses them"
    page.selectbox(key="b").set_value(f"{DEBIASED} {speaker}").run()
    sides = page.slider(key="alpha").value, page.selectbox(key="prior").value, page.selectbox(key="norm").value
    assert sides == (0.8694, "images:3", "sum"), "they come back with the side"
    assert page.query_params["alpha"] in ("0.8694", ["0.8694"])
    page.button(key="alpha-back").click().run()
    assert page.session_state["b"] == f"gen {speaker}", "given back on every page"
    assert "Not judged" not in html_of(page)


@pytest.mark.usefixtures("nothing_shipped", "flipside_cache")
@pytest.mark.parametrize("name", ["compare", "teach"])
def test_without_results_the_pages_say_what_to_do(name: str, visit: Callable[..., AppTest]) -> None:
    page = visit(name)
    assert not page.exception
    assert f"{called.on_pages()} run" in html_of(page)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("taken", [None, Taken(0.87, "images:3", "token")])
@pytest.mark.parametrize("came", [results.SPEAKER, results.WEAK, ""])
def test_an_address_opens_the_same_comparison_in_a_session_that_comes_from_nowhere(
    came: str, taken: Taken | None
) -> None:
    page = opened("compare")
    if came:
        page.session_state["model"] = came
        page.session_state["kind"] = "gen" if came == results.SPEAKER else "itc"
    if taken is not None:
        page.session_state["_alpha_taken"] = taken
    page.run()
    assert not page.exception
    sides = page.session_state["a"], page.session_state["b"]
    fresh = opened("compare")
    for key, said in page.query_params.items():
        fresh.query_params[key] = said
    fresh.run()
    assert (fresh.session_state["a"], fresh.session_state["b"]) == sides


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_stands_for_an_unknown_side_throws_out_none_that_is_known(visit: Callable[..., AppTest]) -> None:
    usual = visit("compare").session_state
    first, second = str(usual["a"]), str(usual["b"])

    def sides(**said: str) -> tuple[str, str, list[str], list[str]]:
        page = visit("compare", **said)
        assert not page.exception
        held = page.session_state
        return held["a"], held["b"], list(held["more"]), [toast.value for toast in page.toast]

    a, b, _, told = sides(a="itc nobody", b=first)
    assert a not in ("itc nobody", first)
    assert b == first
    assert len(told) == 1
    assert plain("The link asks for a “itc nobody”, which is not known here: ") in told[0]
    assert plain("stands as A.") in told[0]
    a, b, _, told = sides(b=first)
    assert (b, told) == (first, [])
    assert a != first
    a, b, more, told = sides(a=first, b="itc nobody", more=second)
    assert (a, more) == (first, [second])
    assert b not in (first, second)
    assert len(told) == 1
    assert plain("stands as B.") in told[0]
    a, b, _, told = sides(a="itc nobody", b="itm nobody")
    assert (a, b) == (first, second)
    assert len(told) == 1
    assert sides(a=second, b=first)[:2] == (second, first)
    assert sides(a=first)[:2] == (first, second)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_verdicts_alone_have_neither_margins_nor_reasons(
    flipside: Callable[..., object], tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Failed before: a plane of margins of ±1, cards with +1.00, and a heading over reasons that nobody measured."""
    own = tmp_path / "set.csv"
    own.write_text("id,image,caption,foil_1\n" + "".join(f"{i},{i}.png,a red cube,a blue cube\n" for i in range(6)))
    for name, right in (("one", "110000"), ("two", "011100")):
        said = tmp_path / f"{name}.csv"
        said.write_text("item_id,correct\n" + "".join(f"set/{i},{verdict}\n" for i, verdict in enumerate(right)))
        flipside("add-predictions", said, "--as", name, "--benchmark", "custom", "--data", own)
    page = unfolded(visit("compare", a="verdict predictions:one", b="verdict predictions:two"), "compare-wins")
    assert not page.exception
    assert [box.label for box in page.expander if "margins" in box.label] == []
    said = unescape(html_of(page))
    assert "How far apart the two are on an item is not known: one and two have verdicts without margins." in said
    assert "In the benchmark's order: one and two have verdicts without margins." in said
    assert "What changed reason" not in said
    assert "What changed" in said
    assert "+1.00" not in said
