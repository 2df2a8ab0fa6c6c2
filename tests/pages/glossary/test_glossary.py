"""The words of the glossary: their texts, and that every number in their pictures is the store's."""

import re
from pathlib import Path

import numpy as np
import pytest

from backend.store.queries import Setting
from pages.failures.filters import KEYS as FAILURES_KEYS
from pages.glossary import examples, pictures, view
from pages.glossary.words import BY_KEY, WORDS, found
from pages.shared.data import stored
from pages.shared.drawing.numbers import score

ROOT = Path(__file__).resolve().parents[3]


def test_words_come_before_formulas_in_one_to_three_plain_sentences() -> None:
    assert len(BY_KEY) == len(WORDS)
    for word in WORDS:
        assert 1 <= len(re.findall(r"[.:;](?:\s|$)", word.meaning)) <= 4, word.name
        assert not re.search(r"[=<>²√γ]|s\d\d", word.meaning.replace("α = 1", "")), (
            f"{word.name}: no formula in the words"
        )
        assert all((word.formula, word.source)), word.name
        assert re.fullmatch(r"[a-z-]+", word.key)


def test_every_word_has_a_picture_and_a_place_where_it_is_seen() -> None:
    for word in WORDS:
        assert word.picture in pictures.PICTURES, word.name
        said, page = word.seen
        assert said, word.name
        assert (ROOT / "pages" / page / "page.py").is_file(), word.name
        if page == "failures":
            assert set(word.where) <= set(FAILURES_KEYS), word.name


@pytest.mark.parametrize(
    "word", ["holm", "grounded", "quad", "text score", "near miss", "α", "language prior", "foil", "reason", "margin"]
)
def test_an_address_may_name_a_word_as_people_write_it(word: str) -> None:
    assert found(word.upper() if word.isascii() else word) in BY_KEY


def test_an_unknown_word_opens_the_first_one() -> None:
    assert found("<script>") == ""


@pytest.mark.usefixtures("nothing_shipped")
def test_without_the_world_words_stand_without_pictures() -> None:
    said = view.view("quad")
    assert said["open"] == "quad"
    words = said["words"]
    assert isinstance(words, list)
    assert [word["key"] for word in words] == [word.key for word in WORDS]
    assert "<table" not in str(words[0]["html"])


@pytest.mark.long
@pytest.mark.timeout(400)  # what ships is imported first
@pytest.mark.usefixtures("shipped_imported")
def test_every_number_in_the_pictures_is_the_stores() -> None:
    world = stored.chosen()["world"]

    quad = examples.quad()
    assert quad is not None
    frame = stored.deviations(world.runs[quad.model], "itc", "raw")
    (line,) = frame[frame["item_id"] == quad.item].to_dict("records")
    assert quad.scores.ravel().tolist() == pytest.approx([line[key] for key in ("s11", "s12", "s21", "s22")], abs=1e-6)
    assert (2 * (quad.r - quad.c), 4 * quad.c, 4 * quad.r) == pytest.approx(
        (line["v1"], line["v2_text"], line["v2_image"]), abs=1e-6
    )
    assert 0 < quad.gamma <= abs(quad.r)
    outcomes = stored.outcomes(world.runs[quad.model], Setting("itc"))
    own = outcomes[outcomes["item_id"] == quad.item].set_index("metric")["correct"]
    drawn = str(pictures.of("quad"))
    assert all(f"<b>{score(float(value))}</b>" in drawn for value in quad.scores.ravel())
    for name in ("text_score", "image_score", "group_score"):
        assert ("is right ✓" if own[name] else "is wrong ✗") in str(pictures.of(name)), name

    choice = examples.choice()
    assert choice is not None
    for alpha in (0.0, 0.31, 1.0):
        setting = Setting("gen", alpha, choice.source if alpha else None)
        lines = stored.outcomes(world.runs[choice.model], setting)
        (judged,) = lines[(lines["item_id"] == choice.item) & (lines["metric"] == "accuracy")].to_dict("records")
        assert choice.margin(alpha) == pytest.approx(judged["margin"], abs=1e-6)
        assert (choice.margin(alpha) > 0) == judged["correct"]
    assert choice.margin(0.0) <= 0 < choice.margin(min(choice.high, 1.0) - 1e-6)
    assert f"flips at {choice.low:.3f}" in str(pictures.of("alpha"))
    assert score(choice.margin(0.0), signed=True) in str(pictures.of("margin"))

    triplet = examples.triplet()
    assert triplet is not None
    assert triplet.scores[2] >= triplet.scores[:2].min()
    luck = examples.luck()
    assert luck is not None
    own_frame = frame[frame["subset"] == luck.subset]
    gamma = own_frame["s11"] - own_frame["s12"] - own_frame["s21"] + own_frame["s22"]
    assert (luck.above, luck.below, luck.n) == (int((gamma > 1e-9).sum()), int((gamma < -1e-9).sum()), len(gamma))
    rated = examples.rated()
    assert rated is not None
    verdicts = outcomes[(outcomes["subset"] == rated.subset) & (outcomes["metric"] == "group_score")]["correct"]
    assert (rated.value, rated.n) == (pytest.approx(float(np.mean(verdicts))), len(verdicts))
    assert rated.low < rated.value < rated.high

    tested = examples.tested()
    assert tested is not None
    assert tested.p <= tested.holm <= tested.p * tested.tests
    assert f"as one of {tested.tests} tests" in str(pictures.of("holm"))
    grounded = examples.grounded()
    assert grounded is not None
    lines = stored.outcomes(world.runs[grounded.model], Setting("gen"))
    assert lines[(lines["item_id"] == grounded.item) & (lines["metric"] == "accuracy")]["correct"].to_list() == [True]

    for word in WORDS:
        assert pictures.of(word.picture), word.name
