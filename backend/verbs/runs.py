"""`flipside runs`: what has been scored here; one run in full; deleting runs, with a way back."""

from collections.abc import Callable, Container, Hashable, Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.durable import is_full
from backend.errors import FlipsideError, UsageError
from backend.verbs.shared.output import counted, note, print_fitting, print_json, say

if TYPE_CHECKING:
    from backend.store.build.store import Store

#: The first characters of an id that may stand for it, at least.
LEAST = 4
#: Deleted things that an error names.
SHOWN = 5


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID...]", help="Runs by id, or by how their ids begin (4 characters)."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="SPEC", help="Only of this model.")] = None,
    benchmark: Annotated[str | None, typer.Option("--benchmark", metavar="NAME", help="Only on this one.")] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the runs that are named; kept for 30 days.")] = False,
    restore: Annotated[
        str | None, typer.Option("--restore", metavar="KEY", help="Put back what --delete took away.")
    ] = None,
    pull: Annotated[
        bool, typer.Option("--pull", help="First bring the runs that FLIPSIDE_STORE keeps (s3://…) into this cache.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the runs that are here, show one of them in full, or delete some."""
    kept_back = _pull() if pull else None
    if restore is not None and (delete or ids):
        raise UsageError("--restore puts one back by its key, and goes with neither runs nor --delete.")
    if restore is not None:
        from backend.live.uploads import trash

        kept = trash.listing()
        if restore not in {entry.key for entry in kept}:
            there = "; ".join(f"{entry.key} ({entry.title})" for entry in kept[:SHOWN])
            more = f", and {len(kept) - SHOWN} more" if len(kept) > SHOWN else ""
            raise UsageError(
                f"--restore {restore}: nothing that was deleted is kept under this key. "
                + (f"There is: {there}{more}." if kept else "Nothing deleted is kept.")
            )
        say(f"Put back: {trash.restore(restore).title}.")
    else:
        _list_show_or_delete(ids, model, benchmark, delete=delete, as_json=as_json)
    if kept_back is not None:  # after the answer, which is about the runs that could be brought
        raise kept_back


def _list_show_or_delete(
    ids: list[str] | None, model: str | None, benchmark: str | None, *, delete: bool, as_json: bool
) -> None:
    from backend.store.build.reader import open_store

    try:
        store = open_store(follow=False)
    except FlipsideError as error:
        if not (delete and ids and is_full(error)):
            raise
        _delete(None, _on_disk(ids, model, benchmark), as_json)
        return
    if benchmark is not None:
        from backend.store.catalog.benchmarks_named import refuse_unknown

        refuse_unknown(store, benchmark)
    rows = _rows(store, model, benchmark)
    if not ids:
        if delete:
            raise UsageError("--delete: name the runs, by id or by how their ids begin. `flipside runs` lists them.")
        _list(rows, as_json)
        _say_left_out(store, rows)
        return
    if delete:
        damaged = [] if model or benchmark else _damaged(store, {row["run"] for row in rows})
        _delete(store, [_one([*rows, *damaged], given) for given in dict.fromkeys(ids)], as_json)
        return
    found = [_one(rows, given, lambda: _damaged(store, set())) for given in dict.fromkeys(ids)]
    documents = [_document(store, row) for row in found]
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)
        _say_left_out(store, found)
        return
    for document in documents:
        _show(document)
    _say_left_out(store, found)


def _pull() -> FlipsideError | None:
    """Bring the owner's runs here, and say how many; what kept some of them from coming."""
    from backend.engine.storage import away
    from backend.paths import cache_dir

    store = away.store_url()
    if store is None:
        raise UsageError(f"--pull: set {away.VARIABLE} to the address of the store, e.g. s3://bucket/flipside.")
    here, errors = away.pull_all(store, cache_dir())
    n = len(here)
    note(f"flipside: {counted(n, 'run')} of {store} {'is' if n == 1 else 'are'} here now.")
    if not errors:
        return None
    return FlipsideError(f"--pull: {counted(len(errors), 'run')} could not be brought. {' '.join(map(str, errors))}")


def _rows(store: "Store", model: str | None, benchmark: str | None) -> list[dict[str, Any]]:
    """The runs, the latest first, as JSON has them."""
    from backend.store.catalog import catalog, public
    from backend.store.catalog.models_named import specs_called, specs_meant
    from backend.store.rates import covered

    found, shown = [], catalog.shown(store)
    wanted = set(specs_called(store, model)) or specs_meant(store, model) if model is not None else set()
    fetched = {spec: source for spec, (_, source) in public.names(store).items()}
    for row in catalog.runs(store).iloc[::-1].to_dict("records"):
        if model is not None and row["model"] not in wanted:
            continue
        name = str(row["benchmark_name"])
        if benchmark is not None and benchmark not in (name, row["benchmark"], name.partition(":")[0]):
            continue
        found.append(
            {
                "run": str(row["run_id"]),
                "model": str(row["model"]),
                "name": shown.get(str(row["model"]), ""),
                "benchmark": name,
                "benchmark_hash": str(row["benchmark"]),
                "kinds": list(row["kinds"]),
                "priors": list(row["priors"]),
                "which": catalog.selection_said(row) or _judged(row, covered.said, store) or "all",
                "items": int(row["n_items"]),
                "complete": bool(row["complete"]),
                "updated": row["updated"],
                "origin": public.origin(str(row["origin"]), str(row["model"]), fetched),
                "fetched": fetched.get(str(row["model"]), ""),
            }
        )
    return found


def _judged(row: Mapping[Hashable, Any], said: Callable[["Store", str, str], str], store: "Store") -> str:
    """Which items another system has answered, which selects none itself, or a stopped run has scored; "" for all."""
    return said(store, str(row["run_id"]), str(row["kinds"][0])) if len(row["kinds"]) else ""


def _on_disk(ids: list[str], model: str | None, benchmark: str | None) -> list[dict[str, Any]]:
    """The runs that are named, told by their files: a disk that is full may have no room for the database."""
    from backend.live.uploads import trash

    rows = [
        row for row in trash.runs_on_disk() if model in (None, row["model"]) and benchmark in (None, row["benchmark"])
    ]
    return [_one(rows, given) for given in dict.fromkeys(ids)]


def _damaged(store: "Store", known: Container[str]) -> list[dict[str, Any]]:
    """Runs of this cache that cannot be read, each with why; `known` ones are left out, of which a single shard may
    be."""
    from backend.store import queries
    from backend.store.exchange import imported

    found = {}
    for line in queries.problems(store).to_dict("records"):
        folder = imported.deletable(Path(str(line["path"])))
        if folder is not None and folder.parent.name == "runs" and folder.name not in known:
            found[folder.name] = {
                "run": folder.name, "model": "", "name": "", "benchmark": "", "damaged": str(line["reason"])
            }  # fmt: skip
    return list(found.values())


def _list(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("No run is here that fits.")
        return
    print_fitting(
        ("run", "model", "benchmark", "kinds", "which", "items", "state", "when", "from"),
        [
            (
                row["run"], row["name"] or row["model"], row["benchmark"], ",".join(row["kinds"]), row["which"],
                row["items"], "complete" if row["complete"] else "in part", str(row["updated"] or "")[:16],
                _from(row),
            )
            for row in rows
        ],
    )  # fmt: skip


def _say_left_out(store: "Store", rows: list[dict[str, Any]]) -> None:
    """What is not among the items of these runs, for it has no scores; on standard error."""
    from backend.store.catalog import not_scored

    called = {row["run"]: row["run"] for row in rows}
    for line in not_scored.of_runs(store, called, {row["run"]: row["kinds"] for row in rows}):
        note(line)


def _from(row: dict[str, Any]) -> str:
    """Where a run is from: scores that were fetched were not computed here."""
    return f"fetched: {row['fetched']}" if row["origin"] == "fetched" else str(row["origin"])


def _one(
    rows: list[dict[str, Any]], given: str, damaged: Callable[[], list[dict[str, Any]]] = list
) -> dict[str, Any]:  # fmt: skip
    """The run whose id begins so. UsageError where none does, or several. damaged: gives the runs that cannot be
    read, one of which may be meant."""
    mine = [row for row in rows if row["run"] == given] or [row for row in rows if row["run"].startswith(given)]
    if len(given) < LEAST:
        raise UsageError(f"{given}: give at least {LEAST} characters of a run's id.")
    if not mine and (bad := [row for row in damaged() if row["run"].startswith(given)]):
        raise UsageError(
            f"run {bad[0]['run']} cannot be read: {bad[0]['damaged']}. "
            f"`flipside runs {bad[0]['run']} --delete` takes it away."
        )
    if not mine:
        raise UsageError(f"{given}: no run's id begins so. `flipside runs` lists them.")
    if len(mine) > 1:
        raise UsageError(f"{given}: {len(mine)} runs' ids begin so: {', '.join(row['run'] for row in mine)}.")
    return mine[0]


def _document(store: "Store", row: dict[str, Any]) -> dict[str, Any]:
    from backend.store.catalog import command_again

    run = store.run(row["run"])
    words = command_again.words(run)
    first = command_again.made_first(run) if words else []
    return row | {
        "parts": run.parts,
        "first": ["flipside", "perturb", *first] if first else [],
        "command": ["flipside", "run", *words] if words else [],
        "record": run.record,
    }


def _show(document: dict[str, Any]) -> None:
    from shlex import join

    title = f"{document['name']} ({document['model']})" if document["name"] else document["model"]
    say(f"run {document['run']}: {title} on {document['benchmark']} {document['benchmark_hash']}, {document['which']}")
    state = "complete" if document["complete"] else "in part"
    have = f"{counted(document['items'], 'item')} {'has' if document['items'] == 1 else 'have'} a verdict"
    say(f"  {have}, {state}, {_from(document)}, {document['updated'] or 'no date'}")
    for part, complete in document["parts"].items():
        say(f"  {part}: {'complete' if complete else 'in part'}")
    model = document["record"].get("model") or {}
    for key in ("weights_sha256", "dtype"):
        if model.get(key):
            say(f"  {key}: {model[key]}")
    hub = model.get("hub") or {}
    if hub.get("commit"):
        say(f"  commit: {hub['commit']} of {hub.get('name')}")
    if document["command"]:
        for line in (document["first"], document["command"]):
            if line:
                say(f"  {join(line)}")
    else:
        words = ["flipside", "report", "--model", document["model"], "--benchmark", document["benchmark"]]
        say(f"  {join([*words, '--run', document['run']])}")
    say("  --json prints the whole record.")


def _delete(store: "Store | None", rows: list[dict[str, Any]], as_json: bool) -> None:
    from backend.live.uploads import trash

    gone = []
    for row in rows:
        title = (
            "a run that cannot be read" if "damaged" in row else f"{row['name'] or row['model']} on {row['benchmark']}"
        )
        entry = trash.discard_run(row["run"], title)
        gone.append({"run": row["run"], "title": entry.title, "key": entry.key})
    try:
        if store is not None:
            store.refresh()
    except FlipsideError as error:
        if not is_full(error):
            raise
        store = None
    if as_json:
        print_json({"deleted": gone, "kept_days": trash.KEPT})
        return
    for each in gone:
        say(f"Deleted run {each['run']}, {each['title']}. For {trash.KEPT} days this puts it back:")
        say(f"  flipside runs --restore {each['key']}")
    if store is None:
        gone_to = " ".join(quote(str(trash.trash_dir() / each["key"])) for each in gone)
        note(f"The disk is full, and they take their space until then. To delete them for good: rm -r {gone_to}")
