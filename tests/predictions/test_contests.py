"""A verdict as contests of two captions: what it may claim, and what it may not."""

import pytest

from backend.benchmarks.reading.malformed import Malformed
from backend.items import ImageRef, Item, Protocol
from backend.metrics import contests as judged
from backend.metrics.core.evaluate import outcomes
from backend.predictions.claim import About, Place, Verdict
from backend.predictions.contests import contests

PLACE = Place("f.csv", 2)


def item(protocol: Protocol, *texts: str) -> Item:
    images = tuple(ImageRef(name, "") for name in ("a.png", "b.png")[: 2 if protocol is Protocol.QUAD else 1])
    return Item("s/1", "s", protocol, images, texts, ((0, 0),))


def said(**more) -> Verdict:
    return Verdict(About(("s/1",)), PLACE, **more)


CHOICE = item(Protocol.CHOICE, "true", "first foil", "second foil")


@pytest.mark.parametrize(
    ("verdict", "shares", "correct", "tie"),
    [
        ({"right": True}, [1, 1], True, False),
        ({"right": False}, [0, 0], False, False),
        ({"chosen": "true"}, [1, 1], True, False),
        ({"chosen": " true "}, [1, 1], True, False),
        ({"chosen": 2}, [0.5, 0], False, False),
        ({"chosen": "1"}, [0, 0.5], False, False),
        ({"chosen": ""}, [0.5, 0.5], False, True),
        ({"chosen": "", "right": False}, [0.5, 0.5], False, True),
    ],
)
def test_choices(verdict, shares, correct, tie):
    found = contests(CHOICE, said(**verdict))
    assert [(one.image, one.text, one.other, one.share) for one in found] == [
        (0, 0, foil, share) for foil, share in zip((1, 2), shares, strict=True)
    ]
    scores = judged.as_scores(Protocol.CHOICE, [[one.share for one in found]])
    accuracy = outcomes(Protocol.CHOICE, "verdict", scores)["accuracy"]
    assert (accuracy.correct[0], accuracy.ties[0]) == (correct, tie)


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        ({}, "says neither what was chosen nor whether it was right"),
        ({"chosen": "another"}, "is none of the item's captions: 'another'"),
        ({"chosen": 3}, "text 3 was chosen, but the item has 3"),
        ({"chosen": "true", "right": False}, "is said to be wrong, but what was chosen is right"),
        ({"chosen": "first foil", "right": True}, "is said to be right, but what was chosen is not"),
        ({"chosen": "", "right": True}, "is said to be right, but what was chosen is not"),
    ],
)
def test_what_contradicts_itself_is_refused(verdict, says):
    with pytest.raises(Malformed, match=says):
        contests(CHOICE, said(**verdict))


def test_captions_that_a_file_repeats_must_be_the_items():
    with pytest.raises(Malformed, match="has other captions than 'older wording'"):
        contests(CHOICE, Verdict(About(("s/1",), caption="older wording"), PLACE, right=True))


def test_triplets_are_judged_as_a_whole_or_by_the_negative():
    triplet = item(Protocol.TRIPLET, "one", "uno", "two")
    assert [one.share for one in contests(triplet, said(right=True))] == [1, 1]
    assert [one.share for one in contests(triplet, said(right=False))] == [0, 0]
    assert [(one.text, one.other, one.share) for one in contests(triplet, said(chosen="two"))] == [(0, 2, 0), (1, 2, 0)]
    assert [one.share for one in contests(triplet, said(chosen=""))] == [0.5, 0.5]
    with pytest.raises(Malformed, match="says nothing about the other"):
        contests(triplet, said(chosen="uno"))


def test_quads_are_judged_by_their_text_score_or_image_by_image():
    quad = item(Protocol.QUAD, "left", "right")

    def text_score(*found) -> bool:
        shares = {one.image: one.share for one in found}
        scores = judged.as_scores(Protocol.QUAD, [[shares[0], shares[1]]])
        return bool(outcomes(Protocol.QUAD, "verdict", scores)["text_score"].correct[0])

    assert text_score(*contests(quad, said(right=True, side="text_score")))
    assert not text_score(*contests(quad, said(right=False, side="text_score")))
    first, second = (contests(quad, said(chosen=text, image_index=k)) for k, text in ((0, "left"), (1, "right")))
    assert text_score(*first, *second)
    assert not text_score(*first, *contests(quad, said(right=False, image_index=1)))
    assert [one.share for one in contests(quad, said(chosen="", image_index=1))] == [0.5]
    with pytest.raises(Malformed, match="a choice between images, and with it the image and the group score"):
        contests(quad, said(right=True))
    with pytest.raises(Malformed, match="a quad has no image 2"):
        contests(quad, said(right=True, image_index=2))


def test_pools_have_no_verdicts():
    with pytest.raises(Malformed, match="a retrieval item has no verdicts; give scores"):
        contests(item(Protocol.RETRIEVAL, "one"), said(right=True))


def test_answers_say_what_is_needed_instead_of_a_yes_or_no():
    with pytest.raises(Malformed, match=r"value with --kind vqa .for answers alone 1 for yes and -1 for no"):
        contests(item(Protocol.ANSWERS, "one"), said(right=True))
