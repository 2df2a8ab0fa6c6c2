"""`evaluate(model, benchmark)`: a model that is at hand in Python, scored and judged; for use in a training loop, too.

    from backend.evaluation import evaluate

    found = evaluate(net, "world", subsets=["attribute"], preprocess=preprocess, tokenizer=tokenizer)
    found.rate("group_score")        # 0.31
    found.rates                      # frame: kind, metric, value, n, ties, lo, hi, chance
    found.items                      # frame: one row an item and metric, with verdict and margin

The scores are the engine's and the verdicts are the store's, as of `flipside run` and `flipside report`. Nothing is
printed, and nothing is written to the cache without `keep=True`.
"""

import atexit
import contextlib
import inspect
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from threading import RLock
from typing import Any

import pandas as pd

from backend import paths
from backend.durable import unwritable
from backend.engine import runner
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.reporting.summary import RunSummary
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Skipped
from backend.kinds import Kind
from backend.models.base import Model
from backend.models.own import code, identity
from backend.models.own.adapter import OwnModel
from backend.models.own.making import rng_kept
from backend.models.own.modules import evaluating, held_modules
from backend.models.spec import prefix_within
from backend.results import Results
from backend.store.build.alone import store_of

#: Benchmarks whose items stay in memory between calls, and the most items that one of them may have.
BENCHMARKS, ITEMS = 4, 200_000
#: The longest name of a model or of a series of checkpoints.
NAME_LENGTH = 200


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
    priors: str | Sequence[str] = (),
    name: str | None = None,
    keep: bool = False,
    series: Mapping[str, int] | None = None,
    workers: int | None = None,
) -> Evaluation:
    """Score a model on a benchmark and judge every item.

    model: an object with `encode_image` and `encode_text`, or `score(images, texts)`, or such a function; a loaded
        `Model`; or a spec, which is loaded at each call.
    benchmark: a name (with `data`, the folder of its files), or a Benchmark.
    kinds: itc, t2t, …; None for all that the model gives and the benchmark asks for, and the prior where `priors`
        names sources.
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
    _refuse_wrong(benchmark, {"limit": limit, "sample": sample, "batch_size": batch_size, "workers": workers}, seed)
    if keep:
        _refuse_names(name, series, is_own=not isinstance(model, str | Model))
    checkpoint = {training: int(step) for training, step in (series or {}).items()}
    priors = priors.split(",") if isinstance(priors, str) else priors
    selection = Selection(split, _joined(subsets), limit and int(limit), sample and int(sample), int(seed))
    if isinstance(benchmark, str):
        chosen, selection = _opened(benchmark, str(data) if data is not None else None, selection)
    else:
        chosen = benchmark
    # One at a time: two threads would put each other's modules, random states and files out of place.
    with _alone, rng_kept():
        ready, modules = _ready(model, name, keep, device, dtype, seed, preprocess, tokenizer)
        before = ready.batch_size
        with evaluating(modules), _root(keep) as root:
            try:
                # Without keep nothing that was scored before is asked for: weights change while one trains.
                summary = runner.run(
                    ready, chosen, _kinds(kinds), priors=priors, selection=selection, batch=batch_size,
                    root=root, workers=workers, series=checkpoint, reuse=keep,
                )  # fmt: skip
            except OSError as error:
                if not (said := unwritable(error, root)):
                    raise
                raise FlipsideError(said) from error
            finally:
                ready.batch_size = before
            return _judged(summary, ready, chosen, root, keep)


def _refuse_wrong(benchmark: object, counts: Mapping[str, object], seed: object) -> None:
    """UsageError for what is no benchmark, and for numbers that count nothing."""
    if not isinstance(benchmark, str | Benchmark):
        raise UsageError(
            f"evaluate: the benchmark is {type(benchmark).__name__}; give a name, as in 'world', or a Benchmark."
        )
    for what, number in counts.items():
        if number is not None and not _counts(number, 1):
            raise UsageError(f"evaluate: {what} is {number!r}; it is a whole number of at least 1, or None.")
    if not _counts(seed, 0):
        raise UsageError(f"evaluate: seed is {seed!r}; it is a whole number from 0.")


def _counts(number: Any, least: int) -> bool:
    return type(number) is not bool and isinstance(number, Integral) and int(number) >= least


def _refuse_names(name: object, series: object, is_own: bool) -> None:
    """UsageError for a name, or names of series, that no record may hold, before anything of the run is written.

    is_own: whether the model is an object of the user's own, whose name `name` is.
    """
    if name is not None:
        if not is_name(name):
            raise UsageError(f"evaluate: name is {name!r:.100}; it is one line of up to {NAME_LENGTH} letters.")
        prefix = prefix_within(str(name))
        if is_own and prefix not in ("", "py"):
            raise UsageError(
                f"evaluate: name {name!r} reads as the spec of a model that {prefix}: loads, and this is an object of "
                "your own; its run would stand among that model's. Give another name."
            )
    if series is None:
        return
    if not isinstance(series, Mapping):
        raise UsageError(f"evaluate: series is {type(series).__name__}; write {{'name of the training': step}}.")
    for training, step in series.items():
        if not is_name(training) or not _counts(step, 0):
            raise UsageError(
                f"evaluate: series {training!r:.100}: {step!r:.100} is no name of up to {NAME_LENGTH} letters with a "
                "step from 0."
            )


def is_name(text: object) -> bool:
    """Whether something may stand in a record as a name."""
    return isinstance(text, str) and bool(text.strip()) and text.isprintable() and len(text) <= NAME_LENGTH


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
        return model, held_modules(model)
    if inspect.isclass(model):
        raise UsageError(f"evaluate: {model.__name__} is a class; give an object of it, as in {model.__name__}().")
    spec = name or f"py:{type(model).__module__}:{identity.class_name(model)}"
    with code.answering(spec, "looking at it", None):
        own = identity.source_of(model)
        files = identity.sources_of(model) if not inspect.isroutine(model) else identity.sources(own) if own else []
        files += [file for given in (preprocess, tokenizer) if (file := _own_file(given)) and file not in files]
        ready = OwnModel(
            spec, model, files if keep else (), made_by=[identity.class_name(model)], preprocess=preprocess,
            tokenizer=tokenizer, seed=seed, loud=True, known=keep,
        )  # fmt: skip
    return ready, held_modules(model)


def _own_file(given: Any) -> Path | None:
    """The file of the user's own in which a function that prepares inputs is written."""
    file = identity.source_of(given) if given is not None else None
    return file if file is not None and identity.is_own_file(file) else None


def _kinds(kinds: str | Sequence[str] | None) -> list[str] | None:
    if kinds is None:
        return None
    return [kind.strip() for kind in kinds.split(",")] if isinstance(kinds, str) else [str(kind) for kind in kinds]


def _joined(subsets: str | Sequence[str] | None) -> str | None:
    return subsets if subsets is None or isinstance(subsets, str) else ",".join(map(str, subsets))


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
    root = _folder()
    try:
        yield root
    finally:
        shutil.rmtree(root / "runs", ignore_errors=True)


#: Held by the evaluation that is at work in this process.
_alone = RLock()
#: Process -> its folder. A forked process inherits its parent's entry, and neither uses nor removes that.
_folders: dict[int, Path] = {}


def _folder() -> Path:
    process = os.getpid()
    if process not in _folders or not _folders[process].is_dir():
        _folders[process] = Path(tempfile.mkdtemp(prefix="flipside-evaluate-"))
        atexit.register(_remove, process)
    return _folders[process]


def _remove(process: int) -> None:
    """Remove the folder of a process, if that is this one: children end with their parent's list of last things."""
    if process == os.getpid() and process in _folders:
        shutil.rmtree(_folders.pop(process), ignore_errors=True)


def _unlocked() -> None:
    """A lock that another thread held when this process was forked would stay held."""
    global _alone
    _alone = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)
