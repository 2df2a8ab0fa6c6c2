"""Write the generated parts of docs/perturbations.md: before and after for every perturbation, and how many captions of
SugarCrepe each applies to. `make gallery`; the second part only where its files are there (--data DIR)."""

import argparse
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from backend import paths
from backend.benchmarks import load_benchmark
from backend.benchmarks.granular import distinct_captions
from backend.perturb import REGISTRY, Edit, Perturbation, apply, apply_many, get
from backend.perturb.base import Span
from backend.perturb.dice import generator

PAGE = paths.ROOT / "docs" / "perturbations.md"
SUGARCREPE = paths.ROOT.parent / "shared" / "data" / "sugarcrepe"
#: How many different edits of the example are shown.
SHOWN = 3
_PAPERS = {"brittleness": "brittleness paper", "SVLC": "SVLC paper", "ARO": "ARO", "ours": "ours"}


def gallery() -> str:
    """A section for each perturbation, in the registry's order."""
    return "\n\n".join(_section(get(name)) for name in REGISTRY)


def _section(kind: Perturbation) -> str:
    where = f", {kind.where}" if kind.where else ""
    facts = [
        str(kind.effect), f"family `{kind.family}`", f"from: {_PAPERS.get(kind.paper, kind.paper)}{where}",
        f"concepts: {', '.join(kind.concepts) or 'none'}",
    ]  # fmt: skip
    facts += [f"needs {kind.needs}"] if kind.needs else []
    lines = [f"### {kind.name}", "", kind.what, "", "; ".join(facts) + ".", ""]
    if kind.needs:
        question = kind.question(kind.example, generator(kind.name, kind.example, 0))
        asked = question.text if question else "nothing"
        rows = ["| before | the model is asked |", "|---|---|", f"| {_cell(kind.example)} | {_cell(asked)} |"]
        return "\n".join(lines + rows)
    rows = [
        f"| {_marked(kind.example, edit.before)} | {_marked(edit.text, edit.spans)} | {_cell(edit.what)} |"
        for edit in _edits(kind)
    ]
    return "\n".join([*lines, "| before | after | what |", "|---|---|---|", *rows])


def _edits(kind: Perturbation) -> list[Edit]:
    """The first different edits by seed; of a perturbation that knows one only, that one."""
    found: dict[str, Edit] = {}
    for seed in range(64):
        edit = apply(kind, kind.example, seed)
        if edit is not None and len(found) < SHOWN:
            found.setdefault(edit.text, edit)
    if not found:
        raise ValueError(f"{kind.name}: its example is none")
    return list(found.values())


def _marked(text: str, spans: Sequence[Span]) -> str:
    """The text as a table's cell, its changed places in bold."""
    pieces, end = [], 0
    for start, stop in spans:
        changed = text[start:stop]
        inner = changed.strip()
        bold = changed.replace(inner, f"**{_cell(inner)}**", 1) if inner else changed
        pieces += [_cell(text[end:start]), bold]
        end = stop
    return "".join([*pieces, _cell(text[end:])]).strip()


def _cell(text: str) -> str:
    return re.sub(r"([|*_\[\]<>])", r"\\\1", text)


def coverage(data: Path, kinds: Iterable[str] | None = None) -> dict[str, tuple[int, int]]:
    """Perturbation -> (captions that it applies to with seed 0, captions), over SugarCrepe's distinct true captions.
    kinds: some of them; None for all."""
    captions = list(distinct_captions(load_benchmark("sugarcrepe", data)))
    found = {}
    for name in REGISTRY if kinds is None else kinds:
        kind = get(name)
        if kind.needs:
            n = sum(kind.question(text, generator(name, text, 0)) is not None for text in captions)
        else:
            n = sum(edit is not None for edit in apply_many(kind, captions))
        found[name] = (n, len(captions))
    return found


def coverage_table(found: dict[str, tuple[int, int]], day: str) -> str:
    """The table of the page. day: when it was counted."""
    total = next(iter(found.values()))[1]
    lines = [
        f"Counted on {day} over the {total:,} distinct true captions of SugarCrepe's seven files, seed 0. Where a\n"
        "model is needed: captions that it could be asked about.",
        "", "| perturbation | captions | share |", "|---|---|---|",
    ]  # fmt: skip
    lines += [f"| `{name}` | {n:,} | {_percent(n, of)} |" for name, (n, of) in found.items()]
    return "\n".join(lines)


def _percent(n: int, of: int) -> str:
    """Never 100 where one is missing."""
    rounded = f"{100 * n / of:.1f} %"
    return "> 99.9 %" if n < of and rounded == "100.0 %" else rounded


def replaced(page: str, part: str, content: str) -> str:
    """The page with what stands between a part's two marks replaced."""
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{PAGE}: has no marks {begin} and {end}")
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"


def with_uncounted(page: str) -> str:
    """The page with a row for each perturbation that has none, and none for those that are gone."""
    begin, end = "<!-- coverage -->", "<!-- end of coverage -->"
    table = page.partition(begin)[2].partition(end)[0].strip()
    rows = {row.split("`")[1]: row for row in table.splitlines() if row.startswith("| `")}
    head = [row for row in table.splitlines() if not row.startswith("| `")]
    body = [rows.get(name, f"| `{name}` | not counted yet | |") for name in REGISTRY]
    return replaced(page, "coverage", "\n".join([*head, *body]))


def main() -> None:
    """Write what has changed. Without SugarCrepe's files what was counted over them is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SUGARCREPE, help="the folder with SugarCrepe's files")
    data = parser.parse_args().data
    page = replaced(PAGE.read_text(encoding="utf-8"), "gallery", gallery())
    if data.is_dir():
        day = datetime.now(UTC).date().isoformat()
        page = replaced(page, "coverage", coverage_table(coverage(data), day))
    else:
        print(f"{data}: SugarCrepe's files are not here; what was counted over them is kept as it stands.")
        page = with_uncounted(page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
