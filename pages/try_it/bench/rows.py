"""The rows of the bench: one score of one model each, the leads of its captions, and what is known to be true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, log10

import numpy as np

from backend.live.playing import meaning, recipes
from backend.live.playing.play import Play
from backend.live.scoring import judging
from backend.live.scoring.scoring import Array, ModelScores
from backend.metrics.core.registry import deciding
from backend.perturb.base import Effect
from backend.protocols import Protocol

#: First digits of what half a bar stands for.
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True)
class Row:
    """One score of one model. base, now: (images, texts) as judged; shown: (images, texts) in the kind's own unit."""

    scores: ModelScores
    kind: str
    base: Array
    now: Array
    shown: Array
    layout: str

    @property
    def who(self) -> tuple[str, str]:
        """What recipes are kept by."""
        return self.scores.spec, self.kind

    @property
    def answers(self) -> tuple[recipes.Answer | None, recipes.Answer | None]:
        """The answer as it was and as it is."""
        return recipes.answer(self.base, self.layout), recipes.answer(self.now, self.layout)

    @property
    def turned(self) -> bool:
        """Whether the edits turned the answer."""
        before, after = self.answers
        return before is not None and after is not None and before != after


@dataclass(frozen=True)
class Seen:
    """What is known of an experiment beside its scores. marks: (images, texts) of True, False or None: is the caption
    true of the picture, as it is now; tied: caption pairs that a model cannot tell apart, by spec; taken: whether a
    caption counts as true by its line alone (`taken`)."""

    marks: Sequence[Sequence[bool | None]]
    tied: Mapping[str, str] = field(default_factory=dict)
    taken: bool = False


def leads(matrix: Array, layout: str) -> Array:
    """(images, texts): each caption's lead over the best that it has to beat under this image; NaN without a rival.

    A true caption has to beat the strongest false one, a false caption the weakest true one; where nothing is known
    to be true every caption has to beat all others. So a choice's or triplet's margin is the least lead of its true
    captions.

    >>> leads(np.array([[0.5, 0.2, 0.4]]), "choice").round(1).tolist()
    [[0.1, -0.3, -0.1]]
    """
    n_images, n_texts = matrix.shape
    found = np.full(matrix.shape, np.nan)
    pairs = judging.truth(layout)
    for i in range(n_images):
        true = {j for of, j in pairs if of == i}
        for j in range(n_texts):
            if true:
                rivals = [k for k in range(n_texts) if (k in true) != (j in true)]
                best = max if j in true else min
            else:
                rivals, best = [k for k in range(n_texts) if k != j], max
            if rivals:
                found[i, j] = matrix[i, j] - best(matrix[i, k] for k in rivals)
    return found


def rows(base: Sequence[ModelScores], now: Sequence[ModelScores], layout: str, kinds: Sequence[str]) -> list[Row]:
    """The rows: every chosen kind of score of an image that a model gave before and after. base, now: same models."""
    return [
        Row(is_, str(kind), was.judged(kind), is_.judged(kind), is_.matrices[kind], layout)
        for was, is_ in zip(base, now, strict=True)
        for kind in is_.matrices if kind in kinds and kind in was.matrices
    ]  # fmt: skip


def marks(keys: Sequence[str], base: Sequence[str], play: Play, layout: str) -> list[list[bool | None]]:
    """(images, texts): whether each caption is true of each picture; None where nobody knows.

    Where the drawn world knows, as it knows: whoever types a caption may put a false one in the place of a true one.
    Elsewhere as the layout says, as long as no caption says something else. A picture that is covered may no longer
    show it, so of that nothing is said.
    """
    declared = judging.truth(layout)
    found: list[list[bool | None]] = []
    for i, key in enumerate(keys):
        known = bool([j for of, j in declared if of == i])
        row: list[bool | None] = []
        for j, text in enumerate(play.texts):
            mark = None if i in play.covers else meaning.true_of(key, text)
            same = text == base[j] or play.effect_on(base, j) == Effect.PRESERVING
            if mark is None and i not in play.covers and known and same:
                mark = (i, j) in declared
            row.append(mark)
        found.append(row)
    return found


def taken(keys: Sequence[str], texts: Sequence[str], layout: str) -> bool:
    """Whether a caption counts as true of its picture by the line that it stands in alone: of a photograph, and of
    other words than the drawn world has, nobody else says so. keys: of the pictures.

    >>> taken(["photo"], ["a dog", "a cat"], "choice"), taken(["photo"], ["a dog", "a cat"], "grid")
    (True, False)
    >>> taken(["world:2.crbpKO.sbbpig"], ["a red circle and a blue star", "a dog"], "choice")
    False
    """
    declared = [(i, j) for i, j in judging.truth(layout) if i < len(keys) and j < len(texts)]
    return any(meaning.true_of(keys[i], texts[j]) is None for i, j in declared)


def stands(marks: Sequence[Sequence[bool | None]], layout: str) -> bool:
    """Whether the pairs that belong together by the layout, and no others, are known to be true as things are now.

    marks: (images, texts), of the captions as they stand.

    >>> stands([[True, False]], "choice"), stands([[False, False]], "choice"), stands([[True, None]], "choice")
    (True, False, False)
    """
    declared = judging.truth(layout)
    return all(mark is ((i, j) in declared) for i, line in enumerate(marks) for j, mark in enumerate(line))


def contradiction(marks: Sequence[Sequence[bool | None]], layout: str) -> str:
    """What the drawn scenes say against what the layout takes for true, a sentence; "" where nothing does.

    marks: (images, texts), of the captions as they stand.

    >>> contradiction([[True, False]], "choice"), contradiction([[None, False]], "choice")
    ('', '')
    >>> contradiction([[False, False]], "choice").partition(":")[0]
    'Caption 1 is false of this picture, so no answer is right or wrong'
    """
    declared = judging.truth(layout)
    if not declared:
        return ""
    odd = [(i, j) for i, line in enumerate(marks) for j, mark in enumerate(line) if mark is ((i, j) not in declared)]
    known = [at for at in odd if any(of == at[0] for of, _ in declared)]
    if not known:
        return ""
    i, j = min(known, key=lambda at: at not in declared)  # a declared caption that is false says more than a true foil
    picture = f"picture {i + 1}" if len(marks) > 1 else "this picture"
    if (i, j) not in declared:
        said, mend = f"Caption {j + 1} is true of {picture}, too", "put another caption there"
    elif len(marks) > 1:
        said, mend = f"Caption {j + 1} is false of {picture}", f"put the caption of picture {i + 1} in line {j + 1}"
    else:
        said, mend = f"Caption {j + 1} is false of {picture}", "put a true caption first"
    # Of several pictures each may still have a caption that is true of it, and be answered rightly.
    whole = "the pictures together have no answer that is right or wrong"
    what = whole if len(marks) > 1 else "no answer is right or wrong"
    return f"{said}, so {what}: {mend}, or judge a free grid."


def mark_of(marks: Sequence[bool | None], layout: str, j: int) -> bool | None:
    """Whether caption j of one image is a right choice (False: a wrong one); None where nobody can say.

    marks: of the image's captions, as in `Seen`. Where one caption was declared true, choosing another is a mistake
    only as long as the truth of all of them is known, and one of them is true; on a free grid each caption stands for
    itself.

    >>> mark_of([None, False], "choice", 1), mark_of([True, False], "choice", 1), mark_of([None, False], "grid", 1)
    (None, False, False)
    >>> mark_of([False, False], "quad", 1)
    """
    if layout != judging.GRID and (None in marks or True not in marks):
        return None
    return marks[j]


def reaches(shown: Sequence[Row]) -> dict[str, float]:
    """Kind -> the lead that fills half a bar: the largest one of that kind, before or now, rounded up."""
    found: dict[str, float] = {}
    for row in shown:
        sizes = np.abs(np.concatenate([leads(m, row.layout).ravel() for m in (row.base, row.now)]))
        sizes = sizes[np.isfinite(sizes)]
        found[row.kind] = max(found.get(row.kind, 0.0), float(sizes.max(initial=0.0)))
    return {kind: rounded_up(size) for kind, size in found.items()}


def rounded_up(size: float) -> float:
    """One of `STEPS` times a power of ten; 1 for nothing.

    >>> rounded_up(0.13), rounded_up(5.0), rounded_up(0.0)
    (0.15, 5.0, 1.0)
    """
    if not size > 0 or not isfinite(size):
        return 1.0
    power = 10.0 ** floor(log10(size))
    return float(f"{next(k for k in STEPS if k * power >= size * (1 - 1e-9)) * power:.6g}")


def margin(matrix: Array, layout: str) -> judging.Verdict | None:
    """The verdict that decides a layout; None on a free grid and for one caption."""
    if layout == judging.GRID or matrix.shape[1] < 2:
        return None
    decides = deciding(Protocol(layout))
    return next((v for v in judging.verdicts(matrix, layout) if v.metric == decides), None)
