"""Files of predictions, whatever their format, as one stream of statements."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from backend.benchmarks.custom import tables
from backend.errors import UsageError
from backend.predictions import gpt4v, lmms, npy, rates_only, rows
from backend.predictions.claim import Claim, Unmatched
from backend.regular import refuse_other

FORMATS = (
    "CSV, TSV, JSON, JSON Lines, Parquet, EqBen's or t2v_metrics' .npy, lmms-eval's sample logs, or SugarCrepe's "
    "GPT-4V result files"
)
ARRAYS = ".npy"


def listed(paths: Sequence[Path]) -> list[Path]:
    """The files that are meant; of a folder, all that it holds. UsageError where there is none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file() and _is_known(each))
            if not inside:
                raise UsageError(f"{path}: holds no file of predictions ({FORMATS}).")
            found += inside
            continue
        refuse_other(path, f"expected {FORMATS}")
        if not _is_known(path):
            tables.refuse_packed(path)
            raise UsageError(f"{path}: expected {FORMATS}.")
        found.append(path)
    named: dict[Path, Path] = {}
    for path in found:  # by their own names: what a link leads to may have another ending
        named.setdefault(path.resolve(), path.absolute())
    return list(named.values())


def claims(path: Path, data: Path | None) -> Iterator[Claim | Unmatched]:
    """The statements of one file. data: the benchmark's folder, which says what an array's places mean."""
    if path.suffix == ARRAYS:
        return npy.claims(path, data)
    rates_only.refuse(path)
    if lmms.recognises(path):
        return lmms.claims(path)
    return gpt4v.claims(path) if gpt4v.recognises(path) else rows.claims(path)


def guesses(paths: Sequence[Path]) -> list[str]:
    """What was guessed of files that say less than their format needs, a sentence for each kind of file."""
    found = [
        npy.GUESS if path.suffix == ARRAYS and npy.is_of_cells(path) else
        lmms.GUESS if path.suffix != ARRAYS and lmms.recognises(path) else ""
        for path in paths
    ]  # fmt: skip
    return [f"{said[:1].upper()}{said[1:]}." for said in dict.fromkeys(found) if said]


def unread(paths: Sequence[Path]) -> list[str]:
    """What is said of columns that nobody reads and that may have been meant to be read."""
    tables_ = [path for path in paths if path.suffix != ARRAYS and not lmms.recognises(path)]
    return [said for path in tables_ if not gpt4v.recognises(path) and (said := rows.unread_order(path))]


def _is_known(path: Path) -> bool:
    return path.suffix == ARRAYS or tables.is_table(path)
