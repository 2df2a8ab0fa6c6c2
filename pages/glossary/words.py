"""The words of the field, each in one or two plain sentences before any formula, and where it is seen at work.

They agree with docs/methods.md and docs/reasons.md, which define them; the items are `examples.py`'s.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Word:
    """One word. key: its name in addresses (`?glossary=quad`); also: other names it is looked for by; picture: a name
    in `pictures.PICTURES`, "" for none; formula and source: folded below; seen: what the link says, and the page's
    folder and address."""

    key: str
    name: str
    meaning: str
    formula: str
    source: str
    picture: str = ""
    also: str = ""
    seen: tuple[str, str] = ("", "")
    where: Mapping[str, str] = field(default_factory=dict)


_METHODS, _REASONS = "docs/methods.md", "docs/reasons.md"
_WINOGROUND = "Winoground, Thrush et al. 2022; docs/methods.md"
_VISUALGPT = "VisualGPTScore, Eq. 6 to 8; docs/methods.md"
_CLIP = {"benchmark": "world", "model": "bundled:clip", "kind": "itc"}
_CAPTIONER = {"benchmark": "world", "model": "bundled:captioner", "kind": "gen"}
_FAILURES, _EQUIVARIANCE, _DEBIAS = "failures", "equivariance", "debias"

WORDS: tuple[Word, ...] = (
    Word(
        "quad", "quad",
        "Two pictures and two captions, as a rule of the same words; each caption fits one of the pictures. Knowing"
        " the words is not enough here: a model has to see what belongs to what.",
        "s(i, j): the score of image i with caption j; image 1 belongs to caption 1, image 2 to caption 2",
        _WINOGROUND, "quad", "2 × 2 winoground eqben matrix",
        ("Quads that clip gets wrong", _FAILURES), _CLIP | {"subset": "attribute"},
    ),
    Word(
        "text-score", "text score",
        "For each picture the model has to give its own caption more than the other one. Only both pictures right "
        "count.",
        "s11 > s12 and s22 > s21; chance 1/4", _WINOGROUND, "text_score", "quad winoground",
        ("Text, image and group scores", _EQUIVARIANCE), _CLIP,
    ),
    Word(
        "image-score", "image score",
        "For each caption the model has to give its own picture more than the other one. Only both captions right "
        "count.",
        "s11 > s21 and s22 > s12; chance 1/4", _WINOGROUND, "image_score", "quad winoground",
        ("Text, image and group scores", _EQUIVARIANCE), _CLIP,
    ),
    Word(
        "group-score", "group score",
        "Text score and image score together: all four comparisons of a quad have to come out right.",
        "s11 and s22 both above s12 and s21; chance 1/6", _WINOGROUND, "group_score", "quad winoground",
        ("Which models fail at what", "overview"), {"benchmark": "world"},
    ),
    Word(
        "foil", "foil",
        "A false caption that stands beside the true one and is close to it. A model is right where the true "
        "caption gets more than every foil; a tie is no success.",
        "right ⇔ s(image, true) > s(image, foil) for every foil", _METHODS, "foil",
        "choice negative distractor caption",
        ("Choices that captioner gets wrong", _FAILURES), _CAPTIONER | {"subset": "choice"},
    ),
    Word(
        "triplet", "triplet",
        "A picture, two captions that say the same in other words, and a negative that says something else. Both of"
        " the two have to get more than the negative.",
        "s(I, P1) > s(I, N) and s(I, P2) > s(I, N)", "VISLA, Dumpala et al. 2024; docs/methods.md", "triplet",
        "paraphrase negative visla sugarcrepe++", ("Triplets that clip gets wrong", _FAILURES),
        _CLIP | {"subset": "triplet"},
    ),
    Word(
        "margin", "margin",
        "How far a verdict is from flipping: the true score less the best of the others. Above zero is right; at or"
        " below zero is wrong.",
        "min over all comparisons of (winner that should be − the other)", _METHODS, "margin", "lead difference flip",
        ("Failures by their margin", _FAILURES), _CAPTIONER | {"subset": "choice"},
    ),
    Word(
        "prior", "language prior",
        "How likely a caption is before anybody looks at the picture: what is usually said. A model that writes "
        "captions may prefer a foil for this alone.",
        "log P(t), of a blind language model, or of the model itself under other images", _VISUALGPT, "prior",
        "bias blind language log P(t)", ("Take the prior away", _DEBIAS), _CAPTIONER | {"subset": "choice"},
    ),
    Word(
        "alpha", "α",
        "How much of the language prior is taken away from a score: none at 0, all of it at 1. Each item changes "
        "its verdict at exact values of α, so the whole curve is known, not sampled.",
        "log P(t | i) − α · log P(t)", _VISUALGPT, "alpha", "alpha debias curve",
        ("Move α", _DEBIAS), _CAPTIONER | {"subset": "choice"},
    ),
    Word(
        "pmi", "PMI, pointwise mutual information",
        "What the picture adds: how much likelier a caption is with the picture than without it. It is the score at"
        " α = 1.",
        "log P(t | i) − log P(t)", _VISUALGPT, "pmi", "mutual information alpha 1",
        ("See it at α = 1", _DEBIAS), _CAPTIONER | {"subset": "choice", "alpha": "1.0"},
    ),
    Word(
        "binding", "binding",
        "How much more the pairs that belong together get than the exchanged pairs. Above zero the model connects a "
        "picture with its caption; whether it is right then depends on the biases.",
        "γ = (s11 − s12 − s21 + s22) / 4; group score ⇔ γ > max(|c|, |r|)", _REASONS, "binding", "gamma γ",
        ("What outvotes clip", _FAILURES), _CLIP | {"subset": "attribute"},
    ),
    Word(
        "caption-bias", "caption bias",
        "One caption gets more under both pictures, whatever they show.",
        "c = (s11 − s12 + s21 − s22) / 4; text score ⇔ γ > |c|", _REASONS, "binding", "bias",
        ("Outvoted by the caption", _FAILURES), _CLIP | {"reason": "outvoted_by_caption"},
    ),
    Word(
        "image-bias", "image bias",
        "One picture gets more with both captions, whatever they say. This can be fair: a picture may simply fit both "
        "better.",
        "r = (s11 + s12 − s21 − s22) / 4; image score ⇔ γ > |r|", _REASONS, "binding", "bias",
        ("Outvoted by the image", _FAILURES), _CLIP | {"reason": "outvoted_by_image"},
    ),
    Word(
        "reason", "reason",
        "One word for why a verdict is as it is, such as “outvoted by the image”. It is given only where the evidence "
        "tells the item from luck; else it is “uncertain”.",
        "cell: which of γ, c, r (or m, b, g) decides; reason: the cell where its q ≤ .05 against mirrored items",
        _REASONS,
        "reason", "why cell cause certified", ("Failures with a certified reason", _FAILURES),
        _CLIP | {"subset": "attribute", "reason": "outvoted_by_image"},
    ),
    Word(
        "outvoted", "outvoted",
        "The picture does speak for the truth, but something else counts at least as much: a caption that gets more"
        " anyway, or a picture that does.",
        "quads: 0 < γ ≤ max(|c|, |r|); choices and triplets: m ≤ 0 < g", _REASONS, "outvoted", "bias reason cell",
        ("Outvoted items of captioner", _FAILURES), _CAPTIONER | {"subset": "choice", "reason": "outvoted"},
    ),
    Word(
        "grounded", "grounded",
        "Right, and because of the picture: the true caption leads by more under it than under other pictures. Right "
        "without that is “right by bias”.",
        "choices and triplets: m > 0 and g > 0, where g is m less the mean margin under 16 or more other images",
        _REASONS, "grounded", "reason cell right by bias evidence picture image",
        ("Choices that captioner gets right by the picture", _FAILURES),
        _CAPTIONER | {"subset": "choice", "reason": "grounded"},
    ),
    Word(
        "uncertain", "uncertain",
        "The evidence does not tell this item from luck. Nothing is claimed of it, whatever its four scores look like.",
        "no certificate: neither seen nor not seen against the mirror", _REASONS, "uncertain", "reason luck",
        ("Items whose reason is uncertain", _FAILURES), _CLIP | {"reason": "uncertain"},
    ),
    Word(
        "luck", "luck, the mirror",
        "A model that sees nothing has binding above zero on half of its quads, like a coin. So every count stands "
        "beside what the coin alone would give.",
        "at least (n₊ − n₋)/n bind; each cell's decoy is the same item with −γ and its biases kept", _REASONS, "luck",
        "mirror chance hatched decoy coin", ("Bars with luck hatched", "overview"), {"benchmark": "world"},
    ),
    Word(
        "near-miss", "near miss",
        "A wrong verdict that a harmless rewording might turn: its margin is smaller than what edits that keep the "
        "meaning push it towards zero by.",
        "|margin| below the 90th percentile of its change towards zero under eight or more edits that differ for "
        "the model",
        _REASONS, "near", "≈ robustness edits", ("Near misses and sensitivity", "robustness"), {"benchmark": "world"},
    ),
    Word(
        "deviation", "equivariance deviation",
        "Giving a picture the wrong caption should cost as much for one picture of a quad as for the other; a "
        "deviation is by how much the two costs differ. 0 is even-handed, which is not yet right.",
        "v1 = s12 − s21; v2 text side = (s11 − s12) − (s22 − s21); v2 image side = (s11 − s21) − (s22 − s12)",
        "EqSim, Wang et al. 2023, Eq. 5 and 6; docs/methods.md", "deviation", "eqsim v1 v2 equivariance even-handed",
        ("Deviations of every model", _EQUIVARIANCE), _CLIP,
    ),
    Word(
        "chance", "chance",
        "What guessing would get. It differs from score to score, so 30 % can be good or bad.",
        "the share of right verdicts where all scores are drawn alike and independently", _METHODS, "chance",
        "guess luck level baseline", ("Rates against chance", "overview"), {"benchmark": "world"},
    ),
    Word(
        "interval", "95 % interval",
        "The range that other items of the same kind would likely give. Items that share a picture count as one.",
        "Wilson's for shares, at an effective number where items share images; halves for differences", _METHODS,
        "interval",
        "confidence uncertainty bootstrap wilson", ("Differences with their intervals", "compare"),
        {"benchmark": "world"},
    ),
    Word(
        "holm", "Holm’s correction",
        "Of many comparisons some look real by luck alone, so each has to show more than it would alone. With the "
        "corrected p at .05 the chance of even one false finding among all of them stays at 5 % or less.",
        "p sorted upwards: p₍k₎ times (n + 1 − k), at least what the one before got, at most 1",
        "Holm 1979; docs/methods.md", "holm", "holm's correction multiple tests p value bonferroni luck significant",
        ("Every pair of models, corrected", "compare"), {"benchmark": "world"},
    ),
)  # fmt: skip

BY_KEY = {word.key: word for word in WORDS}


def found(said: str) -> str:
    """The key of a word that an address names, also by its name or in other cases; "" for none.

    >>> found("quad"), found("Text score"), found("PMI"), found("nothing")
    ('quad', 'text-score', 'pmi', '')
    """
    asked = " ".join(said.casefold().replace("-", " ").split())
    return next((w.key for w in WORDS if asked in (w.key.replace("-", " "), w.name.casefold())), "")
