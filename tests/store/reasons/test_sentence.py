"""The sentence on an item: true to its numbers, in plain words, and no claim where nothing is certified."""

import re
from dataclasses import replace

import pytest

from backend.metrics.reasons.names import NAMES, of_group
from backend.store.reasons import sentence
from backend.store.reasons.facts import AlphaFacts, ChoiceFacts, QuadFacts, Unmeasured

NAN, INF = float("nan"), float("inf")
QUAD = QuadFacts(
    "clip", "relation", ("a dog left of a cat", "a dog right of a cat"), 0.04, 0.01, 0.11, False, 0,
    "outvoted_by_image", "outvoted_by_image", 0.02, "cosine", (0.01, 0.02, 0.05),
)  # fmt: skip
CHOICE = ChoiceFacts(
    "captioner", "choice", ("a red cube", "a blue cube", "a green cube"), False, 0.05, 0.03, 0.02, 0.04, 0.5, 16, 15,
    0, 15, "by_bias", "by_bias", NAN, "log-probability a token", False, True, True, (0.1, 0.0, 0.1),
)  # fmt: skip


def text(facts):
    return sentence.said(facts).text


def wrong(**changes):
    """A choice whose foil 1 leads by 0.05, under other images by 0.08."""
    made = replace(CHOICE, m=-0.05, b=-0.08, g=0.03, preferred=1, cell="outvoted", reason="outvoted", q=0.03)
    return replace(made, **changes)


QUADS = {
    "seen, right": (
        {"gamma": 0.12, "cell": "right", "reason": "right", "q": 0.01},
        "Right: clip tells who belongs to whom here; its binding (0.120 cosine) is larger than caption bias "
        "(0.0100) and "
        "image bias (0.110). Of the right quads that bind at least as much about 1.0 % are luck (q = 0.01).",
        "right: binding 0.120",
    ),
    "seen, image": (
        {},
        "clip binds here (0.0400 cosine), but image 1 fits both captions better by more (0.110): outvoted by the "
        "image. "
        "Of the wrong quads that bind at least as much about 2.0 % are luck (q = 0.02).",
        "outvoted by the image: bias 0.110 over binding 0.0400",
    ),
    "seen, caption": (
        {"c": -0.05, "r": 0.01, "cell": "outvoted_by_caption", "reason": "outvoted_by_caption"},
        "clip binds here (0.0400 cosine), but under both images it favours “a dog right of a cat” by more (0.0500): "
        "outvoted by the caption.",
        "outvoted by the caption: bias 0.0500 over binding 0.0400",
    ),
    "seen, as much": (
        {"c": 0.04, "r": 0.01, "cell": "outvoted_by_caption", "reason": "outvoted_by_caption"},
        "it favours “a dog left of a cat” by as much (0.0400)",
        "outvoted by the caption: bias 0.0400 as large as binding 0.0400",
    ),
    "seen, both": (
        {"c": 0.05, "r": -0.11, "cell": "outvoted_by_both", "reason": "outvoted_by_both"},
        "clip binds here (0.0400 cosine), but both biases are at least as large: under both images it favours “a "
        "dog left "
        "of a cat” (0.0500), and image 2 fits both captions better (0.110): outvoted by both.",
        "outvoted by both: caption bias 0.0500 and image bias 0.110 over binding 0.0400",
    ),
    "not seen, none": (
        {"gamma": -0.0005, "c": 0.0002, "r": 0.09, "cell": "no_binding", "reason": "no_binding", "q": 2.0},
        "Here clip's score does not follow who belongs to whom: exchanging the captions moves it by 0.00100, "
        "exchanging the images by 0.180 (cosine), yet the true pairs do not score higher than the exchanged ones "
        "(binding −0.000500).",
        "no binding beyond luck: binding −0.000500",
    ),
    "not seen, outvoted": (
        {"gamma": 0.001, "reason": "no_binding", "q": 0.6},
        "Here clip's score follows who belongs to whom no more than luck would: exchanging the captions moves it by "
        "0.0200, exchanging the images by 0.220 (cosine), yet the true pairs lead so little (binding +0.00100) that "
        "quads of relation like it are nearly as often turned the other way.",
        "no binding beyond luck (scores alone: outvoted by the image): binding +0.00100",
    ),
    "not seen, right": (
        {"gamma": 0.002, "c": 0.001, "r": 0.001, "cell": "right", "reason": "no_binding", "q": 0.6},
        "Right by the four scores, but here clip's score follows who belongs to whom no more than luck would",
        "no binding beyond luck (scores alone: right): binding +0.00200",
    ),
    "reversed": (
        {"gamma": -0.05, "cell": "no_binding", "reason": "reversed", "q": 0.04},
        "clip reads this quad the other way round: the exchanged pairs score higher than the true ones, by 0.100 on "
        "average (cosine), and more than luck allows. Of the quads of relation turned at least as far about 4.0 % "
        "are luck",
        "read the other way round (scores alone: no binding seen): binding −0.0500",
    ),
    "uncertain": (
        {"reason": "uncertain", "q": 0.2},
        "Uncertain: the evidence does not tell this quad from luck (binding +0.0400 cosine). By the numbers alone "
        "it is "
        "outvoted by the image: image 1 fits both captions better by more (0.110).",
        "uncertain (scores alone: outvoted by the image): binding +0.0400",
    ),
    "uncertain, right": (
        {"gamma": 0.12, "cell": "right", "reason": "uncertain", "q": 0.2},
        "By the numbers alone it is right: binding is larger than caption bias (0.0100) and image bias (0.110).",
        "uncertain (scores alone: right): binding +0.120",
    ),
}  # fmt: skip
CHOICES = {
    "by bias": (
        CHOICE,
        "Right, but 15 of 16 other images would give the same caption: this image adds no more than an arbitrary "
        "one may "
        "(0.0200, where images differ by 0.0400); the true caption leads by 0.0500 (nats a token), under the others "
        "by "
        "0.0300 on average.",
        "right without evidence beyond luck: 15 of 16 other images give the same caption",
    ),
    "by bias, few": (
        replace(CHOICE, same=7, g=-0.01, b=0.06),
        "Right, but this image takes 0.0100 from the margin, where images differ by 0.0400: the true caption leads "
        "by 0.0500 (nats a token), under "
        "16 other "
        "images by 0.0600 on average. Under 7 of 16 other images the verdict is the same.",
        "right without evidence beyond luck: 7 of 16 other images give the same caption",
    ),
    "grounded": (
        replace(CHOICE, m=0.5, b=-0.1, g=0.6, same=4, cell="grounded", reason="grounded", q=0.004),
        "Right, and this image speaks for it: the true caption leads by 0.500 (nats a token); under 16 other images "
        "the "
        "strongest foil leads by 0.100 on average. Of the right items with at least this evidence about 0.4 % are "
        "luck "
        "(q = 0.004). Under 4 of 16 other images the verdict is the same.",
        "grounded: this image adds +0.600",
    ),
    "outvoted": (
        wrong(prefer=15),
        "Wrong, though this image speaks for the truth: the strongest foil leads by 0.0500 (nats a token), under 16 "
        "other "
        "images by 0.0800 on average. What the captions get anyway outweighs it. Of the wrong items with at least "
        "this "
        "evidence about 3.0 % are luck (q = 0.03). captioner prefers “a blue cube” under 15 of 16 other images, too.",
        "outvoted: this image adds +0.0300, the margin stays −0.0500",
    ),
    "no evidence": (
        wrong(b=-0.02, g=-0.03, cell="no_evidence", reason="no_evidence", q=1.5, prefer=0),
        "Wrong, and this image takes 0.0300 from the margin, where images differ by 0.0400: the strongest foil leads "
        "by 0.0500 (nats a token), under "
        "16 "
        "other images by 0.0200 on average. captioner prefers “a blue cube” here, and under none of 16 other images.",
        "no evidence beyond luck: this image takes 0.0300 from the margin",
    ),
    "no evidence, little": (
        wrong(reason="no_evidence", texts=("a red cube", "a " * 40)),
        "Wrong, and this image adds no more than an arbitrary one may (0.0300, where images differ by 0.0400): the "
        "foil "
        "leads by 0.0500 (nats a token), under 16 other images by 0.0800 on average. captioner prefers the foil "
        "under 15 "
        "of 16 other images, too.",
        "no evidence beyond luck (scores alone: outvoted): this image adds +0.0300",
    ),
    "reversed": (
        wrong(b=0.3, g=-0.35, cell="no_evidence", reason="reversed", q=0.05),
        "Wrong: this image speaks against the truth by more than luck allows: the strongest foil leads by 0.0500 "
        "(nats a "
        "token); under 16 other images the true caption leads by 0.300 on average. Of the items of choice with at "
        "least "
        "this evidence against the truth about 5.0 % are luck (q = 0.05).",
        "its image speaks against the truth (scores alone: no evidence for the truth): −0.350",
    ),
    "uncertain": (
        wrong(reason="uncertain", q=0.4),
        "Uncertain: the evidence does not tell this item from luck. By the numbers alone it is wrong, and what this "
        "image "
        "adds is outvoted: the strongest foil leads by 0.0500",
        "uncertain (scores alone: outvoted): this image adds +0.0300",
    ),
    "uncertain, few images": (
        wrong(reason="uncertain", n_other=1, q=NAN),
        "Uncertain: only 1 other image was scored, and a reason needs 16. By the numbers alone it is wrong, and "
        "what this "
        "image adds is outvoted: the strongest foil leads by 0.0500 (nats a token), under 1 other image by 0.0800.",
        "uncertain (scores alone: outvoted): this image adds +0.0300",
    ),
    "uncertain, sources": (
        wrong(reason="uncertain", sources_agree=False),
        "Uncertain: images of other subsets say another share than those of this one, so no item of it has a reason.",
        "uncertain (scores alone: outvoted): this image adds +0.0300",
    ),
    "uncertain, may fit": (
        replace(CHOICE, reason="uncertain", may_fit=True),
        "Uncertain: the evidence does not tell this item from luck, and some of the other images may fit its "
        "captions, "
        "too. By the numbers alone it is right by bias:",
        "uncertain (scores alone: right by bias): this image adds +0.0200",
    ),
    "uncertain, may fit, wrong": (
        wrong(reason="uncertain", cell="no_evidence", may_fit=True),
        "Uncertain: the evidence does not tell this item from luck, and some of the other images may fit its "
        "captions, "
        "too. By the numbers alone it is wrong, and this image adds nothing:",
        "uncertain (scores alone: no evidence for the truth): this image adds +0.0300",
    ),
    "triplet": (
        wrong(triplet=True, scale="cosine", same=12),
        "Wrong, though this image speaks for the truth: the negative leads the weaker paraphrase by 0.0500 "
        "(cosine), under "
        "16 other images by 0.0800 on average.",
        "outvoted: this image adds +0.0300, the margin stays −0.0500",
    ),
}  # fmt: skip


def test_a_unit_that_nobody_knows_is_named_with_its_preposition():
    """It read "binds here (0.118 the scores' own unit)"."""
    said = text(replace(QUAD, gamma=0.1, scale="as they come"))
    assert said.startswith("clip binds here (0.100 in the scores' own unit), but image 1")
    assert "(nats a token)" in text(CHOICE)
    assert "by 0.0500 (in the scores' own unit)" in text(replace(CHOICE, scale="as they come"))


@pytest.mark.parametrize("name", QUADS)
def test_quads(name):
    changes, want, short = QUADS[name]
    said = sentence.said(replace(QUAD, **changes))
    assert want in said.text
    assert said.short == short
    assert "The median of relation: binding +0.0100, caption bias 0.0200, image bias 0.0500." in said.text


@pytest.mark.parametrize("name", CHOICES)
def test_choices_and_triplets(name):
    facts, want, short = CHOICES[name]
    said = sentence.said(facts)
    assert want in said.text
    assert said.short == short
    assert "The median of choice: margin +0.100, under other images 0.00, this image's part +0.100." in said.text


def every():
    yield from (replace(QUAD, **changes) for changes, *_ in QUADS.values())
    yield from (facts for facts, *_ in CHOICES.values())


def test_no_internal_key_and_whole_sentences():
    for facts in every():
        said = sentence.said(facts)
        for each in (said.claim, *said.rest):
            assert re.fullmatch(r"[A-Za-z].*\.", each), each
        for words in (said.text, said.short, *(f"{n.sign} {n.name} {n.value} {n.meaning}" for n in said.numbers)):
            assert "_" not in words, words
            assert "nan" not in words.split(), words
            assert not re.search(r"\b(itc|itm|gen|vqa|bundled)\b", words), words


def test_what_is_not_certified_is_claimed_nowhere():
    """An uncertain item says so first; no sentence on it says what share is luck, or that a model reads or binds."""
    for facts in every():
        said = sentence.said(facts)
        certified = facts.reason != "uncertain"
        assert said.claim.startswith("Uncertain: ") != certified
        assert said.short.startswith("uncertain") != certified
        if not certified:
            assert "By the numbers alone" in said.rest[0]
            assert not re.search(r"are luck|binds here|speaks for|tells who", said.text), said.text
        seen = facts.reason == facts.cell and facts.cell not in ("no_binding", "by_bias", "no_evidence")
        assert ("% are luck (q = " in said.text) == (seen or facts.reason == "reversed"), said.text


def test_a_card_always_names_the_cell_and_once():
    """Where the reason is the cell's, its word says both: “no binding beyond luck (scores alone: no binding seen)”."""
    for facts in every():
        short = sentence.said(facts).short
        same = facts.cell == facts.reason
        assert short.startswith(of_group(facts.cell)) if same else f"(scores alone: {NAMES[facts.cell]})" in short, (
            short
        )
        assert not (same and "scores alone" in short), short


def test_what_is_called_larger_reads_larger():
    """Of two numbers that a sentence compares the printed ones compare the same way, or it says that they do not."""
    near = replace(QUAD, gamma=0.123451, c=-0.123449, r=0.01, cell="right", reason="right", q=0.01)
    assert "binding (0.1235 cosine) is larger than caption bias (0.1234) and image bias (0.01000)" in text(near)
    assert {n.sign: n.value for n in sentence.said(near).numbers}["γ"] == "+0.1235 (cosine)"
    same = replace(near, gamma=0.1 + 0.2, c=0.3)
    assert "its binding (0.300 cosine) is larger, by less than the digits show, than caption bias (0.300)" in text(same)
    lost = replace(near, gamma=0.3, c=0.1 + 0.2, cell="outvoted_by_caption", reason="outvoted_by_caption")
    assert "favours “a dog left of a cat” by about as much (0.300)" in text(lost)
    assert sentence.said(lost).short == "outvoted by the caption: bias 0.300 as large as binding 0.300"
    margins = text(replace(CHOICE, m=0.050012, b=0.049988, g=0.000024, reason="grounded", cell="grounded", q=0.01))
    assert "leads by 0.05001 (nats a token), under 16 other images by 0.04999 on average" in margins


def test_the_size_of_a_quads_binding_is_a_number_beside_the_sentence_and_no_measure_of_luck():
    quad = replace(QUAD, gamma=0.04, spread=0.1)
    (own,) = (n for n in sentence.said(quad).numbers if n.sign == "γ/rms")
    assert own.value == "+0.40"
    assert own.meaning.startswith("γ over 0.100, its root mean square over relation; no measure of luck")
    assert "0.40" not in text(quad)
    assert all(n.sign != "γ/rms" for n in sentence.said(QUAD).numbers), "nothing where it is not known"


def test_what_the_order_does_not_decide_and_what_is_cut_is_said():
    plain = text(QUAD)
    assert "order" not in plain
    assert "end of the scale" not in plain
    told = text(replace(QUAD, nested=True, saturated=2))
    assert "The order of the four scores alone does not decide this" in told
    assert "2 of the four scores lie at the end of the scale." in told


@pytest.mark.parametrize(
    ("alpha", "want"),
    [
        (AlphaFacts(0.88, 0.97, "p"), "Its prior (from p) taken away, it is right from α = 0.88 to 0.97."),
        (AlphaFacts(0.88, 1.4, "p"), "Its prior (from p) taken away, it is right from α = 0.88 on."),
        (AlphaFacts(0.8812, 0.8814, "p"), "it is right from α = 0.8812 to 0.8814."),
        (AlphaFacts(-1.0, 0.31, "p"), "Its prior (from p) taken away, it stays right up to α = 0.31."),
        (AlphaFacts(-INF, INF, "p"), "it stays right for every α up to 1."),
        (AlphaFacts(INF, -INF, "p"), "Its prior (from p) taken away, it is right at no α."),
        (AlphaFacts(1.2, 1.9, "p"), "it would be right only beyond α = 1 (from 1.20 to 1.90)."),
        (AlphaFacts(1.2, INF, "p"), "it would be right only beyond α = 1 (from 1.20 on)."),
        (AlphaFacts(-2.0, -1.0, "p"), "it would be right only below α = 0."),
        (AlphaFacts(INF, -INF, "p", "no_binding"), "is no way out: taking it away moves the caption bias alone, and"),
        (AlphaFacts(INF, -INF, "p", "outvoted_by_image"), "and the image bias is at least as large as the binding."),
        (AlphaFacts(INF, -INF, "p", "priors_equal"), "both captions have the same."),
        (AlphaFacts(0.88, 0.97, "20 sampled images", samples=1.9),
         "Nothing is said of its prior: 20 sampled images count as 1.9 (5 are needed)."),
        (AlphaFacts(NAN, NAN, "p"), ""),
        (None, ""),
    ],
)  # fmt: skip
def test_alpha(alpha, want):
    found = text(replace(CHOICE, alpha=alpha))
    assert want in found
    assert ("prior" in found) == bool(want)


def test_numbers_stand_behind_it():
    assert [(n.sign, n.value) for n in sentence.said(QUAD).numbers] == [
        ("γ", "+0.0400 (cosine)"), ("c", "+0.0100 (cosine)"), ("r", "+0.110 (cosine)"), ("q", "0.02"),
    ]  # fmt: skip
    found = {n.sign: n for n in sentence.said(wrong(prefer=15)).numbers}
    assert found["m"].value == "−0.0500 (nats a token)"
    assert found["b"].value == "−0.0800 (nats a token)"
    assert (found["g"].value, found["z"].value, found["N"].value) == ("+0.0300 (nats a token)", "+0.50", "16")
    assert "under 15 of them the verdict is the same" in found["N"].meaning
    assert "q" not in {n.sign for n in sentence.said(CHOICE).numbers}, "no q where there is none"


def test_a_verdict_without_a_cell_says_why():
    assert text(replace(QUAD, cell="", reason="")) == "Reason not measured: one of the four scores is missing."
    assert text(replace(CHOICE, cell="", reason="")) == "Reason not measured: a score of this item is missing."
    said = sentence.said(Unmeasured("clip", "its captions were not scored", "flipside run"))
    assert (said.text, said.command) == ("Reason not measured: its captions were not scored.", "flipside run")
    assert set(NAMES) >= {facts.reason for facts in every()}


def test_whether_it_matters_which_other_images_is_said_beside_their_number():
    def meaning(**changes):
        return next(n.meaning for n in sentence.said(replace(CHOICE, **changes)).numbers if n.sign == "N")

    assert meaning().endswith("images of other subsets say about the same share of all items")
    assert meaning(sources_agree=False).endswith("images of other subsets say another share of all items")
    assert meaning(compared=False).endswith("so whether it matters which images are taken is not known")
