"""Runs, History: every run, near-identical ones in one row that unfolds."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from backend.prior_names import prior_name
from pages.runs import view
from pages.runs.history.groups import Group, Run
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, shortened

HEADS = ("model", "on", "kinds", "which items", "items", "state", "last written (UTC)", "from")


def html(
    found: Sequence[Group],
    parents: Mapping[str, str],
    selections: Mapping[str, str],
    sources: Mapping[str, str],
    picked: str,
) -> Markup:
    """The table. parents: benchmark hash -> name; selections, sources: run id -> which items, and where it is from, in
    words; picked: id of the marked run."""  # fmt: skip
    names = colours.labels({group.model for group in found})
    heads = Markup().join(Markup('<th scope="col">{}</th>').format(head) for head in HEADS)
    bodies = Markup().join(_group(group, names, parents, selections, sources, picked) for group in found)
    return Markup(
        '<div class="runs-box runs-tall fs-scroll" tabindex="0" role="region" aria-label="every run">'
        '<table class="runs-list"><caption>Every run; near-identical ones are one row'
        "</caption><thead><tr>{}</tr></thead>{}</table></div>"
    ).format(heads, bodies)


def _group(
    group: Group, names: Mapping[str, str], parents: Mapping[str, str], selections: Mapping[str, str],
    sources: Mapping[str, str], picked: str,
) -> Markup:  # fmt: skip
    first = group.runs[0]
    several = len(group.runs) > 1
    fold = (
        Markup(
            '<button type="button" class="runs-fold" data-fold aria-expanded="false" aria-label="{}">▸</button>'
        ).format(f"Show the {len(group.runs)} runs")
        if several
        else Markup('<span class="runs-fold"></span>')
    )
    chosen = " runs-picked" if not several and picked == first.run_id else ""
    # Of edits the title counts, and the runs are as many, but for an edit with several.
    counted = len(group.runs) != max(group.edits, 1)
    wide = Markup("<small>{}</small>").format(count(len(group.runs), "run")) if counted else Markup()
    head = _row(
        Markup('{}{}<span title="{}">{}</span>').format(
            fold, colours.dot(first.model), first.model, shortened(names[first.model], 32)
        ),
        Markup("{}{}").format(group.title(parents), wide),
        group.kinds, _which(group, selections), group.items(), _state(group), view.moment(first.stamp),
        sources[first.run_id], first.run_id, f"runs-head{chosen}",
    )  # fmt: skip
    children = Markup().join(
        _row(
            Markup(), Markup("{}").format(run.name), run.kinds, _of_one(run, selections), f"{run.n_items:,}",
            "✓ complete" if run.complete else "◐ in part", view.moment(run.stamp), sources[run.run_id], run.run_id,
            f"runs-child{' runs-picked' if run.run_id == picked else ''}",
        )
        for run in group.runs
    ) if several else Markup()  # fmt: skip
    return Markup('<tbody data-group="{}">{}{}</tbody>').format(group.key, head, children)


def _row(
    model: Markup, on: Markup, kinds: Sequence[str], which: str, items: str, state: str, when: str, source: str,
    run_id: str, look: str,
) -> Markup:  # fmt: skip
    return Markup(
        '<tr class="{}" data-run="{}"><td>{}</td>'
        '<td><button type="button" class="runs-open-it" data-run="{}">{}</button></td><td>{}</td><td>{}</td>'
        '<td class="runs-number">{}</td><td class="{}">{}</td><td>{}</td><td>{}</td></tr>'
    ).format(
        look, run_id, model, run_id, on, ", ".join(kinds) or "–", which, items,
        "runs-in-part" if "part" in state else "", state, when.removesuffix(" UTC"), source,
    )  # fmt: skip


def _state(group: Group) -> str:
    if not group.in_part:
        return "✓ complete"
    return "◐ in part" if len(group.runs) == 1 else f"◐ {group.in_part} in part"


def _which(group: Group, selections: Mapping[str, str]) -> str:
    """Which items, and which priors, the runs of a group have."""
    asked = list(dict.fromkeys(selections[run.run_id] for run in group.runs))
    said = asked[0] if len(asked) == 1 else f"{asked[0]} and {count(len(asked) - 1, 'other seed')}"
    priors = list(dict.fromkeys(source for run in group.runs for source in run.priors))
    return f"{said}{'; prior from ' if priors else ''}{', '.join(map(prior_name, priors))}"


def _of_one(run: Run, selections: Mapping[str, str]) -> str:
    priors = f"; prior from {', '.join(map(prior_name, run.priors))}" if run.priors else ""
    return f"{selections[run.run_id]}{priors}"
