"""Which model a spec or a name means among stored runs, and how scores that it lacks would come."""

import difflib
import shlex
from collections.abc import Sequence

import pandas as pd

from backend.benchmarks import typed, winoground_stub
from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.kinds import PREDICTIONS
from backend.models.registry import kinds_of
from backend.paths import existing
from backend.store.build.store import Store
from backend.store.catalog import catalog, public

#: Models that an error names.
NAMED = 12


def runs_of_model(store: Store, table: pd.DataFrame, model: str, here: "pd.Series[bool]") -> pd.DataFrame:
    """All runs of a model, by its spec or by a name. here: which rows are on the benchmark that is asked about."""
    names = {model, _absolute(model)}
    mine = table[table["model"].map(lambda spec: spec in names or _absolute(spec) in names)]
    if mine.empty:
        mine = _of_name(store, table, model, here)
    if mine.empty:
        shown = catalog.shown(store)
        asked = table[here] if here.any() else table
        specs = list(dict.fromkeys(asked["model"].map(str)))
        known = sorted({shown.get(spec, spec) for spec in specs})
        near = _holding(model, known) or difflib.get_close_matches(model, sorted({*known, *specs}), n=3)
        listed = ", ".join(known[:NAMED]) + (f" and {len(known) - NAMED} more" if len(known) > NAMED else "")
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are runs of {listed or 'no model yet'}."
        raise UsageError(f"no run of model '{model}'. {hint}")
    return mine


def _holding(text: str, known: Sequence[str]) -> list[str]:
    """The first names in which a text stands."""
    return [name for name in known if text and text.casefold() in name.casefold()][:3]


def specs_called(store: Store, name: str) -> list[str]:
    """The models that are called so: by `run --name`, or as pages and tables show them."""
    public_names = {spec for spec, (said, _) in public.names(store).items() if said == name}
    shown = {spec for spec, said in catalog.shown(store).items() if said == name}
    table = catalog.runs(store)
    own = set(table.loc[(table["name"] == name) & (table["name"] != ""), "model"].map(str))
    found = public_names | shown | own
    if not found and (table["model"] == f"{PREDICTIONS}{name}").any():  # as `add-predictions --as` has it
        found = {f"{PREDICTIONS}{name}"}
    return sorted(found) if name else []


def specs_meant(store: Store, model: str) -> set[str]:
    """The specs that a spec or a name means among all stored runs. UsageError, with near matches, where there is no
    run of it, or where several models are called so."""
    table = catalog.runs(store)
    return set(runs_of_model(store, table, model, pd.Series(False, index=table.index))["model"].map(str))


def _of_name(store: Store, table: pd.DataFrame, name: str, here: "pd.Series[bool]") -> pd.DataFrame:
    """All runs of the model that is called so, of several the one that has a run on the benchmark. UsageError where
    several have."""
    specs = specs_called(store, name)
    if len(specs) > 1:
        on_it = sorted(set(specs) & set(table.loc[here, "model"]))
        specs = on_it or specs
    if len(specs) > 1:
        raise UsageError(f"{len(specs)} models are called '{name}': {', '.join(specs)}. Give one of these specs.")
    return table[table["model"].isin(specs)]


def _absolute(spec: str) -> str:
    """A spec whose folder, where it is one, is absolute."""
    family, colon, rest = spec.partition(":")
    folder = existing(rest) if colon else None
    return f"{family}{colon}{folder.resolve()}" if folder and folder.is_dir() else spec


def how_to_get(spec: str, benchmark: str, kind: str | None, what: str, more: str = "", folder: str = "") -> str:
    """A sentence with the command that brings scores of a model; what is lacking where none can. what: it does; more:
    what else the command says, such as the prior; folder: see `read_from`."""
    lacking = typed.lacking(benchmark, folder)
    if spec.startswith(PREDICTIONS):
        name = shlex.quote(spec.removeprefix(PREDICTIONS))
        if benchmark == winoground_stub.NAME:  # scores are matched with its item numbers, which need no files
            return f"`flipside add-predictions FILE --as {name} --benchmark {benchmark}` {what}."
        return (
            f"`flipside add-predictions FILE --as {name} --benchmark {typed.words(benchmark, folder)}` {what}.{lacking}"
        )
    gives = _gives(spec)
    if kind is not None and gives and kind not in gives and not (kind == Kind.PRIOR and Kind.GEN in gives):
        return f"The model gives no {kind}; it gives {', '.join(sorted(gives))}."
    kinds = f" --kinds {kind}" if kind else ""
    where = typed.words(benchmark, folder)
    return f"`flipside run --model {shlex.quote(spec)} --benchmark {where}{kinds}{more}` {what}.{lacking}"


def read_from(store: Store, run_id: str) -> str:
    """The folder that a run made here read its items from, "" where none is known: several versions of a benchmark may
    be here, and a command without it takes another one."""
    run = store.run(run_id)
    benchmark = run.record.get("benchmark")
    return str(benchmark.get("data_dir") or "") if run.origin == "computed" and isinstance(benchmark, dict) else ""


def _gives(spec: str) -> frozenset[str]:
    """The kinds that a model gives, where nothing of anybody's own code or of a server has to be asked for it."""
    if spec.partition(":")[0] in ("py", "endpoint"):
        return frozenset()
    try:
        return kinds_of(spec)
    except FlipsideError:
        return frozenset()
