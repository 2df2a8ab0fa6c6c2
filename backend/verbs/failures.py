"""`flipside failures`: the items that a model has wrong, with their reasons."""

import difflib
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from backend import written
from backend.errors import FlipsideError, UsageError
from backend.metrics.reasons.names import NAMES, of_group, with_cell
from backend.verbs.shared import several
from backend.verbs.shared.output import counted, note, print_fitting, print_json, say

if TYPE_CHECKING:
    from backend.store.build.store import Store
    from backend.store.failures.failures import FailurePage

#: Captions of an item that a table shows; --json has all.
CAPTIONS = 3


def command(
    model: Annotated[str, typer.Option("--model", metavar="SPEC", help="The model, by spec or name.")],
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="NAME", help="A benchmark's name, or its hash.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="How many items.")] = 20,
    kind: Annotated[str | None, typer.Option("--kind", metavar="K", help="Default: the run's own.")] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="A", help="gen only: log P(t|i) - A log P(t).")
    ] = None,
    prior: Annotated[str | None, typer.Option("--prior", metavar="P", help="Where log P(t) is from.")] = None,
    norm: Annotated[str | None, typer.Option("--norm", metavar="N", help="token, sum or paper-score.")] = None,
    metric: Annotated[str | None, typer.Option("--metric", metavar="M", help="These metrics: a,b.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", metavar="S", help="These subsets: a,b.")] = None,
    concept: Annotated[str | None, typer.Option("--concept", metavar="C", help="These: relation,attribute/*.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="R", help="These reasons: a,b.")] = None,
    right: Annotated[bool, typer.Option("--right", help="What is right instead.")] = False,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="S",
            help="margin (worst first), -margin, near (closest to flipping), fewest, most (models right), item.",
        ),
    ] = "margin",
    run: Annotated[str | None, typer.Option("--run", metavar="ID", help="A run, or how its id begins.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the items that a model has wrong, the worst first, each with its margin and reason.

    Verdicts alone (right or wrong, or one answer) have no margins: they stand in the benchmark's order.
    """
    from backend.store.build.reader import open_store
    from backend.store.catalog import catalog, not_scored
    from backend.store.catalog.default_run import choose_run, choose_setting
    from backend.store.failures.failures import FailureFilter, failures
    from backend.store.failures.filter import Sort
    from backend.store.failures.order import by_margins
    from backend.store.rates.asking_orders import strict
    from backend.store.scores.setting import as_norm

    order: Sort | None = next((each for each in get_args(Sort) if each == sort and each != "gap"), None)
    if order is None:
        raise UsageError(f"--sort {sort}: expected margin, -margin, near, fewest, most or item.")
    if limit < 1:
        raise UsageError(f"--limit {limit}: must be at least 1.")
    store = open_store(follow=False)
    chosen = choose_run(store, model, benchmark, kind, subset, run)
    setting, notes = choose_setting(store, chosen, kind, alpha, prior, as_norm(norm))
    _check(store, chosen.benchmark_hash, _list(metric, "--metric"), _list(concept, "--concept"))
    asked = FailureFilter(
        chosen.run_id, setting, metrics=_list(metric, "--metric"), subsets=_list(subset, "--subset"),
        concepts=_list(concept, "--concept"), reasons=_reasons(reason), correct=right, sort=order, limit=limit,
    )  # fmt: skip
    page = failures(store, asked)
    for line in [*chosen.notes, *notes, *not_scored.said(store, chosen.run_id, setting.kind)]:
        note(line)
    if not page.n_items:
        raise FlipsideError(f"run {chosen.run_id} has no verdicts from {setting.kind} scores.")
    name, rule = catalog.shown(store).get(chosen.model, ""), strict(store, chosen.run_id, setting.kind)
    if as_json:
        head = {"model": chosen.model, "name": name, "benchmark": chosen.benchmark, "run": chosen.run_id}
        items = _items(page)
        print_json(
            head | {"setting": asdict(setting), "n": page.n_items, "total": page.total, "items": items, "rule": rule}
        )
        return
    what = "right" if right else "wrong"
    said = f"{name or chosen.model} on {chosen.benchmark}, {setting.describe()}, run {chosen.run_id}"
    under = f"{page.total:,} {'verdict is' if page.total == 1 else 'verdicts are'} {what} under these filters"
    by_rule = f"; {rule}" if rule else ""
    say(f"{said}: {under}, of {page.n_items:,} in the run; {len(page.rows):,} shown{by_rule}\n")
    if len(page.rows):
        _print(page)
        if not by_margins(store, asked):
            note("In the benchmark's order: verdicts alone have no margins.")
    elif reason is not None:
        others = failures(store, replace(asked, correct=not right)).total
        opposite, instead = ("wrong", "leave --right out") if right else ("right", "--right lists them")
        if others:
            note(f"Of those that are {opposite}, {counted(others, 'verdict')} of this reason fit: {instead}.")


def _check(store: "Store", benchmark: str, metrics: Sequence[str], concepts: Sequence[str]) -> None:
    """UsageError for a metric that does not exist, and for a concept that neither the taxonomy nor an item has."""
    from backend import taxonomy
    from backend.metrics.core.registry import by_name
    from backend.store.failures.filter import NARROWER

    for name in metrics:
        by_name(name)
    if not concepts:
        return
    rows = store.cursor().execute("SELECT DISTINCT unnest(concepts) FROM items WHERE benchmark = ?", [benchmark])
    own = sorted(str(word) for (word,) in rows.fetchall())
    known = sorted({*own, *taxonomy.CONCEPTS})
    for name in concepts:
        if (word := name.removesuffix(NARROWER)) not in known:
            near = difflib.get_close_matches(word, known, n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"Items here have: {', '.join(own) or 'none'}."
            raise UsageError(f"--concept {name}: there is no such concept. {hint}")


def _reasons(reason: str | None) -> tuple[str, ...]:
    """The reasons that `--reason` names, by the word of the column or as they are printed.

    >>> _reasons("no binding beyond luck, no binding seen, outvoted_by_image")
    ('no_binding', 'no_binding', 'outvoted_by_image')
    """
    words = {said: word for word in NAMES for said in (NAMES[word], of_group(word))}
    given = tuple(words.get(word.casefold(), word) for word in _list(reason, "--reason"))
    if unknown := [word for word in given if word not in NAMES]:
        raise UsageError(f"--reason {unknown[0]}: there is no such reason. Known: {', '.join(NAMES)}.")
    return given


def _list(text: str | None, flag: str) -> tuple[str, ...]:
    return tuple(several.names(text, flag)) if text is not None else ()


def _items(page: "FailurePage") -> list[dict[str, Any]]:
    names = ("item_id", "subset", "protocol", "metric", "correct", "margin", "ties", "cell", "reason")
    found = []
    for row in page.rows.to_dict("records"):
        lists = {"concepts": list(row["concepts"]), "perturbations": list(row["perturbations"])}
        shown = {"texts": list(row["texts"]), "images": list(row["image_keys"])}
        # Whole numbers and a verdict, but for items that only a run which stands for no model has judged.
        numbers = {name: _known(row[name], int) for name in ("models_right", "models_judging")}
        numbers |= {"people_right": _known(row["people_right"], bool), "margin": _known(row["margin"], float)}
        found.append({name: row[name] for name in names} | lists | shown | numbers)
    return found


def _known(value: Any, kind: type) -> Any:
    """A value of a frame as JSON takes it; None for a missing one."""
    return None if value is None or value != value else kind(value)


def _right(item: dict[str, Any]) -> str:
    """How many models are right, and a verdict of people's.

    >>> _right({"models_right": 0, "models_judging": 54, "people_right": True})
    '0 of 54, people ✓'
    """
    if item["models_judging"] is None:
        return "–"
    people = {None: "", True: ", people ✓", False: ", people ✗"}[item["people_right"]]
    return f"{item['models_right']} of {item['models_judging']}{people}"


def _print(page: "FailurePage") -> None:
    rows = []
    for item in _items(page):
        more = " | …" if len(item["texts"]) > CAPTIONS else ""
        texts = " | ".join(item["texts"][:CAPTIONS]) + more
        reason = with_cell(item["cell"] or "", item["reason"] or "") or "not measured"
        margin = written.DASH if item["margin"] is None else f"{item['margin']:+.3g}"
        rows.append((item["item_id"], item["metric"], margin, _right(item), reason, texts))
    if print_fitting(("item", "metric", "margin", "models right", "reason", "captions"), rows):
        note("Cells are cut to fit; --json prints them whole.")
