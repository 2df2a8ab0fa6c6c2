"""One window of items through the model: every image decoded once, every text and image encoded once, every pair
scored once; then the rows of each item, or the reason why it has none.
"""

import traceback
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from backend.engine import cache, upcoming
from backend.engine.inputs import image_bytes
from backend.engine.inputs.classes import Matrix, class_vectors
from backend.engine.inputs.decode import Decoded
from backend.engine.inputs.decoder import Decoder
from backend.engine.inputs.prior import PriorRow, TextScorer
from backend.engine.plan import Asked, Plan, Stage
from backend.engine.retries import CallError, Guard
from backend.engine.storage.rows import Rows
from backend.engine.upcoming import Pending
from backend.engine.window import Findings, Vector, finite, not_finite
from backend.errors import FlipsideError
from backend.intake.survey import WorkItem
from backend.items import IMAGE_KINDS, ImageRef, Kind
from backend.models.base import Model, PairScore, Picture

Work = Sequence[tuple[Stage, Sequence[WorkItem]]]


@dataclass
class Window:
    """What came of one window. images: those that were looked at, with the digests of their bytes.

    unreadable: stage -> item_no -> (item_id, why), for items whose image cannot be opened. failed: stage -> the
    sentence why it cannot go on; such a stage has no rows. tracebacks: of what the model raised, for the log.
    """

    rows: Rows = field(default_factory=dict)
    unreadable: dict[str, dict[int, tuple[str, str]]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    tracebacks: list[str] = field(default_factory=list)
    images: list[tuple[ImageRef, str]] = field(default_factory=list)


@dataclass
class _Want:
    """What one image is needed for. texts: stage -> what it is asked about."""

    ref: ImageRef
    vector: bool = False
    texts: dict[str, dict[Asked, None]] = field(default_factory=dict)


class Scorer:
    """The model, what it has computed and still remembers, and how often it was asked."""

    def __init__(
        self,
        model: Model,
        plan: Plan,
        decoder: Decoder,
        priors: Mapping[str, TextScorer],
        memory: cache.Memory | None = None,
        keeps: bool = False,
    ) -> None:
        """memory: what this model has encoded for other benchmarks, and is added to. keeps: whether the model keeps
        what pictures bring to their pairs from window to window, where captions meet other items' pictures."""
        self.model, self.plan, self.decoder, self.priors = model, plan, decoder, priors
        decoder.for_batches_of(model.images_at_once)
        self.guard = Guard()
        model.keep_features(keep=keeps and any(stage.share is not None and stage.paired for stage in plan.stages))
        self.memory, self.digest = memory, image_bytes.Digests()
        self.text_vectors: cache.Cache[Vector] = cache.Cache(cache.VECTORS) if memory is None else memory.texts
        self.image_vectors = cache.Cache[Vector](cache.VECTORS)
        self.class_vectors = cache.Cache[Matrix](cache.CLASSIFIERS)
        self.pair_scores = cache.Cache[PairScore](cache.SCORES)
        self.prior_scores = cache.Cache[list[PriorRow]](cache.SCORES)
        self.n_ahead = 0  # items behind the last window that were looked at for what comes
        self.asked = {"images_encoded": 0, "texts_encoded": 0, "pairs_scored": 0, "priors_scored": 0}

    def forget(self) -> None:
        """Forget what other windows have found, so that the next one's batches are made of itself alone. Class names
        stay: their batches are made of a subset's names and prompts, whichever window is the first to need them."""
        self.text_vectors, self.image_vectors = (cache.Cache[Vector](cache.VECTORS) for _ in range(2))
        self.pair_scores = cache.Cache[PairScore](cache.SCORES)
        self.prior_scores = cache.Cache[list[PriorRow]](cache.SCORES)

    def known_image(self, image: ImageRef) -> tuple[Vector, str] | None:
        """The vector and the digest of an image that was encoded for another benchmark; None where it was not."""
        if self.memory is None or not len(self.memory.images) or image.missing:
            return None
        digest = self.digest(image.uri)
        vector = self.memory.images.get(digest) if digest else None
        return None if vector is None else (vector, digest)

    def score(self, work: Work, after: Callable[[], Pending] = tuple, n_items: int = 0) -> Window:
        """Score the items of each stage. after: what is pending after these, of which images and texts are made ready
        meanwhile. n_items: in this window."""
        return _Pass(self, work).run(after, n_items)


class _Pass:
    """The state of one window: its results by key, kept until its rows are made."""

    def __init__(self, scorer: Scorer, work: Work) -> None:
        self.scorer, self.model, self.plan = scorer, scorer.model, scorer.plan
        self.work = {stage.name: (stage, items) for stage, items in work}
        self.window = Window()
        self.found = Findings(scorer.plan)
        self.digests: dict[str, str] = {}

    def run(self, after: Callable[[], Pending], n_items: int) -> Window:
        wants = self._wants()
        self._expect(wants, after, n_items)
        decoded = self.scorer.decoder.batches([want.ref for want in wants.values()])  # while texts are encoded
        self._encode_texts()
        self._look_at_images(wants, decoded)
        for stage, items in self._live():
            if stage.kind == Kind.PRIOR:
                self._score_priors(stage, items)
        for stage, items in self._live():
            self._collect(stage, items)
        return self.window

    def _expect(self, wants: Mapping[str, _Want], after: Callable[[], Pending], n_items: int) -> None:
        """What comes after this window is made ready while it lasts. Where pictures are known by their bytes, no more
        files are read for that ahead than for this window."""
        scorer, left = self.scorer, [max(1, len(wants))]

        def known(image: ImageRef, stage: Stage) -> bool | None:
            if stage.paired:
                return False
            if image.key in scorer.image_vectors:
                return True
            if scorer.decoder.has_begun(image) or scorer.memory is None or not len(scorer.memory.images):
                return False
            left[0] -= 1
            return None if left[0] < 0 else scorer.known_image(image) is not None

        texts: list[str] = []
        if scorer.decoder.cuts:
            mine = {text for _, items in self.work.values() for item in items for text in item.texts}
            texts = upcoming.texts(self.plan, after(), 2 * n_items, mine)
            texts = [text for text in texts if text not in scorer.text_vectors]
        looks = any(stage.kind in IMAGE_KINDS for stage, _ in self.work.values())
        # not behind where the last window looked, or what it began would be let go
        scorer.n_ahead = max(upcoming.WINDOWS * n_items, scorer.n_ahead - n_items)
        images = upcoming.images(self.plan, after(), scorer.n_ahead, wants, known) if looks else ()
        scorer.decoder.expect(images, texts, wants)

    def _collect(self, stage: Stage, items: Sequence[WorkItem]) -> None:
        """The rows of all items, or none of this stage's where one score is no finite number."""
        rows: Rows = {part: [] for part in stage.parts}
        for item in items:
            problem = self.found.problem(stage, item)
            if problem is not None:
                self.window.unreadable.setdefault(stage.name, {})[item.item_no] = (item.item_id, problem)
                continue
            made = self.found.rows(stage, item)
            if not finite(made):
                self._fail(stage, item.item_id, not_finite(self.model))
                return
            for part, more in made.items():
                rows[part] += more
        self.window.rows.update(rows)

    def _live(self, kinds: Iterable[Kind] = tuple(Kind)) -> list[tuple[Stage, Sequence[WorkItem]]]:
        return [w for name, w in self.work.items() if name not in self.window.failed and w[0].kind in kinds]

    def _fail(self, stage: Stage, item_id: str, why: CallError | str) -> None:
        self.window.failed[stage.name] = f"{stage.name} stopped at item {item_id}: {why}"
        if isinstance(why, CallError) and why.__cause__ and not isinstance(why.__cause__, FlipsideError):
            self.window.tracebacks.append("".join(traceback.format_exception(why.__cause__)))

    def _encode_texts(self) -> None:
        stages = [work for work in self._live((Kind.ITC, Kind.T2T)) if not work[0].paired]
        self._encode_classes(stages)
        stages = [(stage, items) for stage, items in stages if stage.name not in self.window.failed]
        plain = (item for _, items in stages for item in items if not self.plan.prompts(item))
        wanted = dict.fromkeys(text for item in plain for text in item.texts)
        missing = _from_cache(wanted, self.scorer.text_vectors, self.found.texts)
        tokens = self.scorer.decoder.cut(missing)

        def encode(ids: Sequence[int]) -> list[Vector]:
            if tokens is not None:
                return list(self.model.encode_tokens(tokens[list(ids)]))
            return list(self.model.encode_texts([missing[i] for i in ids]))

        try:
            vectors = self.scorer.guard("texts", encode, len(missing))
        except CallError as error:
            for stage, items in stages:
                self._fail(stage, _item_with(items, text=missing[error.index]), error)
            return
        self.scorer.asked["texts_encoded"] += len(missing)
        for text, vector in zip(missing, vectors, strict=True):
            self.found.texts[text] = self.scorer.text_vectors[text] = vector

    def _encode_classes(self, stages: Work) -> None:
        """The class names of each subset that is read through prompts, once."""
        for stage, items in stages:
            for item in items:
                prompts, key = self.plan.prompts(item), (item.subset, item.texts)
                if not prompts or not _from_cache([key], self.scorer.class_vectors, self.found.classes):
                    continue
                try:
                    found = class_vectors(item.texts, prompts, self._encode_sentences)
                except CallError as error:
                    self._fail(stage, item.item_id, error)
                    break
                self.found.classes[key] = self.scorer.class_vectors[key] = found

    def _encode_sentences(self, texts: list[str]) -> list[Vector]:
        encode = self.model.encode_texts
        vectors = self.scorer.guard("texts", lambda ids: list(encode([texts[i] for i in ids])), len(texts))
        self.scorer.asked["texts_encoded"] += len(texts)
        return vectors

    def _look_at_images(self, wants: Mapping[str, _Want], decoded: Iterable[Sequence[Decoded]]) -> None:
        for batch in decoded:
            seen: list[tuple[_Want, Picture]] = []
            for image in batch:
                if image.picture is None:
                    self.found.broken[image.ref.key] = image.problem
                else:
                    seen.append((wants[image.ref.key], image.picture))
                    self.window.images.append((image.ref, image.digest))
                    self.digests[image.ref.key] = image.digest
            for stage, items in self._live(IMAGE_KINDS):
                if stage.paired:
                    self._score_pairs(stage, items, seen)
                else:
                    self._encode_images(stage, items, seen)

    def _wants(self) -> dict[str, _Want]:
        wants: dict[str, _Want] = {}
        for stage, items in self._live(IMAGE_KINDS):
            for item in items:
                if not stage.paired:
                    keys = {image.key: image for image in self.plan.images(stage, item)}
                    for key in _from_cache(keys, self.scorer.image_vectors, self.found.images):
                        if (known := self.scorer.known_image(keys[key])) is not None:
                            self.found.images[key] = self.scorer.image_vectors[key] = known[0]
                            self.window.images.append((keys[key], known[1]))
                        else:
                            wants.setdefault(key, _Want(keys[key])).vector = True
                    continue
                cells: dict[tuple[Kind, str, Asked], ImageRef] = {}
                for pair in self.plan.cells(stage, item):
                    image = self.plan.image(item, pair)
                    cells[stage.kind, image.key, pair.asked] = image
                for cell in _from_cache(cells, self.scorer.pair_scores, self.found.pairs):
                    want = wants.setdefault(cell[1], _Want(cells[cell]))
                    want.texts.setdefault(stage.name, {})[cell[2]] = None
        return wants

    def _encode_images(self, stage: Stage, items: Sequence[WorkItem], seen: Sequence[tuple[_Want, Picture]]) -> None:
        todo = [(w.ref.key, picture) for w, picture in seen if w.vector and w.ref.key not in self.found.images]
        encode = self.model.encode_images
        try:
            vectors = self.scorer.guard("images", lambda ids: list(encode([todo[i][1] for i in ids])), len(todo))
        except CallError as error:
            self._fail(stage, _item_with(items, image=todo[error.index][0]), error)
            return
        self.scorer.asked["images_encoded"] += len(todo)
        for (key, _), vector in zip(todo, vectors, strict=True):
            self.found.images[key] = self.scorer.image_vectors[key] = vector
            if self.scorer.memory is not None and self.digests.get(key):
                self.scorer.memory.images[self.digests[key]] = vector

    def _score_pairs(self, stage: Stage, items: Sequence[WorkItem], seen: Sequence[tuple[_Want, Picture]]) -> None:
        """All texts of an image together, with the same picture object: an adapter computes its features once."""
        wanted = [(want.ref.key, picture, asked) for want, picture in seen for asked in want.texts.get(stage.name, ())]
        # What another stage of this kind has just asked is not asked again.
        todo = [each for each in wanted if (stage.kind, each[0], each[2]) not in self.found.pairs]

        self.model.pictures_are({id(picture): self.digests.get(want.ref.key, "") for want, picture in seen})

        def ask(ids: Sequence[int]) -> list[PairScore]:
            pictures, texts = [todo[i][1] for i in ids], [todo[i][2] for i in ids]
            return self.model.pair_scores(stage.kind, pictures, texts)

        try:
            scores = self.scorer.guard(stage.kind, ask, len(todo))
        except CallError as error:
            key, _, asked = todo[error.index]
            self._fail(stage, _item_with(items, image=key, text=asked), error)
            return
        finally:
            self.model.pictures_are({})  # the identity of an object is another picture's once it is gone
        self.scorer.asked["pairs_scored"] += len(todo)
        for (key, _, asked), score in zip(todo, scores, strict=True):
            cell = (stage.kind, key, asked)
            self.found.pairs[cell] = self.scorer.pair_scores[cell] = score

    def _score_priors(self, stage: Stage, items: Sequence[WorkItem]) -> None:
        wanted = dict.fromkeys((stage.name, text) for item in items for text in self.plan.prior_texts(item))
        missing = _from_cache(wanted, self.scorer.prior_scores, self.found.priors)
        ask = self.scorer.priors[stage.name]
        try:
            scores = self.scorer.guard(stage.name, lambda ids: ask([missing[i][1] for i in ids]), len(missing))
        except CallError as error:
            self._fail(stage, _item_with(items, text=missing[error.index][1]), error)
            return
        self.scorer.asked["priors_scored"] += len(missing)
        for key, rows in zip(missing, scores, strict=True):
            self.found.priors[key] = self.scorer.prior_scores[key] = rows


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def _from_cache(wanted: Iterable[Key], known: cache.Cache[Value], found: dict[Key, Value]) -> list[Key]:
    """Put what is known into `found`; the keys that have to be computed."""
    missing = []
    for key in wanted:
        if key not in found:
            value = known.get(key)
            if value is None:
                missing.append(key)
            else:
                found[key] = value
    return missing


def _item_with(items: Sequence[WorkItem], image: str | None = None, text: Asked | None = None) -> str:
    """The first item that asks about this image and text (in retrieval the text may be another item's)."""
    wanted = {text} if isinstance(text, str) else set(text or ())
    with_image = [item for item in items if image is None or any(i.key == image for i in item.images)]
    with_both = [item for item in with_image or items if wanted <= set(item.texts)]
    return (with_both or with_image or list(items))[0].item_id
