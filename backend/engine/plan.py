"""Which (item, image, text) cells each part of a run needs, by the item's protocol.

| protocol | itm, gen, vqa | itc | verdict | t2t | prior |
|---|---|---|---|---|---|
| triplet | image × 3 texts | the same | each paraphrase against the negative | (0, 1), (0, 2), (1, 2) | every text |
| choice | image × texts | the same | the truth against each foil | none | every text |
| quad | images × texts | the same | both texts, for each image | none | every text |
| classify, grounding | images × texts | the same | none | none | every text |
| retrieval | the labelled part of the pool | embeddings of all | none | see below | the labelled part's texts |

Choices and triplets have further cells on request, under other items' images (inputs/others.py): parts of their own.

Beside the cosines of two vectors a run keeps the vectors (inputs/kept_vectors.py), as parts of their own.

A model whose cosine is a number of the pair (`Model.pairwise`) has no embeddings: its itc is scored as itm is.

A class name is read through its subset's prompts: all of them by an itc of two vectors (`classes.py`), the first one by
every kind that reads one text. An image of a pool without texts of its own is there for other images' texts.

t2t on a pool: a model of texts alone embeds the pool's texts, `embeddings:text`, by which similarity-based relevance
grades what other models retrieve; a model with an itc of two vectors stores them there.

The labelled part of a retrieval pool is its first 100 images × its first 300 texts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from backend.engine.inputs import kept_vectors
from backend.engine.inputs import others as others_
from backend.engine.inputs.classes import prompts_of, sentence
from backend.engine.inputs.kept_vectors import Kept
from backend.engine.inputs.others import Others, Share
from backend.engine.inputs.prior import PriorSource
from backend.errors import UsageError
from backend.intake.survey import PROTOCOLS, Survey, WorkItem
from backend.items import IMAGE_KINDS, ImageRef, Kind, Protocol

LABELLED_IMAGES = 100
LABELLED_TEXTS = 300
#: A verdict takes two requests for each false caption; an item of more texts than this is not asked about.
MOST_TEXTS = 29
#: Kinds that every model is asked for pair by pair.
PAIRED = IMAGE_KINDS - {Kind.ITC}
T2T_PAIRS = ((0, 1), (0, 2), (1, 2))
MISSING = "image missing"
TOO_MANY = f"more than {MOST_TEXTS} texts, too many to choose between two at a time"
NO_CONTEST = "verdict is asked of triplets, choices and quads only"

RETRIEVAL = PROTOCOLS.index(Protocol.RETRIEVAL)
TRIPLET = PROTOCOLS.index(Protocol.TRIPLET)
CHOICE = PROTOCOLS.index(Protocol.CHOICE)
QUAD = PROTOCOLS.index(Protocol.QUAD)

#: A text, or two between which the model chooses.
Asked = str | tuple[str, str]


class Pair(NamedTuple):
    """One cell to score: an image of the item and a text, under the index by which its row is stored. rival: the other
    text of a verdict; -1 and "" for every other kind. other: the number of another item's image, -1 for the item's."""

    image_index: int
    text_index: int
    text: str
    rival_index: int = -1
    rival: str = ""
    other: int = -1

    @property
    def asked(self) -> Asked:
        """What the model is asked about."""
        return self.text if self.rival_index < 0 else (self.text, self.rival)


@dataclass(frozen=True)
class Pool:
    """The labelled part of one retrieval subset, as far as it is selected.

    texts: (position in the pool's text list, text). image_items: whose images are scored against these texts.
    owned: item -> how many of its first texts are among these.
    """

    texts: tuple[tuple[int, str], ...]
    image_items: frozenset[int]
    owned: dict[int, int]


@dataclass(frozen=True)
class Stage:
    """One kind with one source of priors: what is computed together and committed under `parts`.

    items: in work order, those that have cells and whose images are there; missing: those whose images are not.
    paired: the model is asked for pairs of image and text (itm, gen, vqa, verdict, a pairwise itc), not for vectors or
    texts. excluded: reason -> items that this kind is not asked about, though others are. share: which other images it
    is about, for the scores under these (see others.py). kept: which vectors stand with which item, for those that are
    kept beside the cosines; they cost nothing, for the cosines are made of them.
    """

    kind: Kind
    parts: tuple[str, ...]
    items: npt.NDArray[np.int32]
    missing: npt.NDArray[np.int32]
    source: PriorSource | None = None
    paired: bool = False
    excluded: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    share: Share | None = None
    kept: Kept | None = None

    @property
    def name(self) -> str:
        """The part that holds the scores."""
        return self.parts[0]

    @property
    def left_out(self) -> dict[str, int]:
        """How many items have cells but cannot be scored, by reason."""
        return {reason: len(items) for reason, items in self.without.items()}

    @property
    def without(self) -> dict[str, npt.NDArray[np.int32]]:
        """Reason -> the items that have no scores for it."""
        return ({MISSING: self.missing} if len(self.missing) else {}) | self.excluded


@dataclass(frozen=True)
class Plan:
    """What to compute. skipped: part -> why this benchmark has nothing for it."""

    survey: Survey
    stages: tuple[Stage, ...]
    pools: dict[str, Pool]
    skipped: dict[str, str]
    others: Others | None = None

    def pairs(self, item: WorkItem) -> list[Pair]:
        """The cells of a paired stage, and of itc outside retrieval."""
        if item.protocol != Protocol.RETRIEVAL:
            texts = self.read_as(item)
            return [Pair(i, t, text) for i in range(len(item.images)) for t, text in enumerate(texts)]
        pool = self.pools[item.subset]
        if item.item_no not in pool.image_items:
            return []
        return [Pair(i, position, text) for i in range(len(item.images)) for position, text in pool.texts]

    def prompts(self, item: WorkItem) -> tuple[str, ...]:
        """The prompts by which the item's texts are read; empty where they are read as they stand."""
        return prompts_of(self.survey.templates, item)

    def read_as(self, item: WorkItem) -> tuple[str, ...]:
        """The item's texts as a kind that reads one text reads them: class names in the first prompt."""
        prompts = self.prompts(item)
        return tuple(sentence(prompts[0], name) for name in item.texts) if prompts else item.texts

    def contests(self, item: WorkItem) -> list[Pair]:
        """The cells of a verdict: for each image, a text that is true against one that is not (in a quad, its two)."""
        n = len(item.texts)
        pairs = {
            Protocol.TRIPLET: [(0, 2), (1, 2)],
            Protocol.CHOICE: [(0, k) for k in range(1, n)],
            Protocol.QUAD: [(0, 1)],
        }.get(item.protocol, [])
        return [Pair(i, a, item.texts[a], b, item.texts[b]) for i in range(len(item.images)) for a, b in pairs]

    def cells(self, stage: Stage, item: WorkItem) -> list[Pair]:
        """The cells of a paired stage."""
        if stage.share is not None:
            texts = self.read_as(item)
            missing = stage.share.missing(item.item_no)
            return [Pair(-1, t, text, other=image) for image in missing for t, text in enumerate(texts)]
        return self.contests(item) if stage.kind == Kind.VERDICT else self.pairs(item)

    def image(self, item: WorkItem, pair: Pair) -> ImageRef:
        """The image of a cell."""
        return item.images[pair.image_index] if self.others is None or pair.other < 0 else self.others.ref(pair.other)

    def images(self, stage: Stage, item: WorkItem) -> list[ImageRef]:
        """The images that a stage looks at for an item, each once."""
        if stage.kind not in IMAGE_KINDS:
            return []
        if stage.kept is not None:
            return [image for _, image in stage.kept.images(item)]
        if stage.share is None or not stage.paired:
            return list(item.images)
        return [stage.share.others.ref(image) for image in stage.share.missing(item.item_no)]

    def prior_texts(self, item: WorkItem) -> tuple[str, ...]:
        """The item's texts whose prior is needed; their position is the stored `text_index`."""
        if item.protocol != Protocol.RETRIEVAL:
            return self.read_as(item)
        return item.texts[: self.pools[item.subset].owned.get(item.item_no, 0)]

    def n_cells(self, stage: Stage, items: npt.NDArray[np.int32]) -> int:
        """How many rows a stage needs for these items; embeddings count as rows, each sample of a prior does not,
        nor do vectors that are kept beside cosines."""
        found, kind = self.survey, stage.kind
        images, texts = found.n_images[items], found.n_texts[items]
        protocol = found.protocol[items]
        pooled = protocol == RETRIEVAL
        if stage.kept is not None:
            return 0
        if stage.share is not None:
            share = stage.share
            return int((share.counts[items] * texts).sum()) if stage.paired else share.others.vectors(found, items)
        if kind == Kind.T2T:
            return int(len(T2T_PAIRS) * (~pooled).sum() + texts[pooled].sum())
        if kind == Kind.PRIOR:
            owned = {number: n for pool in self.pools.values() for number, n in pool.owned.items()}
            return int(texts[~pooled].sum()) + sum(owned.get(int(number), 0) for number in items[pooled])
        if kind == Kind.VERDICT:
            each = np.select([protocol == CHOICE, protocol == TRIPLET], [texts - 1, np.full_like(texts, 2)], 1)
            return int((images * each).sum())
        if kind == Kind.ITC and not stage.paired:
            return int((images * texts)[~pooled].sum() + (images + texts)[pooled].sum())
        names = found.subset_names
        labelled = [len(self.pools[names[s]].texts) for s in found.subset[items[pooled]]]
        return int((images * texts)[~pooled].sum() + (images[pooled] * np.array(labelled, np.int64)).sum())


def make_plan(
    found: Survey,
    kinds: Sequence[Kind],
    sources: Sequence[PriorSource],
    *,
    texts_alone: bool = False,
    pairwise: Collection[str] = (),
    counterfactual: int = 0,
    seed: int = 0,
) -> Plan:
    """The stages of a run: one a kind, for prior one a source, and one a kind for its scores under other images.

    texts_alone: the model never sees an image. pairwise: `Model.pairwise`. counterfactual: how many other images;
    seed: of their draw.
    """
    pools = _pools(found)
    order = found.work_order()
    stages, skipped = [], {}
    for kind in kinds:
        paired = kind in PAIRED or kind in pairwise
        applies = order[_applies(kind, found, pools, order, texts_alone, paired)]
        excluded = _excluded(found, applies, order) if kind == Kind.VERDICT else {}
        applies = applies[~np.isin(applies, excluded.get(TOO_MANY, ()))]
        for source in sources if kind == Kind.PRIOR else (None,):
            stage = _stage(kind, source, applies, found, texts_alone, paired, excluded)
            if len(applies):
                stages.append(stage)
            else:
                skipped[stage.name] = _nothing(kind, found.benchmark, TOO_MANY in excluded)
    if not stages:
        raise UsageError(" ".join(skipped.values()))
    measured = others_.kinds_among(kinds)
    others = Others(found, counterfactual, seed) if counterfactual and measured else None
    if counterfactual and not measured:
        skipped[others_.PREFIX.rstrip(":")] = f"{found.benchmark}: {others_.NO_KIND}, so none is under other images."
    if others is not None:
        under_others = [_under_others(kind, others, kind in PAIRED or kind in pairwise) for kind in measured]
        stages += [stage for stage in under_others if len(stage.items)]
        if not (others.counts > 0).any():
            skipped[others_.PREFIX.rstrip(":")] = f"{found.benchmark}: {others_.NOTHING}."
    stages += [_kept(stage, found) for stage in stages if _has_vectors(stage)]
    if notes := [note for stage in stages if stage.kept is not None for note in stage.kept.notes]:
        skipped[kept_vectors.PREFIX.rstrip(":")] = f"{found.benchmark}: {' '.join(notes)}"
    stages = [stage for stage in stages if stage.kept is None or len(stage.items)]
    return Plan(found, tuple(stages), pools, skipped, others)


def _under_others(kind: Kind, others: Others, paired: bool) -> Stage:
    """A kind's stage for the captions under other images."""
    scored = others.counts[others.items] > 0
    # An item without an image to be scored under may show one that others are scored under.
    items = others.items[scored] if paired else others.items[: len(others.items) if scored.any() else 0]
    parts = (others_.part_of(kind),) if paired else others_.VECTORS
    return Stage(kind, parts, items, np.zeros(0, np.int32), paired=paired, share=Share(others))


def _has_vectors(stage: Stage) -> bool:
    return stage.kind == Kind.ITC and not stage.paired and stage.share is None


def _kept(of: Stage, found: Survey) -> Stage:
    """The stage that keeps the vectors that another one's cosines are made of."""
    kept = kept_vectors.kept(found, of.items)
    items = of.items[np.isin(of.items, kept.items)]
    return Stage(Kind.ITC, kept_vectors.PARTS, items, np.zeros(0, np.int32), kept=kept)


def _nothing(kind: Kind, benchmark: str, too_many: bool) -> str:
    why = f"no selected item has a cell for {kind}"
    if kind == Kind.T2T:
        why = "t2t is defined for triplets only"
    if kind == Kind.VERDICT:
        why = f"every selected item has {TOO_MANY}" if too_many else NO_CONTEST
    return f"{benchmark}: {why}."


def _excluded(
    found: Survey, applies: npt.NDArray[np.int32], order: npt.NDArray[np.int32]
) -> dict[str, npt.NDArray[np.int32]]:
    """Items that have no verdict though they are selected, by reason."""
    many = np.sort(applies[found.n_texts[applies] > MOST_TEXTS])
    other = np.setdiff1d(order, applies)
    return {reason: items for reason, items in ((TOO_MANY, many), (NO_CONTEST, other)) if len(items)}


def _stage(
    kind: Kind,
    source: PriorSource | None,
    items: npt.NDArray[np.int32],
    found: Survey,
    texts_alone: bool,
    paired: bool,
    excluded: dict[str, npt.NDArray[np.int32]],
) -> Stage:
    here = (found.n_missing[items] == 0) | (kind not in IMAGE_KINDS)
    parts = _parts(kind, source, found, texts_alone, paired)
    return Stage(kind, parts, items[here], np.sort(items[~here]), source, paired, excluded)


def _parts(kind: Kind, source: PriorSource | None, found: Survey, texts_alone: bool, paired: bool) -> tuple[str, ...]:
    pooled = bool((found.protocol[found.selected] == RETRIEVAL).any())
    if kind == Kind.T2T and texts_alone and pooled:
        return ("t2t", "embeddings:text")
    if kind == Kind.ITC and not paired:
        return ("itc", "embeddings:image", "embeddings:text") if pooled else ("itc",)
    if kind == Kind.GEN:
        return ("gen", "tokens:gen")
    if source is not None:
        return (source.part, f"tokens:{source.part}") if source.has_tokens else (source.part,)
    return (str(kind),)


def _applies(
    kind: Kind,
    found: Survey,
    pools: dict[str, Pool],
    items: npt.NDArray[np.int32],
    texts_alone: bool,
    paired: bool,
) -> npt.NDArray[np.bool_]:
    """Which of the items have cells of this kind."""
    protocol = found.protocol[items]
    if kind == Kind.T2T:
        pooled = (protocol == RETRIEVAL) & (found.n_texts[items] > 0) & texts_alone
        return np.asarray(((protocol == TRIPLET) & (found.n_texts[items] == 3)) | pooled)
    if kind == Kind.VERDICT:
        images, texts = found.n_images[items], found.n_texts[items]
        triplet, quad = (protocol == TRIPLET) & (texts == 3), (protocol == QUAD) & (texts == 2)
        return np.asarray(((protocol == CHOICE) & (texts > 1) | triplet | quad) & (images > 0))
    has_cells = found.n_texts[items] > 0
    if kind in IMAGE_KINDS:
        has_cells |= np.isin(found.subset[items], [found.subset_names.index(name) for name in pools]) & (
            protocol == RETRIEVAL
        )
        has_cells &= found.n_images[items] > 0
    if paired or kind == Kind.PRIOR:
        names = (set(p.owned) if kind == Kind.PRIOR else p.image_items for p in pools.values())
        labelled = frozenset[int]().union(*names)
        has_cells &= (protocol != RETRIEVAL) | np.isin(items, np.array(sorted(labelled), np.int64))
    return np.asarray(has_cells)


def _pools(found: Survey) -> dict[str, Pool]:
    pools = {}
    chosen = np.zeros(len(found), np.bool_)
    chosen[found.selected] = True
    for number, name in enumerate(found.subset_names):
        members = np.flatnonzero((found.protocol == RETRIEVAL) & (found.subset == number))
        if chosen[members].any():
            pools[name] = _pool(found, members, chosen)
    return pools


def _pool(found: Survey, members: npt.NDArray[np.intp], chosen: npt.NDArray[np.bool_]) -> Pool:
    """Positions are those in the whole pool, so that they mean the same under every selection."""
    starts = np.cumsum(found.n_texts[members]) - found.n_texts[members]
    texts: list[tuple[int, str]] = []
    owned: dict[int, int] = {}
    for member, start in zip(members.tolist(), starts.tolist(), strict=True):
        if len(texts) >= LABELLED_TEXTS:
            break
        if chosen[member]:
            kept = found.items[member].texts[: LABELLED_TEXTS - len(texts)]
            owned[member] = len(kept)
            texts += [(start + i, text) for i, text in enumerate(kept)]
    with_images = members[chosen[members]][:LABELLED_IMAGES]
    return Pool(tuple(texts), frozenset(with_images.tolist()), owned)
