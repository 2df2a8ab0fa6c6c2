"""Is an adapter equal to its reference library, and does a score depend on nothing but its own image and text?

`doctor --model SPEC` asks it of a user's model, `make fidelity` of every family's random-weight configs. No torch in
here: the adapter and its reference (`backend.models.reference`) bring their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError
from backend.kinds import IMAGE_KINDS, PROBABILITIES, SPOKEN, Kind
from backend.models.base import Model, TokenScores, sigmoid
from backend.models.odd_pictures import ODD, pictures, plain

#: Largest absolute difference allowed in embeddings, match probabilities and token log-probabilities.
TOLERANCE = 1e-4
#: Half precision holds 11 (float16) or 8 (bfloat16) bits; sums of hundreds of products lose some of these.
HALF = {"float16": 2e-2, "bfloat16": 1e-1}

#: What libraries raise for a picture that they cannot read (of a single pixel, say).
UNREADABLE = (ArithmeticError, IndexError, RuntimeError, ValueError)

TEXTS = (
    "a cat",
    "a red cube to the left of a blue ball",
    "two dogs are running after a child on the beach, and a third one sleeps in the shade",
    "",
    "Ein Bär trägt einen grünen Hut – déjà vu!",
    "a",
    "the cat chases the dog",
)

#: What every text is held against where a model chooses between two.
RIVAL = "a yellow ball behind two dogs"

#: kind -> images, texts -> one array of numbers a pair.
Scorer = Callable[[Sequence[Any], Sequence[str]], list[NDArray[np.float32]]]


@dataclass(frozen=True)
class Finding:
    """One check of one kind.

    largest: the largest absolute difference; NaN where a `problem` kept it from being measured. n: numbers compared.
    """

    check: str
    kind: str
    largest: float
    tolerance: float
    n: int
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem and self.largest <= self.tolerance


def tolerance_of(model: Model) -> float:
    """What the model's dtype can hold."""
    return HALF.get(str(model.describe().get("dtype", "")).removeprefix("torch."), TOLERANCE)


def check(model: Model, reference: Any, texts: Sequence[str] = TEXTS, tolerance: float | None = None) -> list[Finding]:
    """All checks of all kinds that a model gives.

    reference: a `backend.models.reference.base.Reference`, or None to leave out what needs one.

    - `reference`: seven pairs in one call against the library's own forward pass, one pair at a time.
    - `batch of 1`, `batch of 7`: the same with the adapter's batch forced to that size.
    - `company`: each pair asked alone against the same pair among the others and among repetitions.
    - `odd images`: RGBA, palette, grey, CMYK, EXIF-rotated, 1-pixel and narrow pictures against the reference's answer
      for what they look like as upright RGB on white (kinds with images).
    """
    limit = tolerance_of(model) if tolerance is None else tolerance
    images = pictures()
    captions = [texts[i % len(texts)] for i in range(len(images))]
    found: list[Finding] = []
    for kind, (ours, theirs) in scorers(model, reference).items():
        found += _compare(kind, model, ours, theirs, images, captions, limit)
    return found


def scorers(model: Model, reference: Any) -> dict[str, tuple[Scorer, Scorer | None]]:
    """For each question that the model answers: how we ask it, and how the reference library does."""
    known: dict[str, tuple[Scorer, Any]] = {}
    if Kind.ITC in model.kinds - model.pairwise:  # vectors tell more than their product
        known["itc, image"] = (lambda i, _: list(model.encode_images(i)), lambda r, i, _: r.image(i))
        known["itc, text"] = (lambda _, t: list(model.encode_texts(t)), lambda r, _, t: r.text(t))
    if Kind.T2T in model.kinds and "itc, text" not in known:
        known["t2t"] = (lambda _, t: list(model.encode_texts(t)), lambda r, _, t: r.text(t))
    for kind in Kind:
        pooled = kind == Kind.ITC and kind not in model.pairwise
        if kind in model.kinds and kind in IMAGE_KINDS and not pooled and (kind.info.reference or reference is None):
            known[str(kind)] = (partial(_ours, model, kind), partial(_theirs, kind) if kind.info.reference else None)
    if Kind.PRIOR in model.kinds and Kind.GEN not in model.kinds:
        known["prior"] = (lambda _, t: _tokens(model.text_logprobs(t)), lambda r, _, t: r.blind(t))
    if reference is None:
        return {kind: (ours, None) for kind, (ours, _) in known.items()}
    return {kind: (ours, _one_by_one(reference, ask)) for kind, (ours, ask) in known.items()}


def _ours(model: Model, kind: Kind, images: Sequence[Image.Image], texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """The adapter's answers as they are compared; in a contest each text stands against the same other one."""
    contest = kind.info.compares == "contest"
    scored = model.pair_scores(kind, images, [(text, RIVAL) for text in texts] if contest else texts)
    if kind in SPOKEN:
        return _tokens([one.tokens for one in scored if one.tokens is not None])
    values = [one.value for one in scored]
    return _odds(values) if kind in PROBABILITIES else _each(values)


def _theirs(kind: Kind, reference: Any, image: Image.Image, text: str) -> NDArray[np.float32]:
    """The reference library's answer for one pair, in the same form."""
    answer = getattr(reference, kind.info.reference)(image, text)
    if kind in SPOKEN:
        return np.asarray(answer, dtype=np.float32)
    return (_odds if kind in PROBABILITIES else _each)([answer])[0]


def _one_by_one(reference: Any, ask: Any) -> Scorer:
    return lambda images, texts: [ask(reference, i, t) for i, t in zip(images, texts, strict=True)]


def _odds(logits: Any) -> list[NDArray[np.float32]]:
    """Log-odds as probabilities, and the log-odds themselves by arsinh, whose differences are relative to their size:
    probabilities near 0 and 1 hide large differences."""
    values = np.asarray(logits, dtype=np.float32)
    return [np.array([p, a], dtype=np.float32) for p, a in zip(sigmoid(values), np.arcsinh(values), strict=True)]


def _each(values: Any) -> list[NDArray[np.float32]]:
    return list(np.asarray(values, dtype=np.float32)[:, None])


def _tokens(scored: Sequence[TokenScores]) -> list[NDArray[np.float32]]:
    return [logprobs for _, logprobs in scored]


def _compare(
    kind: str,
    model: Model,
    ours: Scorer,
    theirs: Scorer | None,
    images: Sequence[Image.Image],
    texts: Sequence[str],
    limit: float,
) -> list[Finding]:
    found = []
    size = model.batch_size
    together: list[NDArray[np.float32]] = []
    want: list[NDArray[np.float32]] = []

    def note(name: str, make: Callable[[], tuple[Any, Any]]) -> None:
        found.append(_finding(name, kind, limit, make))

    def referred() -> tuple[Any, Any]:
        together[:] = ours(images, texts)
        want[:] = theirs(images, texts) if theirs is not None else together
        return together, want

    note("reference" if theirs is not None else "finite", referred)
    if found[-1].problem:
        return found
    for forced in (1, 7):
        model.batch_size = forced
        note(f"batch of {forced}", lambda: (ours(images, texts), want))
        model.batch_size = size
    order = [*range(len(images)), *reversed(range(len(images)))]
    alone = [ours([image], [text])[0] for image, text in zip(images, texts, strict=True)]
    note("company", lambda: (ours([images[i] for i in order], [texts[i] for i in order]), [alone[i] for i in order]))
    if theirs is not None and not kind.endswith(("text", "t2t", "prior")):
        note("odd images", lambda: _odd(ours, theirs, texts[1]))
    return found


def _odd(ours: Scorer, theirs: Scorer, text: str) -> tuple[Any, Any]:
    """Scores of the odd pictures. One that the library itself cannot read (Mistral 3 a picture of a single patch) must
    be refused by the adapter in a sentence, and is left out."""
    read, want = [], []
    for name, image in ODD.items():
        try:
            answer = theirs([plain(image)], [text])
        except UNREADABLE as error:
            try:
                ours([image], [text])
            except FlipsideError:
                continue
            raise RuntimeError(f"the library cannot read the picture {name!r} ({error}), but it got a score") from error
        read.append(image)
        want += answer
    return ours(read, [text] * len(read)), want


def _finding(name: str, kind: str, limit: float, make: Callable[[], tuple[Any, Any]]) -> Finding:
    """One comparison; whatever the model or the library raises is what was found."""
    try:
        got, want = make()
    except Exception as error:  # noqa: BLE001 - whatever a model raises is the finding
        return Finding(name, kind, float("nan"), limit, 0, f"{type(error).__name__}: {str(error).strip()[:300]}")
    for position, (a, b) in enumerate(zip(got, want, strict=True)):
        if not np.isfinite(a).all():
            return Finding(
                name, kind, float("nan"), limit, 0, f"pair {position + 1}: not every score is a finite number"
            )
        if np.shape(a) != np.shape(b):
            shapes = f"{np.shape(a)[0]} numbers where the reference has {np.shape(b)[0]}"
            return Finding(name, kind, float("nan"), limit, 0, f"pair {position + 1}: {shapes}")
    apart = [
        float(np.abs(np.subtract(a, b, dtype=np.float64)).max(initial=0.0)) for a, b in zip(got, want, strict=True)
    ]
    return Finding(name, kind, max(apart, default=0.0), limit, int(sum(np.size(a) for a in got)))
