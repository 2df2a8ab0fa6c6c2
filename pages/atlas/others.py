"""Where another source has another number for the same model and benchmark: both, and what is known of why."""

from collections.abc import Sequence
from itertools import combinations

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.finding import Finding
from backend.published.atlas import beside, columns
from backend.published.atlas.beside import Other
from backend.published.atlas.columns import Column
from backend.published.atlas.measures import measures
from backend.published.atlas.models import SYSTEMS
from backend.published.atlas.reading import Atlas
from pages.atlas.data import Own
from pages.shared.drawing.numbers import count
from pages.shared.drawing.table import heads, scrolled
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: The benchmark whose table is open at once.
FIRST = "winoground"
#: What the source of fetched scores begins with, before their name.
FETCHED = "fetched scores, "
#: Of the element that holds the tables.
KEY = "atlas-others"


def with_own(atlas: Atlas, own: Sequence[Own], names: dict[str, str]) -> list[Other]:
    """What others print, and the rates of fetched scores of the same weights."""
    found = list(beside.others(atlas))
    known = {each.key: each for each in columns.columns()}
    for each in own:
        row = atlas.find(*SYSTEMS[each.system]) if each.system in SYSTEMS else None
        if row is None:
            continue
        for key, (value, _) in each.rates.items():
            ours = float(atlas.rates[row, atlas.column[key]])
            # A whole count of the column's items has no last digit to hide a difference in.
            found.append(Other(row, known[key], ours, value, 0.0, FETCHED + names[each.model], "item by item here"))
    return sorted(found, key=lambda o: (o.row, atlas.column[o.column.key], o.source))


def draw(atlas: Atlas, found: Sequence[Other]) -> None:
    """A sentence, a table a benchmark, and what is known."""
    show(Markup('<p class="atl-said">{}</p>').format(sentence(found)))
    with st.container(key=KEY):
        for benchmark in sorted({o.column.benchmark for o in found}, key=lambda name: (name != FIRST, name)):
            rows = [o for o in found if o.column.benchmark == benchmark]
            differ = sum(not o.agrees for o in rows)
            title = f"{columns.NAMES[benchmark]}: {count(len(rows), 'number')} elsewhere, {differ} differ"
            with st.expander(plain(title), expanded=benchmark == FIRST):
                show(html(atlas, rows))
    st.markdown("**What is known of why**")
    for line in [*why(atlas), *twice(atlas, found)]:
        st.markdown(f"- {plain(line)}")


def sentence(found: Sequence[Other]) -> str:
    """How many numbers stand elsewhere, and how many are the same to their last digit."""
    if not found:
        return "No other source that is known here prints a number for one of these cells."
    cells = len({(o.row, o.column.key) for o in found})
    largest = max(found, key=lambda o: abs(o.difference))
    return (
        f"For {count(cells, 'cell')} {count(len(found), 'number')} of other sources "
        f"{'is' if len(found) == 1 else 'are'} known; {sum(o.agrees for o in found)} agree to their last digit. The "
        f"largest difference is {written.number(abs(largest.difference), 2)} points ({largest.column.title})."
    )


def to_copy(found: Sequence[Other]) -> str:
    """The sentence with what it rests on, and by whom the other numbers are; "" where there are none."""
    if not found:
        return ""
    largest = max(found, key=lambda o: abs(o.difference))
    papers = {o.source.partition(",")[0] for o in found if not o.source.startswith(FETCHED)}
    here = count(len({o.source for o in found if o.source.startswith(FETCHED)}), "set") + " of fetched scores"
    setting = (
        "differences of published rates, no intervals", f"the largest beside {largest.source}",
        f"the Atlas is Oh et al. 2024, the others are {', '.join(sorted(papers))}"
        + (f" and {here}" if any(o.source.startswith(FETCHED) for o in found) else ""),
    )  # fmt: skip
    return Finding(sentence(found).removesuffix("."), len(found), setting, counted="numbers").said


def why(atlas: Atlas) -> list[str]:
    """What the table itself tells of differences; no more than that."""
    said = []
    for a, b in beside.twins(atlas):
        one, two = atlas.entries[a], atlas.entries[b]
        line = f"{one.name} and {two.name} have the same rates in all {atlas.rates.shape[1]} columns"
        if one.pretrained == two.pretrained and f"{one.arch}-quickgelu" == two.arch:
            line += (
                ": the activation that the name asks for made no difference here, so a missing QuickGELU is "
                "unlikely to be why OpenAI's weights get other numbers than elsewhere"
            )
        else:
            line += " though their names are different: the same computation stands there twice"
        said.append(f"{line}.")
    for each in beside.odd(atlas):
        name = columns.NAMES[each.columns[0].benchmark]
        parts = ", ".join(_part(column) for column in each.columns)
        items = max(column.items or 0 for column in each.columns)
        said.append(
            f"{atlas.entries[each.row].name} on {name} ({parts}): no whole counts of the column's items (up to "
            f"{items:,}), as all other models have"
            + (f", but of {each.would_be:,}: it was measured on other items." if each.would_be else ".")
        )
    row = atlas.find("ViT-B-32", "openai")
    if row is not None:
        near = [o for o in beside.others(atlas) if o.row == row and o.column.benchmark == FIRST]
        for source in dict.fromkeys(o.source for o in near if not o.agrees):
            apart = [o for o in near if o.source == source and o.items is not None]
            counts = ", ".join(str(abs(round(o.items or 0))) for o in apart)
            said.append(
                f"ViT-B-32 openai on Winoground: {counts} of {apart[0].column.items} items apart from {source}."
            )
        alike = sorted(
            {f"{o.source} ({o.what})" for o in near} - {f"{o.source} ({o.what})" for o in near if not o.agrees}
        )
        said += [f"{source} prints the Atlas' numbers for it, to their last digit." for source in alike]
        task = float(measures()["elevator::imagenet-1k"].of(atlas)[row])
        said.append(
            f"Its ImageNet rate here is {written.number(task, 1)} %. Which of precision, resize and prompt makes the "
            "difference, no source says."
        )
    return said


def twice(atlas: Atlas, found: Sequence[Other]) -> list[str]:
    """How far two scorings of the same weights are apart that are here item by item: what scoring again changes."""
    said = []
    scored: dict[tuple[int, str], dict[str, dict[str, float]]] = {}
    for o in found:
        if o.source.startswith(FETCHED):
            by = scored.setdefault((o.row, o.column.benchmark), {})
            by.setdefault(o.source.removeprefix(FETCHED), {})[o.column.part] = o.value * (o.column.items or 0) / 100
    for (row, benchmark), by in scored.items():
        for (one, a), (two, b) in combinations(by.items(), 2):
            parts = [part for part in a if part in b]
            counts = ", ".join(str(abs(round(a[part] - b[part]))) for part in parts)
            said.append(
                f"{atlas.entries[row].name} was scored twice by others ({one}, {two}): {counts} items apart on "
                f"{columns.NAMES[benchmark]} ({', '.join(parts)}). So much comes of scoring the same weights again."
            )
    return said


def html(atlas: Atlas, rows: Sequence[Other]) -> Markup:
    """Both numbers side by side."""
    tips = (
        ("model", "the model"), ("column", "as the published table calls it"), ("Atlas", "per cent, Oh et al. 2024"),
        ("elsewhere", "per cent, as printed there"),
        ("difference", "points, Atlas − elsewhere; ✓ the same to the last digit"),
        ("items", "how many items the difference is, where their number is known"),
    )  # fmt: skip
    body = Markup().join(
        Markup(
            '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td><td><b>{}</b></td><td>{}</td>'
            '<td class="fs-says atl-left">{}</td></tr>'
        ).format(
            atlas.entries[o.row].name, _part(o.column), written.number(o.ours, 2),
            written.number(o.value, o.digits), "✓" if o.agrees else written.number(o.difference, 2, signed=True),
            written.DASH if o.items is None else written.number(round(o.items), 0, signed=True),
            "; ".join(filter(None, (o.source, o.what))),
        )
        for o in rows
    )  # fmt: skip
    last = Markup('<th scope="col" class="atl-left" title="who prints it">source</th>')
    return scrolled("Other sources", heads(tips) + last, body)


def _part(column: Column) -> str:
    return column.part.replace("::", " ").removeprefix("eqben")
