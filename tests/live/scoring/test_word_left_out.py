"""Leave one word out: equal to scoring the shortened text by itself."""

import numpy as np
import pytest
from scipy.special import logit

from backend.errors import UsageError
from backend.images import open_image
from backend.items import Kind
from backend.live.scoring.examples import BY_NAME
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import score
from backend.live.scoring.word_left_out import Effect, WordsOut, leave_one_out, partners, words

IMAGE = open_image(BY_NAME["binding"].images[0])
TEXT, OTHER = BY_NAME["binding"].texts


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        ("a red cube", ["red cube", "a cube", "a red"]),
        ("a red, round ball.", ["red, round ball.", "a, round ball.", "a red, ball.", "a red, round."]),
        ("two cats (one black)", ["cats (one black)", "two (one black)", "two cats (black)", "two cats (one)"]),
        ("the dog's T-shirt", ["dog's T-shirt", "the T-shirt", "the dog's"]),
        ("No! No!", ["! No!", "No!!"]),
        ("cube", [""]),
        ("(cube)", [""]),
        ("...", []),
        ("ein roter Würfel", ["roter Würfel", "ein Würfel", "ein roter"]),
    ],
)
def test_what_is_removed_and_what_is_kept(text: str, rests: list[str]) -> None:
    found = words(text)
    assert [word.rest for word in found] == rests
    assert [text[word.start : word.end] for word in found] == [word.text for word in found]


def test_partners_are_the_same_word_in_the_same_place() -> None:
    ours, theirs = words("A red cube on a blue ball"), words("a blue cube on a red ball")
    assert partners(ours, theirs) == [0, None, 2, 3, 4, None, 6]
    assert partners(ours, []) == [None] * 7


def effects(found: WordsOut) -> dict[str, Effect]:
    assert not found.problem
    return {effect.kind: effect for effect in found.effects}


def test_every_kind_equals_direct_scoring_of_the_shortened_text() -> None:
    pool = Pool()
    found = effects(leave_one_out(pool, "fake:ok", IMAGE, TEXT, OTHER, "noise:3"))
    assert set(found) == {Kind.ITC, Kind.ITM, Kind.VQA, Kind.GEN, Kind.T2T, Kind.PRIOR}
    priors = [score(pool, "fake:ok", [IMAGE], [word.rest], "noise:3").prior for word in words(TEXT)]
    with pool.use("fake:ok") as model:
        for k, word in enumerate(words(TEXT)):
            direct = {
                Kind.ITC: float(model.pair_cosines([IMAGE], [word.rest])[0]),
                Kind.ITM: logit(float(model.itm([IMAGE], [word.rest])[0])),
                Kind.VQA: logit(float(model.vqa([IMAGE], [word.rest])[0])),
                Kind.GEN: float(model.caption_logprobs([IMAGE], [word.rest])[0][1].mean()),
                Kind.T2T: float(model.encode_texts([word.rest])[0] @ model.encode_texts([OTHER])[0]),
                Kind.PRIOR: priors[k][0],  # type: ignore[index]
            }
            for kind, value in direct.items():
                assert found[kind].without[k] == pytest.approx(value, abs=1e-5), (kind, word)
                assert found[kind].drop[k] == pytest.approx(found[kind].full - value, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["bundled:clip", "bundled:matcher", "bundled:captioner", "bundled:lm"])
def test_bundled_models_score_the_shortened_text_as_if_it_stood_alone(spec: str) -> None:
    pool = Pool()
    found = effects(leave_one_out(pool, spec, IMAGE, TEXT, OTHER, "noise:3"))
    found.pop(Kind.T2T, None)
    assert found
    for k, word in enumerate(words(TEXT)):
        alone = score(pool, spec, [IMAGE], [word.rest], "noise:3")
        for kind, effect in found.items():
            if kind == Kind.PRIOR:
                assert alone.prior is not None
                value = alone.prior[0]
            else:
                value = alone.judged(kind)[0, 0]
            assert effect.without[k] == pytest.approx(value, abs=1e-4), (kind, word)


def test_margins_here_and_in_both() -> None:
    pool = Pool()
    effect = effects(leave_one_out(pool, "fake:ok/itm", IMAGE, TEXT, OTHER, "noise:3"))[Kind.ITM]
    with pool.use("fake:ok/itm") as model:

        def ask(text: str) -> float:
            return float(model.itm_logits([IMAGE], [text])[0])

        ours, theirs = words(TEXT), words(OTHER)
        assert effect.margin == pytest.approx(ask(TEXT) - ask(OTHER))
        for k, j in enumerate(partners(ours, theirs)):
            assert effect.margin_here[k] == pytest.approx(ask(ours[k].rest) - ask(OTHER))
            assert effect.margin - effect.margin_here[k] == pytest.approx(effect.drop[k])
            if j is None:
                assert np.isnan(effect.margin_both[k])
            else:
                assert effect.margin_both[k] == pytest.approx(ask(ours[k].rest) - ask(theirs[j].rest))


def test_without_another_caption_there_is_no_margin_and_no_t2t() -> None:
    found = effects(leave_one_out(Pool(), "fake:ok/itc,t2t", IMAGE, TEXT, None, "noise:3"))
    assert set(found) == {Kind.ITC}
    assert np.isnan(found[Kind.ITC].margin)
    assert np.isnan(found[Kind.ITC].margin_both).all()


def test_a_caption_of_one_word_has_nothing_without_it() -> None:
    effect = effects(leave_one_out(Pool(), "fake:ok/itm", IMAGE, "circle", OTHER, "noise:3"))[Kind.ITM]
    assert np.isnan(effect.without).all()
    assert np.isfinite(effect.full)


@pytest.mark.parametrize("text", ["…", " ".join(["a"] * 25)])
def test_no_word_and_too_many_words_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="takes 1 to 24"):
        leave_one_out(Pool(), "fake:ok", IMAGE, text, None, "noise:3")


def test_a_failing_model_says_why() -> None:
    assert "on purpose" in leave_one_out(Pool(), "fake:raise", IMAGE, TEXT, OTHER, "noise:3").problem
