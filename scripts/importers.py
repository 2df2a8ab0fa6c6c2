"""`make importers`: the two tables of docs/benchmarks.md, read off the importers themselves.

Every importer reads its original files where they are at hand (../shared/data) and a faithful sample (the tests' own,
with made-up content), and what it found is counted. Nothing in the tables is typed by hand. Rows of benchmarks whose
original files are not at hand here are kept as they stand, and named.
"""

import argparse
import datetime as dt
import importlib
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backend import published, taxonomy
from backend.benchmarks import REGISTRY, declaration, load_benchmark
from backend.benchmarks.base import Declaration
from backend.items import Benchmark, Item

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
SHARED = ROOT.parent / "shared" / "data"
#: Folders of original files, by benchmark.
ORIGINALS = {
    "visla": "visla",
    "sugarcrepe": "sugarcrepe",
    "valse": "valse",
    "vl_checklist": "vl-checklist",
    "vsr": "vsr",
}
TABLES = ("importers", "taxonomy")


@dataclass
class Found:
    """What one pass over a benchmark's files found."""

    items: int = 0
    images: set[str] = field(default_factory=set)
    skipped: int = 0
    concepts: Counter[str] = field(default_factory=Counter)
    perturbations: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        more = f", {self.skipped} records skipped" if self.skipped else ""
        return f"{self.items:,} items, {len(self.images):,} images{more}"


def count(benchmark: Benchmark) -> Found:
    """One pass."""
    found = Found()
    for entry in benchmark.open_items():
        if not isinstance(entry, Item):
            found.skipped += 1
            continue
        found.items += 1
        found.images.update(image.key for image in entry.images)
        found.concepts.update(entry.tags.get("concept", ()))
        found.perturbations.update(entry.tags.get("perturbation", ()))
    return found


def sample(name: str) -> Found | None:
    """The tests' faithful sample of a benchmark; None where it has none."""
    try:
        module = importlib.import_module(f"tests.benchmarks.samples.{name}")
    except ModuleNotFoundError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        module.write(Path(folder))
        split = "all" if "all" in declaration(name).splits else None
        return count(load_benchmark(name, folder, split))


def original(name: str) -> Found | None:
    """The original files of a benchmark, where they lie beside the project; None where they do not."""
    folder = SHARED / ORIGINALS.get(name, "-")
    return count(load_benchmark(name, folder)) if folder.is_dir() else None


def absent() -> list[str]:
    """The benchmarks whose rows were counted over original files that are not at hand here."""
    return [name for name, folder in ORIGINALS.items() if not (SHARED / folder).is_dir()]


def rows_of(page: str) -> dict[str, str]:
    """Name or term -> its row in a page's tables."""
    rows = [line for line in page.splitlines() if line.startswith(("| [`", "| `"))]
    return {row.split("`")[1]: row for row in reversed(rows)}


def printed(name: str) -> str:
    """Which tables of which papers print numbers that ours can be held against."""
    places: dict[str, list[str]] = {}
    for row in published.everything():
        column = published.column_of(row)
        if column.how != "none" and column.benchmark == name:
            places.setdefault(row.paper, [])
            if row.table not in places[row.paper]:
                places[row.paper].append(row.table)
    return "; ".join(f"{paper}: {', '.join(tables)}" for paper, tables in places.items()) or "–"


def importers_table(today: str, page: str = "") -> str:
    """One row a benchmark. page: as it stands; its rows of benchmarks that cannot be counted here are kept."""
    kept = {name: row for name, row in rows_of(_between(page, "importers")).items() if name in absent()}
    head = ("name", "judged as", "original release", "counted here", "licence", "in print")
    rows: list[tuple[str, ...]] = []
    for name in REGISTRY:
        known = declaration(name)
        if name == "world":
            counted = str(count(load_benchmark(name)))
        else:
            real, made_up = original(name), sample(name)
            said = [f"**original files: {real}**" if real else "", f"sample: {made_up}" if made_up else ""]
            counted = "<br>".join(filter(None, said)) or "–"
        protocols = ", ".join(dict.fromkeys(p.value for p in known.protocols.values())) or "as the files say"
        rows.append((f"[`{name}`](#{name})", protocols, _release(known), counted, known.licence, printed(name)))
    note = (
        f"Counted on {today}. *Original files* are the benchmark's own, unchanged, as far as they are at hand; a\n"
        "*sample* is written by the tests in the original's schema, quirks included, with made-up content. *In\n"
        "print*: tables whose numbers `report` sets beside ours ([published](published.md))."
    )
    made = _markdown(head, rows).splitlines()
    return "\n".join([note, "", *(kept.get(row.split("`")[1], row) if "`" in row else row for row in made)])


def taxonomy_table(page: str = "") -> str:
    """Every term, and the benchmarks whose items carry it in what was counted. page: as it stands; what it says of
    benchmarks that cannot be counted here is kept."""
    before = rows_of(_between(page, "taxonomy"))
    concepts: dict[str, list[str]] = {}
    perturbations: dict[str, list[str]] = {}
    for name in REGISTRY:
        both = [load for load in (original(name), sample(name)) if load] if name != "world" else []
        if name == "world":
            both = [count(load_benchmark(name))]
        for found in both:
            for users, there in ((concepts, found.concepts), (perturbations, found.perturbations)):
                for term in there:
                    if name not in users.setdefault(term, []):
                        users[term].append(name)
    for term, row in before.items():
        for users, terms in ((concepts, taxonomy.CONCEPTS), (perturbations, taxonomy.PERTURBATIONS)):
            said = row.rstrip(" |").rpartition("|")[2].split(", ") if term in terms else []
            found_in = {*users.get(term, []), *(name.strip() for name in said if name.strip() in absent())}
            users[term] = [name for name in REGISTRY if name in found_in]
    tables = (("concept", taxonomy.CONCEPTS, concepts), ("perturbation", taxonomy.PERTURBATIONS, perturbations))
    return "\n\n".join(_terms(*table) for table in tables)


def _terms(title: str, terms: Mapping[str, taxonomy.Term], users: Mapping[str, list[str]]) -> str:
    rows = [
        (f"`{term.name}`", f"`{term.parent}`" if term.parent else "", term.what, ", ".join(users.get(term.name, [])))
        for term in terms.values()
    ]
    return _markdown((title, "narrower than", "what it is", "found in"), rows)


def _release(known: Declaration) -> str:
    """How many items the original release has, where that is known."""
    if not known.expected:
        return "not known"
    return f"{sum(known.expected.values()):,} items in {len(known.expected)} of {len(known.protocols)} parts"


def _markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)])


def _between(page: str, name: str) -> str:
    return page.partition(f"<!-- {name}: made by `make importers` -->")[2].partition(f"<!-- end of {name} -->")[0]


def put(text: str, name: str, table: str) -> str:
    """A page with a table between its two marks."""
    begin, end = f"<!-- {name}: made by `make importers` -->", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{PAGE}: expected the marks '{begin}' and '{end}'")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def main() -> None:
    """Write both tables into the page."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if left := absent():
        print(f"{SHARED}: no original files of {', '.join(left)} are here; their rows are kept as they stand.")
    text = put(page, "importers", importers_table(dt.datetime.now(tz=dt.UTC).date().isoformat(), page))
    PAGE.write_text(put(text, "taxonomy", taxonomy_table(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
