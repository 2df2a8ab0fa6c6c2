"""`evaluate(model, benchmark)`: a model that is at hand in Python, scored and judged; for use in a training loop, too.

    from backend.evaluation import evaluate

    found = evaluate(net, "world", subsets=["attribute"], preprocess=preprocess, tokenizer=tokenizer)
    found.rate("group_score")        # 0.31
    found.rates                      # frame: kind, metric, value, n, ties, lo, hi, chance
    found.items                      # frame: one row an item and metric, with verdict and margin

The scores are the engine's and the verdicts are the store's, as of `flipside run` and `flipside report`. Nothing is
printed, and nothing is written to the cache without `keep=True`.
"""

import contextlib
import inspect
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from threading import RLock
from typing import Any

import pandas as pd

from backend import paths
from backend.engine import runner
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.reporting.summary import RunSummary
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Kind, Skipped
from backend.models.base import Model
from backend.models.own import identity
from backend.models.own.adapter import OwnModel
from backend.models.own.making import rng_kept
from backend.results import Results
from backend.store.build.alone import store_of

#: Benchmarks whose items stay in memory between calls, and the most items that one of them may have.
BENCHMARKS, ITEMS = 4, 200_000


@dataclass
class Evaluation:
    """What a model did on a benchmark. Frames may be changed freely.

    kinds: those that were scored. n_items: items selected. notes: what a reader should know (skipped kinds, items left
    out). run_id: the run's name; kept: its folder, or None where nothing was kept.
    """

    model: str
    benchmark: str
    kinds: tuple[str, ...]
    n_items: int
    run_id: str
    kept: Path | None
    notes: tuple[str, ...]
    _results: Results = field(repr=False)

    @cached_property
    def rates(self) -> pd.DataFrame:
        """Rates with 95 % intervals, fractions from 0 to 1: kind, metric, value, n, ties, lo, hi, chance, …"""
        return self._of_each(lambda kind: self._results.rates(*self._asked, run=self.run_id, kind=kind))

    @cached_property
    def items(self) -> pd.DataFrame:
        """Verdicts, one row an item and metric: item_id, subset, metric, correct, margin, ties, kind, …"""
        of = {"model": self.model, "benchmark": self.benchmark, "run": self.run_id}
        return self._of_each(lambda kind: self._results.outcomes({"kind": kind}, **of))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Every score: item_id, part, image_index, text_index, text_index_b, sample, value, n_tokens."""
        return self._results.scores(*self._asked, run=self.run_id)

    def by(self, group: str) -> pd.DataFrame:
        """Rates of each group: "subset", "concept", "perturbation" or any tag of the items."""
        return self._of_each(lambda kind: self._results.rates(*self._asked, run=self.run_id, kind=kind, by=group))

    def rate(self, metric: str, kind: str | None = None) -> float:
        """One rate, of the first kind that has it (or of `kind`); NaN where it is undefined. UsageError for none."""
        found = self.rates[(self.rates["metric"] == metric) & (True if kind is None else self.rates["kind"] == kind)]
        if found.empty:
            known = ", ".join(dict.fromkeys(self.rates["metric"]))
            raise UsageError(f"{self.benchmark}: there is no rate {metric!r} here. There is: {known}.")
        return float(found["value"].iloc[0])

    @property
    def _asked(self) -> tuple[str, str]:
        return self.model, self.benchmark

    def _of_each(self, frame: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for kind in self.kinds:
            found = frame(kind)
            rest = [name for name in found.columns if name != "kind"]
            frames.append(found.assign(kind=kind)[["kind", *rest]])
        return pd.concat(frames, ignore_index=True)


def evaluate(
    model: Any,
    benchmark: str | Benchmark,
    *,
    kinds: str | Sequence[str] | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    subsets: str | Sequence[str] | None = None,
    split: str | None = None,
    data: str | Path | None = None,
    device: str = "auto",
    dtype: str = "auto",
    batch_size: int | None = None,
    preprocess: Callable[[Any], Any] | None = None,
    tokenizer: Callable[[list[str]], Any] | None = None,
    priors: Sequence[str] = (),
    name: str | None = None,
    keep: bool = False,
    series: Mapping[str, int] | None = None,
    workers: int | None = None,
) -> Evaluation:
    """Score a model on a benchmark and judge every item.

    model: an object with `encode_image` and `encode_text`, or `score(images, texts)`, or such a function; a loaded
        `Model`; or a spec, which is loaded at each call.
    benchmark: a name (with `data`, the folder of its files), or a Benchmark.
    kinds: itc, t2t, …; None for all that the model gives and the benchmark asks for, but priors.
    limit, sample, seed, subsets, split: which items, as of `flipside run`.
    device, dtype: where a spec is loaded; an object stays on its device.
    preprocess, tokenizer: an image to a tensor, strings to a tensor, for encoders that take tensors.
    name: what the model is called; keep: keep the run in the cache, for `report` and the pages; series: {name: step},
        with it.

    Modules are in evaluation mode meanwhile and afterwards as they were, nothing has gradients, and the states of
    random numbers are put back. Raises UsageError for wrong use, FlipsideError where scoring fails, from what the
    model itself raised.
    """
    if not keep and series:
        raise UsageError("evaluate: series is kept with the run; add keep=True.")
    selection = Selection(split, _joined(subsets), limit, sample, seed)
    if isinstance(benchmark, str):
        chosen, selection = _opened(benchmark, str(data) if data is not None else None, selection)
    else:
        chosen = benchmark
    with rng_kept():
        ready, modules = _ready(model, name, keep, device, dtype, seed, preprocess, tokenizer)
        before = ready.batch_size
        with _evaluating(modules), _root(keep) as root:
            try:
                # Without keep nothing that was scored before is asked for: weights change while one trains.
                summary = runner.run(
                    ready, chosen, _kinds(kinds, ready), priors=priors, selection=selection, batch=batch_size,
                    root=root, workers=workers, series=series, reuse=keep,
                )  # fmt: skip
            finally:
                ready.batch_size = before
            return _judged(summary, ready, chosen, root, keep)


def _judged(summary: RunSummary, model: Model, benchmark: Benchmark, root: Path, keep: bool) -> Evaluation:
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.failed:
        raise FlipsideError(" ".join(summary.failed.values())) from getattr(model, "raised", None)
    scored = [part for part, entry in summary.parts.items() if entry["rows"]]
    known = {str(kind) for kind in Kind}
    kinds = [part.partition("@")[0] for part in scored]
    kinds += ["itc"] if "embeddings:image" in scored else ["t2t"] if "embeddings:text" in scored else []
    if not scored:
        why = "; ".join([*(entry.reason for entry in summary.left_out), *summary.skipped.values()])
        raise FlipsideError(f"{benchmark.name}: nothing could be scored ({why or 'there is no item'}).")
    record = files.read_json(summary.run_dir / shards.RECORD)
    results = Results(store_of(root, summary.run_id, str(record["benchmark"]["hash"])[:16]))
    left = [f"{each.n} items of {', '.join(each.parts)} left out: {each.reason}" for each in summary.left_out]
    left += [f"{item} left out: {reason}" for item, reason in list(summary.unreadable.items())[:20]]
    return Evaluation(
        model=summary.model,
        benchmark=summary.benchmark,
        kinds=tuple(dict.fromkeys(kind for kind in kinds if kind in known)),
        n_items=summary.n_items,
        run_id=summary.run_id,
        kept=summary.run_dir if keep else None,
        notes=(*(summary.notes if keep else ()), *summary.skipped.values(), *left),
        _results=results,
    )


def _ready(
    model: Any,
    name: str | None,
    keep: bool,
    device: str,
    dtype: str,
    seed: int,
    preprocess: Callable[[Any], Any] | None,
    tokenizer: Callable[[list[str]], Any] | None,
) -> tuple[Model, list[Any]]:
    """The model to ask, and the torch modules behind it."""
    if isinstance(model, str):
        from backend.models import load

        return load(model, device, dtype, seed), []
    if device != "auto" or dtype != "auto":
        raise UsageError("evaluate: an object stays where it is; leave device and dtype out, or move it before.")
    if isinstance(model, Model):
        if keep and model.module is not None and not identity.says_its_weights(model):
            raise UsageError(
                f"evaluate: keep=True keeps what can be told from other weights, and {model.spec} may have been "
                "trained since it was loaded. Give its spec, or an object with a weights_id."
            )
        return model, _modules(model)
    if inspect.isclass(model):
        raise UsageError(f"evaluate: {model.__name__} is a class; give an object of it, as in {model.__name__}().")
    own = identity.source_of(model)
    files = identity.sources_of(model) if not inspect.isroutine(model) else identity.sources(own) if own else []
    spec = name or f"py:{type(model).__module__}:{identity.class_name(model)}"
    ready = OwnModel(
        spec, model, files if keep else (), made_by=[identity.class_name(model)], preprocess=preprocess,
        tokenizer=tokenizer, seed=seed, loud=True, known=keep,
    )  # fmt: skip
    return ready, _modules(model)


def _modules(thing: Any) -> list[Any]:
    """Torch modules: the object itself, or those that it holds."""
    found = [thing, *vars(thing).values()] if hasattr(thing, "__dict__") else [thing]
    return [each for each in found if callable(getattr(each, "modules", None)) and hasattr(each, "training")]


@contextlib.contextmanager
def _evaluating(modules: Sequence[Any]) -> Iterator[None]:
    """Modules in evaluation mode; each of their parts afterwards as it was."""
    before = [(part, part.training) for module in modules for part in module.modules()]
    for module in modules:
        module.eval()
    try:
        yield
    finally:
        for part, training in before:
            part.training = training


def _kinds(kinds: str | Sequence[str] | None, model: Model) -> list[str]:
    if kinds is not None:
        return [kind.strip() for kind in kinds.split(",")] if isinstance(kinds, str) else [str(kind) for kind in kinds]
    given = [str(kind) for kind in Kind if kind in model.kinds and kind != Kind.PRIOR]
    return given or [str(kind) for kind in Kind if kind in model.kinds]


def _joined(subsets: str | Sequence[str] | None) -> str | None:
    return subsets if subsets is None or isinstance(subsets, str) else ",".join(subsets)


#: Items of benchmarks that were asked for by name, the latest last: reading them again takes longer than a small model.
_read: "OrderedDict[tuple[str, str | None, str | None], list[Item | Skipped]]" = OrderedDict()


def _opened(name: str, data: str | None, selection: Selection) -> tuple[Benchmark, Selection]:
    """A benchmark by name, its items read once in this process; files that change are read by the next process."""
    key = (name, data, selection.split)
    benchmark, left = open_selected(name, data, selection)
    if key not in _read:
        items: list[Item | Skipped] = []
        for entry in benchmark.open_items():
            items.append(entry)
            if len(items) > ITEMS:
                return benchmark, left
        _read[key] = items
        while len(_read) > BENCHMARKS:
            _read.popitem(last=False)
    kept = _read[key]
    return replace(benchmark, open_items=lambda: iter(kept)), left


@contextlib.contextmanager
def _root(keep: bool) -> Iterator[Path]:
    """Where the run is written: the cache, or a folder that this process removes at its end; of the latter the run goes
    at once, and the benchmark's items stay for the next call."""
    if keep:
        yield paths.cache_dir()
        return
    with _alone:
        root = Path(_folder(os.getpid()).name)
        try:
            yield root
        finally:
            shutil.rmtree(root / "runs", ignore_errors=True)


#: One evaluation at a time writes into the folder of this process.
_alone = RLock()


@cache
def _folder(_process: int) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="flipside-evaluate-")
