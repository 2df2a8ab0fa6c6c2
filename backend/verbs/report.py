"""`flipside report`: a run's metrics with their uncertainty, chance level and published number."""

from typing import Annotated, Any

import typer

from backend import written
from backend.errors import UsageError
from backend.kinds import Kind, listed
from backend.metrics.core.registry import by_name
from backend.metrics.reasons.names import NAMES, of_group
from backend.verbs.benchmarks import some
from backend.verbs.shared.output import counted, note, print_json, print_table, say
from backend.verbs.shared.report_sections import show_sections

#: How many subsets the heading names.
SUBSETS = 8


def command(
    model: Annotated[str, typer.Option("--model", metavar="SPEC", help="The model, as it was run.")],
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="NAME", help="A benchmark's name, or its hash.")],
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="K", help=f"{listed(tuple(Kind))}. Default: the run's own."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="A", help="gen only: log P(t|i) - A log P(t). Default 0.")
    ] = None,
    prior: Annotated[
        str | None, typer.Option("--prior", metavar="P", help="Where log P(t) is from: noise:3, images:20, lm:SPEC.")
    ] = None,
    norm: Annotated[str | None, typer.Option("--norm", metavar="N", help="token, sum or paper-score.")] = None,
    subset: Annotated[
        str | None, typer.Option("--subset", metavar="S", help="One subset, or several with commas.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="A run by its id; limited and sampled ones only so.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="TAG", help="Group by subset, concept, perturbation, cell, reason or another tag."
        ),
    ] = None,
    published_as: Annotated[
        str | None,
        typer.Option("--published-as", metavar="NAME", help="These weights are the model that a paper prints so."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", metavar="T", help="itm, vqa: pc, pf and their kin at this probability. Default .5."
        ),
    ] = None,
    normalise: Annotated[
        str,
        typer.Option("--normalise", metavar="N", help="EqSim deviations of raw, softmax-pool or softmax-cells scores."),
    ] = "raw",
    relevance_encoder: Annotated[
        str | None,
        typer.Option(
            "--relevance-encoder", metavar="SPEC", help="Whose text embeddings grade retrieved results (ours)."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print a model's rates on a benchmark with 95 % intervals, ties, chance levels and published numbers."""
    from backend.store.build.reader import open_store
    from backend.store.report.report import report
    from backend.store.scores.setting import as_norm

    for flag, given in (("--by", by), ("--published-as", published_as)):
        if given is not None and not given.strip():
            raise UsageError(f"{flag}: is empty. Name something, or leave it out.")
    store = open_store(follow=False)
    found = report(
        store, model, benchmark, kind=kind, alpha=alpha, prior=prior, norm=as_norm(norm), subset=subset, run=run, by=by,
        published_as=published_as, threshold=threshold, normalise=normalise, relevance_encoder=relevance_encoder,
    )  # fmt: skip
    for line in found["notes"]:
        note(line)
    if not found["n_items"]:
        kind = found["setting"]["kind"]
        raise UsageError(f"run {found['run']} has no verdicts from {kind} scores for what is asked.")
    if as_json:
        print_json(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    named = {name: value for name, value in found["setting"].items() if name != "prior_samples"}
    setting = ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
    others = [name for name in found["priors"] if name != found["setting"]["prior"]]
    if others:
        setting += f" (other priors here: {', '.join(others)})"
    about = ", ".join(part for part in (f"run {found['run']}", _subsets(found), setting) if part)
    title = f"{found['name']} ({found['model']})" if found["name"] else found["model"]
    part = f": {found['covered']} only" if found["covered"] else ""
    say(f"{title} on {found['benchmark']}: {about}, {counted(found['n_items'], 'item')}{part}\n")
    header = ("metric", "value", "95 %", "n", "ties", "within noise", "chance", "published")
    undefined = found.get("undefined", {})  # named below the tables, once, with the reason
    lower = found.get("lower_bounds", {})
    rows = [_row(name, entry, name in lower) for name, entry in found["metrics"].items() if name not in undefined]
    print_table(header, rows)
    if found["by"]:
        named = {"cell": lambda cell: NAMES.get(cell, cell), "reason": of_group}
        say()
        print_table(
            (found["grouped_by"], *header),
            [
                (named.get(found["grouped_by"], str)(group), *_row(name, entry, "lower_bound" in entry))
                for group, table in found["by"].items()
                for name, entry in table.items()
                if name not in undefined
            ],
        )
    for line in noise_lines(found):
        say(line)
    for line in _remarks(found):
        say(line)
    show_sections(found)


def _subsets(found: dict[str, Any]) -> str:
    """Which subsets the numbers are about, in words; empty where a benchmark has only one."""
    names, of = found["subsets"], found["of_subsets"]
    if not names or of == 1:
        return ""
    if len(names) == of:
        return f"all {of} subsets"
    return f"{'subset' if len(names) == 1 else 'subsets'} {some(names, SUBSETS)} (of {of})"


def _row(name: str, entry: dict[str, Any], is_bound: bool = False) -> tuple[str, ...]:
    """A line of the table of rates. is_bound: whether the value is a lower bound."""
    metric = by_name(name)
    plain = not metric.share
    published = entry["published"]
    if entry.get("encoder"):
        name = f"{name} ({entry['source']}: top {entry['k']}, {entry['encoder']})"
    value = _with_unit(entry["value"], metric.unit) if plain else written.percent(entry["value"], entry["n"])
    return (
        name,
        f"≥ {value}" if is_bound else value,
        _ends(entry, plain),
        str(entry["n"]),
        str(entry["ties"]),
        "–" if entry["within_noise"] is None else str(entry["within_noise"]),
        _number(entry["chance"], plain),
        "" if published is None else _beside(published, plain),
    )


def _ends(entry: dict[str, Any], plain: bool) -> str:
    """The two ends of an interval; few items are counted instead."""
    if entry["ci95"] is None or (not plain and written.counted(entry["value"], entry["n"])):
        return "–"
    return written.ends(entry["ci95"], 1, 2) if plain else written.ends(entry["ci95"])


def noise_lines(found: dict[str, Any]) -> list[str]:
    """Below the rates: what batching could change in them, and what several orders of asking disagree about."""
    from backend.metrics.contests import MEAN_OF_ORDERS
    from backend.store.rates.asking_orders import STRICT

    lines = []
    metrics = found["metrics"]
    noisy = {name: entry for name, entry in metrics.items() if entry["within_noise"]}
    for name, entry in noisy.items():
        told = entry["noise"]
        lines.append(
            f"{name}: {entry['within_noise']} margins within {told['bound']:.2g}; "
            f"{written.percent(told['lowest'], entry['n'])} if all of them were wrong, "
            f"{written.percent(told['highest'], entry['n'])} if all were right"
        )
    sources = dict.fromkeys(e["noise"]["source"] for e in metrics.values() if e["noise"] and e["noise"]["bound"])
    if noisy:
        lines = ["", f"Within what batching can change ({'; '.join(sources)}):", *lines]
    for name, entry in metrics.items():
        if "disagreements" in entry:
            unknown = "chance_reason" in entry and entry["chance"] is None
            rule = "an item counts by the share of its orders" if name == MEAN_OF_ORDERS else STRICT
            how = f"chance is not given: {entry['chance_reason']}" if unknown else rule
            lines.append(
                f"{name}: the orders of asking disagree on {counted(entry['disagreements'], 'item')}, "
                f"{counted(entry['neither'], 'answer')} chose neither caption (counted apart from ties); {how}."
            )
    return lines


def _beside(printed: dict[str, Any], plain: bool) -> str:
    """A printed number, how far ours is above it, and where it stands; a star where there is a caveat."""
    scale, unit = (1, "") if plain else (100, " %")
    difference = "" if printed["difference"] is None else f", ours {round(scale * printed['difference'], 2) + 0.0:+.2f}"
    star = "*" if printed["caveats"] else ""
    value = f"{written.rounded(scale * printed['value'], 2)}{unit}"
    return f"{value}{star}{difference} ({printed['paper']}, {printed['table']}: {printed['model']})"


def _remarks(found: dict[str, Any]) -> list[str]:
    """The notes and caveats of the printed numbers above, each once, under an empty line."""
    tables = [found["metrics"], *found["by"].values()]
    shown = [entry["published"] for table in tables for entry in table.values() if entry["published"]]
    if not shown:
        return []
    lines = {
        f"{'*' if entry['caveats'] else ' '} {entry['paper']}, {entry['table']}, {entry['benchmark']} "
        f"{entry['metric']}: {' '.join([*entry['caveats'], entry['note']]).strip()}": None
        for entry in shown
        if entry["caveats"] or entry["note"]
    }
    others = sum(len(entry["published_all"]) - 1 for table in tables for entry in table.values() if entry["published"])
    said = f"{found['printed_models']['matched_by']}: {', '.join(found['printed_models']['names'])}"
    more = f"; {others} more printed in other tables, see --json" if others else ""
    return ["", f"Published numbers matched by {said}{more}.", *lines]


def _with_unit(value: float | None, unit: str) -> str:
    return "–" if value is None else f"{value:.2f} {unit}".rstrip()


def _number(value: float | None, plain: bool) -> str:
    if value is None:
        return "–"
    return written.rounded(value, 2) if plain else written.percent(value)
