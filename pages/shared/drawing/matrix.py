"""The score matrix: images are rows, captions columns; truth framed, row and column winners marked."""

from collections.abc import Collection, Iterable, Sequence
from math import isfinite

import numpy as np
from markupsafe import Markup

from pages.shared.drawing.colours import CIVIDIS, DIVERGING, along, ink_on
from pages.shared.drawing.numbers import fixed, score
from pages.shared.drawing.thumbnails import picture

#: Explains the marks once per page.
WINNERS = "→ highest in its row (best caption for the image), ↓ highest in its column (best image for the caption)."
LEGEND = f"Framed: belongs together. {WINNERS}"
#: Captions beyond which cells are drawn smaller, so that sixteen of them stand beside each other.
DENSE = 6


def panels(bodies: Iterable[Markup], columns: int) -> Markup:
    """Panels side by side, each as wide as its matrices of that many captions need: more panels go to the next row.

    >>> print(panels([Markup("<p>1</p>")], 4))
    <div class="fs-grid" style="--fs-panel-width:28.5rem"><p>1</p></div>
    """
    width = max(21.0, 9.5 + (4.75 if columns <= DENSE else 3.45) * columns)
    return Markup('<div class="fs-grid" style="--fs-panel-width:{:g}rem">{}</div>').format(width, Markup().join(bodies))


def score_matrix(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    truth: Collection[tuple[int, int]] = (),
    *,
    title: str,
    unit: str = "",
    row_images: Sequence[str] = (),
    hints: Sequence[str] = (),
    limits: tuple[float, float] | None = None,
    signed: bool = False,
    triangle: bool = False,
) -> Markup:
    """A matrix as an HTML table.

    rows, columns: short labels; row_images: data URIs shown beside the row labels; hints: full captions for the
    column heads. limits: the colour range (by default the matrix's own, or symmetric around zero where `signed`).
    triangle: only what is above the diagonal of a symmetric matrix, without winners. A tie has no winner, because a tie
    is no success.
    """
    grid = np.asarray(values, dtype=float)
    if triangle:
        grid = np.where(np.triu(np.ones(grid.shape, dtype=bool), 1), grid, np.nan)[:-1, 1:]
        rows, columns, hints = rows[:-1], columns[1:], hints[1:]
    low, high = limits or _limits(grid, signed)
    dense = len(columns) > DENSE
    head = Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(hints[j] if hints else name, name)
        for j, name in enumerate(columns)
    )
    best_in_row = [_winner(grid[i, :]) if grid.shape[1] > 1 and not triangle else -1 for i in range(grid.shape[0])]
    best_in_column = [_winner(grid[:, j]) if grid.shape[0] > 1 and not triangle else -1 for j in range(grid.shape[1])]
    body = Markup()
    for i, name in enumerate(rows):
        image = picture(row_images[i], f"image {name}", 30 if dense else 44) if row_images else ""
        cells = Markup()
        for j in range(grid.shape[1]):
            if triangle and j < i:
                cells += Markup('<td class="fs-blank"></td>')
                continue
            marks = ("→" if best_in_row[i] == j else "") + ("↓" if best_in_column[j] == i else "")
            cells += _cell(float(grid[i, j]), low, high, (i, j) in truth, marks, signed, dense)
        body += Markup('<tr><th scope="row">{}<span>{}</span></th>{}</tr>').format(image, name, cells)
    spread = f"{score(low)} … {score(high)}"
    scale = "signed" if signed else "cividis"
    size = " fs-dense" if dense else ""
    return Markup(
        '<figure class="fs-matrix{size}"><table><caption>{title}</caption>'
        "<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        '<figcaption><i class="fs-ramp fs-ramp-{scale}" aria-hidden="true"></i>'
        "{spread} {unit}</figcaption></figure>"
    ).format(size=size, title=title, head=head, body=body, scale=scale, spread=spread, unit=unit)


def _cell(value: float, low: float, high: float, true: bool, marks: str, signed: bool, dense: bool = False) -> Markup:
    if not isfinite(value):
        return Markup('<td class="fs-undefined">–</td>')
    colour = along(DIVERGING if signed else CIVIDIS, (value - low) / (high - low) if high > low else 0.5)
    says = ", ".join(
        word
        for word, on in (("belongs together", true), ("best in row", "→" in marks), ("best in column", "↓" in marks))
        if on
    )
    classes = " ".join(name for name, on in (("fs-truth", true), ("fs-best", bool(marks))) if on)
    # Two decimals fit a small cell and tell its neighbours apart where they spread; the title has the rest.
    said = fixed(value, 2) if dense and high - low >= 0.2 else score(value)
    return Markup(
        '<td class="{classes}" style="background:{colour};color:{ink}" '
        'title="{value}{says}"><b>{said}</b>'
        '<span class="fs-marks">{marks}</span></td>'
    ).format(
        classes=classes,
        colour=colour,
        ink=ink_on(colour),
        value=score(value),
        says=" · " + says if says else "",
        said=said,
        marks=marks,
    )


def _limits(grid: np.ndarray, signed: bool) -> tuple[float, float]:
    known = grid[np.isfinite(grid)]
    if not known.size:
        return 0.0, 0.0
    if signed:
        reach = float(np.abs(known).max())
        return -reach, reach
    return float(known.min()), float(known.max())


def _winner(line: np.ndarray) -> int:
    """The position of the strictly highest value, or -1 on a tie or where a value is undefined."""
    if not np.isfinite(line).all():
        return -1
    top = int(line.argmax())
    return top if (line == line[top]).sum() == 1 else -1
