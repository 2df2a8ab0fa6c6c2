"""Every metric's entry: what pages, command line and docs read of it, and the function that computes it."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, cast

import numpy as np
from scipy.special import expit

from backend import plugins
from backend.errors import UsageError
from backend.kinds import IMAGE_KINDS, PROBABILITIES, SIMILARITIES, Kind
from backend.metrics import answers, by_item, classification, eqsim, grounding, relevance
from backend.metrics.auroc import auroc
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core.chance import Level, in_top, recall_at, right_share
from backend.metrics.core.compare import Outcomes
from backend.metrics.core.metric import Direction, Metric
from backend.metrics.core.scored import Scored
from backend.metrics.reasons.quads import group_match
from backend.metrics.statistics import Rate
from backend.metrics.thresholds import threshold
from backend.protocols import ALONE, Protocol

_BLIND_TOO = IMAGE_KINDS | {Kind.PRIOR}
_TEXTS = frozenset({Kind.T2T})
_VERDICTS = frozenset({Kind.VERDICT})
_PROBABILITIES = frozenset(PROBABILITIES)


def _rate(
    name: str, title: str, protocol: Protocol, kinds: frozenset[Kind], formula: str, paper: str, where: str,
    short: str = "", *, chance: Level = None, headline: bool = False,
    judge: Callable[[Scored], Outcomes | None] | None = None, measure: Callable[[Scored], Rate] | None = None,
    candidates: Callable[[Scored], tuple[Any, Any]] | None = None,
) -> Metric:  # fmt: skip
    return Metric(
        name, title, protocol, kinds, "higher", (0.0, 1.0), chance, formula, paper, where, short=short,
        headline=headline, judge=judge, measure=measure, candidates=candidates,
    )  # fmt: skip


def _first(pairs: Callable[..., dict[str, Outcomes]], name: str) -> Callable[[Scored], Outcomes | None]:
    """A paraphrase against the negative; None without VISLA's names of the paraphrases."""
    return lambda s: None if s.p1_first is None else pairs(s.scores, s.p1_first)[name]


def _quad(name: str) -> Callable[[Scored], Outcomes | None]:
    return lambda s: s.quad[name]


def _at_threshold(name: str) -> Callable[[Scored], Rate]:
    return lambda s: threshold(expit(s.scores), s.n_texts, at=s.threshold, clusters=s.clusters)[name]


def _recall(side: str, k: int) -> Metric:
    asks = "image to text" if side == "i2t" else "text to image"
    formula = f"fewer than {k} irrelevant candidates at or above the best relevant one"
    name, title = f"{side}_recall_at_{k}", f"R@{k}, {asks}"
    source = ("VisualGPTScore", "Table 3; COCO, Flickr30k", f"R@{k}, {asks}")
    return _rate(
        name, title, Protocol.RETRIEVAL, SIMILARITIES, formula, *source, chance=recall_at(k),
        headline=(side, k) == ("i2t", 1), judge=lambda s: s.recalls[name],
    )  # fmt: skip


def _rank(side: str) -> Metric:
    title = f"Median rank, {'image to text' if side == 'i2t' else 'text to image'}"
    formula = "median over queries of 1 + irrelevant candidates at or above the best relevant one"
    name, source = f"{side}_median_rank", ("COCO, Flickr30k", "the usual retrieval protocol")
    return Metric(
        name, title, Protocol.RETRIEVAL, SIMILARITIES, "lower", (1.0, None), None, formula, *source, share=False,
        unit="rank", measure=lambda s: s.pooled.rates[name],
    )  # fmt: skip


def _deviation(which: str, title: str, formula: str) -> Metric:
    bounds = (None, None)
    return Metric(
        f"eqsim_{which}", title, Protocol.QUAD, SIMILARITIES, "zero", bounds, None, formula, "EqSim", "Eq. 6",
        share=False, unit="of the scores", value=lambda s: eqsim.deviations(s.scores)._asdict()[which],
    )  # fmt: skip


def _grounding(threshold: float) -> Metric:
    title = f"Boundary found within {threshold:g} s"
    formula = f"argmax over k of s(I_k,T1) + s(I_k+1,T2) lies nearer than {threshold:g} s to the boundary"
    source = ("EqSim", "appendix A.6, Table 12", f"within {threshold:g} s")
    return _rate(
        grounding.metric(threshold), title, Protocol.GROUNDING, SIMILARITIES, formula, *source, chance=right_share,
        headline=threshold == 1,
        judge=lambda s: grounding.grounded(s.scores, grounding.near(s.seconds, s.boundaries, threshold), s.n_images),
        candidates=lambda s: grounding.candidates(grounding.near(s.seconds, s.boundaries, threshold), s.n_images),
    )  # fmt: skip


def _similarity(side: str) -> Metric:
    title = f"Similarity-based relevance, {'image to text' if side == 'i2t' else 'text to image'} (ours)"
    formula = "mean graded relevance of the top k / that of the k most relevant in the pool"
    name, source = f"{side}_similarity_relevance", ("ours", "docs/methods.md; idea: brittleness paper, section 4.2")
    return Metric(
        name, title, Protocol.RETRIEVAL, SIMILARITIES, "higher", (0.0, 1.0), None, formula, *source,
        value=lambda s: relevance.similarity_relevance(
            s.scores if side == "i2t" or s.across is None else s.across, s.relevance, s.embeddings, relevance.TOP, side
        ),
    )  # fmt: skip


def _answer(
    name: str, title: str, formula: str, chance: float, *, headline: bool = False,
    judge: Callable[[Scored], Outcomes | None] | None = None, measure: Callable[[Scored], Rate] | None = None,
) -> Metric:  # fmt: skip
    source = ("NaturalBench", "its evaluator, get_scores; VSR", title.lower())
    more: dict[str, Any] = {"chance": chance, "headline": headline, "judge": judge, "measure": measure}
    return _rate(name, title, Protocol.ANSWERS, _PROBABILITIES, formula, *source, **more)


def _together(by: int) -> Callable[[Scored], Rate]:
    """Every answer of a question, an image or a group right."""
    return lambda s: answers.together(s.scores, s.expected, s.asked, by, s.clusters)


_T, _C, _Q, _R = Protocol.TRIPLET, Protocol.CHOICE, Protocol.QUAD, Protocol.RETRIEVAL
_VISLA = ("VISLA", "Table 1, Appendix B")
_PAIRS = ("VISLA", "section 4.3, Table 3")
_VALSE = ("VALSE", "thresholded matching; EqSim, Table 2")
_ELEVATER = ("ELEVATER", "Li et al. 2022, metrics of its tasks; SVLC's 21-task average")
_WINO = ("Winoground", "also EqSim, section 5.1")

METRICS: list[Metric] = [
    _rate("i2t_accuracy", "Image to text", _T, _BLIND_TOO, "s(I,P1) > s(I,N) and s(I,P2) > s(I,N)",
          *_VISLA, "image–text", chance=1 / 3, headline=True,
          judge=lambda s: by_item.triplet_i2t(s.scores)),
    _rate("t2t_accuracy", "Text to text", _T, _TEXTS, "s(P1,P2) > s(P1,N) and s(P1,P2) > s(P2,N)",
          *_VISLA, "text–text", chance=1 / 3, headline=True,
          judge=lambda s: by_item.triplet_t2t(s.scores)),
    _rate("p1_n_accuracy", "P1-N, text to text", _T, _TEXTS, "s(P1,P2) > s(P2,N)", *_PAIRS,
          chance=1 / 2, judge=_first(by_item.triplet_pairs_t2t, "p1_n_accuracy")),
    _rate("p2_n_accuracy", "P2-N, text to text", _T, _TEXTS, "s(P1,P2) > s(P1,N)", *_PAIRS,
          chance=1 / 2, judge=_first(by_item.triplet_pairs_t2t, "p2_n_accuracy")),
    _rate("i2t_p1_n_accuracy", "P1-N, image to text", _T, _BLIND_TOO, "s(I,P1) > s(I,N)", *_PAIRS,
          chance=1 / 2, judge=_first(by_item.triplet_pairs_i2t, "i2t_p1_n_accuracy")),
    _rate("i2t_p2_n_accuracy", "P2-N, image to text", _T, _BLIND_TOO, "s(I,P2) > s(I,N)", *_PAIRS,
          chance=1 / 2, judge=_first(by_item.triplet_pairs_i2t, "i2t_p2_n_accuracy")),
    _rate("accuracy", "Accuracy", _C, _BLIND_TOO, "s(I,truth) > s(I,foil) for every foil",
          "VisualGPTScore", "Table 1; ARO, SugarCrepe, CREPE, VL-CheckList, VALSE", "accuracy", chance=in_top(),
          headline=True, judge=lambda s: by_item.choice(s.scores, s.n_texts)),
    _rate(MEAN_OF_ORDERS, "Accuracy, mean of the orders", _C, _VERDICTS,
          "mean over items of the share of their orders of asking in which the truth was chosen", "SugarCrepe",
          "its GPT-4V results; `accuracy` asks for the truth in every order",
          "mean of the orders", headline=True),
    _rate("pc", "True captions accepted", _C, _PROBABILITIES, "share of p(I,truth) > T, T = 0.5", *_VALSE,
          chance=1 / 2, measure=_at_threshold("pc")),
    _rate("pf", "Foils rejected", _C, _PROBABILITIES, "share of p(I,foil) <= T, T = 0.5", *_VALSE,
          chance=1 / 2, measure=_at_threshold("pf")),
    _rate("threshold_accuracy", "Thresholded accuracy", _C, _PROBABILITIES, "(pc + pf) / 2", *_VALSE,
          chance=1 / 2, measure=_at_threshold("threshold_accuracy")),
    _rate("min_pc_pf", "min(pc, pf)", _C, _PROBABILITIES, "min(pc, pf)", *_VALSE,
          chance=1 / 2, measure=_at_threshold("min_pc_pf")),
    _rate("auroc", "AUROC, truths against foils", _C, _PROBABILITIES,
          "P(p(I,truth) > p(I',foil)) over all pairs of any items, equal ones half", "VALSE", "evaluation metrics",
          chance=1 / 2, measure=lambda s: auroc(expit(s.scores), s.n_texts, clusters=s.clusters)),
    _rate("text_score", "Text score", _Q, IMAGE_KINDS, "s11 > s12 and s22 > s21", *_WINO, "text score",
          chance=1 / 4, judge=_quad("text_score")),
    _rate("image_score", "Image score", _Q, SIMILARITIES, "s11 > s21 and s22 > s12", *_WINO, "image score",
          chance=1 / 4, judge=_quad("image_score")),
    _rate("group_score", "Group score", _Q, SIMILARITIES, "text score and image score", *_WINO, "group score",
          chance=1 / 6, headline=True,
          judge=_quad("group_score")),
    _rate("group_match", "Group match", _Q, SIMILARITIES, "s11 + s22 > s12 + s21; depends on the score's scale",
          "Test-Time Matching", "Zhu et al. 2025, arXiv 2510.07632", "group match", chance=1 / 2,
          judge=lambda s: group_match(s.scores, s.scaled)),
    _rate("top1_accuracy", "Top-1 accuracy", Protocol.CLASSIFY, SIMILARITIES,
          "s(I,own class) > s(I,class) for every other class", "VisualGPTScore", "section 4, Table 3(a)", "top-1",
          chance=in_top(), headline=True,
          judge=lambda s: by_item.choice(s.scores, s.n_texts)),
    _rate("top5_accuracy", "Top-5 accuracy", Protocol.CLASSIFY, SIMILARITIES,
          "fewer than five other classes at or above s(I,own class)", "ImageNet", "the usual top-5", "top-5",
          chance=in_top(5), judge=lambda s: classification.top_k(s.scores, s.n_texts, 5)),
    _rate("mean_per_class_accuracy", "Mean per class", Protocol.CLASSIFY, SIMILARITIES,
          "mean over classes of top-1 accuracy", *_ELEVATER, chance=in_top()),
    _rate("classification_auroc", "AUROC of two classes", Protocol.CLASSIFY, SIMILARITIES,
          "P(s1 - s0 of an image of class 1 > that of an image of class 0), equal ones half", *_ELEVATER, chance=1 / 2,
          measure=lambda s: classification.binary_auroc(s.scores, np.asarray(s.of_class)[:, 1])),
    _rate("map_11_point", "11-point mAP", Protocol.CLASSIFY, SIMILARITIES,
          "mean over classes of the precision at recalls 0, 0.1, ... 1, interpolated", *_ELEVATER,
          measure=lambda s: classification.map_11_point(s.scores, s.of_class)),
    *(_recall(side, k) for side in ("i2t", "t2i") for k in (1, 5, 10)),
    Metric("rsum", "Sum of recalls", _R, SIMILARITIES, "higher", (0.0, 6.0), None,
           "sum of R@1, R@5, R@10 both ways (papers print 100 times this)", "COCO, Flickr30k", "the usual protocol",
           short="rsum", share=False, unit="sum of six shares", measure=lambda s: s.pooled.rates["rsum"]),
    _rank("i2t"),
    _rank("t2i"),
    _similarity("i2t"),
    _similarity("t2i"),
    *(_grounding(threshold) for threshold in grounding.THRESHOLDS),
    _rate(grounding.MEAN, "Boundary found, mean over thresholds", Protocol.GROUNDING, SIMILARITIES,
          "mean of the accuracies within 0.1, 0.2, 0.5, 1, 1.5, 2, 2.5 and 3 s", "EqSim", "appendix A.6, Table 12"),
    _answer("answer_accuracy", "Answers right", "yes exactly where yes is expected: (p > 0.5) = expected", 1 / 2,
            judge=lambda s: answers.cells(s.scores, s.expected), headline=True),
    _answer("question_accuracy", "Questions right", "a question answered right on every image of its group", 1 / 4,
            measure=_together(answers.QUESTION)),
    _answer("image_accuracy", "Images right", "every question of the group answered right on an image", 1 / 4,
            measure=_together(answers.IMAGE)),
    _answer("group_accuracy", "Groups right", "all four answers of two questions on two images right", 1 / 16,
            measure=_together(answers.GROUP)),
    _answer("answer_auroc", "AUROC, yes against no",
            "P(p where yes is expected > p where no is), equal ones half", 1 / 2,
            measure=lambda s: answers.area(s.scores, s.expected, s.clusters)),
    Metric("yes_bias", "Bias to answer yes", Protocol.ANSWERS, _PROBABILITIES, "zero", (-1.0, 1.0), None,
           "share answered yes - share where yes is expected", "ours", "docs/methods.md; idea: NaturalBench",
           share=False, unit="of the answers", measure=lambda s: answers.yes_bias(s.scores, s.expected, s.clusters)),
    _deviation("v1", "EqSim v1", "s12 - s21"),
    _deviation("v2_text", "EqSim v2, text side", "(s11 - s12) - (s22 - s21)"),
    _deviation("v2_image", "EqSim v2, image side", "(s11 - s21) - (s22 - s12)"),
]  # fmt: skip

#: What a metric of another package can judge: items one by one.
BY_ITEM = (*ALONE, Protocol.CLASSIFY)


def _wrong(name: str, found: Any) -> str:
    """What is wrong with another package's metric."""
    if wrong := plugins.named_wrong(Metric, name, found):
        return wrong
    if found.judge is None:
        return "it has no judge"
    if found.protocol not in BY_ITEM:
        return f"its protocol is {found.protocol}, where {', '.join(BY_ITEM)} can be judged item by item"
    bounds = (0.0, 1.0)
    return "" if found.bounds == bounds else f"its bounds are {found.bounds}; a share of items has {bounds}"


_BY_NAME: dict[str, Metric] = {metric.name: metric for metric in METRICS}
if len(_BY_NAME) != len(METRICS):
    raise ValueError("two metrics share a name")

#: Those of other installed packages.
BROUGHT = plugins.Group(
    "metrics", "metric", "a backend.metrics.core.registry.Metric with the name of its entry point",
    lambda name, found: _wrong(name, found), lambda: _BY_NAME,
)  # fmt: skip


def declare(metric: Metric) -> None:
    """Take in one more metric. ValueError where the name is taken."""
    if metric.name in _BY_NAME:
        raise ValueError(f"two metrics are called {metric.name}")
    METRICS.append(metric)
    _BY_NAME[metric.name] = metric


def headlines(protocol: Protocol | None = None, *, judged: bool = False) -> tuple[str, ...]:
    """The metrics that stand for a protocol, or for all. judged: only those with an outcome an item or query.

    >>> headlines(Protocol.TRIPLET), headlines(Protocol.CHOICE, judged=True)
    (('i2t_accuracy', 't2t_accuracy'), ('accuracy',))
    """
    return tuple(
        m.name for m in METRICS if m.headline and protocol in (None, m.protocol) and (m.judge or not judged)
    )  # fmt: skip


def judging(protocol: Protocol) -> tuple[str, ...]:
    """The metrics with an outcome an item or query of a protocol, headlines first.

    >>> judging(Protocol.QUAD)
    ('group_score', 'text_score', 'image_score', 'group_match')
    """
    found = [metric for metric in METRICS if metric.protocol == protocol and metric.judge]
    return tuple(metric.name for metric in sorted(found, key=lambda metric: not metric.headline))


def deciding(protocol: Protocol, kind: str | None = None) -> str | None:
    """The one metric that judges an item of a protocol where one has to do; of a kind that its headlines do not allow,
    the first that it allows. None where nothing judges it.

    >>> deciding(Protocol.QUAD), deciding(Protocol.QUAD, Kind.VERDICT), deciding(Protocol.QUAD, Kind.PRIOR)
    ('group_score', 'text_score', None)
    """
    return next((name for name in judging(protocol) if kind is None or kind in _BY_NAME[name].kinds), None)


_OTHER = {"i2t": "t2i", "t2i": "i2t"}


def other_way(name: str) -> str | None:
    """The same metric asked in the other direction, of images for texts; None where it has only one.

    >>> other_way("i2t_recall_at_1"), other_way("i2t_accuracy")
    ('t2i_recall_at_1', None)
    """
    side, _, rest = name.partition("_")
    swapped = f"{_OTHER.get(side, '')}_{rest}"
    return swapped if swapped in _BY_NAME else None


def by_name(name: str) -> Metric:
    """The declaration of a metric. Raises UsageError with near matches for an unknown name.

    >>> by_name("grup_score")
    Traceback (most recent call last):
    backend.errors.UsageError: unknown metric 'grup_score'; did you mean group_score? `docs/methods.md` lists all
    """
    if name not in _BY_NAME and BROUGHT.has(name):
        return cast(Metric, BROUGHT.load(name))
    if name not in _BY_NAME:
        near = get_close_matches(name, _BY_NAME, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(_BY_NAME)}."
        raise UsageError(f"unknown metric {name!r}; {hint} `docs/methods.md` lists all")
    return _BY_NAME[name]


def known(name: str) -> Metric | None:
    """As `by_name`, but None where there is no such metric: one that a package brought which is gone, or broken now.
    What was stored of it can still be read."""
    try:
        return by_name(name)
    except UsageError:
        return None
    except plugins.PluginError as error:
        plugins.note(str(error))
        return None


def everything() -> tuple[Metric, ...]:
    """Ours, then those of other installed packages that can be used; a broken one is named by `plugins.troubles`."""
    return (*METRICS, *(found for _, found in BROUGHT.usable()))


def applicable(protocol: Protocol, kind: Kind) -> tuple[Metric, ...]:
    """The metrics that scores of a kind on a protocol allow, in the order of `everything`.

    >>> [metric.name for metric in applicable(Protocol.TRIPLET, Kind.T2T)]
    ['t2t_accuracy', 'p1_n_accuracy', 'p2_n_accuracy']
    """
    return tuple(metric for metric in everything() if metric.protocol == protocol and kind in metric.kinds)


__all__ = [
    "BROUGHT", "BY_ITEM", "METRICS", "Direction", "Metric", "applicable", "by_name", "deciding", "declare",
    "everything", "headlines", "judging", "known", "other_way",
]  # fmt: skip
