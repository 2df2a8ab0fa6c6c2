"""`flipside export`: scores, outcomes, items or tokens of a run as one file, streamed by DuckDB."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from backend.benchmarks.items_folder.kept import kept_hash
from backend.cells import DANGEROUS
from backend.durable import is_full, not_written
from backend.errors import FlipsideError, UsageError
from backend.items import SIMILARITIES, Kind
from backend.kinds import ORDER
from backend.metrics.close_pairs import K
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.catalog import catalog, public
from backend.store.catalog.benchmarks_named import refuse_unknown
from backend.store.catalog.default_run import ChosenRun
from backend.store.quads import close_pairs
from backend.store.rates import asking_orders
from backend.store.rates.same_orders import only_order
from backend.store.scores import outcomes, pools
from backend.store.scores.setting import Setting

FORMATS = {"csv": "FORMAT csv, HEADER true", "jsonl": "FORMAT json", "parquet": "FORMAT parquet, COMPRESSION zstd"}
TABLES = ("scores", "outcomes", "items", "tokens", "close-pairs")

#: Cells of retrieval matrices that an export of scores holds at most; embeddings say the same in less room.
POOL_CELLS = 4_000_000

_OF_RUN = "i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)"
_OF_SUBSET = "($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))"
#: Verdicts of one order alone are kept as `verdict`, and handed on under its name: another order may be added to them.
_KIND = """CASE WHEN part LIKE 'prior@%' THEN 'prior' WHEN part = 'verdict' THEN {verdict} ELSE part END"""


def export(
    store: Store,
    chosen: ChosenRun,
    what: str,
    form: str,
    out: Path,
    *,
    subset: str | None = None,
    setting: Setting | None = None,
    prior: str | None = None,
    kind: str | None = None,
    normalise: str = "raw",
    k: int = K,
) -> tuple[int, list[str]]:
    """Write one table of a run; how many rows, and what a reader should know. The file appears whole or not at all.

    setting: for outcomes; None writes every kind of the run at its default. prior: which source's rows stand under
    kind `prior` in scores and tokens; None takes the default of the run's own (`StoredRun.default_prior`), and a note
    names it either way. kind, normalise, k: of close pairs.
    """
    if what not in TABLES:
        raise UsageError(f"--what {what}: expected {', '.join(TABLES)} or bundle.")
    if form not in FORMATS:
        raise UsageError(f"--format {form}: expected {', '.join(FORMATS)}.")
    run = store.run(chosen.run_id)
    restricted = public.verdicts_only(run.record)
    if restricted and what != "outcomes":
        raise UsageError(
            f"--what {what}: {public.VERDICTS_ONLY}. --what outcomes writes the verdicts, --what bundle them and the "
            "rates; the files themselves are in the cache's folder fetched/."
        )
    cursor = run.cursor
    notes: list[str] = []
    binds: dict[str, str | None] = {}
    about = {"run": chosen.run_id, "model": chosen.model, "benchmark": chosen.benchmark_hash}
    if what == "outcomes":
        settings = [setting] if setting else [_named(run, kind) for kind in run.kinds]
        frames = [outcomes.compute(store, chosen.run_id, each, subset)[list(outcomes.COLUMNS)] for each in settings]
        about["setting"] = "; ".join(each.describe() for each in settings)
        if settings and not setting:
            notes.append(f"Every kind at its default: {about['setting']}.")
        notes += _by_rule(store, chosen.run_id, settings)
        _register(
            cursor, pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(outcomes.COLUMNS))
        )
        query = _OUTCOMES
        if restricted:
            query = f"SELECT * REPLACE (NULL::DOUBLE AS margin, NULL::VARCHAR AS concept) FROM ({query})"
            notes.append(f"Margins and concepts are left out: {public.VERDICTS_ONLY}.")
    elif what == "close-pairs":
        kind = kind or next((name for name in run.kinds if name in SIMILARITIES), Kind.ITC)
        frame = close_pairs.close_pairs(store, chosen.run_id, kind, subset, k, normalise)
        if frame.empty:
            raise UsageError(f"run {chosen.run_id} has no retrieval pool with {kind} scores to mine.")
        notes.append(f"Kind {kind}, k {k}, normalisation {normalise}. {close_pairs.CAUTION}")
        _register(cursor, frame)
        query = "SELECT * FROM computed"
    elif what == "items":
        query, binds = _items(form, _OF_RUN), {"run": chosen.run_id, "subset": subset}
    else:
        source, said = _source(run, prior)
        notes += said
        about |= {"prior": source.removeprefix("prior@")} if source else {}
        if what == "scores":
            frame, said = _pool_frame(run, subset)
            notes += said
            _register(cursor, frame)
        query = _SCORES.format(verdict=_quoted(_verdict(run))) if what == "scores" else _TOKENS
        binds = {"run": chosen.run_id, "subset": subset, "source": source}
    if form == "csv":
        query = _neutral(cursor, query, binds)
    return _copy(cursor, query, binds, form, out, about), notes


def export_items(
    store: Store, benchmark: str, form: str, out: Path, subset: str | None = None
) -> tuple[int, list[str]]:
    """Write the items of a benchmark that was read here, scored or not; as `export`. benchmark: its name or its hash.

    UsageError for one that is not here, and for a subset that it lacks.
    """
    if form not in FORMATS:
        raise UsageError(f"--format {form}: expected {', '.join(FORMATS)}.")
    known = catalog.benchmarks(store)
    here = known[(known["name"] == benchmark) | known["hash"].isin({benchmark, kept_hash(benchmark)} - {""})]
    if here.empty:
        refuse_unknown(store, benchmark)
        raise UsageError(
            f"benchmark '{benchmark}': no items of it were read here. Import it first: `flipside import` reads it."
        )
    kept = here[here["hash"] == kept_hash(benchmark)]
    if kept.empty and len(here) > 1:
        hashes = ", ".join(here["hash"])
        raise UsageError(
            f"benchmark '{benchmark}': {len(here)} versions of it are here; name one by its hash: {hashes}."
        )
    chosen = (here if kept.empty else kept).iloc[0]
    lacking = set(subset.split(",")) - set(chosen["subsets"]) if subset else set()
    if lacking:
        raise UsageError(f"{benchmark} has no subset '{sorted(lacking)[0]}'; it has {', '.join(chosen['subsets'])}.")
    several = f"{benchmark} is here in {len(here)} versions; these are the items of {chosen['hash']}."
    cursor = store.cursor()
    binds: dict[str, str | None] = {"benchmark": str(chosen["hash"]), "subset": subset}
    query = _items(form, "i.benchmark = $benchmark")
    if form == "csv":
        query = _neutral(cursor, query, binds)
    rows = _copy(cursor, query, binds, form, out, {"benchmark": str(chosen["hash"])})
    return rows, [several] if len(here) > 1 else []


def _named(run: StoredRun, kind: str) -> Setting:
    """A kind's default setting, with the source named where the kind is log P(t) itself."""
    return Setting(kind, prior=run.default_prior if kind == Kind.PRIOR else None)


def _neutral(cursor: duckdb.DuckDBPyConnection, query: str, binds: dict[str, str | None]) -> str:
    """The query with its text cells as `backend.cells.neutral` would have them."""
    columns = cursor.execute(f"SELECT * FROM ({query}) LIMIT 0", binds or None).description or []
    texts = [f'"{name}"' for name, kind, *_ in columns if str(kind) in ("VARCHAR", "STRING", "JSON")]
    safe = ", ".join(f"{neutral_sql(name)} AS {name}" for name in texts)
    return f"SELECT * REPLACE ({safe}) FROM ({query})" if safe else query


def neutral_sql(expression: str) -> str:
    """SQL for `backend.cells.neutral` of a text expression."""
    pattern = DANGEROUS.replace("'", "''")
    return f"CASE WHEN regexp_matches({expression}, '{pattern}') THEN chr(39) || {expression} ELSE {expression} END"


def _register(cursor: duckdb.DuckDBPyConnection, frame: pd.DataFrame) -> None:
    cursor.register("computed", frame)


def _by_rule(store: Store, run_id: str, settings: Sequence[Setting]) -> list[str]:
    """What `correct`, `ties` and `margin` are where verdicts are made of the answers to several orders of asking."""
    rule = next(filter(None, (asking_orders.strict(store, run_id, each.kind) for each in settings)), "")
    if not rule:
        return []
    return [
        f"Kind {Kind.VERDICT}: an item is {rule}, so the mean of `correct` is `accuracy` and no mean of the orders. "
        "`ties` is true of every undecided one, also where two orders gave different answers."
    ]


def _source(run: StoredRun, prior: str | None) -> tuple[str, list[str]]:
    """The prior part that is exported as kind `prior`, and what is said of it; "" where the run has none of its own."""
    own = [part for part in run.parts if part.startswith("prior@")]
    names = [name for name in run.priors if f"prior@{name}" in own]
    if prior is not None and prior not in names:
        raise UsageError(f"run {run.run_id} has no prior '{prior}' of its own; it has {', '.join(names) or 'none'}.")
    if not names:
        return "", []
    taken = prior or names[0]
    others = [name for name in names if name != taken]
    instead = f"; --prior takes {', '.join(others)} instead" if others else ""
    return f"prior@{taken}", [f"Rows of kind prior are log P(t) from {taken}{instead}."]


def _verdict(run: StoredRun) -> str:
    """The kind under which a run's verdicts are exported: that of their only order, where there is one."""
    alone = only_order(run)
    return f"{ORDER}{alone}" if alone else str(Kind.VERDICT)


def _pool_frame(run: StoredRun, subset: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Retrieval cosines that are stored as embeddings: item_id, text_index (position in the pool), value."""
    parts: list[pd.DataFrame] = []
    notes = []
    room = POOL_CELLS
    stored = "embeddings:image" not in run.parts  # a pair's own cosines are rows already
    for pool in [] if stored else pools.pools(run, Kind.ITC, subset):
        cells = pool.table.shape[0] * pool.table.shape[1]
        room -= cells
        if room < 0:
            notes.append(f"{pool.subset}: its {cells} cosines are left out; the bundle has the embeddings.")
            continue
        images = pool.items.iloc[pool.image_item]
        parts.append(
            pd.DataFrame(
                {
                    "item_no": np.repeat(images["item_no"].to_numpy(), len(pool.text_no)),
                    "item_id": np.repeat(images["item_id"].to_numpy(), len(pool.text_no)),
                    "text_index": np.tile(pool.text_no, len(images)),
                    "value": pool.scores.ravel(),
                }
            )
        )
    types = {"item_no": int, "item_id": str, "text_index": int, "value": float}
    empty = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})
    return pd.concat(parts, ignore_index=True) if parts else empty, notes


_SCORES = f"""
SELECT * EXCLUDE (item_no) FROM (
    SELECT i.item_no, i.item_id, {_KIND} AS kind, image_index, text_index, text_index_b, s.sample, value, n_tokens
    FROM scores s JOIN items i ON i.item_no = s.item_no AND {_OF_RUN}
    WHERE s.run_id = $run AND {_OF_SUBSET} AND (part NOT LIKE 'prior@%' OR part = $source)
    UNION ALL
    SELECT item_no, item_id, 'itc', 0, text_index, NULL, NULL, value, NULL FROM computed
) ORDER BY item_no, kind, image_index, text_index, text_index_b, sample
"""

_TOKENS = f"""
SELECT i.item_id, CASE WHEN part LIKE 'tokens:prior@%' THEN 'prior' ELSE part[8:] END AS kind, image_index, text_index,
    s.sample, position, tokens[position + 1] AS token, logprobs[position + 1] AS logprob
FROM (SELECT *, unnest(range(len(tokens))) AS position FROM tokens) s
JOIN items i ON i.item_no = s.item_no AND {_OF_RUN}
WHERE s.run_id = $run AND {_OF_SUBSET} AND (part NOT LIKE 'tokens:prior@%' OR part = 'tokens:' || $source)
ORDER BY s.item_no, kind, image_index, text_index, s.sample, position
"""


_OUTCOMES = """
SELECT * REPLACE (nullif(concept, '') AS concept, nullif(perturbation, '') AS perturbation,
    nullif(margin, 'nan'::DOUBLE) AS margin, nullif(cell, '') AS cell, nullif(reason, '') AS reason) FROM computed
"""


def _items(form: str, of: str) -> str:
    """of: which items, in SQL. Lists stay lists in JSON and Parquet; a CSV cell holds them as JSON."""
    lists = "to_json({0})" if form == "csv" else "{0}"
    as_json = "{0}" if form != "jsonl" else "{0}::JSON"
    return f"""SELECT item_id, subset, protocol, {lists.format("image_keys")} AS images,
        {lists.format("texts")} AS texts, {as_json.format("truth")} AS truth, {as_json.format("tags")} AS tags, source
        FROM items i WHERE {of} AND {_OF_SUBSET} ORDER BY item_no"""


def _copy(
    cursor: duckdb.DuckDBPyConnection,
    query: str,
    binds: dict[str, str | None],
    form: str,
    out: Path,
    about: Mapping[str, str],
) -> int:
    """about: what Parquet's own metadata says of the rows, under keys `flipside.<name>`; others have no place."""
    options = FORMATS[form]
    if form == "parquet":
        entries = ", ".join(f"{_quoted(f'flipside.{name}')}: {_quoted(value)}" for name, value in about.items())
        options += f", KV_METADATA {{{entries}}}"
    aside = out.with_name(f".aside-{os.getpid()}-{out.name}")
    try:
        if not out.parent.is_dir():
            raise UsageError(f"{out.parent}: no such folder. Make it first, or choose another --out.")
        done = cursor.execute(f"COPY ({query}) TO {_quoted(str(aside))} ({options})", binds or None).fetchall()
        aside.replace(out)
    except (OSError, duckdb.Error) as error:
        if not isinstance(error, OSError | duckdb.IOException):
            raise
        if isinstance(error, duckdb.Error) and is_full(error) and str(aside) not in str(error):
            raise  # it is the cache's own disk
        raise FlipsideError(not_written(error, out)) from None
    finally:
        aside.unlink(missing_ok=True)
    return int(done[0][0])


def _quoted(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
