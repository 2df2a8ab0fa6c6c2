"""Why one experiment comes out as it does, as far as its own scores say: exact cells, never more than uncertain.

A quad splits into binding, caption bias and image bias; a choice or a triplet into what its captions get under other
scenes and what this picture adds (docs/reasons.md). What is more than luck takes a whole subset, so a single experiment
certifies nothing, and each reason here is called uncertain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.items import Protocol
from backend.live.playing.others import Under
from backend.live.scoring import judging
from backend.live.scoring.scoring import Array
from backend.metrics.reasons.names import MEANINGS, NAMES
from backend.metrics.reasons.quads import QUAD_CELLS, decompose
from pages.shared.drawing.numbers import score as number
from pages.shared.frame.tips import margin_unit
from pages.try_it.bench.rows import Row

#: Cells of wrong quads, as a sentence goes on with them.
LOOKS = {
    "outvoted_by_caption": "outvoted by the caption", "outvoted_by_image": "outvoted by the image",
    "outvoted_by_both": "outvoted by both biases", "no_binding": "unbound",
}  # fmt: skip
ONE_ITEM = "One experiment cannot tell a reason from luck, so it is uncertain; whole subsets can, on Failures."


@dataclass(frozen=True)
class Reason:
    """What is said at the end of a row, and what stands behind it. uncertain: it is a cell of the scores alone."""

    said: str
    tip: str = ""
    uncertain: bool = True


def of_quad(matrix: Array, kind: str) -> Reason:
    """The reason of one quad, (2, 2) as judged."""
    found = decompose(matrix[None])
    if int(found.cell[0]) < 0:
        return Reason("reason not measured: a score is missing", uncertain=False)
    cell, by = QUAD_CELLS[int(found.cell[0])], margin_unit(kind)
    sizes = (
        f"binding {number(float(found.gamma[0]), signed=True)}, caption bias {number(abs(float(found.c[0])))}, "
        f"image bias {number(abs(float(found.r[0])))} ({by})"
    )
    return Reason(NAMES[cell], f"{sizes}: {MEANINGS[cell]}. {ONE_ITEM}")


def of_choice(under: Under | None, kind: str) -> Reason:
    """The reason of one choice or triplet. under: what the model says of other scenes, None where it was not asked."""
    if under is None or not under.cell:
        return Reason(
            "reason not measured",
            "A reason compares this picture with 16 other scenes of the drawn world, which only the bundled models are "
            "asked about, and only where the picture itself is such a scene.",
            uncertain=False,
        )
    by = margin_unit(kind)
    return Reason(
        f"{NAMES[under.cell]}: same verdict under {under.same} of {under.n} other scenes",
        f"margin {number(under.m, signed=True)}, under {under.n} other scenes {number(under.b, signed=True)}, so this "
        f"picture adds {number(under.g, signed=True)} ({by}): {MEANINGS[under.cell]}. {ONE_ITEM}",
    )


def reason(row: Row, under: Mapping[tuple[str, str], Under]) -> Reason | None:
    """Why a row's verdict is what it is; None on a free grid, which has no verdict."""
    if row.layout == judging.GRID or row.base.shape[1] < 2:
        return None
    if row.layout == Protocol.QUAD:
        return of_quad(row.base, row.kind)
    return of_choice(under.get(row.who), row.kind)


def common(known: Sequence[Row]) -> str:
    """What most of the wrong quads have in common by their scores alone, as a clause; "" where nothing is."""
    wrong = [row for row in known if row.layout == Protocol.QUAD and row.answers[0] is False]
    cells = [QUAD_CELLS[int(decompose(row.base[None]).cell[0])] for row in wrong]
    if len(cells) < 2:
        return ""
    most = max(set(cells), key=lambda cell: (cells.count(cell), cell))
    if 2 * cells.count(most) <= len(cells):
        return ""
    n, of = cells.count(most), len(cells)
    return f"; {f'all {of}' if n == of else f'{n} of the {of}'} wrong ones look {LOOKS[most]}"
