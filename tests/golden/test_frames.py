"""`backend.results` on the results that ship: columns and types of every frame, and what stands in them."""

import contextlib
import hashlib
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import backend.results
from backend.errors import FlipsideError
from tests.golden.kept import check_columns, check_shape, check_value

pytestmark = pytest.mark.long

RECIPES = sorted((Path(__file__).resolve().parents[2] / "docs" / "recipes").glob("*.md"))
#: Kinds of the models that ship, and settings besides each one's own.
KINDS = {
    "bundled:clip-bag": ("itc", "t2t"), "bundled:clip-young": ("itc", "t2t"), "bundled:clip": ("itc", "t2t"),
    "bundled:clip-relational": ("itc", "t2t"), "bundled:matcher": ("itc", "itm", "t2t"),
    "bundled:captioner": ("gen",), "bundled:sentence": ("t2t",), "bundled:lm": ("prior",),
}  # fmt: skip
#: Whose kinds and metrics other models have, too.
AGAIN = ("bundled:clip-bag", "bundled:clip-young", "bundled:clip-relational")
MORE = (
    {"kind": "gen", "alpha": 1.0}, {"kind": "gen", "alpha": 0.5, "prior": "noise:3", "norm": "sum"},
    {"kind": "gen", "alpha": 0.7, "prior": "images:20", "norm": "token"},
    {"kind": "gen", "alpha": 1.0, "prior": "lm:bundled:lm", "norm": "paper-score"},
)  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What ships, in a cache of its own: imported once for all of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(tmp_path_factory.mktemp("frames")))
        opened = backend.results.open()
        yield opened
        opened.store.close()


def check_frame(name, frame):
    """Columns in order, and a type for each that only widens where somebody says so."""
    check_columns(f"frame-{name}", frame.columns)
    # int16 or Int16: pandas takes the second where a row has none, which depends on what was asked for.
    check_shape(f"frame-{name}-types", {str(column): str(kind).lower() for column, kind in frame.dtypes.items()})
    assert len(frame.dropna(how="all")) == len(frame)


def summary(frame):
    """A frame in a few lines: its rows, sums of numbers, and a digest of each column of words in their order."""
    found = {"rows": len(frame)}
    for column in frame.columns:
        values = frame[column]
        if pd.api.types.is_bool_dtype(values):
            found[column] = {"true": int(values.fillna(False).sum()), "empty": int(values.isna().sum())}
        elif pd.api.types.is_numeric_dtype(values):
            numbers = values.astype("float64")
            said = {"sum": round(float(numbers.sum()), 3), "empty": int(numbers.isna().sum())}
            if numbers.notna().any():
                said |= {"least": round(float(numbers.min()), 5), "greatest": round(float(numbers.max()), 5)}
            found[column] = said
        else:
            found[column] = digest(values)
    return found


def digest(values):
    text = "\n".join(repr(_plain(value)) for value in values)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    return None if value is None or value is pd.NA or value is pd.NaT or value != value else value


def rows(frame):
    """A small frame as it is, numbers to six decimals."""
    kept = [
        [round(v, 6) if isinstance(v, float) else v for v in map(_plain, row)] for row in frame.itertuples(index=False)
    ]
    return {"columns": list(map(str, frame.columns)), "rows": kept}


@pytest.mark.slow
def test_runs(results):
    frame = results.runs()
    check_frame("runs", frame)
    check_value("frame-runs", rows(frame))


def test_benchmarks(results):
    frame = results.benchmarks()
    check_frame("benchmarks", frame)
    check_value("frame-benchmarks", rows(frame.drop(columns="data_dir")))


def test_items(results):
    frame = results.items("bundled:clip", "world")
    check_frame("items", frame)
    check_value(
        "frame-items", {"all": summary(frame), "quad": summary(results.items("bundled:clip", "world", "count"))}
    )


@pytest.mark.parametrize("model", KINDS, ids=lambda model: model.removeprefix("bundled:"))
def test_scores(results, model):
    everything = results.scores(model, "world")
    check_frame("scores", everything)
    parts = {part: summary(of.drop(columns="part")) for part, of in everything.groupby("part", sort=True)}
    check_value(f"frame-scores-{model.removeprefix('bundled:')}", parts)
    for kind in KINDS[model]:
        assert len(results.scores(model, "world", kind)) == sum(
            said["rows"] for part, said in parts.items() if part.partition("@")[0] == kind
        )


@pytest.mark.parametrize(
    "model",
    [pytest.param(model, marks=pytest.mark.slow) if model in AGAIN else model for model in KINDS],
    ids=lambda model: model.removeprefix("bundled:"),
)
def test_rates(results, model):
    """Rates of every kind, over all and by every grouping; for the model that speaks at other settings, too."""
    found = {}
    settings = [{"kind": kind} for kind in KINDS[model]] + (list(MORE) if "gen" in KINDS[model] else [])
    for setting in settings:
        name = " ".join(str(value) for value in setting.values())
        try:
            frame = results.rates(model, "world", **setting)
        except FlipsideError as error:
            found[name] = f"refused: {error}"
            continue
        check_frame("rates", frame)
        found[name] = said_of(frame)
        if len(setting) == 1 and model not in AGAIN:
            for by in ("subset", "concept", "perturbation"):
                found[f"{name} by {by}"] = said_of(results.rates(model, "world", by=by, **setting))
    check_value(f"frame-rates-{model.removeprefix('bundled:')}", found)


def said_of(frame):
    """group / metric -> rate, n, ties, interval, chance and verdicts within noise, as one line."""
    found = {}
    for row in frame.itertuples():
        numbers = [row.value, row.n, row.ties, row.lo, row.hi, row.chance, row.within_noise]
        rate, n, ties, low, high, chance, noise = (_short(_plain(number)) for number in numbers)
        line = f"{rate} of {n}, ties {ties}, {low} to {high}, chance {chance}, within noise {noise}"
        found[f"{row.group or ''} {row.metric}".strip()] = line
    return found


def _short(number):
    return "–" if number is None else f"{round(float(number), 6):g}" if abs(number) < 1 else f"{number:.6g}"


def test_outcomes(results):
    frame = results.outcomes()
    check_frame("outcomes", frame)
    check_frame("outcomes-none", results.outcomes(benchmark="nothing of this name"))
    found = {}
    for (model, kind, metric), of in frame.groupby(["model", "kind", "metric"], sort=True):
        found[f"{model} {kind} {metric}"] = told(of)
    for setting in MORE:
        of = results.outcomes(setting, model="bundled:captioner", benchmark="world")
        name = " ".join(str(value) for value in setting.values())
        found |= {f"{name} {metric}": told(each) for metric, each in of.groupby("metric", sort=True)}
    check_value("frame-outcomes", found)


def told(frame):
    """Rows, how many are right, undefined and tied, the margins' sum, and which items in which order."""
    right = frame["correct"]
    return [
        len(frame), int(right.fillna(False).sum()), int(right.isna().sum()), int(frame["ties"].fillna(False).sum()),
        round(float(frame["margin"].sum()), 3), digest(frame["item_id"]),
    ]  # fmt: skip


@pytest.mark.parametrize("normalise", ["raw", "softmax-cells", "softmax-pool"])
def test_deviations(results, normalise):
    found = {}
    for model, kind in (("bundled:clip", "itc"), ("bundled:matcher", "itm"), ("bundled:captioner", "gen")):
        frame = results.deviations(model, "world", kind, normalise=normalise)
        check_frame("deviations", frame)
        found[f"{model} {kind}"] = summary(frame)
    check_value(f"frame-deviations-{normalise}", found)


def test_close_pairs(results):
    frame = results.close_pairs("bundled:clip", "world", k=4)
    check_frame("close-pairs", frame)
    check_value("frame-close-pairs", summary(frame))


def test_tables_that_sql_asks(results):
    """The tables and their columns are what `sql` and Results.sql offer."""
    frame = results.sql("SELECT table_name, column_name, data_type FROM information_schema.columns ORDER BY 1, 2")
    tables = {}
    for row in frame.itertuples(index=False):
        tables.setdefault(row.table_name, {})[row.column_name] = row.data_type
    check_shape("sql-tables", tables)
    check_value("sql-rows", {t: int(results.sql(f"SELECT count(*) AS n FROM {t}")["n"][0]) for t in sorted(tables)})


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_say_the_same_of_what_ships(results, recipe, monkeypatch):
    monkeypatch.setattr(backend.results, "open", lambda: results)
    space = {"__name__": recipe.stem}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for block in re.findall(r"^```python\n(.*?)^```", recipe.read_text(encoding="utf-8"), flags=re.M | re.S):
            exec(compile(block, str(recipe), "exec"), space)  # noqa: S102
    check_value(f"recipe-{recipe.stem}.txt", said.getvalue())
