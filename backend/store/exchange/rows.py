"""The rows of a bundle: items that hash to what they say, and scores that are numbers about these items."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from backend import parquet_in, plain_json
from backend.benchmarks.items_folder.changes import changes
from backend.benchmarks.items_folder.records import Reader
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.engine.storage.schema import ITEMS, is_vectors, schema_of
from backend.items import IMAGE_KINDS, Benchmark, Item, Kind, Protocol
from backend.kinds import PREDICTIONS
from backend.parquet_in import Look
from backend.store.exchange import cells, coverage, row_forms
from backend.store.exchange.coverage import PROTOCOLS, Admitted, Ints, Shapes
from backend.store.scores.boundaries import moments

#: Rows of one file: the engine writes at most some ten thousand, an import of predictions 262,144.
MOST_ROWS = 4_000_000
#: Items, and numbers or texts in one column of one row group.
MOST_ITEMS = 10_000_000
MOST_VALUES = 200_000_000
#: Letters of a text, texts of an item, letters of an id: far above any benchmark's.
LONGEST_TEXT, MOST_TEXTS, LONGEST_ID = 100_000, 200_000, 2_000
#: No score is larger: log-probabilities of the longest texts are some ten thousands.
LARGEST = 1e9
#: What reading may take, in memory; beyond that a file is refused.
MEMORY = "512MB"
_AT_ONCE = 256
#: How the parts of captions under other images begin.
UNDER_OTHERS = "counterfactual:"


def check_items(path: Path, head: Mapping[str, Any], looked: Look, record: Mapping[str, Any]) -> Shapes:
    """Every item is one, and together they have the hash that `head` (benchmark.json) says. ValueError with the first
    item that is none. looked: what a first look has counted in the file. record: run.json, whose selection says which
    of them the run is about."""
    admitted = Admitted(record)
    _check_file(path, ITEMS, MOST_ITEMS)
    _check_lengths(path)
    digest = Benchmark("", lambda: iter(()), templates=_templates(head)).hash_begun()
    reader, seen = Reader(Folder(path.parent), False, path.name), set()
    images, texts, pools, protocols, pictures = [], [], [], [], []
    keys: dict[str, int] = {}
    for at, row in enumerate(_rows(path, looked)):
        try:
            item = _item(reader, at, row)
        except (Malformed, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path.name}, item {at}: {str(error)[:200]}") from None
        if item.item_id in seen:
            raise ValueError(f"{path.name}, item {at}: the id {item.item_id[:80]} occurred before")
        seen.add(item.item_id)
        digest.update(item.canonical().encode() + b"\n")
        images.append(len(item.images))
        texts.append(len(item.texts))
        pools.append(item.subset if item.protocol == Protocol.RETRIEVAL else None)
        protocols.append(PROTOCOLS.index(item.protocol))
        pictures.append(keys.setdefault(item.images[0].key, len(keys)) if len(item.images) == 1 else -1)
        admitted.see(item)
    if len(images) != head["n_items"]:
        raise ValueError(f"{path.name} holds {len(images)} items, benchmark.json says {head['n_items']}")
    if digest.hexdigest() != head["hash"]:
        raise ValueError(f"{path.name} holds other items than those of the benchmark {head['hash'][:16]} that it names")
    sizes: dict[str, int] = {}
    for pool, n in zip(pools, texts, strict=True):
        if pool is not None:
            sizes[pool] = sizes.get(pool, 0) + n
    reach = [n if pool is None else sizes[pool] for pool, n in zip(pools, texts, strict=True)]
    selected, n_picked = admitted.result()
    numbers = {name: n for n, name in enumerate(sizes)}
    numbered = [-1 if pool is None else numbers[pool] for pool in pools]
    one, two, three, four, five, six = (
        np.array(each, np.int64) for each in (images, texts, reach, protocols, numbered, pictures)
    )
    return Shapes(one, two, three, four, selected, n_picked, five, six)


def _templates(head: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(prompts) for name, prompts in (head.get("templates") or {}).items()}


def _item(reader: Reader, at: int, row: Mapping[str, Any]) -> Item:
    if row["item_no"] != at:
        raise ValueError(f"its number is {row['item_no']}")
    keys, uris = row["image_keys"], row["image_uris"]
    if len(keys) != len(uris) or not all(isinstance(uri, str) for uri in uris):
        raise ValueError("its image_uris are not those of its image_keys")
    record = {
        **row,
        "images": [{"key": key, "uri": ""} for key in keys],
        "truth": plain_json.loads(row["truth"]),
        "tags": plain_json.loads(row["tags"]),
    }
    for name, form in (("truth", list), ("tags", dict)):
        if not isinstance(record[name], form):
            raise Malformed(f"its {name} is no JSON {'list' if form is list else 'object'}")
    item = reader.item(at, record)
    for change in changes(item.tags):
        if not 0 <= change.text < len(item.texts) or not change.fits(item.texts[change.text]):
            raise ValueError("its tag 'change' is about other texts than it has")
    if item.protocol == Protocol.GROUNDING:
        _check_moments(row["tags"], len(item.images))
    return item


def _check_moments(tags: str, n: int) -> None:
    """The frames' seconds and the boundaries are numbers."""
    try:
        seconds, truths = moments([tags], [n], n)
    except (ValueError, ArithmeticError):
        raise ValueError("its tags do not say in numbers when its frames were taken") from None
    if np.isinf(seconds).any() or not np.isfinite(np.asarray(truths[0], dtype=np.float64)).all():
        raise ValueError("its tags name a moment that is no finite number")


def _rows(path: Path, seen: Look) -> Any:
    for batch in parquet_in.batches(path, seen, _AT_ONCE):
        yield from batch.to_pylist()


def _check_file(path: Path, schema: pa.Schema, most: int) -> int:
    """Its columns are those of `schema`, its rows not too many. How many rows."""
    file = pq.ParquetFile(path)
    if not file.schema_arrow.equals(schema):
        missing = [name for name in schema.names if name not in file.schema_arrow.names]
        raise ValueError(f"{path.name} has {f'no column {missing[0]}' if missing else 'columns of other types'}")
    found = file.metadata
    groups = [found.row_group(n) for n in range(found.num_row_groups)]
    values = max((group.column(n).num_values for group in groups for n in range(group.num_columns)), default=0)
    if found.num_rows > most or values > MOST_VALUES:
        raise ValueError(f"{path.name} holds more than {most:,} rows, or {MOST_VALUES:,} values in one column")
    return int(found.num_rows)


def _connection(folder: Path) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": 2,
        "temp_directory": str(folder / ".spilled"),
    }
    return duckdb.connect(":memory:", config=config)


def _check_lengths(path: Path) -> None:
    """Lists and texts are no longer than any benchmark's, found out in bounded memory."""
    try:
        with _connection(path.parent) as connection:
            found = connection.execute(
                """SELECT coalesce(max(greatest(len(texts), len(image_keys), len(image_uris))), 0),
                    coalesce(max(greatest(list_max(list_transform(texts, lambda t: strlen(t))), strlen(truth),
                        strlen(tags))), 0),
                    coalesce(max(greatest(strlen(item_id), strlen(subset), strlen(source),
                        coalesce(list_max(list_transform(image_keys, lambda t: strlen(t))), 0),
                        coalesce(list_max(list_transform(image_uris, lambda t: strlen(t))), 0))), 0)
                FROM read_parquet(?)""",
                [str(path)],
            ).fetchall()
    except duckdb.Error as error:
        raise ValueError(f"{path.name} cannot be read ({str(error).splitlines()[0][:120]})") from None
    listed, longest, ids = found[0]
    if listed > MOST_TEXTS or longest > 10 * LONGEST_TEXT or ids > LONGEST_ID:
        raise ValueError(f"{path.name} holds an item with longer lists, texts or names than any benchmark has")


def check_part(
    run_dir: Path,
    part: str,
    entries: Sequence[Mapping[str, Any]],
    shapes: Shapes,
    looks: Mapping[Path, Look],
    spec: str,
) -> None:
    """All rows of a part are about cells that its benchmark has, each once, and numbers that its kind can be.
    ValueError with the shard. looks: what a first look has counted in each shard. spec: of the run's model."""
    width = 0
    for entry in entries:
        path = run_dir / str(entry["file"])
        schema = schema_of(part)
        rows = _check_file(path, schema, MOST_ROWS)
        if rows != entry["rows"]:
            raise ValueError(f"{path.name} holds {rows} rows, the manifest says {entry['rows']}")
        for batch in parquet_in.batches(path, looks[path]):
            table = pa.Table.from_batches([batch])
            if any(column.null_count for column in table.columns):
                raise ValueError(f"{path.name} has rows with missing values")
            try:
                width = _check_rows(part, table, shapes, width, spec)
            except ValueError as error:
                raise ValueError(f"{path.name}: {error}") from None
    paths = [str(run_dir / str(entry["file"])) for entry in entries]
    _check_once(run_dir, part, paths)
    if part.startswith(UNDER_OTHERS) and not is_vectors(part):
        _check_whole(run_dir, part, paths, shapes)


def check_complete(run_dir: Path, part: str, entry: Mapping[str, Any], shapes: Shapes, spec: str) -> None:
    """A part has what it says that it has (`coverage.check_part`), cell by cell."""
    paths = [str(run_dir / str(shard["file"])) for shard in entry["shards"]]
    has_rows, has_all, in_pools = np.zeros(0, np.int64), None, 0
    with _connection(run_dir) as connection:
        if paths:
            found = connection.execute("SELECT DISTINCT item_no FROM read_parquet(?)", [paths]).fetchnumpy()
            has_rows = np.asarray(found["item_no"], dtype=np.int64)
        if entry["complete"] and coverage.owes(part):
            has_all = cells.with_all(connection, part, paths, shapes)
            # Of a pool other systems' predictions say what they say; items of which that is too little are named.
            in_pools = 0 if spec.startswith(PREDICTIONS) else cells.pool_lacks(connection, part, paths, shapes)
    coverage.check_part(part, entry, has_rows, shapes, has_all, in_pools)


def check_tokens(run_dir: Path, part: str, parts: Mapping[str, Any], shapes: Shapes) -> None:
    """The tokens of a part are those of its scores (`cells.check_tokens`)."""
    with _connection(run_dir) as connection:
        cells.check_tokens(connection, run_dir, part, parts, shapes)


def _check_rows(part: str, table: pa.Table, shapes: Shapes, width: int, spec: str) -> int:
    item = _column(table, "item_no")
    _refuse((item < 0) | (item >= len(shapes.images)), item, "is none of the benchmark's items")
    if is_vectors(part):
        counts = shapes.images if part.endswith(":image") else shapes.texts
        index = _column(table, "index")
        _refuse((index < 0) | (index >= counts[item]), item, "has no image or text of this number")
        return _check_vectors(table.column("vector"), width)
    if part.startswith(UNDER_OTHERS):
        _check_under_others(part, table, item, shapes, spec)
        return 0
    pooled = part.partition(":")[2] if part.startswith("tokens:") else part
    image, text = _column(table, "image_index"), _column(table, "text_index")
    reach = shapes.reach if pooled in IMAGE_KINDS else shapes.texts
    _refuse((image < -1) | (image >= np.maximum(shapes.images[item], 1)), item, "has no image of this number")
    _refuse((text < 0) | (text >= reach[item]), item, "has no text of this number")
    sample = _column(table, "sample")
    _refuse(sample < -1, item, "has a sample below 0")
    other = None if part.startswith("tokens:") else _column(table, "text_index_b")
    if other is not None:
        _refuse((other < -1) | (other >= shapes.texts[item]), item, "has no second text of this number")
    for wrong, said in row_forms.cell_wrong(part, image, other, sample, spec):
        _refuse(wrong, item, said)
    if other is None:
        _check_tokens(table)
        return 0
    value = _check_values(part, table, item, spec)
    if part.startswith(Kind.VERDICT):
        _refuse((value < 0) | (value > 1), item, "has a share of verdicts outside 0 to 1")
    return 0


def _check_under_others(part: str, table: pa.Table, item: Ints, shapes: Shapes, spec: str) -> None:
    image, text = _column(table, "image_item"), _column(table, "text_index")
    _refuse((image < 0) | (image >= len(shapes.images)), item, "has a score under an image of no item")
    _refuse((text < 0) | (text >= shapes.texts[item]), item, "has no text of this number")
    if shapes.pictures is not None:
        shown = shapes.pictures[image]
        _refuse(shown < 0, item, "has a score under the image of an item that has not one image")
        _refuse(shown == shapes.pictures[item], item, f"has a score under its own image in part {part}")
    _check_values(part, table, item, spec)


def _check_values(part: str, table: pa.Table, item: Ints, spec: str) -> NDArray[np.floating]:
    value: NDArray[np.floating] = table.column("value").to_numpy()
    _refuse(~np.isfinite(value) | (np.abs(value) > LARGEST), item, "has a score that is no finite number")
    n_tokens = _column(table, "n_tokens")
    _refuse(n_tokens < -1, item, "has fewer than no tokens")
    for wrong, said in row_forms.value_wrong(part, value, n_tokens, spec):
        _refuse(wrong, item, said)
    return value


def _column(table: pa.Table, name: str) -> Ints:
    found: Ints = table.column(name).to_numpy().astype(np.int64)
    return found


def _refuse(wrong: NDArray[np.bool_], item: Ints, said: str) -> None:
    if wrong.any():
        raise ValueError(f"item {item[int(np.argmax(wrong))]} {said}")


def _check_vectors(column: pa.ChunkedArray, width: int) -> int:
    """Vectors of one length and finite; the length."""
    for chunk in column.chunks:
        lengths = np.unique(np.diff(chunk.offsets.to_numpy()))
        if not len(lengths):
            continue
        width = width or int(lengths[0])
        values = chunk.flatten()
        if lengths.tolist() != [width] or not 0 < width <= 65_536 or values.null_count:
            raise ValueError("its vectors are not all of one length")
        if not np.isfinite(values.to_numpy(zero_copy_only=False)).all():
            raise ValueError("it holds a vector that is not finite")
    return width


def _check_tokens(table: pa.Table) -> None:
    for tokens, logs in zip(table.column("tokens").chunks, table.column("logprobs").chunks, strict=True):
        if not np.array_equal(np.diff(tokens.offsets.to_numpy()), np.diff(logs.offsets.to_numpy())):
            raise ValueError("tokens and log-probabilities are not of one length")
        values, texts = logs.flatten(), tokens.flatten()
        numbers = values.to_numpy(zero_copy_only=False)
        if values.null_count or texts.null_count or not np.isfinite(numbers).all():
            raise ValueError("it holds a log-probability that is no finite number")
        if (numbers > row_forms.ROUNDING).any():
            raise ValueError("it holds a log-probability above 0")
        texts.validate(full=True)  # as UTF-8


def _check_once(run_dir: Path, part: str, paths: list[str]) -> None:
    """No cell has two scores."""
    names = [name for name in schema_of(part).names if name in _KEY]
    key = ", ".join(f'"{name}"' for name in names)
    try:
        with _connection(run_dir) as connection:
            twice = (
                paths
                and connection.execute(
                    f"SELECT item_no FROM read_parquet(?) GROUP BY {key} HAVING count(*) > 1 LIMIT 1", [paths]
                ).fetchall()
            )
    except duckdb.Error as error:
        raise ValueError(f"part {part} cannot be read ({str(error).splitlines()[0][:120]})") from None
    if twice:
        raise ValueError(f"part {part} holds two scores of one cell (item {twice[0][0]})")


def _check_whole(run_dir: Path, part: str, paths: list[str], shapes: Shapes) -> None:
    """Under each other image all captions of an item are scored, or none: there is no margin of some of them."""
    with _connection(run_dir) as connection:
        found = connection.execute(
            """SELECT item_no, min(n) AS least, max(n) AS most FROM (
                SELECT item_no, image_item, count(*) AS n FROM read_parquet(?) GROUP BY ALL) GROUP BY item_no""",
            [paths],
        ).fetchnumpy() if paths else {"item_no": np.zeros(0, np.int64)}  # fmt: skip
    item = np.asarray(found["item_no"], dtype=np.int64)
    if len(item):
        texts = shapes.texts[item]
        _refuse(
            (found["least"] != texts) | (found["most"] != texts), item, f"of part {part} lacks scores of some captions"
        )


_KEY = {"item_no", "image_index", "text_index", "text_index_b", "sample", "index", "image_item"}
