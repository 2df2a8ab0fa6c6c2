"""Try it, Why: the view models, and the panels without a browser."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.images import open_image
from backend.live.scoring.examples import BY_NAME
from backend.live.scoring.occlusion import Grid
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import Tokens, score
from backend.live.scoring.word_left_out import leave_one_out
from pages.shared.data.token_words import lined_up, words_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import score as number
from pages.try_it import explain, occlusion, occlusion_map, words
from pages.try_it import tokens as try_tokens
from pages.try_it.occlusion_map import Map

TRAP = BY_NAME["prior-trap"]
IMAGE = open_image(TRAP.images[0])
TABLE = '<table class="fs-wordsout">'


@pytest.mark.parametrize(
    ("tokens", "text", "groups"),
    [
        (["a", "red", "cube", "[EOS]"], "a red cube", [[0], [1], [2], [3]]),
        (["▁A", "▁tea", "pot", "."], "A teapot.", [[0], [1, 2], [3]]),
        (["Ġtwo", "Ġcat", "s", "<|end|>"], "two cats", [[0], [1, 2], [3]]),
        (["un", "##believ", "##able", "[SEP]"], "Unbelievable", [[0, 1, 2], [3]]),
        (["a</w>", "t", "-shirt</w>"], "a t-shirt", [[0], [1], [2]]),
        (["Ã¼", "ber"], "über", [[0], [1]]),
        ([], "", []),
    ],
)
def test_tokens_are_put_together_to_words(tokens: list[str], text: str, groups: list[list[int]]) -> None:
    assert words_of(tokens, text) == groups
    assert sorted(k for group in words_of(tokens, text) for k in group) == list(range(len(tokens)))


def test_words_that_differ_line_up() -> None:
    columns = lined_up(
        ["A", "red", "circle", "and", "a", "blue", "star"], ["a", "blue", "circle", "and", "a", "red", "star"]
    )
    assert [(c.a, c.b) for c in columns] == [(k, k) for k in range(7)]
    one, other = ["two", "small", "cats", "sleep"], ["two", "cats", "sleep", "well"]
    pairs = [(c.a, c.b) for c in lined_up(one, other)]
    assert pairs == [(0, 0), (1, None), (2, 1), (3, 2), (None, 3)]


def test_sums_and_means_are_the_scores_of_the_page() -> None:
    scores = score(Pool(), "fake:ok", [IMAGE], TRAP.texts, "noise:3")
    spec = try_tokens.view(scores, 0, ["true", "foil"], TRAP.texts, 0, 1, 1.0)
    assert scores.prior is not None
    for j, side in enumerate(spec["sides"]):
        tokens = [token for word in side["words"] for token in word["tokens"]]
        assert side["sum"] / side["n"] == pytest.approx(scores.matrices["gen"][0, j])
        assert sum(token["g"] for token in tokens) == pytest.approx(side["sum"])
        assert side["prior"] / side["n"] == pytest.approx(scores.prior[j])
        assert sum(token["p"] for token in tokens) == pytest.approx(side["prior"])
    assert (
        spec["reach"]
        >= max(abs(t["g"] - t["p"]) for s in spec["sides"] for w in s["words"] for t in w["tokens"]) - 0.01
    )


def test_a_prior_with_other_tokens_and_impossible_tokens() -> None:
    given = Tokens(("a", "b"), np.array([-1.0, -np.inf]))
    side = try_tokens.caption("true", "a b", given, None, -2.0)
    assert [token["p"] for word in side["words"] for token in word["tokens"]] == [None, None]
    assert side["words"][1]["tokens"][0]["g"] is None
    assert side["sum"] is None
    assert side["prior"] == -4.0


def test_words_table_says_worth_rest_and_turned_order() -> None:
    found = [leave_one_out(Pool(), "fake:ok/itm,t2t", IMAGE, "a <b>red</b> cube", "a blue cube", "noise:3")]
    names, paint = {"fake:ok/itm,t2t": "ok"}, colours.of_models(["fake:ok/itm,t2t"])
    html = words.table(found, names, paint, words.SCORE)
    assert "<b>red</b>" not in html
    assert html.count('<tr><th scope="row">') == len(found[0].words) + 1  # and the line that states the scales
    effect = next(e for e in found[0].effects if e.kind == "itm")
    assert f"<b>{number(float(effect.drop[0]), signed=True)}</b>" in html
    margins = words.table(found, names, paint, words.HERE)
    assert margins.count("⇄") == ((effect.margin_here > 0) != (effect.margin > 0)).sum()
    assert "text–text" not in margins
    frame = words.frame(found)
    assert (frame["full"] - frame["without"]).tolist() == pytest.approx(frame["drop"].tolist(), nan_ok=True)


def test_maps_share_a_sequential_scale_and_the_difference_is_centred() -> None:
    a, b = np.array([[0.4, -0.1], [0.0, np.nan]]), np.array([[0.2, 0.0], [0.0, np.nan]])
    spec = occlusion_map.view([Map("a", a), Map("b", b), Map("d", a - b, True)], Grid(64, 64, 2), "data:", "cosine")
    assert [(m["low"], m["high"]) for m in spec["maps"]] == [(-0.1, 0.4), (-0.1, 0.4), (-0.2, 0.2)]
    assert spec["maps"][0]["values"] == [0.4, -0.1, 0.0, None]
    assert spec["maps"][0]["says"][3] == "–"
    assert spec["maps"][2]["range"] == "−0.200 … +0.200 cosine"
    empty = occlusion_map.view([Map("a", np.full((2, 2), np.nan))], Grid(64, 64, 2), "data:", "cosine")
    assert "nothing scored yet" in empty["maps"][0]["alt"]


@pytest.mark.parametrize(
    ("layout", "image", "n", "pair"),
    [
        ("quad", 0, 2, (0, 1)),
        ("quad", 1, 2, (1, 0)),
        ("triplet", 0, 3, (0, 2)),
        ("choice", 0, 4, (0, 1)),
        ("grid", 7, 1, (0, 0)),
    ],
)
def test_the_first_pair_is_a_true_caption_and_a_false_one(
    layout: str, image: int, n: int, pair: tuple[int, int]
) -> None:
    assert explain.first_pair(layout, image, n) == pair


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, visit: Callable[..., AppTest]) -> AppTest:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok fake:ok/itc,t2t fake:raise")
    opened = visit("try_it", example="prior-trap")
    return opened.button(key="try-score").click().run()


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.long
def test_nothing_is_computed_before_it_is_opened(page: AppTest) -> None:
    assert not page.exception
    assert "what each score rests on" in html(page)
    assert TABLE not in html(page)
    assert not [box for box in page.selectbox if box.key and "occ" in box.key]


def opened(page: AppTest, panel: str) -> AppTest:
    page.session_state[f"try-why-{panel}"] = True
    return page.run()


@pytest.mark.long
def test_each_panel_opens(page: AppTest) -> None:
    opened(page, "words")
    assert not page.exception
    assert TABLE in html(page)
    assert '<td class="fs-undefined"' not in html(page)
    opened(page, "regions")
    assert not page.exception
    assert [box.key for box in page.selectbox if box.key and box.key.startswith("try-why-occ")]
    assert not page.error
    opened(page, "tokens")
    assert not page.exception


@pytest.mark.long
def test_another_caption_and_none(page: AppTest) -> None:
    opened(page, "words")
    page.selectbox(key="try-why-a-choice-2-0").set_value(1).run()
    assert not page.exception
    assert ">pair<" in html(page)
    page.selectbox(key="try-why-b-choice-2-0-1").set_value(explain.NONE).run()
    assert not page.exception
    assert ">text–text<" not in html(page)
    assert len([control for control in page.get("button_group") if control.key == "try-why-wrd-mode-1"]) == 1


def test_a_caption_too_long_for_leaving_words_out(
    monkeypatch: pytest.MonkeyPatch, visit: Callable[..., AppTest]
) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    page = visit("try_it", i="world:3.crbpGW", t=[" ".join(["red"] * 30), "a blue star"], **{"as": "choice"})
    opened(page.button(key="try-score").click().run(), "words")
    assert not page.exception
    assert any("takes 1 to 24" in error.value for error in page.error)
    assert len(page.error) == 1


def test_offered_scores_are_those_of_images() -> None:
    scores = score(Pool(), "fake:ok", [IMAGE], TRAP.texts, "noise:3")
    assert [kind for _, kind in occlusion.offered([scores])] == ["itc", "itm", "gen", "vqa"]
    assert occlusion.offered([score(Pool(), "fake:ok/t2t", [IMAGE], TRAP.texts, "noise:3")]) == []
