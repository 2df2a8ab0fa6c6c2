"""A lasso through an address: the browser and Python find the same dots; what the panel and the labels say of them."""

import json

import numpy as np
import pytest

from backend.metrics.enrichment import contrast
from backend.metrics.near_errors import NearErrors
from backend.store.enrichment.clumps import Clump, Clumps
from backend.store.enrichment.traits import Told, Trait
from backend.store.failures import selections
from pages.embeddings import labels, lasso, method, panel, selection, view
from pages.embeddings.scatter import Picked, _picked
from pages.embeddings.selection import Selection
from pages.shared.frame import address
from tests.pages.embeddings.test_embeddings import points
from tests.pages.scripts import Script


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("embeddings/scatter.js")


def test_a_drawn_lasso_has_few_corners_and_picks_the_same_in_both_languages(script: Script) -> None:
    rng = np.random.default_rng(0)
    places = rng.integers(0, 65536, (3000, 2), dtype=np.uint16)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        angle = np.linspace(0, 2 * np.pi, 300)
        reach = 0.3 + 0.15 * np.sin(rng.integers(2, 6) * angle) + 0.01 * rng.normal(size=300)
        drawn = np.stack([300 + 900 * reach * np.cos(angle), 300 + 900 * reach * np.sin(angle)], axis=1)
        simple = script("simple(a)", drawn.tolist())
        assert 3 <= len(simple) <= 24
        said = script("spelt(a)", (np.array(simple) / 600).tolist())
        assert len(f"a0{said}") <= 200  # what a field of an address holds
        found = lasso.read(f"a0{said}")
        assert found is not None
        np.testing.assert_array_equal(found.points, script("corners(a)", said))
        np.testing.assert_allclose(found.points, np.clip(np.array(simple) / 600, -1, 2), atol=3 / 65535)
        ours = lasso.contents(found, [places], 1000)
        theirs = script(
            "a.map(([x, y], i) => (inside(x / STEPS, y / STEPS, corners(b)) ? i : -1)).filter((i) => i >= 0)",
            places.tolist(), said,
        )  # fmt: skip
        assert ours.tolist() == theirs
        assert 0 < len(ours) < 3000
        images, captions = (lasso.contents(lasso.Lasso(t, 0, found.points), [places], 1000) for t in "it")
        assert images.tolist() == [k for k in theirs if k < 1000]
        assert captions.tolist() == [k for k in theirs if k >= 1000]
        assert lasso.contents(lasso.Lasso("a", 1, found.points), [places], 1000).tolist() == []


@pytest.mark.parametrize(
    "bad", ["", "a0", "x0" + "0" * 24, "a2" + "0" * 24, "a0" + "0" * 23, "a0" + "0" * 208, "<b>", "c1234"]
)
def test_what_is_no_lasso_is_none(bad: str) -> None:
    assert lasso.read(bad) is None
    assert lasso.clump_of(bad) is None


def test_what_a_browser_sends_is_read_with_care() -> None:
    assert _picked({"contents": [1, "x", 2.0], "lasso": "c1"}) == Picked([1, 2], "c1")
    assert _picked({"contents": "all"}) is None
    assert _picked([1, 2]) is None
    assert len(_picked({"contents": [], "lasso": "a" * 999}).lasso) == 200


@pytest.mark.usefixtures("flipside_cache")
def test_a_selection_is_read_back_from_what_the_address_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, str] = {}
    monkeypatch.setattr(selection.st, "session_state", state)
    monkeypatch.setattr(address, "note", lambda key, value, default: state.__setitem__(key, value))
    monkeypatch.setattr(address, "end", lambda: None)
    of = points()
    places = [np.array([[0, 0], [60000, 0], [0, 60000], [30000, 30000], [60000, 60000]], dtype=np.uint16)]
    benchmark = type("Benchmark", (), {"hash": "h"})()
    around = "".join(f"{round((v + 1) / 3 * 65535):04x}" for v in (-0.1, -0.1, 0.1, -0.1, 0.1, 1.1, -0.1, 1.1))
    assert selection.read(of, places, []) is None
    for takes, expected in (("a", [0, 2]), ("i", [0]), ("t", [2])):
        selection.keep(benchmark, of, Picked(expected, f"{takes}0{around}"), "a lasso")
        found = selection.read(of, places, [])
        assert found.contents.tolist() == expected
        assert found.lasso == f"{takes}0{around}"
        assert found.items == (["s/1"] if takes == "i" else ["s/1", "s/2"])
        assert list(selections.find(state["set"]).item_ids) == found.items
    assert found.said(of) == "1 caption of 2 items"
    # On another map these corners hold other dots: the items count, and the lasso is not drawn.
    other = selection.read(of, [65535 - places[0]], [])
    assert other.lasso == ""
    assert other.items == ["s/1", "s/2"]
    # Failed before: a lasso of images alone had counted and lit captions, too, once the map was another.
    selection.keep(benchmark, of, Picked([0], f"i0{around}"), "a lasso")
    images = selection.read(of, [65535 - places[0]], [])
    assert (images.contents.tolist(), images.items, images.lasso) == ([0], ["s/1"], "")
    clump = Clump(np.array([1, 4]), (0.0, 0.0), 1, [], None)
    selection.keep(benchmark, of, Picked([1, 4], "c0"), "a clump")
    found = selection.read(of, places, [clump])
    assert (found.clump, found.items, found.lasso) == (0, ["s/2"], "")
    gone = selection.read(of, places, [])  # the clump is not there: its items are
    assert (gone.clump, gone.items) == (None, ["s/2"])
    state["pin"] = "text:0:s/1"
    selection.keep(benchmark, of, Picked([1], "c0"), "a clump")
    assert state["pin"]  # one may pin a dot of what is picked
    selection.keep(benchmark, of, Picked([], ""), "a lasso")
    assert selection.read(of, places, []) is None
    assert state["pin"] == ""  # Clear lets go of both
    selection.keep(benchmark, of, Picked([0, 99, -3], "<script>"), "a lasso")
    assert state["lasso"] == ""
    assert selection.read(of, places, []).items == ["s/1"]


def told(found: bool = True, errors: bool = True, sure: bool = True) -> Told:
    trait = (Trait("word", "<b>little"), contrast(17, 31, 45, 419, 1e-7, 5e-6))
    wrong = contrast(25, 31, 163, 419, 1e-6, 1e-4 if sure else 0.4)
    return Told([trait] if found else [], wrong if errors else None, 54, 31, 419)


def test_the_panel_names_whose_verdicts_it_tells() -> None:
    for each in (told(), told(sure=False)):
        assert "by the verdicts of another, 39 % elsewhere" in panel._errors(each, "another")
        assert "by the verdicts" not in panel._errors(each)


def test_the_share_of_wrong_items_names_a_metric_that_failures_has_not() -> None:
    """Failed before: "25 % wrong" of 40 items stood beside a button that opens 3, by one direction alone."""
    pool = panel._errors(told(), "", "recall_at_1")
    assert " wrong</b> by R@1, images and captions, 39 % elsewhere" in pool
    assert "by R@1, images and captions, by the verdicts of b, " in panel._errors(told(), "b", "recall_at_1")
    assert " by " not in panel._errors(told(), "", "accuracy").partition("wrong")[2]


def test_the_panel_says_what_holds_and_nothing_else() -> None:
    said = panel._errors(told()) + panel._found(told())
    assert "81 %" in said
    assert "39 % elsewhere" in said
    assert "&lt;b&gt;little" in said
    assert "5.1×" in said
    assert "17 of 31 items here, 45 of 419 elsewhere; Fisher’s exact test, p after Holm’s correction over 54" in said
    assert "not told from chance" in panel._errors(told(sure=False))
    assert "fs-worse" not in panel._errors(told(sure=False))
    assert panel._errors(told(errors=False)) == ""
    assert "no rest to compare with" in panel._found(Told([], None, 54, 31, 0))
    nothing = panel._found(told(found=False, sure=False))
    assert "Nothing beyond chance (54 tested)." in nothing
    assert "No word, concept or reason beyond chance (54 tested)." in panel._found(told(found=False))


@pytest.mark.parametrize(("colour", "clump", "expected"), [
    ("outcome", None, "errors and reasons look surer"), ("reason", None, "errors and reasons look surer"),
    ("concept", None, "what these show looks surer"), ("outcome", 3, "found by place alone"),
])  # fmt: skip
def test_choosing_by_eye_is_said(colour: str, clump: int | None, expected: str) -> None:
    chosen = Selection(np.array([0]), ["s/1"], "", clump)
    choice = type("Choice", (), {"colour": colour})()
    assert expected in panel._caveat(chosen, told(), choice)
    assert "Items are counted, not dots; 54 tests" in panel._caveat(chosen, told(), choice)


def clumps() -> Clumps:
    surest = Clump(np.array([0, 2]), (0.0, 0.0), 31, told().found, None)
    failing = Clump(
        np.array([1]), (1.0, 1.0), 31, [(Trait("word", "an"), contrast(9, 31, 9, 419, 1e-4, 0.01))], told().errors
    )
    silent = Clump(np.array([3]), (2.0, 2.0), 5, [], None)
    return Clumps([surest, silent, failing], 99, 0.01)


def test_labels_are_of_clumps_that_hold_and_failing_ones_lead() -> None:
    found = clumps()
    assert labels.ranked(found) == [2, 0]
    assert labels.name_of(found.each[0]) == "<b>little"
    assert labels.name_of(found.each[2]) == ""  # an article alone names nothing
    # Failed before: "81 % wrong" beside a clump in which a lasso took the dots of other clumps, too.
    assert labels.wrong_of(found.each[2]) == "81 % of 31 items wrong"
    few = Clump(np.array([1]), (0.0, 0.0), 6, [], contrast(5, 6, 20, 400, 1e-4, 0.01))
    assert labels.wrong_of(few) == "5 of 6 items wrong"
    assert [labels.sort_of(c, 2) for c in found.each] == ["images and captions", "captions", "images"]
    places = np.array([[0, 0], [65535, 65535], [65535, 0], [9, 9]], dtype=np.uint16)
    shown = labels.on_the_map(found, places, 2)
    assert [(each["k"], each["at"]) for each in shown] == [(2, [1.0, 1.0]), (0, [0.5, 0.0])]
    assert [each["name"] for each in shown] == ["images", "<b>little"]
    assert shown[0]["worse"]
    # Failed before: "an: 9 of 31 items here", too.
    assert shown[0]["lines"] == ["wrong: 25 of 31 items here, 163 of 419 elsewhere, p\u00a0<\u00a0.001"]
    json.dumps(shown)


def test_no_two_clumps_are_called_the_same_and_each_is_listed() -> None:
    """Failed before: "pink" stood twice, and seven were listed with "11 more on the map", which had room for fewer."""
    pink, round_ = ((Trait("word", word), contrast(17, 31, 45, 419, 1e-7, 5e-6)) for word in ("pink", "round"))
    both = [pink, (Trait("word", "red"), pink[1])]
    each = [
        Clump(np.array([0]), (0.0, 0.0), 31, [pink], None), Clump(np.array([2]), (0.0, 0.0), 31, [pink], None),
        Clump(np.array([3]), (0.0, 0.0), 31, both, None), Clump(np.array([4]), (0.0, 0.0), 31, [*both, round_], None),
        Clump(np.array([1]), (0.0, 0.0), 31, [round_], None), Clump(np.array([1]), (0.0, 0.0), 31, [round_], None),
    ]  # fmt: skip
    assert list(labels.names(Clumps(each, 9, None), 2).values()) == [
        "pink, images", "pink, captions", "pink · red", "pink · red · round", "round", "round (2)",
    ]  # fmt: skip


def test_fewer_errors_are_no_tick_and_no_green() -> None:
    fewer = Told([], contrast(10, 30, 220, 420, 1e-3, 0.01), 5, 30, 420)
    assert panel._errors(fewer).startswith('<p class="fs-over-wrong"><b><')
    assert "wrong</b>, fewer than elsewhere (52 %)" in panel._errors(fewer)
    assert "✓" not in panel._errors(fewer)


@pytest.mark.parametrize(("dots", "laid", "expected"), [
    ([[100, 100]], [], "beside"), ([[100, 100]], [[0, 0, 400, 400]], "none"), ([[-50, 100]], [], "none"),
])  # fmt: skip
def test_a_label_stands_where_it_hides_fewest_dots(
    script: Script, dots: list[list[int]], laid: list[list[int]], expected: str
) -> None:
    """Failed before: over the middle of its clump, whose dots it hid."""
    around = [[x + dx, y + dy] for x, y in dots for dx in (-20, 0, 20) for dy in (-8, 0, 8)]
    found = script("placed([60, 20], a, a, b, [400, 400])", around, laid)
    assert (found is None) == (expected == "none")
    if found:
        left, top = found
        assert not [1 for x, y in around if left <= x <= left + 60 and top <= y <= top + 20]


def test_a_lasso_round_nothing_that_it_takes_says_so(script: Script) -> None:
    assert script("nothing(a)", "i") == "No image lies inside: the lasso takes images alone; for captions choose ●▲."
    assert script("nothing(a)", "t").startswith("No caption lies inside: the lasso takes captions alone")


def test_what_is_picked_can_be_copied_with_its_numbers() -> None:
    said = view.selection_to_copy(told(), "60 captions of 31 items", "a lasso", ["UMAP"], ["m"], ("itc", "w"))
    assert said.startswith("Of 60 captions of 31 items in a lasso on the UMAP under m 80.6 % [")
    assert "are wrong, against 38.9 % of the other items; more frequent than in the rest: " in said
    assert "Fisher's exact test; 54 tests corrected by Holm, chosen by eye; itc; w)." in said
    alone = view.selection_to_copy(told(False, False), "2 images of 2 items", "a clump", ["PCA"], ["m"], ())
    assert alone == (
        "Among 2 images of 2 items in a clump on the PCA under m: nothing tested is more frequent than in the rest "
        "(n = 31 items; 54 tests corrected by Holm)."
    )


@pytest.mark.parametrize(("share", "p", "expected"), [
    (0.58, 0.002, "Wrong items lie together"), (0.2, 0.01, "Wrong items lie apart from each other"),
    (0.45, 0.3, "Wrong items are not seen to lie together"),
])  # fmt: skip
def test_the_line_claims_only_what_is_beyond_chance(share: float, p: float, expected: str) -> None:
    said = method.near_line(NearErrors(share, share - 0.05, share + 0.05, 0.41, p, 187, 5), "caption")
    assert said.startswith(expected)
    assert "by chance it would be 41 %" in said
    assert 'data-facts="187 items' in said
