"""One model of the Atlas: what is known of it, where it stands, how to score it here, and the difference to print."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.called import on_pages
from backend.finding import Finding
from backend.published.atlas import models
from backend.published.atlas.columns import Column, columns
from backend.published.atlas.measures import Measure, benchmarks, measures
from backend.published.atlas.reading import Atlas, Entry
from pages.atlas import data
from pages.atlas.data import Own
from pages.shared.drawing.numbers import count
from pages.shared.drawing.table import heads, scrolled
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

#: How far apart two rates in per cent are the same.
SAME = 1e-9
#: Of the element that holds the card.
KEY = "atlas-model"
#: So many columns of one's own model are in its sentence.
MOST = 6
#: Benchmarks of ours in the order in which their commands are listed.
_ORDER = ("winoground", "sugarcrepe", "aro", "valse", "eqben", "coco", "flickr30k")


def draw(atlas: Atlas, row: int, own: Sequence[Own], names: Mapping[str, str]) -> None:
    """The card of the model in this row. names: of own models."""
    entry = atlas.entries[row]
    st.markdown(f"**{plain(entry.arch)}** · {plain(entry.pretrained)} · family {plain(entry.family)}")
    for line in known(atlas, row):
        st.markdown(f"- {plain(line)}")
    _here(atlas, row, own, names)
    show(profile(atlas, row))


def draw_own(each: Own, atlas: Atlas, names: Mapping[str, str]) -> None:
    """The card of one that is stored here: what is known of it, its rates, and where they would stand."""
    st.markdown(f"**{plain(names[each.model])}** · {plain(kind_name(each.kind))} · stored here")
    for line in each.notes:
        st.markdown(f"- {plain(line)}")
    show(places(each, atlas))
    chart_caption(
        f"Place: among the {len(atlas.entries)} published models and this one, by its own score kind; the Atlas' are "
        "cosines. In brackets the 95 % interval."
    )
    for row, entry in enumerate(atlas.entries):
        if of_weights([each], entry):
            st.markdown(f"**The same weights in the Atlas**: {plain(entry.name)}")
            show(differences(atlas, row, [each], names))
    for name in each.benchmarks:
        st.page_link(
            "pages/failures/page.py", label=f"Its failures on {name}", icon=":material/arrow_forward:",
            query_params={"benchmark": name, "model": each.model, "kind": each.kind},
        )  # fmt: skip


def to_copy(
    atlas: Atlas, row: int, axes: Sequence[Measure], own: Sequence[Own], names: Mapping[str, str]
) -> str:  # fmt: skip
    """Where a published model stands on both axes, best and worst, and how far what is stored is from it."""
    entry, n = atlas.entries[row], len(atlas.entries)
    stands = [
        f"{measure.title} {_rate(float(measure.of(atlas)[row]), data.ends(measure, float(measure.of(atlas)[row])))}, "
        f"place {data.ranks(measure, atlas)[row]} of {n}{_shared(measure, atlas, row)}"
        for measure in {each.key: each for each in axes}.values()
    ]
    rest = [known(atlas, row)[-1].removesuffix(".")]
    apart = [
        (value - float(atlas.rates[row, atlas.column[key]]), key, each, value, ends)
        for each in of_weights(own, entry) for key, (value, ends) in each.rates.items()
    ]  # fmt: skip
    if apart:
        difference, key, each, value, ends = max(apart, key=lambda found: abs(found[0]))
        title = next(column.title for column in columns() if column.key == key)
        rest.append(
            f"of {count(len(apart), 'rate')} stored here {names[each.model]} is farthest from print in {title}, "
            f"{_rate(value, ends)} here, {written.number(difference, 2, signed=True)} points"
        )
    setting = (*rest, "places are of point estimates", "published rates of Oh et al. 2024")
    return Finding(f"{entry.name}: {'; '.join(stands)}", n, setting, counted="models").said


def own_to_copy(each: Own, atlas: Atlas, names: Mapping[str, str]) -> str:
    """What is stored of a model beside the published ones: its rate and its place on every column."""
    n = len(atlas.entries) + 1
    stands = [
        f"{column.title} {_rate(*each.rates[column.key])}, place {place(each, column, atlas)} of {n}"
        for column in columns() if column.key in each.rates
    ]  # fmt: skip
    setting = (
        "stored here", kind_name(each.kind), *each.notes, "places are of point estimates",
        "the others are published rates of Oh et al. 2024",
    )  # fmt: skip
    said = "; ".join(stands[:MOST]) + (f"; and {len(stands) - MOST} more" if len(stands) > MOST else "")
    return Finding(
        f"{names[each.model]}: {said}", n, [word.removesuffix(".") for word in setting], counted="models"
    ).said


def place(each: Own, column: Column, atlas: Atlas) -> int:
    """Where one's own rate stands among the published ones."""
    return 1 + int((atlas.rates[:, atlas.column[column.key]] > each.rates[column.key][0] + SAME).sum())


def _rate(value: float, ends: data.Ends | None) -> str:
    return f"{written.number(value, 2)} % {written.ends(ends, 1)}".rstrip()


def places(each: Own, atlas: Atlas) -> Markup:
    """Its rate on each column, and its place among the published ones."""
    rows = Markup()
    for column in columns():
        if column.key in each.rates:
            value, ends = each.rates[column.key]
            rows += Markup(
                '<tr><th scope="row">{}</th><td>{}</td><td>{}<small>{}</small></td><td>{} of {}</td></tr>'
            ).format(
                column.title, f"{column.items:,}", written.number(value, 2), written.ends(ends, 1, 1),
                place(each, column, atlas), len(atlas.entries) + 1,
            )  # fmt: skip
    top = heads(
        (("column", "as the published table calls it"), ("n", "items"), ("rate", "per cent, with its 95 % interval"),
         ("place", "among the published models and this one"))
    )  # fmt: skip
    return scrolled("Its rates and places", top, rows)


def _here(atlas: Atlas, row: int, own: Sequence[Own], names: Mapping[str, str]) -> None:
    """The commands that score it here, and what has been scored beside print."""
    entry = atlas.entries[row]
    spec = models.spec(entry)
    mine = of_weights(own, entry)
    if mine:
        st.markdown("**Here against print**")
        show(differences(atlas, row, mine, names))
        chart_caption(
            "Here − published, in points, on the same items; the interval is of the rate here. Half precision, another "
            "resize or another version of a library turn single items."
        )
    if not spec:
        st.markdown(
            "**No spec runs these weights here by name.** Its authors publish a checkpoint of their own; one in "
            "open_clip's format runs as `openclip:ARCH/FILE`, where open_clip knows its towers by a name (ARCH), any "
            "other by a class of your own (`py:`)."
        )
        return
    wanted = commands(spec, {key for each in mine for key in each.rates})
    if wanted:
        st.markdown("**Score it here**" + (", what is still missing:" if mine else ":"))
        st.code("\n".join(wanted), language=None, wrap_lines=True)


def known(atlas: Atlas, row: int) -> list[str]:
    """What is known of a model, a sentence each."""
    entry, n = atlas.entries[row], len(atlas.entries)
    said = [f"{entry.family}: {models.FAMILIES.get(entry.family, 'nothing is known here of this family')}."]
    said += [
        f"Taught from {atlas.entries[pair.base].name}: {pair.how} ({pair.source})."
        for pair in models.taught(atlas)
        if pair.taught == row
    ]
    children = [atlas.entries[pair.taught].arch for pair in models.taught(atlas) if pair.base == row]
    if children:
        said.append(f"The base of {', '.join(children)}.")
    places = [(int(data.ranks(measure, atlas)[row]), measure) for measure in benchmarks()]
    best, worst = (pick(places, key=lambda each: each[0]) for pick in (min, max))
    said.append(
        f"Ranks best, {best[0]} of {n}{_shared(best[1], atlas, row)}, by {best[1].title}; worst, {worst[0]} of {n}"
        f"{_shared(worst[1], atlas, row)}, by {worst[1].title}."
    )
    return said


def place_said(measure: Measure, atlas: Atlas, row: int) -> str:
    """A model's place by a measure, and with how many it shares it."""
    place = data.ranks(measure, atlas)[row]
    return f"{measure.title}: {place} of {len(atlas.entries)}{_shared(measure, atlas, row)}"


def _shared(measure: Measure, atlas: Atlas, row: int) -> str:
    """That others have the same rate, in words; "" where none has."""
    others = int(data.sharing(measure, atlas)[row])
    return f" (shared with {others} other{'s' if others > 1 else ''})" if others else ""


def profile(atlas: Atlas, row: int) -> Markup:
    """Its rate and its place on every benchmark, a bar as long as the share of models that it is not behind."""
    n = len(atlas.entries)
    rows = Markup()
    for measure in (measures()["mean:compositionality"], *benchmarks()):
        place = int(data.ranks(measure, atlas)[row])
        shared = "=" if data.sharing(measure, atlas)[row] else ""
        rows += Markup(
            '<tr><th scope="row" title="{}">{}</th><td>{}</td><td>{}</td>'
            '<td class="atl-bar"><i style="width:{}%"></i></td></tr>'
        ).format(
            measure.how, measure.name, written.number(float(measure.of(atlas)[row]), 1), f"{place}{shared}",
            written.number(100 * (n - place + 1) / n, 0),
        )  # fmt: skip
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Its place on every benchmark">'
        '<table class="fs-table atl-profile"><thead><tr><th scope="col" title="the benchmark">benchmark</th>'
        '<th scope="col" title="per cent, as published">rate</th>'
        '<th scope="col" title="place among the {} models; =: shared">rank</th>'
        '<th scope="col" title="share of models that it is not behind">of {}</th></tr></thead><tbody>{}</tbody>'
        "</table></div>"
    ).format(n, n, rows)


def of_weights(own: Sequence[Own], entry: Entry) -> list[Own]:
    """What is stored of these weights by the kind that the Atlas has: runs of them, and fetched scores of the system
    that has them."""
    specs = models.same_specs(entry)
    same = (entry.arch.removesuffix("-quickgelu"), entry.pretrained)
    return [
        each for each in own
        if each.kind == data.KIND and each.rates and (each.model in specs or models.SYSTEMS.get(each.system) == same)
    ]  # fmt: skip


def commands(spec: str, mine: Collection[str]) -> list[str]:
    """A command for each benchmark of which not every column that can be measured here has been."""
    by: dict[str, list[Column]] = {}
    for each in columns():
        if each.same is not None:
            by.setdefault(each.same.benchmark, []).append(each)
    lines = []
    for name in _ORDER:
        missing = [each for each in by[name] if each.key not in mine]
        if missing:
            split = " --split full" if missing[0].same and missing[0].same.split == "full" else ""
            what = f"--benchmark {name}{split} --data YOUR_{name.upper()}"
            lines.append(f"{on_pages()} run --model {spec} {what} --kinds {data.KIND}")
    return lines


def differences(atlas: Atlas, row: int, mine: Sequence[Own], names: Mapping[str, str]) -> Markup:
    """Published, what is stored here and the difference, a row a column and stored model."""
    rows = Markup()
    for each in columns():
        for own in mine:
            if each.key not in own.rates:
                continue
            value, ends = own.rates[each.key]
            printed = float(atlas.rates[row, atlas.column[each.key]])
            rows += Markup(
                '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}<small>{}</small></td>'
                "<td><b>{}</b></td></tr>"
            ).format(
                each.title, names[own.model], f"{each.items:,}", written.number(printed, 2), written.number(value, 2),
                written.ends(ends, 1, 1), written.number(value - printed, 2, signed=True),
            )  # fmt: skip
    top = heads(
        (
            ("column", "as the published table calls it"), ("here as", "the stored model of the same weights"),
            ("n", "items behind both rates"),
            ("published", "per cent, Oh et al. 2024"), ("here", "per cent, with its 95 % interval"),
            ("here − published", "points"),
        )
    )  # fmt: skip
    return scrolled("Here against print", top, rows)
