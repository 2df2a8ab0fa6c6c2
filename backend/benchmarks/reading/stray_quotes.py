"""Cells of several lines: a text with line breaks, or whole rows that a stray quote took into one cell.

Under the suspicion that the quote is part of a text, every line of the cell is a row of its own. It is one for certain
where it begins as the row does in which the quote stands (another item's id, another picture's name), or where many
lines have just the header's cells; a text with line breaks is left as it is, and what cannot be told is doubted aloud.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: Lines from which on a cell is rows where nine tenths of them have just the header's cells.
_MANY: Final = 20
#: Fewer are enough where all of them have, and a row has more cells than a line of a text has commas by chance.
_SOME: Final = 3
_CELLS: Final = 3
#: Ids of so many characters are digests, whose letters and digits stand anywhere.
_DIGEST: Final = 8
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGITS: Final = re.compile(r"\d+")
_ALNUM: Final = re.compile(r"[^\W_]+")
#: What an id or a file's name has, and a word has not.
_OF_NAMES: Final = re.compile(r"[\d/.:_]")
_ENDING: Final = re.compile(r"\.[A-Za-z]\w{1,4}$")


@dataclass(frozen=True)
class Spanning:
    """A cell of several lines that is, or may be, rows. above: lines of its row before the one where its quote opens.
    lines: its text, line by line. is_sure: whether it holds rows for certain."""

    above: int
    lines: tuple[str, ...]
    is_sure: bool


def spanning(row: Sequence[str], columns: int, delimiter: str) -> Spanning | None:
    """The first cell of a row that holds rows for certain, else the first that may; None where none does. columns: how
    many the header has.

    >>> spanning(["a.png", "a cup,x\\nb.png,a dog,a cat\\nc.png,a man", "y"], 3, ",").is_sure
    True
    >>> spanning(["choice/10", "1", "5 inch screen\\nchoice/11,0,6 inch"], 3, ",").is_sure
    True
    >>> spanning(["a.png", "a crowd\\nof 1,000"], 2, ",").is_sure
    False
    >>> spanning(["a.png", "a cup,\\nred,\\nand blue", "y"], 3, ",")
    """
    maybe = None
    for at, cell in enumerate(row):
        if "\n" not in cell:
            continue
        found = _judged(row, at, columns, delimiter)
        if found is not None and found.is_sure:
            return found
        maybe = maybe or found
    return maybe


def _judged(row: Sequence[str], at: int, columns: int, delimiter: str) -> Spanning | None:
    lines = tuple(line.removesuffix("\r") for line in row[at].split("\n"))
    cells = [line.split(delimiter) for line in lines]
    cells[0] = [*row[:at], *cells[0]]
    cells[-1] = [*cells[-1], *row[at + 1 :]]
    first, rest = cells[0], cells[1:]
    exact = sum(len(each) == columns for each in cells)
    prose = _is_prose(row, lines, delimiter)
    full = [place for place, each in enumerate(rest, start=1) if len(each) >= columns]
    sure = False
    if len(first) >= columns and not prose:
        sure = any(_begins_alike(first, cells[place], max(at, 1), place) for place in full)
        sure = sure or (exact == len(cells) and ((len(cells) >= _SOME and columns >= _CELLS) or _of_one_make(cells)))
        sure = sure or (len(cells) > _MANY and 10 * exact >= 9 * len(cells))
    maybe = len(first) >= columns and bool(full) and not prose
    if at or full:  # a cell that only goes on with a line that begins like a row may have taken a short one
        maybe = maybe or any(_alike(first[0], each[0], place) for place, each in enumerate(rest, start=1))
    above = sum(cell.count("\n") for cell in row[:at])
    return Spanning(above, lines, sure) if sure or maybe else None


def _is_prose(row: Sequence[str], lines: Sequence[str], delimiter: str) -> bool:
    """Whether delimiters in a cell are a text's: a blank or the line's end follows each, though not in the row's own
    cells."""
    behind = [part for line in lines for part in line.split(delimiter)[1:]]
    return bool(behind) and all(not part or part[0].isspace() for part in behind) and not any(
        cell[:1].isspace() for cell in row[1:]
    )  # fmt: skip


def _of_one_make(cells: Sequence[Sequence[str]]) -> bool:
    """Whether lines of as many cells each have numbers in the same columns, and in one behind the first: verdicts, say,
    or scores."""
    numbers = [[_is_number(cell) for cell in column] for column in zip(*cells, strict=True)]
    return all(len(set(each)) == 1 for each in numbers) and any(each[0] for each in numbers[1:])


def _begins_alike(first: Sequence[str], other: Sequence[str], n: int, below: int) -> bool:
    """Whether the first n cells of a line are another row's: of one sort all, and one of them the id or the file's name
    of another item."""
    pairs = list(zip(first[:n], other[:n], strict=True))
    if any(a.strip() and b.strip() and _is_number(a) != _is_number(b) for a, b in pairs):
        return False
    return any(_alike(a, b, below) for at, (a, b) in enumerate(pairs) if not at or not _is_number(a))


def _alike(one: str, other: str, below: int) -> bool:
    """Whether two cells are ids, or names of files, of one make; numbers where they count on, `below` lines later.

    >>> _alike("choice/10", "choice/11", 1), _alike("7", "8", 1), _alike("a.png", "red", 1), _alike("7", "3", 1)
    (True, True, False, False)
    """
    one, other = one.strip(), other.strip()
    if not one or not other:
        return False
    if _is_number(one) and _is_number(other):
        return one.isdecimal() and other.isdecimal() and len(one) < _MANY and int(other) == int(one) + below
    if (ending := _ENDING.search(one)) and other.lower().endswith(ending[0].lower()):
        return True
    if any(map(str.isspace, one + other)) or not _OF_NAMES.search(one):
        return False
    if _shape(one) == _shape(other):
        return True
    is_long = len(one) == len(other) >= _DIGEST and bool(_DIGITS.search(one) and _DIGITS.search(other))
    return (is_long or bool(re.search(r"[/.:_]", one))) and _ALNUM.sub("x", one) == _ALNUM.sub("x", other)


def _shape(name: str) -> str:
    """A name with its letters and digits as one of each: `r20` is `a9`."""
    return _DIGITS.sub("9", _LETTERS.sub("a", name))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
