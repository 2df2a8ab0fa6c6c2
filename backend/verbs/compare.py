"""`flipside compare A B`: two models on one benchmark."""

from shlex import join
from typing import Annotated, Any

import typer

from backend import written
from backend.errors import UsageError
from backend.kinds import Kind
from backend.metrics.reasons.names import of_group
from backend.verbs.shared.output import counted, note, print_json, print_table, say

#: Changes of a reason that are printed; --json has all.
SHOWN = 12


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="A model by spec or name: the baseline.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="NAME", help="The benchmark, by name or hash.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="K", help="Of both, or of each: itc,itm. Default: what both have.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", metavar="M", help="One metric. Default: the headline of each protocol.")
    ] = None,
    subset: Annotated[str | None, typer.Option("--subset", metavar="S", help="One subset, or several: a,b.")] = None,
    by: Annotated[
        str, typer.Option("--by", metavar="TAG", help="Group by subset, concept or perturbation.")
    ] = "subset",
    run_a: Annotated[str | None, typer.Option("--run-a", metavar="ID", help="A's run, or how its id begins.")] = None,
    run_b: Annotated[str | None, typer.Option("--run-b", metavar="ID", help="B's run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Compare two models on the items that both have: paired tests by group, Holm, and the reasons that changed."""
    from backend.metrics.core.registry import by_name
    from backend.store.build.reader import open_store
    from backend.store.compare.two import two

    if metric is not None:
        by_name(metric)
    found = two(
        open_store(follow=False), a, b, benchmark, kinds=_kinds(kind), runs=(run_a, run_b), metric=metric,
        subset=subset, by=by,
    )  # fmt: skip
    below = [*found["two_rules"], *found["asked"]]
    for line in found["notes"]:
        if as_json or line not in below:  # these stand below the table
            note(line)
    if as_json:
        print_json(found)
    else:
        _show(found)


def _kinds(kind: str | None) -> tuple[str | None, str | None]:
    """One kind for both, or one for each.

    >>> _kinds("itc"), _kinds("itc, itm"), _kinds(None)
    (('itc', 'itc'), ('itc', 'itm'), (None, None))
    """
    given = [] if kind is None else [part.strip() for part in kind.split(",") if part.strip()]
    if len(given) > 2 or (kind is not None and not given):
        raise UsageError(f"--kind {kind}: give one kind for both models, or two: itc,itm.")
    return (given[0], given[-1]) if given else (None, None)


def _show(found: dict[str, Any]) -> None:
    one, other = (found[side]["name"] or found[side]["model"] for side in ("a", "b"))
    kinds = [found[side]["setting"]["kind"] for side in ("a", "b")]
    alone = [f"{name} alone {n:,}" for name, n in zip((one, other), found["alone"], strict=True) if n]
    more = f" ({', '.join(alone)} more)" if alone else ""
    say(f"A  {one}, {kinds[0]}, run {found['a']['run']}\nB  {other}, {kinds[1]}, run {found['b']['run']}")
    say(f"{found['benchmark']}: {counted(found['n'], 'verdict')} that both have{more}; {', '.join(found['metrics'])}\n")
    head = (found["grouped_by"], "n", "A", "B", "B − A (points)", "only A", "only B", "p", "p, Holm")
    rows = [_row(name, row, row["holm"]) for name, row in found["by"].items()]
    if len(rows) != 1:
        rows.append(_row("all", found["overall"], None))
    print_table(head, rows)
    say(
        "\np is exact and two-sided over images (McNemar's where each has one verdict); Holm over the rows above "
        "`all`.\nThe 95 % interval of B − A holds 0 just where p is above .05 (before Holm)."
    )
    if ruled := {name: rule for name, side in ((one, "a"), (other, "b")) if (rule := found[side]["rule"])}:
        say(f"{next(iter(ruled.values())).capitalize()}: {', '.join(ruled)}.")
    for line in [*found["two_rules"], *found["asked"]]:
        say(line)
    for letter, name in (("a", one), ("b", other)):
        side = found[letter]
        if side["within_noise"] == found["n"]:
            say(
                f"{letter.upper()}, {name}: all {found['n']:,} margins lie within what batching can change, so its "
                f"verdicts say nothing ({side['noise']})."
            )
    _show_reasons(found["reasons"], (found["a"], found["b"]), found["benchmark"])


def _row(name: str, row: dict[str, Any], holm: float | None) -> tuple[object, ...]:
    n = int(row["n"])
    ends = None if row["low"] is None or row["high"] is None else (row["low"], row["high"])
    gain = " ".join(filter(None, (_points(row["gain"]), written.ends(ends, signed=True))))
    return (
        name, n, written.percent(row["rate_a"], n), written.percent(row["rate_b"], n), gain, row["only_a"],
        row["only_b"], written.p_cell(row["p"]), "" if name == "all" and holm is None else written.p_cell(holm),
    )  # fmt: skip


def _points(value: float | None) -> str:
    return written.DASH if value is None else written.number(100 * value, 1, signed=True)


def _show_reasons(reasons: dict[str, Any], sides: tuple[dict[str, Any], ...], benchmark: str) -> None:
    unsure = f"{reasons['uncertain']:,} more are uncertain on one or both sides" if reasons["uncertain"] else ""
    if not reasons["known"] and unsure:
        say(f"Reasons: no item has a certified reason on both sides; {unsure.replace(' more', '')}.")
        return
    if not reasons["known"]:
        from backend.store.reasons.not_measured import BY_KIND

        kinds = dict.fromkeys((side["model"], Kind(side["setting"]["kind"])) for side in sides)
        never = [f"{model}, {kind}: {BY_KIND[kind]}" for model, kind in kinds if kind in BY_KIND]
        if never:
            say(f"Reasons: none is known on both sides ({'; '.join(never)}).")
            return
        side = sides[0]
        words = ["flipside", "report", "--model", side["model"], "--benchmark", benchmark, "--run", side["run"]]
        say(f"Reasons: none is known on both sides; to see why: {join([*words, '--by', 'reason'])}")
        return
    known = counted(reasons["known"], "item")
    said = f"Reasons: {reasons['changed']:,} of {known} with a certified reason on both sides have "
    say(f"{said}another one{f'; {unsure}' if unsure else ''}.")
    if reasons["table"]:
        print_table(
            ("A", "B", "items", "such as"),
            [
                (of_group(row["from"]), of_group(row["to"]), row["n"], row["items"][0])
                for row in reasons["table"][:SHOWN]
            ],
        )
