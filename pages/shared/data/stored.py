"""What the pages read: the store, opened once a process, and its answers, cached for one generation of the data."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from backend.benchmarks import winoground_stub
from backend.items import Protocol
from backend.metrics.thresholds import ThresholdCurve
from backend.store import queries
from backend.store.alpha import curves, montecarlo, stars
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.catalog import catalog, default_run, public, taught
from backend.store.quads import close_pairs as mined
from backend.store.queries import AlphaCurve, ItemDetail, Setting
from backend.store.rates import covered, thresholds
from backend.store.rates.rates import QUADS
from backend.store.scores import outcomes as outcomes_
from pages.shared.data.frames import lines_of
from pages.shared.drawing.colours import call, order, styles

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class StoredBenchmark:
    """A benchmark: its name in addresses, its hash, its subsets and their protocols, and its models' default runs.

    parts: the benchmarks that `everything` stands for; a model's run is then that on the first one that has it.
    imported: models whose run came in a bundle -> the bundle's file and the day.
    partial: model -> which items its run covers, in words, where it has none of the whole benchmark; unfinished: those
    of these models whose run is not complete.
    trained: model -> on how many of these items it was trained, in words, where it was.
    """

    name: str
    hash: str
    subsets: dict[str, int]
    protocols: dict[str, str]
    runs: dict[str, str]
    kinds: dict[str, list[str]]
    priors: dict[str, list[str]]
    parts: tuple["StoredBenchmark", ...] = ()
    imported: dict[str, str] = field(default_factory=dict)
    partial: Mapping[str, str] = field(default_factory=dict)
    trained: Mapping[str, str] = field(default_factory=dict)
    unfinished: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        return hash((self.name, self.hash))

    @property
    def models(self) -> list[str]:
        """Models with a run, in the order of every list."""
        return order(self.runs)

    @property
    def n_items(self) -> int:
        """How many items it has."""
        return sum(self.subsets.values())

    def with_protocol(self, protocol: str) -> list[str]:
        """The subsets judged by a protocol."""
        return [name for name, of in self.protocols.items() if of == protocol]

    def part(self, hash_: str) -> "StoredBenchmark":
        """The benchmark of a hash among the parts; itself where it stands for no others."""
        return next((part for part in self.parts if part.hash == hash_), self)

    @property
    def is_stub(self) -> bool:
        """Whether its items are Winoground's numbers, without the captions and pictures that its licence keeps."""
        return bool(self.hash) and winoground_stub.HASH.startswith(self.hash)

    def also(self, model: str) -> tuple[str, ...]:
        """A model's runs on the other benchmarks that this stands for."""
        runs = [part.runs[model] for part in self.parts if model in part.runs]
        return tuple(run for run in runs if run != self.runs[model])


#: What stands for all benchmarks together in addresses.
EVERYTHING = "all"


def everything(known: dict[str, StoredBenchmark]) -> StoredBenchmark:
    """All benchmarks as one, for lists of items of any of them."""
    parts = tuple(known.values())
    runs: dict[str, str] = {}
    kinds: dict[str, list[str]] = {}
    for part in parts:
        for model, run in part.runs.items():
            runs.setdefault(model, run)
            kinds[model] = list(dict.fromkeys([*kinds.get(model, []), *part.kinds[model]]))
    subsets = {f"{part.name}: {name}": n for part in parts for name, n in part.subsets.items()}
    imported = {model: said for part in reversed(parts) for model, said in part.imported.items()}
    partial = {model: f"{said} of {part.name}" for part in parts for model, said in part.partial.items()}
    trained = {model: f"{said} ({part.name})" for part in parts for model, said in part.trained.items()}
    unfinished = frozenset(model for part in parts for model in part.unfinished if model in part.partial)
    no_priors: dict[str, list[str]] = {model: [] for model in runs}
    return StoredBenchmark(
        EVERYTHING, "", subsets, {}, runs, kinds, no_priors, parts, imported, partial, trained, unfinished
    )


@st.cache_resource(show_spinner="Reading the results (the first time takes some seconds) …")
def _opened() -> Store:
    return open_store()


def read_instead(other: Store) -> None:
    """Let everything here ask another store: in a process of its own, for one that no page reads yet."""
    _instead[:] = [other]


#: The store that is asked instead of the one of the cache.
_instead: list[Store] = []
#: The store, once a page has asked for it.
_asked: list[Store] = []


def reading() -> str:
    """The generation that pages read now; "" while none of them has read anything. Opens nothing."""
    return _asked[0].reading if _asked else ""


def asked() -> Store | None:
    """The store, where a page has asked for it, as it is: no look for what is newer."""
    return _asked[0] if _asked else None


def store() -> Store:
    """The one store of this process; it follows new generations by itself, and models are called as it says."""
    found = _instead[0] if _instead else _opened()
    _asked[:] = [found]
    call(public.names(found) | {spec: (name, "") for spec, name in catalog.called(found).items()})
    return found


def kept(spinner: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keeps what a function of the stored results gives for one generation of the data, in the store's own cache (see
    `Store.cached`): @kept() above it.

    The key is the function and its arguments, which have to be hashable; a parameter whose name begins with _ follows
    from the others and is no part of it. spinner: what is said while a value is made.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> T:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = (value for name, value in bound.arguments.items() if not name.startswith("_"))

            def make() -> T:
                seen = bool(spinner) and get_script_run_ctx(suppress_warning=True) is not None
                with st.spinner(spinner) if seen else nullcontext():
                    return function(*args, **kwargs)

            return store().cached((function.__module__, function.__qualname__, *given), make)

        return ask

    return decorated


class _Known:
    """Benchmarks by their names in addresses, as one object that the cache hands out as it is: pages ask for them a
    dozen times a run, and nothing changes a `StoredBenchmark`."""

    def __init__(self, benchmarks: dict[str, StoredBenchmark]) -> None:
        self.benchmarks = benchmarks


def chosen() -> dict[str, StoredBenchmark]:
    """Every benchmark that has a run, by the name in its address; two editions of one name carry their hash."""
    return dict(_chosen().benchmarks)


@kept()
def _chosen() -> _Known:
    frame = queries.benchmarks(store())
    frame = frame[frame["n_runs"] > 0]
    twice = frame["name"].duplicated(keep=False)
    found = {}
    learned = taught.by_run(store())
    for line, ambiguous in zip(lines_of(frame), twice, strict=True):
        models = queries.models(store(), str(line.hash))
        if not len(models):
            continue
        name = f"{line.name}@{str(line.hash)[:8]}" if ambiguous else str(line.name)
        rows = lines_of(models)
        found[name] = StoredBenchmark(
            name,
            str(line.hash),
            dict(line.subsets),
            dict(line.protocols),
            {row.model: row.run_id for row in rows},
            {row.model: row.kinds for row in rows},
            {row.model: row.priors for row in rows},
            imported={
                str(row.model): f"{row.imported_from}, {str(row.imported_at)[:10]}"
                for row in rows
                if row.origin == "imported"
            },
            partial=_in_part(rows),
            unfinished=frozenset(str(row.model) for row in rows if not row.complete),
            trained={row.model: learned[row.run_id] for row in rows if row.run_id in learned},
        )
    # All models at once, so that their colours do not hang on which page is opened first.
    styles(model for each in found.values() for model in each.models)
    return _Known(found)


def _in_part(models: list[Any]) -> dict[str, str]:
    """Model -> which items its run has judged, in words, where they are not all: by its record, or by its verdicts.
    models: rows of `queries.models`."""
    own = [(str(m.model), str(m.said), str(m.run_id), str(m.kinds[0])) for m in models]
    found = {model: said or covered.said(store(), run, kind) for model, said, run, kind in own}
    return {model: said for model, said in found.items() if said}


def unscored() -> dict[str, StoredBenchmark]:
    """Every benchmark that is here without a run that a page could show, by its name in addresses: its items can be
    looked at. The stub of Winoground has none, and goes along with its runs."""
    return dict(_unscored().benchmarks)


@kept()
def _unscored() -> _Known:
    known = chosen()
    with_runs = {each.hash for each in known.values()}
    names = {*known, *(name.partition("@")[0] for name in known)}
    frame = queries.benchmarks(store())
    rows = [line for line in lines_of(frame) if str(line.hash) not in {*with_runs, winoground_stub.HASH[:16]}]
    taken = [str(line.name) for line in rows]
    found = {}
    for line in rows:
        name = str(line.name)
        if name in names or taken.count(name) > 1:
            name = f"{name}@{str(line.hash)[:8]}"
        found[name] = StoredBenchmark(name, str(line.hash), dict(line.subsets), dict(line.protocols), {}, {}, {})
    return _Known(found)


@kept("Computing rates and their intervals …")
def headlines(benchmark: StoredBenchmark, by: str, quad: str = QUADS[0]) -> pd.DataFrame:
    """The same as `rates`, of the metrics that stand for their protocol alone (for quads the one named): much less
    work."""
    return queries.heatmap(store(), benchmark.hash, by, quad=quad).rename(columns={"lo": "low", "hi": "high"})


@kept("Computing all rates and their intervals …")
def rates(benchmark: StoredBenchmark, by: str) -> pd.DataFrame:
    """Rates of all models in all metrics under each kind's default setting: model, run_id, kind, metric, group, value,
    n, ties, low, high, chance."""
    parts = []
    known = queries.models(store(), benchmark.hash)
    for model, run_id, kinds in zip(known["model"], known["run_id"], known["kinds"], strict=True):
        for kind in kinds:
            found = queries.rates(store(), run_id, Setting(kind), by)
            parts.append(
                found.rename(columns={"lo": "low", "hi": "high"}).assign(model=model, run_id=run_id, kind=kind)
            )
    if not parts:
        return pd.DataFrame(columns=["model", "run_id", "kind", "metric", "group", "value", "n", "ties", "low", "high"])
    frame = pd.concat(parts, ignore_index=True)
    return frame.astype(dict.fromkeys(("value", "low", "high", "chance"), float))


@kept()
def item(benchmark: str, item_id: str) -> ItemDetail:
    """One item, of very many texts those that matter (see `queries.shortlist`). UsageError for an unknown one."""
    return queries.shortlist(queries.item(store(), benchmark, item_id))


def outcomes(run_id: str, setting: Setting) -> pd.DataFrame:
    """All verdicts of a run under a setting, in item order (see `outcomes.compute`)."""
    return outcomes_.compute(store(), run_id, setting)


def alpha_curves(run_id: str, prior: str, norm: str, subset: str, stratum: str | None) -> list[AlphaCurve]:
    """The exact α-curves of a run (see `queries.alpha_curves`)."""
    return queries.alpha_curves(store(), run_id, prior, norm, subset, stratum)  # type: ignore[arg-type]


def terms(run_id: str, protocol: str, subset: str, setting: Setting) -> tuple[pd.DataFrame, Any, Any] | None:
    """(items, g, p) of g − α p for the items of a subset; None without a prior."""
    block, gen, prior, _ = curves.kept_terms(store(), run_id, Protocol(protocol), subset, None, setting)
    return None if prior is None or not len(block) else (block.items, gen, prior)


def deviations(run_id: str, kind: str, normalise: str) -> pd.DataFrame:
    """Quads of a run with their scores, deviations and margins (see `queries.deviations`)."""
    return queries.deviations(store(), run_id, kind, None, normalise)


def prior_errors(run_id: str, prior: str, norm: str, subset: str | None = None) -> dict[str, Any] | None:
    """The Monte-Carlo error of log P(t) (see `montecarlo.prior_errors`)."""
    return montecarlo.prior_errors(store(), run_id, prior, norm, subset)  # type: ignore[arg-type]


def item_errors(run_id: str, setting: Setting, subset: str) -> pd.DataFrame:
    """Margins and break-points of a run's items with their errors (see `montecarlo.errors_of_items`)."""
    return montecarlo.errors_of_items(store(), run_id, setting, subset)


def alpha_stars(
    benchmark: StoredBenchmark, model: str, prior: str, norm: str, subset: str
) -> dict[str, dict[str, Any]]:
    """α* on all items and by the paper's protocol (see `stars.alpha_stars`)."""
    name = benchmark.name.partition("@")[0]
    run = default_run.ChosenRun(benchmark.runs[model], model, name, benchmark.hash, benchmark.kinds[model], [])
    return stars.alpha_stars(store(), run, prior, norm, subset)  # type: ignore[arg-type]


def threshold_curve(run_id: str, kind: str, subset: str) -> ThresholdCurve | None:
    """pc and pf of a run's choices over every threshold (see `thresholds.curve`)."""
    return thresholds.curve(store(), run_id, kind, subset)


def close_pairs(run_id: str, kind: str, k: int, normalise: str) -> pd.DataFrame:
    """Pairs mined from a run's pools with their deviations (see `close_pairs.close_pairs`)."""
    return mined.close_pairs(store(), run_id, kind, None, k, normalise)


def agreement(run_id: str, norm: str) -> pd.DataFrame:
    """How far each prior source agrees with the blind model (see `queries.prior_agreement`)."""
    return queries.prior_agreement(store(), run_id, "lm", norm)  # type: ignore[arg-type]
