"""Runs, History: the picture, models by benchmarks. A cell says which kinds are there, whether all of it, and how many
runs; the newest run has a mark."""

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType

from markupsafe import Markup

from pages.runs import view
from pages.runs.history import groups
from pages.runs.history.groups import Column, Run
from pages.shared.drawing import colours, signs
from pages.shared.drawing.numbers import count, listing, shortened

#: Names of editions that a tooltip lists.
NAMED = 8
#: Before what an empty cell sends: its model and its benchmark.
MISSING = "+"
#: The class of an empty cell that offers to be filled.
OFFER = "runs-missing"


def html(
    runs: Sequence[Run], parents: Mapping[str, str], sizes: Mapping[str, int], picked: str,
    missing: tuple[Set[str], Mapping[str, str]] = (frozenset(), {}), parts: Mapping[str, str] = MappingProxyType({}),
) -> Markup:  # fmt: skip
    """The matrix. parents: benchmark hash -> name; sizes: benchmark hash -> how many items; picked: id of the marked
    run; missing: models and benchmarks (hash -> name) of which an empty cell offers to score one on the other; parts:
    run id -> which items it is of, in words, of runs of some of their benchmark's items.
    """
    columns, cells = groups.columns(runs, parents), groups.cells(runs)
    newest = max(runs, key=lambda run: (run.stamp, run.run_id)).run_id if runs else ""
    models = colours.order({run.model for run in runs})
    names = colours.labels(models)
    heads = Markup().join(_head(column, sizes) for column in columns)
    rows = Markup().join(
        Markup('<tr><th scope="row" title="{}"><span>{}{}</span></th>{}</tr>').format(
            model, colours.dot(model), shortened(names[model]),
            Markup().join(
                _cell(found, names[model], column, newest, picked, parts)
                if (found := cells.get((model, column.key), []))
                else _none(model, names[model], column, missing)
                for column in columns
            ),
        )
        for model in models
    )  # fmt: skip
    return Markup(
        '<div class="runs-box" tabindex="-1"><table class="runs-matrix" data-columns="{}"><caption>{}</caption>'
        "<thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(len(columns), caption(len(models), len(columns)), heads, rows)


def caption(models: int, columns: int) -> str:
    """What the picture is, for those who cannot see it."""
    return (
        f"What has been computed: {count(models, 'model')} down, {count(columns, 'column')} of benchmarks across; each "
        "cell says which kinds of scores are there"
    )


def _head(column: Column, sizes: Mapping[str, int]) -> Markup:
    if column.is_edits:
        note = count(column.edits, "edit")
        title = f"{column.label}: {listing(column.names, NAMED)}"
    else:
        n = sizes.get(column.key)
        note = count(n, "item") if n is not None else ""
        title = f"{column.label}{', ' if note else ''}{note}"
    return Markup('<th scope="col" title="{}">{}<small>{}</small></th>').format(title, shortened(column.label), note)


def _cell(
    runs: Sequence[Run], model: str, column: Column, newest: str, picked: str, parts: Mapping[str, str]
) -> Markup:  # fmt: skip
    ids = {run.run_id for run in runs}
    part = sum(not run.complete for run in runs)
    kinds = dict.fromkeys(kind for run in runs for kind in run.kinds)
    words = Markup().join(Markup("<b>{}</b>").format(kind) for kind in kinds) or Markup("<b>–</b>")
    several = Markup("<small>{}</small>").format(how_many(runs, column)) if how_many(runs, column) else Markup()
    mark = Markup('<i class="runs-newest" title="the newest run"></i>') if newest in ids else Markup()
    state = Markup("<em>◐ {}in part</em>").format(f"{part} " if len(runs) > 1 else "") if part else Markup()
    if of_part := some(runs, parts):
        state += Markup("<small>{} {}</small>").format(signs.PART, of_part)
    look = f"{'runs-part' if part else 'runs-whole'}{' runs-picked' if picked in ids else ''}"
    said = facts(runs, model, column, newest in ids, parts)
    return Markup(
        '<td><button type="button" class="{}" data-run="{}" title="{}" aria-label="{}"><span>{}</span>{}{}{}'
        "</button></td>"
    ).format(look, runs[0].run_id, said, said, words, several, state, mark)


def some(runs: Sequence[Run], parts: Mapping[str, str]) -> str:
    """How many items the largest of a cell's runs is of, where each is of some of its benchmark's items; else "".
    parts: see `html`."""
    if not all(run.run_id in parts for run in runs):
        return ""
    return count(max(run.n_items for run in runs), "item")


def how_many(runs: Sequence[Run], column: Column) -> str:
    """Below the kinds of a cell: on how many of the column's edits, and in how many runs where that is another number;
    "" for one run on a benchmark."""
    edits, said = groups.edits_in(runs), []
    if edits:
        said.append(f"{'all' if edits == column.edits else f'{edits} of'} {count(column.edits, 'edit')}")
    if len(runs) != max(edits, 1):
        said.append(count(len(runs), "run"))
    return " in ".join(said)


def _none(model: str, label: str, column: Column, missing: tuple[Set[str], Mapping[str, str]]) -> Markup:
    """An empty cell; where its model is offered and its benchmark can be read, the way to score one on the other."""
    name = missing[1].get(column.key)
    if column.is_edits or name is None or model not in missing[0]:
        return Markup('<td class="runs-none"><span aria-label="nothing">·</span></td>')
    said = f"Score {label} on {name}"
    return Markup(
        '<td class="runs-none"><button type="button" class="{}" data-run="{}" title="{}" aria-label="{}">+'
        "</button></td>"
    ).format(OFFER, f"{MISSING}{model}\n{name}", said, said)


def facts(
    runs: Sequence[Run], model: str, column: Column, has_newest: bool, parts: Mapping[str, str] = MappingProxyType({})
) -> str:  # fmt: skip
    """The facts of a cell in one line, its latest run first. runs: the latest first; parts: see `html`."""
    on = f"{column.label} ({count(groups.edits_in(runs), 'edit')})" if column.is_edits else column.label
    kinds = ", ".join(dict.fromkeys(kind for run in runs for kind in run.kinds)) or "no scores yet"
    part = sum(not run.complete for run in runs)
    whole = "all complete" if not part else "in part" if len(runs) == 1 else f"{part} in part"
    if len(runs) == 1 and not part:
        whole = "complete"
    items = f"{groups.Group(tuple(runs)).items()} items with a verdict"
    if some(runs, parts):
        items += f" ({parts[runs[0].run_id]})" if len(runs) == 1 else ", each run of some of the items"
    latest = f"{'the newest run here' if has_newest else 'latest'}: {view.moment(runs[0].stamp)}"
    return f"{model} on {on}: {count(len(runs), 'run')}, {kinds}; {items}; {whole}; {latest}"
