"""The parts that every page draws: safe, exact, and the same everywhere."""

import re

import numpy as np
import pytest

from pages.shared.drawing import cards, colours, matrix, numbers, tokens, verdicts, words
from pages.try_it import alpha_lines

NASTY = "<script>alert('x')</script> & \"q\""


@pytest.mark.parametrize(
    "html",
    [
        cards.item_card([""], [NASTY, "b"], [NASTY, "2"], [verdicts.chip(NASTY, True)], [verdicts.label(NASTY)]),
        matrix.score_matrix([[1, 2]], [NASTY], [NASTY, "b"], title=NASTY, unit=NASTY, hints=[NASTY, "b"]),
        tokens.token_strip([NASTY], [-1.0], [-2.0], name=NASTY),
    ],
    ids=["card", "matrix", "tokens"],
)  # fmt: skip
def test_what_a_user_typed_stays_text(html: str) -> None:
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert 'title="<' not in html


def test_a_matrix_frames_the_truth_and_marks_strict_winners_only() -> None:
    html = matrix.score_matrix([[0.5, 0.5], [0.1, 0.9]], ["1", "2"], ["a", "b"], {(0, 0), (1, 1)}, title="t")
    assert html.count("fs-truth") == 2
    first, second = html.split("<tr>")[2:]
    assert "→" not in first
    assert second.count("→") == 1
    assert first.count("↓") == second.count("↓") == 1


def test_undefined_cells_are_a_dash_and_no_winner() -> None:
    html = matrix.score_matrix([[np.nan, 1.0]], ["1"], ["a", "b"], title="t")
    assert "fs-undefined" in html
    assert "→" not in html


@pytest.mark.parametrize(
    ("a", "b", "marked"),
    [
        ("a red cube", "a blue cube", ["red"]),
        ("The cat", "the cat", []),
        ("two dogs", "two dogs run", []),
        ("", "x", []),
    ],
)
def test_words_that_differ(a: str, b: str, marked: list[str]) -> None:
    html = words.differences([a, b])[0]
    assert html.count("<mark") == len(marked)
    assert all(f">{word}</mark>" in html for word in marked)


def marks(texts: list[str], base: int = 0) -> list[list[str]]:
    return [re.findall(r'<mark class="fs-diff">(.*?)</mark>', html) for html in words.differences(texts, base)]


def test_a_word_that_both_texts_share_is_marked_in_neither() -> None:
    texts = ["a red circle above a blue square", "a blue circle left of a red square"]
    assert marks(texts) == [["red", "above", "blue"], ["blue", "left", "of", "red"]]
    for one, other in (texts, texts[::-1]):
        left = [re.sub(r"<mark.*?</mark>", "", html).split() for html in words.differences([one, other])]
        assert left[0] == left[1]  # what stays unmarked is the same words in the same order


def test_the_captions_of_a_triplet_are_compared_with_its_negative() -> None:
    start = "the image contains an orange"
    texts = [f"{start} circle", "this picture shows an orange disc", f"{start} star"]
    assert marks(texts, 2) == [["circle"], ["this", "picture", "shows", "disc"], ["star"]]
    assert cards.captions_list(texts, ["P1", "P2", "N"]).count("<mark") == 6
    assert cards.captions_list(texts, ["true", "foil", "foil"]).count("<mark") == 1 + 4 + 1


@pytest.mark.parametrize("correct", [True, False, None])
def test_a_verdict_is_never_colour_alone(correct: bool | None) -> None:
    html = verdicts.chip("clip", correct, 0.1)
    assert any(sign in html for _, sign in colours.VERDICTS.values())
    assert "aria-label" in html


def test_models_keep_their_colours_whatever_else_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colours, "_given", {})  # other tests of this process have shown models of their own
    alone = colours.of_models(["bundled:matcher"])
    together = colours.of_models([*colours.ORDER, "hf:a/b", "hf:c/d"])
    assert together["bundled:matcher"] == alone["bundled:matcher"]
    assert len({together[spec] for spec in colours.ORDER}) == 8
    many = [*colours.ORDER, *(f"hf:maker/model-{k}" for k in range(30))]
    assert len(set(colours.styles(many).values())) == len(many)  # no two share hue and shape
    assert all(colours.styles([spec])[spec] == style for spec, style in colours.styles(many).items())  # on any page
    assert 'class="fs-dot fs-' in colours.dot("hf:maker/model-3")
    named = {
        "st:/data/bge-small/model": "bge-small", "st:/data/bge-small/model#cls": "bge-small#cls",
        "hf:./runs/mine/final/checkpoint": "mine", "lm:~/gpt/": "gpt", "st:/model": "model", "st:/tmp/a/0.2": "0.2",
        "hf:/hub/models--org--mini/snapshots/1110a243fdf4706b3f48f1d95db1a4f5529b4d41": "mini",
        "hf:/runs/mine/checkpoint-500": "mine/checkpoint-500", "fake:strong": "fake:strong",
        "hf:org/model": "hf:org/model", "openclip:RN50/none": "openclip:RN50/none", "openclip:RN50/yfcc": "yfcc",
        "endpoint:https://host/v1#m": "v1#m", "bundled:captioner": "captioner", "hf:a/decade": "decade",
    }  # fmt: skip
    assert {spec: colours.label(spec) for spec in named} == named
    twins = ["st:/x/a/enc/model", "st:/x/b/enc/model", "st:/y/b/enc/model", "hf:/z/enc"]
    assert sorted(colours.labels(twins).values()) == ["a/enc", "x/b/enc", "y/b/enc", "z/enc"]
    assert colours.labels(["st:/a/m/model", "lm:/a/m/model"]) == {s: s for s in ("st:/a/m/model", "lm:/a/m/model")}
    assert colours.labels(["hf:a/x", "hf:b/x"]) == {"hf:a/x": "hf:a/x", "hf:b/x": "hf:b/x"}


@pytest.mark.parametrize("colour", [*colours.CIVIDIS, *colours.DIVERGING])
def test_numbers_can_be_read_on_every_colour(colour: str) -> None:
    assert contrast(colour, colours.ink_on(colour)) >= 4.4


def contrast(a: str, b: str) -> float:
    def luminance(colour: str) -> float:
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (99.96, "100"),
        (0.9999, "1.00"),
        (1e-5, "1.00e−5"),
        (-1234.4, "−1234"),
        (np.nan, "–"),
    ],
)
def test_scores_have_three_digits(value: float, text: str) -> None:
    assert numbers.score(value) == text


@pytest.mark.parametrize("value", [0.0, -0.0, -0.0004, 0.0004])
def test_what_rounds_to_zero_has_no_sign(value: float) -> None:
    assert numbers.fixed(value, 2) == numbers.fixed(value, 2, signed=True) == "0.00"
    assert numbers.score(-0.0, signed=True) == "0.00"


def test_differences_have_a_typographic_sign() -> None:
    assert numbers.fixed(-0.005001, 2, signed=True) == "−0.01"
    assert numbers.fixed(12.34, 1, signed=True) == "+12.3"
    assert numbers.fixed(12.34, 1) == "12.3"


def test_the_alpha_chart_shades_the_exact_interval_and_names_its_ends() -> None:
    lines = [("a over b", -0.5, 2.0)]
    layers = alpha_lines.spec(lines, 0.25, float("inf"), "#0072b2")["layer"]
    assert layers[0]["data"]["values"] == [{"from": 0.25, "to": 1.0}]
    assert layers[-1]["data"]["values"] == [{"alpha": 0.25, "label": "flips at 0.250"}]
    never = alpha_lines.spec(lines, float("inf"), float("-inf"), "#0072b2")
    assert "Infinity" not in str(never)
    assert never["layer"][0]["mark"]["type"] == "line"
