"""What every score kind is, one row a kind: how a model judges an image with a text, two texts, or a text alone.

A new kind is one row of `Kind` and the `Model` method that the row names. Engine, store, command line and
pages take the name, the unit, the question and the wording from here. No torch, no duckdb, no streamlit in here.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

#: What a stored number is: decides how it is shown, averaged over tokens, softmaxed, and whether it has a threshold.
Scale = Literal["cosine", "log-odds", "log-probability", "choice", "unknown"]

#: What one call of the model judges: an image with a text; an image with two texts of which it chooses one; two texts;
#: one text alone.
Compares = Literal["pair", "contest", "texts", "text"]

#: How the specs of other systems' predictions begin, added here or fetched.
PREDICTIONS = "predictions:"
#: What their numbers are measured in where a model of ours would have given a cosine.
OWN_UNIT = "the system's own unit"

#: What `vqa` asks a chat model unless it is told otherwise (VisualGPTScore, section 3).
SHOWN = "Does this figure show '{text}'? Please answer yes or no."


@dataclass(frozen=True, slots=True)
class KindInfo:
    """One score kind.

    name: in commands, columns and shards. title: what pages call it. formula: the help text, one or two sentences.
    scale: what is stored: a cosine; log-odds (shown as their probability); the sum of the tokens' natural-log
    probabilities (shown and judged a token); the share of the orders of asking in which a text was chosen; a number of
    which nobody has said what it is, only that more is better.
    unit: of the number that pages show. judged: of the number that decides margins.
    method: of `Model`, which answers in a batch: (images, texts) -> (n,) numbers or n token scores; a contest takes
    (images, first texts, second texts); "" for a kind that only other people's systems give. reference: the same in
    `models.reference.base.Reference`, which answers one pair at a time; "" where no library has such a call.
    compares, sees_images: what it judges. template: the question that it asks unless told otherwise, with `{text}`.
    no_threshold: why no value of it means yes; "" for a probability.
    """

    name: str
    title: str
    formula: str
    scale: Scale
    unit: str
    judged: str
    method: str
    reference: str
    compares: Compares = "pair"
    sees_images: bool = True
    template: str = ""
    no_threshold: str = ""


class Kind(StrEnum):
    """The score kinds, in the order in which a run is shown where no kind is asked for.

    >>> Kind.ITM == "itm", Kind("itm").info.unit, Kind.PRIOR.info.sees_images
    (True, 'probability', False)
    """

    info: KindInfo

    def __new__(cls, info: KindInfo | str) -> "Kind":
        if isinstance(info, str):  # never called so: `Kind("itc")` looks a row up
            raise TypeError("a score kind is declared by a KindInfo")
        kind = str.__new__(cls, info.name)
        kind._value_ = info.name
        kind.info = info
        return kind

    ITC = KindInfo(
        "itc", "similarity", "Cosine of the L2-normalised embeddings of image and text.",
        "cosine", "cosine", "cosine", "pair_cosines", "cosine",
        no_threshold="a cosine is no probability: no value of it means yes",
    )  # fmt: skip
    ITM = KindInfo(
        "itm", "matching", "The matching head's probability that image and text belong together.",
        "log-odds", "probability", "log-odds", "itm_logits", "itm",
    )  # fmt: skip
    GEN = KindInfo(
        "gen", "generation", "log P(t | i) by teacher forcing, divided by the number of tokens; natural log.",
        "log-probability", "mean log P per token", "mean log P per token", "caption_logprobs", "caption",
        no_threshold="a log-likelihood depends on how likely the caption is at all: no value of it means yes",
    )  # fmt: skip
    VQA = KindInfo(
        "vqa", "question", f"P(“Yes” | image, “{SHOWN.format(text='…')}”).",
        "log-odds", "probability", "log-odds", "vqa_logits", "vqa", template=SHOWN,
    )  # fmt: skip
    SCORE = KindInfo(
        "score", "score", "What another system gave: higher is better. Its unit was not stated, so no cosine, no "
        "probability and no α is assumed, and deviations have no scale but their own.",
        "unknown", "unit not stated", "unit not stated", "", "",
        no_threshold="nobody has said what unit these scores have: no value of them means yes",
    )  # fmt: skip
    VERDICT = KindInfo(
        "verdict", "forced choice",
        "Asked which of two captions describes the image, in both orders: 1 where the caption was chosen both times, ½ "
        "where the order decided (a tie, which counts as wrong). A margin is strict: 1 where the truth was chosen in "
        "every order, 0 where in some alone, below 0 where in none.",
        "choice", "share chosen", "strict share of orders", "prefer", "", compares="contest",
        no_threshold="a choice between two texts says which fits better, not whether either fits",
    )  # fmt: skip
    T2T = KindInfo(
        "t2t", "text–text", "Cosine of the embeddings of two texts.",
        "cosine", "cosine", "cosine", "encode_texts", "text", compares="texts", sees_images=False,
        no_threshold="texts alone are not asked whether they fit an image",
    )  # fmt: skip
    PRIOR = KindInfo(
        "prior", "prior", "log P(t): how likely the caption is without the image.",
        "log-probability", "mean log P per token", "mean log P per token", "text_logprobs", "blind", compares="text",
        sees_images=False, no_threshold="a log-likelihood without the image says nothing about it",
    )  # fmt: skip


#: Kinds that need the item's images; the others can be scored from texts alone.
IMAGE_KINDS = frozenset(kind for kind in Kind if kind.info.sees_images)

#: Kinds that give one image with one text a number of its own, in the order of `Kind`. A verdict does not: it says
#: which of two texts was chosen for an image, so images cannot be compared, and there is no deviation to measure.
PAIR_KINDS = tuple(kind for kind in Kind if kind.info.sees_images and kind.info.compares == "pair")
SIMILARITIES = frozenset(PAIR_KINDS)

#: Kinds that a model of ours can be asked for; the others come with other people's predictions alone.
ASKED = tuple(kind for kind in Kind if kind.info.method)

#: Kinds whose stored log-odds are a probability, which a threshold can be put on.
PROBABILITIES = tuple(kind for kind in Kind if kind.info.scale == "log-odds")

#: Kinds that are sums over a text's tokens: they have a norm, a token count, and a prior.
SPOKEN = tuple(kind for kind in Kind if kind.info.scale == "log-probability")

#: Parts of a run that hold the verdicts of one order of asking are called so: `verdict@positive-first`.
ORDER: Final = f"{Kind.VERDICT}@"
#: What all orders come to stands beside them in reports under this name, which none of them may have.
MEAN_ORDER: Final = "mean"


def in_own_unit(kind: str, model: str) -> bool:
    """Whether what a model's scores of a kind are measured in is its own affair: other systems' similarities, which are
    kept as they come (logits near 30, cosines, per cent). Their `itm`, `vqa`, `gen` and `prior` come on a stated scale.

    >>> in_own_unit("itc", "predictions:theirs"), in_own_unit("itm", "predictions:theirs"), in_own_unit("itc", "hf:a/b")
    (True, False, False)
    """
    return model.startswith(PREDICTIONS) and kind in set(Kind) and Kind(kind).info.scale == "cosine"


def unit_of(kind: str, model: str = "") -> str:
    """The unit of a kind's scores as pages show them. model: the spec whose scores they are, "" for models of ours.

    >>> unit_of("itc"), unit_of("itc", "predictions:theirs"), unit_of("itm", "predictions:theirs")
    ('cosine', "the system's own unit", 'probability')
    """
    return OWN_UNIT if in_own_unit(kind, model) else Kind(kind).info.unit


def no_threshold_of(kind: str, model: str = "") -> str:
    """Why no value of a model's scores of a kind means yes; "" for a probability.

    >>> no_threshold_of("itc", "predictions:theirs") == Kind.SCORE.info.no_threshold
    True
    """
    return (Kind.SCORE if in_own_unit(kind, model) else Kind(kind)).info.no_threshold


def usual(gives: Collection[str]) -> list[str]:
    """The kinds that a run scores where none is named: all that the model gives, priors only where it gives no other.

    >>> usual({"t2t", "itc"}), usual({"gen", "prior"}), usual({"prior"})
    (['itc', 't2t'], ['gen'], ['prior'])
    """
    given = [str(kind) for kind in Kind if kind in gives]
    return [kind for kind in given if kind != Kind.PRIOR] or given


#: The protocols whose items have cells of a kind, where these are not all (engine/plan.py).
_ONLY: Final = {Kind.T2T: {"triplet"}, Kind.VERDICT: {"triplet", "choice", "quad"}}


def that_apply(kinds: Collection[str], protocols: Collection[str], gives: Collection[str] = ()) -> list[str]:
    """Of some kinds those by which items of some protocols have scores at all, in their order; all of them where no
    protocol is known. gives: all that the model gives, the kinds themselves where it is left out: t2t reads the
    captions of a retrieval pool for a model of texts alone.

    >>> that_apply(["itc", "t2t", "verdict"], {"quad"}), that_apply(["itc", "t2t"], {"quad", "triplet"})
    (['itc', 'verdict'], ['itc', 't2t'])
    >>> that_apply(["t2t"], {"retrieval"}), that_apply(["t2t"], {"retrieval"}, ["itc", "t2t"])
    (['t2t'], [])
    """
    known = set(map(str, protocols))
    blind = not any(Kind(kind) in IMAGE_KINDS for kind in gives or kinds)
    found = []
    for kind in map(str, kinds):
        only = _ONLY.get(Kind(kind))
        pooled = kind == Kind.T2T and blind and "retrieval" in known
        if not known or only is None or only & known or pooled:
            found.append(kind)
    return found


def listed(kinds: tuple[Kind, ...], last: str = "or") -> str:
    """Kinds as a sentence lists them.

    >>> listed(PAIR_KINDS), listed(PROBABILITIES, "and")
    ('itc, itm, gen, vqa or score', 'itm and vqa')
    """
    return f" {last} ".join(part for part in (", ".join(kinds[:-1]), kinds[-1]) if part)
