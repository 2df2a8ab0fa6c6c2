"""The glossary's formulas: every score kind, metric, cell and reason, from their own declarations (words and pictures:
`pages/glossary/`)."""

from markupsafe import Markup

from backend import written
from backend.kinds import Kind
from backend.metrics.core.registry import Metric, everything
from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES, meaning_of_group, of_group
from pages.shared.data.protocol_names import PROTOCOLS
from pages.shared.help.terms import TERMS


def entries(words: str = "") -> dict[str, list[tuple[str, str, str, str]]]:
    """Part -> (name, formula, remark, source) of what contains the words; parts without any are left out.

    >>> [name for name, *_ in entries("group")["Quads"]]
    ['Group score', 'Group match']
    """
    found = {"Score kinds": [(f"{info.title} ({info.name})", info.formula, f"in {info.unit}", "docs/methods.md")
                             for info in (kind.info for kind in Kind)]}  # fmt: skip
    for metric in everything():
        found.setdefault(PROTOCOLS[metric.protocol].capitalize(), []).append(
            (metric.title, metric.formula, remark(metric), f"{metric.paper}, {metric.where}")
        )
    for cells in dict.fromkeys(CELLS.values()):
        of = [str(PROTOCOLS[each]) for each in CELLS if CELLS[each] == cells]
        found[f"Why an item fails: {' and '.join(of)}"] = [entry for cell in cells for entry in _named(cell)]
    found["Why an item fails: any"] = [
        (of_group(word), meaning_of_group(word), "a reason, no cell", "docs/reasons.md")
        for word in ("reversed", "uncertain")
    ]
    found["Beside cells and reasons"] = list(TERMS)
    wanted = words.casefold().split()
    kept = {
        part: [entry for entry in of if all(word in " ".join((part, *entry)).casefold() for word in wanted)]
        for part, of in found.items()
    }
    return {part: of for part, of in kept.items() if of}


def _named(cell: str) -> list[tuple[str, str, str, str]]:
    """A cell, and its reason where that has a name of its own."""
    name, reason, where = NAMES[cell], of_group(cell), "docs/reasons.md"
    if reason == name:
        return [(name, MEANINGS[cell], "a cell; the reason, too, where it is more than luck", where)]
    also = f"a reason; of items in the cell “{name}”, and of some that show more, yet no more than luck gives"
    return [(name, MEANINGS[cell], "a cell", where), (reason, meaning_of_group(cell), also, where)]


def remark(metric: Metric) -> str:
    """Direction, range and chance of a metric.

    >>> from backend.metrics.core.registry import by_name
    >>> remark(by_name("text_score"))
    'higher is better; 0 to 1; chance 25.0 %'
    """
    ways = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer to 0 is better"}
    low, high = metric.bounds
    span = (
        "" if low is None and high is None else f"; {low or 0:g} to {high:g}" if high is not None else f"; from {low:g}"
    )
    level = metric.level()
    said = "" if level is None else f"; chance {written.percent(level)}" if metric.share else f"; chance {level:g}"
    unit = "" if metric.share else f"; unit: {metric.unit}"
    return f"{ways[metric.direction]}{span}{unit}{said}"


def row(name: str, formula: str, more: str, where: str) -> Markup:
    """One entry as HTML.

    >>> print(row("r", "a < b", "c", "d"))
    <dt>r</dt><dd><code>a &lt; b</code><small>c · d</small></dd>
    """
    return Markup("<dt>{}</dt><dd><code>{}</code><small>{} · {}</small></dd>").format(name, formula, more, where)


def html(words: str = "") -> Markup:
    """The formulas as definition lists."""
    parts = [
        Markup("<h3>{}</h3><dl>{}</dl>").format(part, Markup().join(row(*entry) for entry in of))
        for part, of in entries(words).items()
    ]
    return Markup('<div class="fs-glossary">{}</div>').format(
        Markup().join(parts) or Markup("<p>Nothing is called that here.</p>")
    )
