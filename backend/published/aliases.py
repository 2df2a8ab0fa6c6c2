"""Alias tables: which of our specs or weights is which printed model, and which printed column is which of our metrics.

Nothing is matched by likeness: a spec must be written exactly as in models.csv, weights must have the same sha256. What
a printed row was measured with (score kind, alpha, prior, norm) is in settings.csv, what it was measured on in
benchmarks.csv. A field that a paper leaves open is empty there.
"""

import csv
import difflib
from dataclasses import dataclass
from functools import cache

from backend.errors import FlipsideError, UsageError
from backend.paths import existing
from backend.published.printed import FOLDER, PAPERS, Printed, everything

SPLIT = "|"


@dataclass(frozen=True, slots=True)
class Name:
    """A printed model's name. tables: only there; empty for every table of the paper. note: what the alias rests on."""

    paper: str
    model: str
    tables: frozenset[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """Where a printed benchmark, subset and metric are found here.

    how: "same" where our rate over exactly these subsets is what is printed, "official" where it is one of the
    benchmark's own scores (metric is then `<metric>/<its name>`, see `store.official`), "none" where we have no such
    number (`note` says why). subsets: ("*",) is the whole benchmark. split: of the run, "" for all or the default one.
    kind: where the metric fixes it (t2t).
    """

    benchmark: str
    subsets: tuple[str, ...]
    split: str
    metric: str
    kind: str
    how: str
    note: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a printed row was measured with; an empty field is not stated. alpha "tuned": no single value was printed.

    priors, norms: any of them. basis: "stated" or "inferred".
    """

    kind: str
    alpha: str
    priors: tuple[str, ...]
    norms: tuple[str, ...]
    basis: str
    note: str


def names_of(spec: str, weights_sha256: str = "") -> tuple[tuple[Name, ...], str]:
    """The printed models that a spec or its weights are, and which of both told it ("weights" or "spec").

    A spec that names a folder of this machine is no hub name, so only its weights count.

    >>> names, how = names_of("st:sentence-transformers/all-MiniLM-L6-v2")
    >>> names[0].model, how
    ('All-MiniLM-L6-v2', 'spec')
    """
    table = _models()
    found = table.get(f"sha256:{weights_sha256}", ()) if weights_sha256 else ()
    if found:
        return found, "weights"
    name = spec.partition(":")[2]
    if name and existing(name):
        return (), ""
    found = table.get(spec, ())
    return found, "spec" if found else ""


def names_called(name: str) -> tuple[Name, ...]:
    """The printed models of exactly this name, or of one paper's as `visla:NAME`. UsageError with near matches."""
    paper, colon, rest = name.partition(":")
    wanted, papers = (rest, (paper,)) if colon and paper in PAPERS else (name, tuple(PAPERS))
    printed = {(number.paper, number.model) for number in everything() if number.model}
    found = tuple(Name(paper, wanted, frozenset()) for paper in papers if (paper, wanted) in printed)
    if found:
        return found
    known = sorted({model for _, model in printed})
    lower = {model.casefold(): model for model in known}
    near = [lower[match] for match in difflib.get_close_matches(wanted.casefold(), lower, n=4, cutoff=0.5)]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"no paper prints a model '{name}'.{hint} `flipside published` lists the printed models.")


def column_of(number: Printed) -> Column:
    """Where our counterpart of a printed number is."""
    return _columns()[number.paper, number.benchmark, number.subset, number.metric]


def measured(number: Printed) -> Measured:
    """What a printed number was measured with."""
    table, key = _settings(), (number.paper, number.table, number.model)
    found = table.get((*key, number.benchmark)) or table.get((*key, ""))
    return found or Measured("", "", (), (), "", "")


@cache
def _models() -> dict[str, tuple[Name, ...]]:
    found: dict[str, list[Name]] = {}
    for row in _read("models.csv", ("key", "paper", "model", "tables", "note")):
        name = Name(row["paper"], row["model"], frozenset(_parts(row["tables"])), row["note"])
        found.setdefault(row["key"], []).append(name)
    return {key: tuple(names) for key, names in found.items()}


@cache
def _columns() -> dict[tuple[str, str, str, str], Column]:
    ours = ("our_benchmark", "our_subset", "our_split", "our_metric", "kind", "how", "note")
    return {
        (row["paper"], row["benchmark"], row["subset"], row["metric"]): Column(
            row["our_benchmark"],
            tuple(part for part in row["our_subset"].split(",") if part),
            *(row[name] for name in ours[2:]),
        )
        for row in _read("benchmarks.csv", ("paper", "benchmark", "subset", "metric", *ours))
    }


@cache
def _settings() -> dict[tuple[str, str, str, str], Measured]:
    columns = ("paper", "table", "model", "benchmark", "kind", "alpha", "prior", "norm", "basis", "note")
    return {
        (row["paper"], row["table"], row["model"], row["benchmark"]): Measured(
            row["kind"], row["alpha"], _parts(row["prior"]), _parts(row["norm"]), row["basis"], row["note"]
        )
        for row in _read("settings.csv", columns)
    }


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split(SPLIT) if part)


def _read(file: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as opened:
        reader = csv.DictReader(opened)
        if tuple(reader.fieldnames or ()) != columns:
            raise FlipsideError(f"{FOLDER / file}: expected the columns {', '.join(columns)}. Restore the file.")
        return list(reader)
