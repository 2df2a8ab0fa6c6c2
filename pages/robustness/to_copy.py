"""What the tables of edits and the relative drops of Robustness give to be copied. Pure."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from backend.finding import Finding
from backend.store.robustness.matrix import Cell
from backend.store.robustness.relative import Drop
from pages.robustness import view
from pages.robustness.view import Column
from pages.shared.drawing import colours
from pages.shared.frame.tips import kind_name

#: (model, kind) -> the rule behind each of its verdicts, where it has one.
Rules = Mapping[tuple[str, str], str]
NO_RULES: Rules = MappingProxyType({})
#: Measure -> what an edit does to so many verdicts.
_DOES = {
    "flipped": "flips {} of the verdicts of", "lost": "turns {} from right to wrong of the verdicts of",
    "won": "turns {} from wrong to right of the verdicts of",
}  # fmt: skip


def table(
    cells: Sequence[Cell], listed: Sequence[Column], measure: str, where: Sequence[str], rules: Rules = NO_RULES
) -> str:
    """One table of edits: of the change the cell that has certainly lost most, of other measures the one that is
    certainly highest; "" without any. cells: of these columns; where: metric, subset and benchmark in words; rules: of
    who was asked in several orders (`data.rules`)."""
    known = [cell for cell in cells if view.value_of(cell, measure)[0] is not None]
    if not known:
        return ""
    names = colours.labels(cell.model for cell in known)
    titles = {column.key: column.title for column in listed}
    n = len(known)
    if measure == "drop" or known[0].wins is not None:
        cell = view.worst(known, list(titles)) or known[0]
        least = "where captions win least" if cell.wins is not None else "with the largest loss"
        note = f"of {n} cells the one {least} by its interval" if n > 1 else ""
        setting = (
            f"{note}, p not adjusted for that" if note and cell.wins is None else note,
            *_where(cell, where, rules),
        )
        return view.to_copy(cell, titles[cell.column], names[cell.model], setting) or _sums(
            cell, titles, names, setting
        )

    def low(of: Cell) -> float:
        value, ci95 = view.value_of(of, measure)
        return ci95[0] if ci95 is not None else (value or 0.0) - 1.0

    cell = max(known, key=low)
    value, ci95 = view.value_of(cell, measure)
    note = f"of {n} cells the highest by its interval" if n > 1 else ""
    claim = f"{titles[cell.column]} {_DOES[measure]} {names[cell.model]}"
    return Finding(
        claim, cell.change.n, (note, "no test", *_where(cell, where, rules)), value, ci95, counted="verdicts"
    ).said


def _where(cell: Cell, where: Sequence[str], rules: Rules) -> tuple[str, ...]:
    return (kind_name(cell.kind), rules.get((cell.model, cell.kind), ""), *where)


def _sums(cell: Cell, titles: dict[str, str], names: dict[str, str], setting: Sequence[str]) -> str:
    """A change of the sum of all recalls."""
    if cell.sums is None:
        return ""
    change, ends = view.changed(cell.sums.drop, cell.sums.ci95)
    claim = f"{titles[cell.column]} changes the sum of all recalls of {names[cell.model]} by {{}}, of 600"
    test = "sign flips, images as units"
    return Finding(claim, cell.sums.n, setting, change, ends, cell.p, test, points=True, counted="queries").said


def drops(found: Sequence[Drop], titles: dict[str, str], rules: Rules = NO_RULES) -> str:
    """The relative drop that is certainly largest; "" without any. titles: of the edits; rules: as in `table`."""
    known = [drop for drop in found if drop.relative is not None]
    if not known:
        return ""

    def low(of: Drop) -> float:
        return of.ci95[0] if of.ci95 is not None else (of.relative or 0.0) - 1.0

    drop = max(known, key=low)
    edit, name = titles.get(drop.column, drop.column), colours.label(drop.model)
    claim = f"Of the verdicts that {name} has right before, {edit} costs {{}}"
    note = f"of {len(known)} relative drops the largest by its interval" if len(known) > 1 else ""
    rule = rules.get((drop.model, drop.kind), "")
    setting = (note, "no test", "the headline metric of each protocol", kind_name(drop.kind), rule, drop.benchmark)
    return Finding(claim, drop.n, setting, drop.relative, drop.ci95, counted="verdicts").said
