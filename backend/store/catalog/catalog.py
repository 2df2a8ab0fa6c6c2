"""What there is: benchmarks, runs, models, and the settings that a run can be shown under."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from backend import recorded
from backend.benchmarks.items_folder.folder import is_own_folder
from backend.benchmarks.items_folder.kept import is_kept, kept_hash
from backend.models.spec import prefix_within
from backend.paths import cache_dir
from backend.store.build.store import Store
from backend.store.build.stored_run import every
from backend.store.catalog import public
from backend.store.scores.setting import Setting

#: The longest name of a model (`run --name`).
NAME_LENGTH = 80


@dataclass(frozen=True)
class Available:
    """What a run can be shown under.

    kinds: in the order of preference; the first is the default. priors: for `gen` (and `prior`), the first is the
    default. parts: every part and whether it is complete.
    """

    kinds: list[str]
    priors: list[str]
    parts: dict[str, bool]

    @property
    def default(self) -> Setting:
        """The setting to start with."""
        return Setting(self.kinds[0]) if self.kinds else Setting()


def benchmarks(store: Store) -> pd.DataFrame:
    """hash, name, data_dir, n_items, n_images, n_texts, subsets {name: n}, protocols {subset: protocol}, n_runs."""

    def make() -> pd.DataFrame:
        frame = (
            store.cursor()
            .execute(
                """SELECT hash, name, '' AS data_dir, n_items, n_images, n_texts, subsets, protocols,
                (SELECT count(*) FROM runs r WHERE r.benchmark = b.hash) AS n_runs
            FROM benchmarks b ORDER BY name, hash"""
            )
            .df()
        )
        for column in ("subsets", "protocols"):
            frame[column] = frame[column].map(json.loads)
        frame["data_dir"] = [data_folder(*each) for each in zip(frame["hash"], frame["name"], strict=True)]
        return frame

    return store.cached("benchmarks", make)


def benchmark_name(store: Store, benchmark: str) -> str:
    """A benchmark's name by its hash, the hash itself where it is not stored."""
    row = store.cursor().execute("SELECT name FROM benchmarks WHERE hash = ?", [benchmark]).fetchone()
    return benchmark if row is None else str(row[0])


def data_folder(benchmark: str, name: str) -> str:
    """The folder that `--data` has to name for a benchmark (its hash and name): what an import or a run on this machine
    last read it from; "" where none did, and for what is kept under its name. What a run's record says of it does not
    count: it may have come from elsewhere."""
    entry = recorded.kept(cache_dir()).get(benchmark)
    if entry is None or kept_hash(name) == benchmark:
        return ""
    kept = is_kept(name)
    return next((folder for folder in entry.data if is_own_folder(Path(folder)) == kept), "")


def clusters(store: Store, benchmark: str) -> dict[str, str]:
    """Item id -> what it shares with other items of a benchmark (hash): an image, a video; see `item_clusters`."""

    def make() -> dict[str, str]:
        cursor = store.cursor()
        return dict(cursor.execute("SELECT item_id, cluster FROM items WHERE benchmark = ?", [benchmark]).fetchall())

    return store.cached(("clusters", benchmark), make)


def runs(store: Store, benchmark: str | None = None) -> pd.DataFrame:
    """One row a run, the latest last: run_id, model, benchmark (hash), benchmark_name, split, subset, limit, sample
    (both missing where they leave nothing out), seed, whole (nothing of the benchmark left out), created, updated,
    picked (the digest of the picked items that alone were scored, else missing), kinds, priors, complete (all parts but
    scores under other images and vectors kept beside cosines), n_items; origin ("computed" here, "shipped" or
    "imported"), imported_from (the bundle's file), imported_at; edition_of (the hash of the benchmark that this one is
    a perturbed edition of, else ""); name (what the model was called by `run --name`, else "").
    """

    def make() -> pd.DataFrame:
        cursor = store.cursor()
        frame = cursor.execute(
            """SELECT run_id, model, benchmark, benchmark_name, split, subset, "limit", sample, seed, whole, created,
                updated, origin, imported_from, imported_at,
                CASE WHEN whole THEN NULL ELSE json_extract_string(record, '$.selection.items.sha256') END AS picked,
                try_cast(json_extract_string(record, '$.n_selected') AS INTEGER) AS n_selected,
                coalesce((SELECT left(json_extract_string(b.record, '$.about.parent.hash'), 16) FROM benchmarks b
                    WHERE b.hash = r.benchmark LIMIT 1), '') AS edition_of,
                coalesce((SELECT bool_and(complete) FROM run_parts p WHERE p.run_id = r.run_id
                    AND NOT regexp_matches(p.part, '^(counterfactual|vectors):')), false) AS complete,
                coalesce((SELECT items::BIGINT FROM judged j WHERE j.run_id = r.run_id AND j.kind = ''), 0) AS n_items
            FROM runs r WHERE ?::VARCHAR IS NULL OR benchmark = ? ORDER BY updated NULLS FIRST, run_id""",
            [benchmark, benchmark],
        ).df()
        all_of_it = [_is_all_of_its_subsets(store, row) for row in frame.to_dict("records")]
        frame.loc[all_of_it, ["limit", "sample"]] = float("nan")
        frame = frame.drop(columns="n_selected")
        known = _said(store)
        frame["kinds"], frame["priors"], frame["name"] = (
            [known[run_id][of] for run_id in frame["run_id"]] for of in range(3)
        )
        return frame

    return store.cached(("runs", benchmark), make)


def _said(store: Store) -> dict[str, tuple[list[str], list[str], str]]:
    """Of every run its kinds, its priors and the name of its model (`name_of`): read once for all benchmarks."""

    def make() -> dict[str, tuple[list[str], list[str], str]]:
        known = every(store.cursor())
        return {run_id: (run.kinds, run.priors, name_of(run.record)) for run_id, run in known.items()}

    return store.cached("what runs say", make)


def _is_all_of_its_subsets(store: Store, row: Mapping[Any, Any]) -> bool:
    """Whether a run with a limit or a sample has scored every item of the subsets that it names."""
    if pd.isna(row["limit"]) and pd.isna(row["sample"]):
        return False
    table = benchmarks(store).set_index("hash")
    scored = names(row["subset"])
    if not scored or not pd.isna(row["split"]) or isinstance(row["picked"], str) or row["benchmark"] not in table.index:
        return False
    sizes = table["subsets"][row["benchmark"]]
    return bool(row["n_selected"] == sum(int(sizes.get(name, 0)) for name in scored))


def name_of(record: Mapping[str, Any]) -> str:
    """What the model of a run was called (`run --name`), "" where it was not. A record may come from elsewhere: what
    is no short line of text is no name, nor what reads as the spec of a model.

    >>> name_of({"name": " MiniLM "}), name_of({"name": ["x"]}), name_of({"name": "a\\nb"}), name_of({"name": "hf:a/b"})
    ('MiniLM', '', '', '')
    """
    said = record.get("name")
    name = said.strip() if isinstance(said, str) else ""
    return name if name.isprintable() and len(name) <= NAME_LENGTH and not prefix_within(name) else ""


def called(store: Store) -> dict[str, str]:
    """Spec -> what that model is called, by its latest run that says it; runs from elsewhere give way to own ones.

    A model whose results ship keeps the name under which they do. A bundle cannot give a model the name that another
    one has here.
    """

    def make() -> dict[str, str]:
        frame = runs(store)
        shipped = set(frame.loc[frame["origin"] == "shipped", "model"])
        frame = frame[(frame["name"] != "") & ~frame["model"].isin(shipped)]
        own, found = frame[frame["origin"] != "imported"], dict[str, str]()
        mine = dict(zip(own["model"].map(str), own["name"].map(str), strict=True))
        taken = {*mine.values(), *(name for name, _ in public.names(store).values())}
        for row in frame[frame["origin"] == "imported"].to_dict("records"):
            if row["name"] not in taken:
                found[str(row["model"])] = str(row["name"])
        return found | mine

    return store.cached("called", make)


def shown(store: Store) -> dict[str, str]:
    """Spec -> the name under which pages and tables show a model that has one: by `run --name`, or of a fetched system.
    Two of one name are told apart by where they are from, else by their specs."""

    def make() -> dict[str, str]:
        known = public.names(store) | {spec: (name, "") for spec, name in called(store).items()}
        names_ = [name for name, _ in known.values()]
        twice = {name for name in names_ if names_.count(name) > 1}
        found = {
            spec: f"{name} ({source})" if name in twice and source else name
            for spec, (name, source) in known.items()
            if name
        }
        said = list(found.values())
        return {spec: f"{name} ({spec})" if said.count(name) > 1 else name for spec, name in found.items()}

    return store.cached("shown names", make)


_FROM = ("origin", "imported_from", "imported_at")


def tagged(store: Store, benchmark: str) -> tuple[bool, bool]:
    """Whether any item of a benchmark (hash) says what it is about (concept), and how its captions were changed."""

    def make() -> tuple[bool, bool]:
        row = store.cursor().execute(
            """SELECT count(*) FILTER (len(concepts) > 0), count(*) FILTER (len(perturbations) > 0) FROM items
            WHERE benchmark = ?""", [benchmark],
        ).fetchone()  # fmt: skip
        return (bool(row[0]), bool(row[1])) if row else (False, False)

    return store.cached(("tagged", benchmark), make)


def models(store: Store, benchmark: str) -> pd.DataFrame:
    """One row a model that has a run on a benchmark (hash): model, run_id (the one shown by default), kinds, priors,
    whole, complete, said (which items a run that is not whole covers, in words, else "").

    The latest whole run that has outcomes; where there is none, the latest one of a subset, then of a limit or sample,
    which whoever shows it names by `said`. Never one of picked items (--set): those are shown with their set alone
    (`picked_runs`). An imported run stands for a model only where none was computed here or ships.
    """

    def make() -> pd.DataFrame:
        frame = runs(store, benchmark)
        frame = frame[(frame["kinds"].map(len) > 0) & frame["picked"].isna()]
        drawn = frame["limit"].notna() | frame["sample"].notna()
        own = frame["origin"] != "imported"  # what was computed here, or ships, is never put aside for a bundle's
        ranks = own.astype(int) * 8 + frame["whole"].astype(int) * 4 + (~drawn).astype(int) * 2
        said = [selection_said(row) for row in frame.to_dict("records")]
        ranked = frame.assign(rank=ranks + frame["complete"].astype(int), said=said)
        ranked = ranked.sort_values("rank", kind="stable").drop_duplicates("model", keep="last").sort_values("model")
        shown = ["model", "run_id", "kinds", "priors", "whole", "complete", *_FROM, "said"]
        return ranked[shown].reset_index(drop=True)

    return store.cached(("models", benchmark), make)


def selection_said(row: Mapping[Any, Any]) -> str:
    """Which items a row of `runs` covers, in words; "" for all of them.

    >>> selection_said({"whole": False, "subset": "choice", "split": None, "limit": 20.0, "sample": None})
    'subset choice, first 20 items'
    >>> selection_said({"whole": False, "subset": "a,b", "split": None, "limit": None, "sample": 2650.0})
    'subsets a and b, a sample of 2,650 items'
    >>> selection_said({"whole": False, "subset": "{x},b", "split": None, "limit": None, "sample": None})
    'subsets b and {x}'
    """
    if row["whole"]:
        return ""
    *others, last = sorted(names(row["subset"])) or [row["subset"]]
    told = {**row, "subset": f"{', '.join(others)} and {last}" if others else last}
    words = {"split": "split {}", "subset": "subsets {}" if others else "subset {}", "limit": "first {:,.0f} items",
             "sample": "a sample of {:,.0f} items"}  # fmt: skip
    said = [form.format(told[name]) for name, form in words.items() if not pd.isna(told[name])]
    return ", ".join([*said, *(["picked items"] if isinstance(row.get("picked"), str) else [])])


def covers(row: Mapping[Any, Any], subset: str | None) -> bool:
    """Whether a run (a row of `runs`) answers for a subset, or several with commas; None: for the whole benchmark.

    A limited or sampled run, or one of picked items, answers for nothing but itself, one of subsets for these; one of a
    split is a last resort of whoever asks for no split (`default_run.choose_run`).
    """
    if row["whole"]:
        return True
    if any(not pd.isna(row[name]) for name in ("limit", "sample", "picked")):
        return False
    wanted, scored = names(subset), names(row["subset"])
    return bool(wanted and wanted <= scored) if scored else not pd.isna(row["split"])


def names(subset: object) -> set[str]:
    """The subsets that an option or a record names.

    >>> sorted(names("b, a")), names(None)
    (['a', 'b'], set())
    """
    return {name.strip() for name in str(subset).split(",") if name.strip()} if isinstance(subset, str) else set()


def settings(store: Store, run_id: str) -> Available:
    """Kinds, prior sources and parts of a run."""

    def make() -> Available:
        run = store.run(run_id)
        return Available(run.kinds, run.priors, run.parts)

    return store.cached(("settings", run_id), make)


def damaged(store: Store) -> dict[str, str]:
    """Run id -> what of it could not be taken in and why, of runs in the cache of which a file is damaged or gone."""
    folder = cache_dir() / "runs"
    found: dict[str, str] = {}
    for row in problems(store).to_dict("records"):
        path = Path(str(row["path"]))
        run = path.parent if path.parent.parent == folder else path
        if run.parent == folder:
            found.setdefault(run.name, f"{path}: {row['reason']}")
    return found


def problems(store: Store) -> pd.DataFrame:
    """Files that the last import left out: path, reason."""
    return store.cursor().execute("SELECT path, reason FROM problems ORDER BY path").df()
