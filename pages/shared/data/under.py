"""Rates and bars of a benchmark where some models' generation scores are judged under an α (`pages.shared.frame.alpha`)
instead of as scored. All else is what `stored` and `cell_bars` give."""

from collections.abc import Callable

import pandas as pd

from backend.store import queries
from backend.store.queries import Setting
from backend.store.rates.rates import QUADS
from pages.shared.data import cell_bars, stored
from pages.shared.data.cell_bars import Bar, Missing

#: (model, how its generation scores are judged) of those that are not judged as scored.
Judged = tuple[tuple[str, Setting], ...]


def headlines(benchmark: stored.StoredBenchmark, by: str, quad: str = QUADS[0], judged: Judged = ()) -> pd.DataFrame:
    """As `stored.headlines`."""
    found = stored.headlines(benchmark, by, quad)
    return _replaced(found, judged, lambda model, setting: _headlines(benchmark, by, quad, model, setting))


def rates(benchmark: stored.StoredBenchmark, by: str, judged: Judged = ()) -> pd.DataFrame:
    """As `stored.rates`."""
    return _replaced(stored.rates(benchmark, by), judged, lambda model, setting: _rates(benchmark, by, model, setting))


def bars(
    benchmark: stored.StoredBenchmark, rows: tuple[tuple[str, str], ...], judged: Judged = ()
) -> tuple[list[Bar], list[Missing]]:
    """As `cell_bars.of_benchmark`, the rows in their order; of several benchmarks all as scored."""
    settings = {} if benchmark.parts else dict(judged)
    if not any((model, settings[model].kind) in rows for model in settings):
        return cell_bars.of_benchmark(benchmark, rows)
    found: list[Bar] = []
    missing: list[Missing] = []
    for model, kind in rows:
        if model in settings and settings[model].kind == kind:
            of = cell_bars.of_model(benchmark, model, settings[model])
        else:
            of = cell_bars.of_benchmark(benchmark, ((model, kind),))
        found += of[0]
        missing += of[1]
    return found, missing


def _replaced(
    found: pd.DataFrame, judged: Judged, ask: Callable[[str, Setting], pd.DataFrame]
) -> pd.DataFrame:  # fmt: skip
    """The rows of these models' generation scores in place of those that are as scored, where they stood."""
    for model, setting in judged:
        old = (found["model"] == model) & (found["kind"] == setting.kind)
        if not old.any():
            continue
        at = int(old.to_numpy().argmax())
        new = ask(model, setting)
        found = pd.concat([found[:at][~old[:at]], new, found[at:][~old[at:]]], ignore_index=True)
    return found


@stored.kept()
def _headlines(
    benchmark: stored.StoredBenchmark, by: str, quad: str, model: str, setting: Setting
) -> pd.DataFrame:  # fmt: skip
    known = queries.models(stored.store(), benchmark.hash)
    known = known[known["model"] == model]
    found = queries.heatmap(stored.store(), benchmark.hash, by, (setting,), quad, known)
    return found.rename(columns={"lo": "low", "hi": "high"})


@stored.kept()
def _rates(benchmark: stored.StoredBenchmark, by: str, model: str, setting: Setting) -> pd.DataFrame:
    run = benchmark.runs[model]
    found = queries.rates(stored.store(), run, setting, by).rename(columns={"lo": "low", "hi": "high"})
    return found.assign(model=model, run_id=run, kind=setting.kind).astype(
        dict.fromkeys(("value", "low", "high", "chance"), float)
    )
