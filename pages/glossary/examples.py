"""The items on which the glossary shows its words: of the bundled world, with the stored scores of bundled models.

Each is found by a rule, so that new results bring new examples; where a result is missing there is none, and its words
stand without a picture.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.metrics.alpha import intervals
from backend.metrics.reasons import quads
from backend.perturb.base import Effect
from backend.protocols import Protocol
from backend.store.labels import edited_captions
from backend.store.queries import FailureFilter, Setting, Side
from pages.failures import data
from pages.item import view
from pages.shared.data import stored
from pages.shared.drawing import colours

WORLD = "world"
CLIP, CAPTIONER = "bundled:clip", "bundled:captioner"
#: The subset of quads, and that of choices, from which examples come.
QUADS, CHOICES = "attribute", "choice"
#: What tells the two captions of the example quad apart: colours, which anybody sees.
CHANGE = "swap_colour"
LOOKING = "Looking for items that show the words …"
#: Models whose every pair is tested, and the p up to which a difference is called real.
FAMILY, LEVEL = (CLIP, "bundled:clip-bag", "bundled:clip-young", "bundled:clip-relational"), 0.05
#: The subset whose binding is set beside luck.
LUCKLESS = "location"


@dataclass(frozen=True)
class Quad:
    """A quad that a model gets wrong for a certified reason. benchmark: its hash; scores: (2, 2) cosines, images are
    rows; gamma, c, r: binding and biases."""

    benchmark: str
    item: str
    model: str
    name: str
    images: tuple[str, str]
    texts: tuple[str, str]
    scores: NDArray[np.float64]
    gamma: float
    c: float
    r: float


@dataclass(frozen=True)
class Choice:
    """A choice that a model gets wrong and that α mends. texts: the true one first; given: log P(t | image) a token;
    prior: log P(t) a token, of `source`; low, high: the α between which it is right."""

    item: str
    model: str
    name: str
    image: str
    texts: tuple[str, ...]
    given: NDArray[np.float64]
    prior: NDArray[np.float64]
    source: str
    low: float
    high: float

    def scores(self, alpha: float) -> NDArray[np.float64]:
        """log P(t | image) − α · log P(t), a token, of each caption."""
        found: NDArray[np.float64] = self.given - alpha * self.prior
        return found

    def margin(self, alpha: float) -> float:
        """How far the true caption leads."""
        found = self.scores(alpha)
        return float(found[0] - found[1:].max())


@dataclass(frozen=True)
class Triplet:
    """A triplet that a model gets wrong. texts: both paraphrases, then the negative; scores: their cosines, (3,)."""

    item: str
    model: str
    name: str
    image: str
    texts: tuple[str, ...]
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Claimed:
    """An item of which a sentence speaks. benchmark: its hash."""

    benchmark: str
    item: str
    model: str
    kind: str
    images: tuple[str, ...]


@dataclass(frozen=True)
class Rated:
    """A rate with its 95 % interval, as shares, and its chance level."""

    model: str
    name: str
    metric: str
    subset: str
    value: float
    low: float
    high: float
    chance: float
    n: int


@dataclass(frozen=True)
class Tested:
    """One of several comparisons of two models on n items of a subset: its p alone and after Holm's correction."""

    models: tuple[str, str]
    names: tuple[str, str]
    subset: str
    p: float
    holm: float
    tests: int
    n: int


@dataclass(frozen=True)
class Near:
    """A wrong verdict that edits of the caption would turn. before: its margin; after: its margins under the edits."""

    item: str
    model: str
    name: str
    kind: str
    image: str
    texts: tuple[str, ...]
    before: float
    after: tuple[float, ...]


@dataclass(frozen=True)
class Luck:
    """How many of n quads of a subset have binding above and below zero."""

    subset: str
    name: str
    above: int
    below: int
    n: int


def _world(model: str) -> stored.StoredBenchmark | None:
    found = stored.chosen().get(WORLD)
    return found if found and model in found.runs else None


def _shortest(rows: list[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Ids by the length of their captions, the shortest first."""
    return [item for item, _ in sorted(rows, key=lambda row: (sum(map(len, row[1])), row[0]))]


def _failed(run: str, kind: str, metric: str, subset: str, reason: str = "", change: str = "") -> list[str]:
    wanted = FailureFilter(run, Setting(kind), correct=False, metrics=(metric,), subsets=(subset,), limit=400)
    return _ids(replace(wanted, reasons=(reason,) if reason else (), perturbations=(change,) if change else ()))


def _ids(wanted: FailureFilter) -> list[str]:
    """Ids of what a filter finds, those with the shortest captions first."""
    rows = data.failures(wanted).rows
    return _shortest([(str(line["item_id"]), tuple(map(str, line["texts"]))) for line in rows.to_dict("records")])


@stored.kept(LOOKING)
def quad() -> Quad | None:
    """A quad of the world that clip binds and yet gets wrong: the image outvotes it, certified; the shortest such."""
    world = _world(CLIP)
    if world is None or QUADS not in world.subsets:
        return None
    for item in _failed(world.runs[CLIP], "itc", "group_score", QUADS, "outvoted_by_image", CHANGE):
        detail = stored.item(world.hash, item)
        own = next((each.values for each in view.scores_of(detail) if (each.model, each.kind) == (CLIP, "itc")), None)
        if own is None or own.shape != (2, 2):
            continue
        found = quads.decompose(own[None])
        images, texts = (detail.image_uris[0], detail.image_uris[1]), (detail.texts[0], detail.texts[1])
        parts = (float(found.gamma[0]), float(found.c[0]), float(found.r[0]))
        return Quad(world.hash, item, CLIP, colours.labels(world.models)[CLIP], images, texts, own, *parts)
    return None


@stored.kept(LOOKING)
def choice() -> Choice | None:
    """A choice of the world that captioner gets wrong and that taking its prior away mends; the shortest such."""
    world = _world(CAPTIONER)
    if world is None or not world.priors[CAPTIONER] or CHOICES not in world.subsets:
        return None
    run, source = world.runs[CAPTIONER], world.priors[CAPTIONER][0]
    known = stored.terms(run, Protocol.CHOICE, CHOICES, Setting("gen", 1.0, source))
    if known is None:
        return None
    items, given, prior = known
    places = {str(item): at for at, item in enumerate(items["item_id"])}
    for item in _failed(run, "gen", "accuracy", CHOICES, "outvoted"):
        at, detail = places.get(item), stored.item(world.hash, item)
        n = len(detail.texts)
        if at is None or n < 2:
            continue
        own = intervals(given[at : at + 1, :n], prior[at : at + 1, :n])
        low, high = float(np.ravel(own.lo)[0]), float(np.ravel(own.hi)[0])
        if 0.1 < low < min(high, 0.95):
            return Choice(
                item, CAPTIONER, colours.labels(world.models)[CAPTIONER], detail.image_uris[0], tuple(detail.texts),
                np.asarray(given[at, :n]), np.asarray(prior[at, :n]), source, low, high,
            )  # fmt: skip
    return None


@stored.kept()
def triplet() -> Triplet | None:
    """A triplet of the world that clip gets wrong; the shortest such."""
    world = _world(CLIP)
    if world is None or "triplet" not in world.subsets:
        return None
    for item in _failed(world.runs[CLIP], "itc", "i2t_accuracy", "triplet"):
        detail = stored.item(world.hash, item)
        own = next((each.values for each in view.scores_of(detail) if (each.model, each.kind) == (CLIP, "itc")), None)
        if own is not None and own.shape == (1, 3):
            name = colours.labels(world.models)[CLIP]
            return Triplet(item, CLIP, name, detail.image_uris[0], tuple(detail.texts), own[0])
    return None


@stored.kept()
def uncertain() -> Claimed | None:
    """A quad of the world that clip gets wrong and of which nothing is certified; the shortest such."""
    world = _world(CLIP)
    if world is None or QUADS not in world.subsets:
        return None
    for item in _failed(world.runs[CLIP], "itc", "group_score", QUADS, "uncertain"):
        return Claimed(world.hash, item, CLIP, "itc", tuple(stored.item(world.hash, item).image_uris))
    return None


@stored.kept()
def grounded() -> Claimed | None:
    """A choice of the world that captioner gets right because of the picture, certified; the shortest such."""
    world = _world(CAPTIONER)
    if world is None or CHOICES not in world.subsets:
        return None
    wanted = FailureFilter(
        world.runs[CAPTIONER], Setting("gen"), correct=True, metrics=("accuracy",), subsets=(CHOICES,),
        reasons=("grounded",), limit=400,
    )  # fmt: skip
    for item in _ids(wanted):
        return Claimed(world.hash, item, CAPTIONER, "gen", tuple(stored.item(world.hash, item).image_uris))
    return None


@stored.kept()
def tested() -> Tested | None:
    """Of all pairs of the clip models on one subset of quads the one whose p alone is the largest that counts as real:
    there the correction matters most."""
    from pages.compare import data as compare

    world = _world(CLIP)
    if world is None or QUADS not in world.subsets:
        return None
    models = [model for model in FAMILY if model in world.runs]
    sides = [Side(world.runs[model], Setting("itc")) for model in models]
    pairs = compare.matrix(sides, "group_score", (QUADS,))
    real = pairs[pairs["p"] <= LEVEL].sort_values("p", ascending=False)
    names = colours.labels(world.models)
    for line in real.to_dict("records"):
        a, b = models[int(line["baseline"])], models[int(line["side"])]
        p, holm = float(line["p"]), float(line["holm"])
        return Tested((a, b), (names[a], names[b]), QUADS, p, holm, len(pairs), int(line["n"]))
    return None


@stored.kept()
def rated() -> Rated | None:
    """clip's group score on the quads of the example's subset."""
    world = _world(CLIP)
    if world is None or QUADS not in world.subsets:
        return None
    frame = stored.headlines(world, "subset")
    own = frame[(frame["model"] == CLIP) & (frame["metric"] == "group_score") & (frame["group"] == QUADS)]
    for line in own.to_dict("records"):
        value, low, high, chance = (float(line[key]) for key in ("value", "low", "high", "chance"))
        name = colours.labels(world.models)[CLIP]
        return Rated(CLIP, name, "group score", QUADS, value, low, high, chance, int(line["n"]))
    return None


@stored.kept()
def near() -> Near | None:
    """A near miss among the choices of the world: the first model with enough edits that has one."""
    world = stored.chosen().get(WORLD)
    for each in _sensitive(world.hash) if world else ():
        edited = edited_captions.verdicts(stored.store().run(each.run), each.kind, Effect.PRESERVING)
        if edited is None or world is None:
            continue
        edited = edited.only(each.texts)
        for at in np.flatnonzero(edited.items["item_id"].isin(each.near).to_numpy()):
            line = edited.items.iloc[at]
            detail = stored.item(world.hash, str(line["item_id"]))
            after = edited.margins[at][np.isfinite(edited.margins[at])]
            if detail.protocol != Protocol.CHOICE or float(line["margin"]) >= 0 or not (after > 0).any():
                continue
            return Near(
                str(line["item_id"]), each.model, colours.labels(world.models)[each.model], each.kind,
                detail.image_uris[0], tuple(detail.texts), float(line["margin"]), tuple(map(float, after)),
            )  # fmt: skip
    return None


def _sensitive(benchmark: str) -> list:  # type: ignore[type-arg]
    from pages.robustness import data as robustness

    return robustness.counts(benchmark)


@stored.kept()
def luck() -> Luck | None:
    """How often clip's binding is above and below zero on one subset."""
    world = _world(CLIP)
    if world is None or LUCKLESS not in world.subsets:
        return None
    frame = stored.deviations(world.runs[CLIP], "itc", "raw")
    own = frame[frame["subset"] == LUCKLESS]
    scores = own[["s11", "s12", "s21", "s22"]].to_numpy(float).reshape(-1, 2, 2)
    gamma = quads.decompose(scores).gamma
    return Luck(
        LUCKLESS, colours.labels(world.models)[CLIP], int((gamma > 0).sum()), int((gamma < 0).sum()), len(gamma)
    )
