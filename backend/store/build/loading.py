"""Rows into the tables of a generation that is being built: benchmarks, runs and shards, each after its check."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from backend.benchmarks.winoground_stub import GATED
from backend.engine.storage.schema import is_vectors
from backend.item_clusters import GROUP, names
from backend.paths import cache_dir
from backend.protocols import Protocol
from backend.store.build import attached, completions, forms, left_out, schema, score_shards
from backend.store.build.picture_uris import DRAWN, NOT_OPENED, Places, find_pictures
from backend.store.build.records import benchmark_of, run_row
from backend.store.build.score_shards import Moved
from backend.store.build.sources import Part, Shard, Source, Sources, read_json, sha256_of
from backend.store.build.transaction import whole

Problem = tuple[Path, str]

#: Of the tables in the database itself; scores lie in files (attached.py).
_COLUMNS = {
    "tokens": ("item_no", "image_index", "text_index", "sample", "tokens", "logprobs"),
    "embeddings": ("item_no", '"index"', "vector"),
    "counterfactual_scores": ("item_no", "image_item", "text_index", "value", "n_tokens"),
    "counterfactual_vectors": ("item_no", '"index"', "vector"),
}
_NULLABLE = {"image_index", "text_index", "sample", "n_tokens"}


def table_of(part: str) -> str:
    """Which table a part's rows belong to.

    >>> table_of("tokens:gen"), table_of("embeddings:text"), table_of("prior@noise:3")
    ('tokens', 'embeddings', 'scores')
    >>> table_of("counterfactual:itm"), table_of("counterfactual:image")
    ('counterfactual_scores', 'counterfactual_vectors')
    """
    head = part.split(":", 1)[0]
    if head == "counterfactual":
        return f"{head}_{'vectors' if is_vectors(part) else 'scores'}"
    if head == "vectors":
        return "embeddings"
    return head if head in ("tokens", "embeddings") else "scores"


def load_benchmarks(connection: duckdb.DuckDBPyConnection, sources: Sources, places: Places | None = None) -> set[str]:
    """Import benchmarks that are new or changed, drop those that are gone; the hashes that changed. places: where
    pictures may lie, by what was recorded in the cache where it is None."""
    known = dict(connection.execute("SELECT hash, fingerprint FROM benchmarks").fetchall())
    places = places or Places(cache_dir())
    changed = set()
    for name, folder in sources.benchmarks.items():
        try:
            record = read_json(folder / "benchmark.json")
            digest = sha256_of(folder / "items.parquet")
            pictures = places.state(name, record, digest)
            fingerprint = hashlib.sha256(
                (sha256_of(folder / "benchmark.json") + digest + pictures).encode()
            ).hexdigest()
            if known.get(name) == fingerprint:
                continue
            forms.check("benchmark.json", record)
            _check_items(connection, folder, record, digest)
            lost = _load_benchmark(connection, name, folder, record, fingerprint, places if pictures else None)
            changed.add(name)
            if lost:
                sources.problems.append((folder / "items.parquet", NOT_OPENED.format(lost)))
        except left_out.UNUSABLE as error:
            reason = f"the benchmark cannot be read ({left_out.why(error)})"
            sources.problems.append((folder / "items.parquet", reason))
    for name in set(known) - set(sources.benchmarks):
        _forget_benchmark(connection, name)
    return changed


def _check_items(connection: duckdb.DuckDBPyConnection, folder: Path, record: dict[str, Any], digest: str) -> None:
    """Its items are those of benchmark.json, and each says in a form that every page can read what belongs together."""
    if record.get("items_sha256") not in (None, digest):
        raise ValueError("its content does not match benchmark.json's sha256")
    bad = connection.execute(_NO_ITEM, [str(folder / "items.parquet")]).fetchone()
    if bad:
        raise ValueError(f"item {bad[0]} has texts, truth or tags of another form than an item's")


#: JSON that is none is found first: what comes after reads it.
_NO_ITEM = f"""WITH named AS (
    SELECT item_no, protocol, len(texts) AS n, len(image_keys) AS images, len(image_uris) AS uris,
        json_valid(truth) AND json_valid(tags) AS valid, truth, tags FROM read_parquet(?)),
read AS (SELECT *, CASE WHEN valid THEN truth ELSE '0' END AS t, CASE WHEN valid THEN tags ELSE '0' END AS g FROM named)
SELECT item_no FROM read WHERE NOT coalesce(
    valid AND n >= 0 AND images = uris AND json_type(t) = 'ARRAY' AND json_type(g) = 'OBJECT'
    AND coalesce(list_bool_and(list_transform(json_extract(t, '$[*]'), lambda p: json_type(p) = 'ARRAY'
        AND json_array_length(p) = 2)), true)
    AND coalesce(list_bool_and(list_transform(json_extract(t, '$[*][*]'),
        lambda p: json_type(p) IN ('UBIGINT', 'BOOLEAN'))), true)
    AND coalesce(list_bool_and(list_transform(json_extract(g, '$.*'), lambda v: json_type(v) = 'ARRAY')), true)
    AND coalesce(list_bool_and(list_transform(json_extract(g, '$.*[*]'), lambda v: json_type(v) = 'VARCHAR')), true)
    AND protocol IN ({", ".join(f"'{protocol}'" for protocol in Protocol)}), false)
ORDER BY item_no LIMIT 1"""


#: An item whose captions are not here: what its tags say of them stands for nothing.
_IS_STUB = "len(texts) > 0 AND list_bool_and(list_transform(texts, lambda text: ends_with(text, ?)))"


def _load_benchmark(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    folder: Path,
    record: dict[str, Any],
    fingerprint: str,
    places: Places | None,
) -> int:
    """One benchmark's rows. places: where pictures of items from elsewhere are looked for, None for items of our own;
    returned is how many items name a picture of this computer that they may not show."""
    lost = 0
    with whole(connection):
        _forget_benchmark(connection, name)
        # Not sorted: the file is in order, and sorting lists of a thousand class names takes gigabytes.
        connection.execute(
            f"""INSERT INTO items SELECT ?, item_no, item_id, subset, protocol, texts, image_keys,
                {"image_uris" if places is None else DRAWN}, truth, tags, source,
                CASE WHEN {_IS_STUB} THEN [] ELSE coalesce(json_extract_string(tags, '$.concept[*]'), []) END,
                CASE WHEN {_IS_STUB} THEN [] ELSE coalesce(json_extract_string(tags, '$.perturbation[*]'), []) END,
                item_id, NULL
            FROM read_parquet(?)""",
            [name, GATED, GATED, str(folder / "items.parquet")],
        )
        _name_clusters(connection, name)
        connection.execute(
            """INSERT INTO benchmarks SELECT ?, ?, count(*),
                (SELECT count(DISTINCT k) FROM (SELECT unnest(image_keys) k FROM items WHERE benchmark = ?)),
                (SELECT count(DISTINCT t) FROM
                    (SELECT unnest(texts) t FROM (SELECT DISTINCT texts FROM items WHERE benchmark = ?))),
                '{}', '{}', ?, ? FROM items WHERE benchmark = ?""",
            [
                name,
                str(record.get("name") or record.get("benchmark") or name),
                name,
                name,
                json.dumps(record, ensure_ascii=False),
                fingerprint,
                name,
            ],
        )
        rows = connection.execute(
            "SELECT subset, protocol, count(*) FROM items WHERE benchmark = ? GROUP BY ALL ORDER BY min(item_no)",
            [name],
        ).fetchall()
        subsets: dict[str, int] = {}
        for subset, _, count in rows:
            subsets[subset] = subsets.get(subset, 0) + count
        protocols = {subset: protocol for subset, protocol, _ in rows}
        connection.execute(
            "UPDATE benchmarks SET subsets = ?, protocols = ? WHERE hash = ?",
            [json.dumps(subsets, ensure_ascii=False), json.dumps(protocols, ensure_ascii=False), name],
        )
        if places is not None:
            lost = find_pictures(connection, name, folder, places, places.folders(name, record))
        connection.execute(f"UPDATE items SET exchanged = {schema.EXCHANGED} WHERE benchmark = ?", [name])
    return lost


def _name_clusters(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Fill the column `cluster` of a benchmark's items: what belongs together over all of its subsets."""
    rows = connection.execute(
        """SELECT item_no, item_id, image_keys, coalesce(json_extract_string(tags, $group), []) FROM items
        WHERE benchmark = $name ORDER BY item_no""",
        {"group": f"$.{GROUP}[*]", "name": name},
    ).fetchall()
    numbers, ids, keys, groups = zip(*rows, strict=True) if rows else ((), (), (), ())
    named = pa.table(
        {"item_no": pa.array(numbers, pa.int32()), "named": pa.array(names(keys, groups, ids), pa.string())}
    )
    connection.register("named_clusters", named)
    connection.execute(
        """UPDATE items SET cluster = named FROM named_clusters
        WHERE benchmark = ? AND items.item_no = named_clusters.item_no AND cluster <> named""",
        [name],
    )
    connection.unregister("named_clusters")


def _forget_benchmark(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    connection.execute("DELETE FROM items WHERE benchmark = ?", [name])
    connection.execute("DELETE FROM benchmarks WHERE hash = ?", [name])


def load_runs(connection: duckdb.DuckDBPyConnection, sources: Sources, rows: Path) -> set[str]:
    """Import records and shards that are new, drop runs that are gone; the runs that changed. rows: the folder of what
    lies in files; the views have to be made anew then (`attached.views`).

    A damaged shard is named among the problems and left out; it never removes rows that are there.
    """
    completed = completions.usable(connection, sources.completes)
    stubs = {run_id: benchmark_of(record) for run_id, record in sources.runs.items()}
    _forget_moved(connection, rows, {run_id: completed.shown_on(stub) for run_id, stub in stubs.items()})
    changed = _forget_gone(connection, rows, sources) | _forget_parts(connection, rows, sources)
    parts = connection.execute("SELECT run_id, part, complete, shards, n_rows FROM run_parts").fetchall()
    known: dict[tuple[str, str], tuple[bool, list[str], int]] = {(r, p): (c, s, n) for r, p, c, s, n in parts}
    for key, part in sources.parts.items():
        try:
            if part.run_id not in sources.runs:
                continue
            stub = stubs[part.run_id]
            moved = Moved(completed, stub) if completed.shown_on(stub) != stub else None
            if _load_part(connection, rows, part, known.get(key), sources.problems, moved):
                changed.add(part.run_id)
        except left_out.UNUSABLE as error:
            folder = part.shards[0].path.parent if part.shards else part.root
            sources.problems.append((folder, f"its part {part.part} cannot be read ({left_out.why(error)})"))
    told = connection.execute("SELECT run_id, record, origin, imported_from, imported_at FROM runs").fetchall()
    records = {run_id: tuple(said) for run_id, *said in told}
    for run_id, record in sources.runs.items():
        text = json.dumps(record, ensure_ascii=False, sort_keys=True)
        source = sources.origins.get(run_id, Source("computed"))
        origin = (source.origin, source.file, source.when)
        if records.get(run_id) != (text, *origin):
            connection.execute("DELETE FROM runs WHERE run_id = ?", [run_id])
            try:
                row = (*run_row(run_id, record, text, completed.shown_on(stubs[run_id])), *origin)
                connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(row))})", list(row))
            except left_out.UNUSABLE as error:
                forget_run(connection, rows, run_id)
                reason = f"its record cannot be stored ({left_out.why(error)})"
                sources.problems.append((sources.folders[run_id], reason))
            else:
                changed.add(run_id)
    return changed


def _forget_moved(connection: duckdb.DuckDBPyConnection, rows: Path, shown_on: Mapping[str, str]) -> None:
    """Drop runs that are to be shown on another edition's items than before: they are loaded anew, there."""
    for run_id, benchmark in connection.execute("SELECT run_id, benchmark FROM runs").fetchall():
        if shown_on.get(run_id, benchmark) != benchmark:
            forget_run(connection, rows, run_id)


def _forget_gone(connection: duckdb.DuckDBPyConnection, rows: Path, sources: Sources) -> set[str]:
    known = {run_id for (run_id,) in connection.execute("SELECT run_id FROM runs").fetchall()}
    for run_id in known - set(sources.runs) - sources.unreadable:
        forget_run(connection, rows, run_id)
    return set()


def forget_run(connection: duckdb.DuckDBPyConnection, rows: Path, run_id: str) -> None:
    """Drop everything of a run."""
    connection.execute("DELETE FROM runs WHERE run_id = ?", [run_id])
    _drop(connection, rows, run_id)


def _forget_parts(connection: duckdb.DuckDBPyConnection, rows: Path, sources: Sources) -> set[str]:
    """Drop parts that a run no longer has, and all of a run whose id has passed from an imported one to one of ours, or
    back: nothing of the one is left in the other. The runs that changed."""
    changed = set()
    for run_id, origin in connection.execute("SELECT run_id, origin FROM runs").fetchall():
        new = sources.origins.get(run_id)
        if new is not None and new.origin != origin and "imported" in (origin, new.origin):
            _drop(connection, rows, run_id)
            changed.add(run_id)
    for run_id, part in connection.execute("SELECT run_id, part FROM run_parts").fetchall():
        gone = run_id in sources.runs and run_id not in sources.unreadable and (run_id, part) not in sources.parts
        if gone:
            _drop(connection, rows, run_id, part)
            changed.add(run_id)
    return changed


def _drop(connection: duckdb.DuckDBPyConnection, rows: Path, run_id: str, part: str | None = None) -> None:
    """What was imported of a run, or of one of its parts, with everything that was derived from the run."""
    which, binds = ("run_id = ?", [run_id]) if part is None else ("run_id = ? AND part = ?", [run_id, part])
    for table in ("run_parts", *_COLUMNS):
        connection.execute(f"DELETE FROM {table} WHERE {which}", binds)
    attached.remove(rows, "scores", run_id, part)
    drop_derived(connection, rows, run_id)


def drop_derived(connection: duckdb.DuckDBPyConnection, rows: Path, run_id: str) -> None:
    """Everything that was derived from a run."""
    for table in schema.DERIVED:
        if table in attached.FORMS:
            attached.remove(rows, table, run_id)
        else:
            connection.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])


def _load_part(
    connection: duckdb.DuckDBPyConnection,
    rows: Path,
    part: Part,
    known: tuple[bool, list[str], int] | None,
    problems: list[Problem],
    moved: Moved | None = None,
) -> bool:
    """One part's new shards; whether anything changed. moved: where its items are those of a stub's completion."""
    was_complete, imported, n_rows = known or (False, [], 0)
    wanted = [shard.sha256 for shard in part.shards]
    if known and imported == wanted and was_complete == part.complete:
        return False
    extends = set(imported) <= set(wanted)
    fresh = [shard for shard in part.shards if not extends or shard.sha256 not in imported]
    in_files = table_of(part.part) == score_shards.TABLE
    scores: list[score_shards.Sound] = []
    sound: list[Shard] = []
    for shard in fresh:
        if in_files:
            found = _scores(connection, part, shard, problems, moved)
            scores += [found] if found else []
            sound += [shard] if found else []
        elif _is_sound(connection, part, shard, problems):
            sound.append(shard)
    if not extends and len(sound) < len(fresh):
        return False  # another set of shards, and not all of it readable: what is there stays
    if not extends:
        imported, n_rows = [], 0
    there = set(imported) | {shard.sha256 for shard in sound}
    shards = [digest for digest in wanted if digest in there]
    with whole(connection):
        if in_files:
            n_rows += sum(each.n for each in scores)
        else:
            if not extends:
                connection.execute(f"DELETE FROM {table_of(part.part)} WHERE run_id = ? AND part = ?", _key(part))
            n_rows += _insert(connection, part, sound, moved)
        connection.execute("DELETE FROM run_parts WHERE run_id = ? AND part = ?", _key(part))
        connection.execute(
            "INSERT INTO run_parts VALUES (?, ?, ?, ?, ?, ?)",
            [*_key(part), part.complete and shards == wanted, n_rows, str(part.root), shards],
        )
        if in_files:  # the last step: all of them at once, or none
            score_shards.keep(rows, part, scores, shards)
    return bool(sound) or not extends or known is None or was_complete != (part.complete and shards == wanted)


def _scores(
    connection: duckdb.DuckDBPyConnection, part: Part, shard: Shard, problems: list[Problem], moved: Moved | None
) -> score_shards.Sound | None:
    """A shard of scores if it is what its manifest says; if not, it is named among the problems."""
    try:
        found = score_shards.read(connection, shard, part.part, moved)
    except OSError as error:
        found = f"named by the manifest but not readable ({error.strerror})"
    if isinstance(found, str):
        problems.append((shard.path, found))
        return None
    return found


def _key(part: Part) -> list[str]:
    return [part.run_id, part.part]


def _is_sound(connection: duckdb.DuckDBPyConnection, part: Part, shard: Shard, problems: list[Problem]) -> bool:
    """Whether a shard is what its manifest says; if not, it is named among the problems."""
    try:
        if sha256_of(shard.path) != shard.sha256:
            reason = "damaged: its content does not match the manifest's sha256"
        else:
            reason = _misfit(connection, part, shard)
    except OSError as error:
        reason = f"named by the manifest but not readable ({error.strerror})"
    if reason:
        problems.append((shard.path, reason))
    return not reason


def _misfit(connection: duckdb.DuckDBPyConnection, part: Part, shard: Shard) -> str:
    """Why a file cannot be rows of its part; "" where it can."""
    try:
        connection.execute(f"SELECT {_picked(part)} FROM read_parquet(?) LIMIT 0", [str(shard.path)]).fetchall()
        counted = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(shard.path)]).fetchall()
    except duckdb.Error as error:
        return f"not a shard of part {part.part} ({_first_line(error)})"
    rows = int(counted[0][0])
    return "" if rows == shard.rows else f"{rows} rows, the manifest says {shard.rows}"


def _picked(part: Part) -> str:
    """The columns of a part's shards as they are stored: absent values are missing, not -1."""
    columns = _COLUMNS[table_of(part.part)]
    return ", ".join(f"nullif({name}, -1)" if name in _NULLABLE else name for name in columns)


def _insert(connection: duckdb.DuckDBPyConnection, part: Part, shards: list[Shard], moved: Moved | None = None) -> int:
    """Rows of shards into their table; how many."""
    table, n_rows = table_of(part.part), 0
    rows = "read_parquet(?)"
    if moved is not None and shards:
        moved.completions.numbers(connection, moved.stub)
        rows = "(SELECT p.* REPLACE (moved.new AS item_no) FROM read_parquet(?) p JOIN moved ON moved.old = p.item_no)"
    if is_vectors(part.part):
        for shard in shards:
            connection.register("vectors", _vectors(shard.path))
            n_rows += _count(connection.execute(f"INSERT INTO {table} SELECT ?, ?, * FROM vectors", _key(part)))
            connection.unregister("vectors")
    elif shards:
        # Ordered by item, so that one item's rows are found without reading the others; as the engine writes them.
        order = "" if moved is None and _in_order(shards) else "ORDER BY item_no"
        n_rows = _count(
            connection.execute(
                f"INSERT INTO {table} (run_id, part, {', '.join(_COLUMNS[table])}) "
                f"SELECT ?, ?, {_picked(part)} FROM {rows} {order}",
                [*_key(part), [str(shard.path) for shard in shards]],
            )
        )
    return n_rows


def _count(inserted: duckdb.DuckDBPyConnection) -> int:
    """How many rows an INSERT has put in, as it says."""
    (said,) = inserted.fetchall()
    return int(said[0])


def _in_order(shards: list[Shard]) -> bool:
    """Whether the rows of all shards together are in item order as they are."""
    last = -1
    for shard in shards:
        numbers = pq.read_table(shard.path, columns=["item_no"])["item_no"].to_numpy()
        if len(numbers) and (numbers[0] < last or (numbers[1:] < numbers[:-1]).any()):
            return False
        last = int(numbers[-1]) if len(numbers) else last
    return True


def _vectors(path: Path) -> pa.Table:
    """An embedding shard with float32 vectors: DuckDB does not read half floats whose bytes are split."""
    table = pq.read_table(path, columns=["item_no", "index", "vector"])
    flat = pa.array(table["vector"].combine_chunks().flatten().to_numpy().astype("float32"))
    offsets = table["vector"].combine_chunks().offsets
    return table.set_column(2, "vector", pa.ListArray.from_arrays(offsets, flat))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
