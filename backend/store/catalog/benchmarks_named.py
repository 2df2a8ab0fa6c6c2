"""Which names mean a benchmark, and what is said of one that means none."""

import difflib

from backend.benchmarks import names as of_the_registry
from backend.benchmarks.items_folder.kept import CUSTOM, EDITED, kept_hash
from backend.errors import UsageError
from backend.store.build.store import Store
from backend.store.catalog import catalog


def refuse_unknown(store: Store, name: str) -> None:
    """UsageError, with near matches, for a benchmark that neither Flipside nor a stored run knows: no command that
    makes a run on it could be given. name: a name, a hash, or what stands before the colon of a name ("custom").

    An edition is known where its parent is, for it can be made.
    """
    table = catalog.benchmarks(store)
    stored = [str(each) for each in table["name"]]
    spelled = list(dict.fromkeys([*of_the_registry(), *stored, *(each.partition(":")[0] for each in stored)]))
    if {name, name.partition(EDITED)[0]} & {*spelled, *map(str, table["hash"])} or kept_hash(name):
        return
    # Own data may be called by what stands behind `custom:` alone.
    near = [f"{CUSTOM}{name}"] if f"{CUSTOM}{name}" in spelled else difflib.get_close_matches(name, spelled, n=3)
    there = f"There are runs on {', '.join(scored(store))}." if scored(store) else (
        "Nothing has been scored here yet; `flipside benchmarks` lists what can be."
    )  # fmt: skip
    hint = f"Did you mean {' or '.join(near)}?" if near else there
    raise UsageError(f"unknown benchmark '{name}'. {hint}")


def scored(store: Store) -> list[str]:
    """The names of the benchmarks that have a run, each once."""
    table = catalog.benchmarks(store)
    return list(dict.fromkeys(map(str, table.loc[table["n_runs"] > 0, "name"])))
