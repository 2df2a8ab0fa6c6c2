"""The files of a generation: the rows of its largest tables, one Parquet file a run and kind beside the database.

`flipside-<n>.duckdb` holds what is small. `flipside-<n>/<table>/run_id=…/<part or kind>=…/*.parquet` hold scores,
outcomes and evidence, which are views in the database. A file is written once and never changed: the next generation
has it by a hard link, so that adding a run costs what the run costs, whatever else is there.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from backend.durable import sync_dir

if TYPE_CHECKING:  # names and files are told without it, before a server has imported it
    import duckdb
    import pyarrow as pa

#: Rows that one look-up of a few items reads at least; the numbers of a row group's items are beside it.
_ROW_GROUP: Final = 32_768


class Form(NamedTuple):
    """A table whose rows lie in files. by: what its files are apart by, beside the run. columns: as (name, type in the
    database); absent: those of them that say -1 where there is nothing. dictionary: words and numbers that repeat."""

    by: str
    columns: Mapping[str, str]
    absent: frozenset[str] = frozenset()
    dictionary: tuple[str, ...] = ()
    split: tuple[str, ...] = ()


FORMS: Final[Mapping[str, Form]] = {
    "scores": Form(
        "part",
        {
            "item_no": "INTEGER", "image_index": "SMALLINT", "text_index": "INTEGER", "text_index_b": "INTEGER",
            "sample": "SMALLINT", "value": "FLOAT", "n_tokens": "SMALLINT",
        },
        absent=frozenset({"image_index", "text_index", "text_index_b", "sample", "n_tokens"}),
        dictionary=("image_index", "text_index", "text_index_b", "sample", "n_tokens"),
        split=("value",),
    ),
    "outcomes": Form(
        "kind",
        {
            "item_no": "INTEGER", "query": "INTEGER", "metric": "VARCHAR", "correct": "BOOLEAN", "margin": "DOUBLE",
            "ties": "BOOLEAN", "cell": "VARCHAR", "reason": "VARCHAR",
        },
        dictionary=("query", "metric", "cell", "reason"),
        split=("margin",),
    ),
    "evidence": Form(
        "kind",
        {
            "protocol": "VARCHAR", "item_no": "INTEGER", "gamma": "DOUBLE", "c": "DOUBLE", "r": "DOUBLE",
            "nested": "BOOLEAN", "saturated": "INTEGER", "m": "DOUBLE", "b": "DOUBLE", "g": "DOUBLE", "s": "DOUBLE",
            "z": "DOUBLE", "b_error": "DOUBLE", "n_other": "INTEGER", "u": "DOUBLE", "same": "INTEGER",
            "preferred": "INTEGER", "prefer": "INTEGER", "others": "DOUBLE[]", "may_fit": "BOOLEAN",
            "sources_agree": "BOOLEAN", "cell": "VARCHAR", "mirrored": "VARCHAR", "reason": "VARCHAR", "q": "DOUBLE",
            "scale": "VARCHAR", "least_low": "DOUBLE", "least_high": "DOUBLE", "elsewhere_low": "DOUBLE",
            "elsewhere_high": "DOUBLE",
        },
        dictionary=(
            "protocol", "saturated", "n_other", "same", "preferred", "prefer", "cell", "mirrored", "reason", "q",
            "scale", "least_low", "least_high", "elsewhere_low", "elsewhere_high",
        ),
        split=("gamma", "c", "r", "m", "b", "g", "s", "z", "b_error", "u"),
    ),
}  # fmt: skip
#: How the only file of a run is called.
WHOLE: Final = "0"
#: The version of the schema that has them; before, they were tables.
SINCE: Final = 10


def _arrow() -> Mapping[str, "pa.DataType"]:
    """A type of the database as one of Arrow's."""
    import pyarrow as pa  # not needed to open a database, and a tenth of a second to load

    return {
        "INTEGER": pa.int32(), "SMALLINT": pa.int16(), "FLOAT": pa.float32(), "DOUBLE": pa.float64(),
        "BOOLEAN": pa.bool_(), "VARCHAR": pa.string(), "DOUBLE[]": pa.list_(pa.float64()),
    }  # fmt: skip


def folder_of(generation: Path) -> Path:
    """Where the files of a generation lie, by its database."""
    return generation.with_suffix("")


def schema_of(table: str) -> "pa.Schema":
    """The columns of a table's files."""
    import pyarrow as pa

    types = _arrow()
    return pa.schema([(name, types[kind]) for name, kind in FORMS[table].columns.items()])


def place(folder: Path, table: str, run_id: str, name: str) -> Path:
    """Where the files of a run lie. name: the part of scores, else the kind.

    >>> place(Path("db/flipside-1"), "scores", "ab", "prior@lm:bundled:lm").as_posix()
    'db/flipside-1/scores/run_id=ab/part=prior%40lm%3Abundled%3Alm'
    """
    return folder / table / f"run_id={_quoted(run_id)}" / f"{FORMS[table].by}={_quoted(name)}"


def _quoted(word: str) -> str:
    return quote(word, safe="").replace(".", "%2E")


def parquet(table: str, rows: "pa.Table") -> "pa.Buffer":
    """Rows of a table, whose columns may lack some that are missing everywhere, as one Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    form, schema = FORMS[table], schema_of(table)
    columns = {}
    for field in schema:
        if field.name not in rows.column_names:
            columns[field.name] = pa.nulls(len(rows), field.type)
            continue
        column = rows.column(field.name)
        coded = pa.types.is_dictionary(column.type) and column.type.value_type == field.type
        columns[field.name] = column if coded else column.cast(field.type)
    out = pa.BufferOutputStream()
    split = dict.fromkeys(form.split, "BYTE_STREAM_SPLIT")
    pq.write_table(
        pa.table(columns), out, row_group_size=_ROW_GROUP, compression="zstd", compression_level=1, store_schema=False,
        use_dictionary=list(form.dictionary), column_encoding={"item_no": "DELTA_BINARY_PACKED", **split},
        write_statistics=["item_no", "metric"], write_page_checksum=True,
    )  # fmt: skip
    return out.getvalue()


def write(folder: Path, table: str, run_id: str, name: str, rows: "pa.Table") -> None:
    """Put the rows of a run in place of those that were there; not yet on the disk (`synced`)."""
    put(place(folder, table, run_id, name), {WHOLE: parquet(table, rows)})


def put(where: Path, files: Mapping[str, Any]) -> None:
    """Make a folder hold these files (stem -> bytes, or a file of the folder that it shall be) and no others."""
    aside = where.with_name(f".{where.name}")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for stem, content in files.items():
        target = aside / f"{stem}.parquet"
        if isinstance(content, Path):
            _linked(content, target)
        else:
            target.write_bytes(content)
    shutil.rmtree(where, ignore_errors=True)
    aside.replace(where)


def remove(folder: Path, table: str, run_id: str, name: str | None = None) -> None:
    """Away with the rows of a run; name: of one part or kind alone."""
    of_run = place(folder, table, run_id, "x").parent
    shutil.rmtree(of_run if name is None else place(folder, table, run_id, name), ignore_errors=True)


def read(folder: Path, table: str, run_id: str, name: str, columns: Sequence[str]) -> "pa.Table":
    """Some columns of a run's rows, as they are in the files (-1 where scores have nothing); words and numbers that
    repeat come with their dictionary, which is much faster than word by word. No rows where there are none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = _arrow()
    files = sorted(place(folder, table, run_id, name).glob("*.parquet"))
    words = [each for each in columns if FORMS[table].columns[each] == "VARCHAR"]
    kept = [pq.read_table(path, columns=list(columns), read_dictionary=words, partitioning=None) for path in files]
    empty = pa.table({each: pa.array([], types[FORMS[table].columns[each]]) for each in columns})
    return pa.concat_tables(kept).unify_dictionaries() if kept else empty


def take(base: Path, folder: Path) -> None:
    """Begin a generation's files with all those of another one."""
    for path in _files(base):
        target = folder / path.relative_to(base)
        target.parent.mkdir(parents=True, exist_ok=True)
        _linked(path, target)


def _linked(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # a disk without links, or another one
        shutil.copyfile(path, target)


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*/*/*/*.parquet"))


def note(connection: "duckdb.DuckDBPyConnection", folder: Path) -> None:
    """Write down in the database which files belong to it, with their sizes and checksums, and bring them to the disk.
    Those that were known are not read again."""
    known = {path: (size, digest) for path, size, digest in _noted(connection)}
    rows, changed = list[tuple[str, int, str]](), set[Path]()
    for path in _files(folder):
        name, found = path.relative_to(folder).as_posix(), path.stat()
        size, digest = known.get(name, (-1, ""))
        if size != found.st_size or found.st_nlink < 2:
            with path.open("rb+") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
            changed.add(path.parent)
        rows.append((name, found.st_size, digest))
    for each in {above for path in changed for above in (path, *path.parents) if folder in (above, *above.parents)}:
        sync_dir(each)
    connection.execute("DELETE FROM files")
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        connection.execute(
            "INSERT INTO files SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[]), unnest(?::VARCHAR[])", columns
        )


def _noted(connection: "duckdb.DuckDBPyConnection") -> list[tuple[str, int, str]]:
    return connection.execute("SELECT path, bytes, sha256 FROM files ORDER BY path").fetchall()


def size(connection: "duckdb.DuckDBPyConnection") -> int:
    """Bytes of all files of a generation, as they were written."""
    return sum(size for _, size, _ in _noted(connection))


def wrong(connection: "duckdb.DuckDBPyConnection", folder: Path, *, read: bool = False) -> list[str]:
    """What is wrong with the files of a generation, a sentence each. read: compare their checksums, too."""
    found = []
    for name, size, digest in _noted(connection):
        path = folder / name
        try:
            same = path.stat().st_size == size
            if same and read:
                with path.open("rb") as file:
                    same = hashlib.file_digest(file, "sha256").hexdigest() == digest
        except FileNotFoundError:
            found.append(f"{path}: this file of the database is missing.")
            continue
        if not same:
            found.append(f"{path}: this file of the database is damaged.")
    return found


def views(connection: "duckdb.DuckDBPyConnection", folder: Path, tables: Iterable[str] = tuple(FORMS)) -> None:
    """Let the views of the database show what lies in a folder beside it."""
    for table in tables:
        files = [path.relative_to(folder.parent).as_posix() for path in _files(folder) if path.parts[-4] == table]
        connection.execute(f"CREATE OR REPLACE VIEW {table} AS {select(table, files)}")


def files_of(folder: Path, table: str, runs: Iterable[str]) -> list[str]:
    """The files of some runs, named as a view names them."""
    found = (place(folder, table, run_id, "x").parent.glob("*/*.parquet") for run_id in runs)
    return [path.relative_to(folder.parent).as_posix() for each in found for path in sorted(each)]


def select(table: str, files: Iterable[str]) -> str:
    """The rows of some files of a table, as SQL."""
    form, listed = FORMS[table], ", ".join(_literal(each) for each in files)
    if not listed:
        empty = ", ".join(f"NULL::{kind} AS {_name(each)}" for each, kind in form.columns.items())
        return f"SELECT NULL::VARCHAR AS run_id, NULL::VARCHAR AS {form.by}, {empty} WHERE false"
    columns = ", ".join(
        f"nullif({_name(each)}, -1)::{kind} AS {_name(each)}" if each in form.absent else _name(each)
        for each, kind in form.columns.items()
    )
    return (
        f"SELECT run_id, {form.by}, {columns} FROM read_parquet([{listed}], hive_partitioning = true, "
        f"hive_types = {{'run_id': VARCHAR, '{form.by}': VARCHAR}})"
    )


def _name(column: str) -> str:
    return f'"{column}"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def take_out(connection: "duckdb.DuckDBPyConnection", folder: Path) -> None:
    """Write what the tables of an older database hold into files, and drop the tables."""
    for table, form in FORMS.items():
        known = f"SELECT DISTINCT run_id, {form.by} FROM {table} ORDER BY ALL"
        columns = ", ".join(
            f"coalesce({_name(each)}, -1)::{kind} AS {_name(each)}" if each in form.absent else _name(each)
            for each, kind in form.columns.items()
        )
        for run_id, name in connection.execute(known).fetchall():
            asked = f"SELECT {columns} FROM {table} WHERE run_id = $run AND {form.by} = $name ORDER BY rowid"
            rows: pa.Table = connection.sql(asked, params={"run": run_id, "name": name}).to_arrow_table()
            if table == "scores" and not in_order(rows):
                rows = rows.sort_by("item_no")
            write(folder, table, run_id, name, rows)
        connection.execute(f"DROP TABLE {table}")


def in_order(rows: "pa.Table") -> bool:
    """Whether rows are in the order of their items."""
    numbers = rows.column("item_no").to_numpy()
    return not bool((numbers[1:] < numbers[:-1]).any())
