"""Which runs are published: benchmarks with one run a model, from names and prefixes of run ids."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from backend.errors import UsageError
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.catalog.benchmarks_named import refuse_unknown
from backend.store.catalog.models_named import specs_called


@dataclass(frozen=True)
class Wanted:
    """What to publish; empty means any. benchmarks: names or hashes, models: specs, runs: ids or beginnings of such. A
    study hands over its list of runs here."""

    benchmarks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edition:
    """A benchmark and its runs: rows of `catalog.runs`, one a model."""

    name: str
    hash: str
    subsets: dict[str, int]
    protocols: dict[str, str]
    runs: pd.DataFrame


def editions(store: Store, wanted: Wanted) -> list[Edition]:
    """The benchmarks that are wanted, in the order of their names, with the default run of each model, or the runs that
    are named. Where nothing is named: what ships. UsageError for a name that nothing has, and for two runs of one model
    on one benchmark."""
    for name in wanted.benchmarks:
        refuse_unknown(store, name)
    table = catalog.runs(store)
    table = table[table["kinds"].map(len) > 0]
    if wanted.runs:
        table = table[table["run_id"].isin([_one(table, each) for each in wanted.runs])]
    else:
        default = {str(run) for key in table["benchmark"].unique() for run in catalog.models(store, str(key))["run_id"]}
        table = table[table["run_id"].isin(default)]
        if not wanted.benchmarks and not wanted.models:
            table = table[table["origin"] == "shipped"]
            table = table[table["edition_of"] == ""]
    for what, column, asked in (
        ("benchmark", ("benchmark_name", "benchmark"), wanted.benchmarks),
        ("model", ("model",), _specs(store, table, wanted.models)),
    ):
        table = _only(table, what, column, asked)
    if table.empty:
        raise UsageError("There is nothing to publish: no run fits. Name what there is; `flipside runs` lists it.")
    known = catalog.benchmarks(store).set_index("hash")
    found = []
    for key, own in table.groupby("benchmark", sort=False):
        twice = own["model"][own["model"].duplicated()]
        if len(twice):
            raise UsageError(
                f"{twice.iloc[0]} has several runs among those to be published; name one of "
                f"{', '.join(own.loc[own['model'] == twice.iloc[0], 'run_id'])} with --run."
            )
        line = known.loc[str(key)]
        protocols, subsets = dict(line["protocols"]), dict(line["subsets"])
        found.append(Edition(str(line["name"]), str(key), subsets, protocols, own.reset_index(drop=True)))
    return sorted(found, key=lambda edition: (edition.name, edition.hash))


def _specs(store: Store, table: pd.DataFrame, models: Sequence[str]) -> list[str]:
    """The specs of models that are given by spec or by name; what is neither stays as it is. UsageError where several
    of those to be published are called so."""
    there, found = set(table["model"].map(str)), list[str]()
    for model in models:
        named = [] if model in there else sorted(there & set(specs_called(store, model)))
        if len(named) > 1:
            raise UsageError(f"{len(named)} models are called '{model}': {', '.join(named)}. Give one of these specs.")
        found += named or [model]
    return found


def _one(table: pd.DataFrame, beginning: str) -> str:
    """The id that begins so."""
    fits = [str(run) for run in table["run_id"] if str(run).startswith(beginning)] if beginning else []
    if len(fits) == 1 or beginning in fits:
        return beginning if beginning in fits else fits[0]
    if fits:
        raise UsageError(f"--run {beginning}: {len(fits)} runs begin so: {', '.join(fits[:5])}. Give more of it.")
    raise UsageError(f"--run {beginning}: no run's id begins so; `flipside runs` lists them.")


def _only(table: pd.DataFrame, what: str, columns: Sequence[str], asked: Sequence[str]) -> pd.DataFrame:
    """The rows of those that were asked for, by any of some columns; all where nothing was."""
    if not asked:
        return table
    keep = pd.Series(False, index=table.index)
    for name in asked:
        own = pd.concat([table[column] == name for column in columns], axis=1).any(axis=1)
        if not own.any():
            there = ", ".join(sorted(set(map(str, table[columns[0]]))))
            raise UsageError(f"there is no run of {what} '{name}'. There is: {there or 'nothing'}.")
        keep |= own
    return table[keep]
