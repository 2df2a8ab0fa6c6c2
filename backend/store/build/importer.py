"""From shards to the next generation of the database; safe in any number of processes."""

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import duckdb

from backend import environment
from backend.durable import full, is_full
from backend.errors import FlipsideError
from backend.paths import unreadable
from backend.store.build import attached, damage, first, generations, schema, sources

#: Bytes of the files beside a database whose checksums every process compares as it opens them (0.6 s for a gigabyte);
#: larger ones are compared before anything is built on them, after an error, and by doctor.
CHECKED: Final = 400_000_000


def is_current(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a generation holds everything that the roots hold; reads names, sizes and times only."""
    return not beyond(connection)


def beyond(connection: duckdb.DuckDBPyConnection) -> str:
    """ "" where a generation holds everything that the roots hold; else the stamp of what they hold now."""
    now = sources.stamp(problem_paths(connection))
    return "" if _meta(connection, "stamp") == now else now


def refresh(wait: bool = False) -> bool:
    """Import whatever is new; idempotent. False where another process holds the lock (only without `wait`)."""
    with generations.import_lock(wait) as held:
        if held:
            generations.sweep()
            generations.sweep_ahead()
            _bring_up_to_date()
        return held


def rebuild() -> bool:
    """Set the newest generation aside, where reading it has shown that it is damaged, and build it from shards. False
    where somebody else did so before."""
    damaged = generations.current()
    with generations.import_lock(wait=True):
        if damaged is None or generations.current() != damaged or damage.set_aside(damaged) is None:
            return False
        _build(None)
        return True


def is_damaged(error: BaseException | None) -> bool:
    """Whether an error comes of a damaged generation, which can be rebuilt: of its database by what is said, of the
    files beside it by their checksums, for what reads them says neither which one it was nor why."""
    if damage.is_generation_s(error):
        return True
    path, each = generations.current(), error
    # What Arrow says of a file is an OSError or a ValueError, too.
    while each is not None and not isinstance(each, duckdb.Error | OSError | ValueError):
        each = each.__cause__ or each.__context__
    if path is None or each is None or is_full(error):
        return False
    try:
        with contextlib.closing(connect(path, read_only=True)) as connection:
            return bool(attached.wrong(connection, attached.folder_of(path), read=True))
    except (FlipsideError, duckdb.Error):
        return False


def _bring_up_to_date() -> None:
    base = _usable(generations.current())
    if base is None:
        _begin_with(first.found())
        return
    try:
        if not _up_to_date(base):
            _build(base)
    except (duckdb.Error, FlipsideError) as error:
        if not is_damaged(error):
            raise
        damage.set_aside(base)  # its first pages could be read, the others could not
        _build(None)


def _begin_with(known: Path | None) -> None:
    """The first generation of a cache. known: what was made of the results that ship; one that cannot be read is no
    use, and all is imported. Where the disk is full, importing all would need more of it."""
    try:
        _build(known)
    except (duckdb.Error, FlipsideError) as error:
        if known is None or is_full(error):
            raise
        _build(None)


def can_be_read(path: Path | None) -> bool:
    """Whether a generation is one that this version reads as it is."""
    if path is None:
        return False
    with contextlib.closing(connect(path, read_only=True)) as connection:
        return schema.version_of(connection) == schema.VERSION


def is_current_now() -> bool:
    """Whether the newest generation holds everything that the roots hold."""
    path = generations.current()
    return path is not None and _up_to_date(path)


def _up_to_date(base: Path) -> bool:
    with contextlib.closing(connect(base, read_only=True)) as connection:
        return schema.version_of(connection) == schema.VERSION and is_current(connection)


def limits(path: Path) -> dict[str, str | bool | int | float | list[str]]:
    """What every connection of ours may use; temporary files stand beside the database."""
    return {
        "memory_limit": environment.memory("FLIPSIDE_DB_MEMORY", "1GB"),
        "threads": min(4, os.cpu_count() or 1),
        "temp_directory": str(path.parent / "tmp"),
        "max_temp_directory_size": "8GB",
        "preserve_insertion_order": True,
        # Else its allocator (jemalloc, on Linux) keeps what is free for threads that may never ask again: 25 MB of a
        # dashboard that has drawn one page.
        "allocator_background_threads": True,
        "file_search_path": str(path.parent),  # where the views look for the files of a generation
    }


def connect(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    """A connection with bounded memory and its own temporary folder; the error is one sentence."""
    if why := unreadable(path):
        raise FlipsideError(f"{path.parent}: the path of this folder {why}. Set FLIPSIDE_CACHE to another one.")
    try:
        return duckdb.connect(str(path), read_only=read_only, config=limits(path))
    except duckdb.Error as error:
        raise FlipsideError(
            f"{path}: cannot be opened by DuckDB {duckdb.__version__} "
            f"({str(error).splitlines()[0]}). A file made by DuckDB 2.x cannot be read by 1.x: run `make setup` for "
            f"the pinned version, or delete {path.parent}, which is rebuilt from shards."
        ) from error


def _usable(base: Path | None) -> Path | None:
    """The last generation if the next can be built on it; a damaged one is set aside by building from shards."""
    if base is None:
        return None
    try:
        with contextlib.closing(connect(base, read_only=True)) as connection:
            version = schema.version_of(connection)
            rows, here = attached.folder_of(base), version == schema.VERSION
            hurt = attached.wrong(connection, rows, read=attached.size(connection) <= CHECKED) if here else []
    except FlipsideError as error:
        if not damage.is_damage(error):
            raise
        damage.set_aside(base)
        return None
    except duckdb.Error as error:
        if not damage.is_damage(error):
            raise
        damage.set_aside(base)
        return None
    schema.refuse_newer(version, str(base))
    if hurt:
        damage.set_aside(base)
        return None
    return base


def _build(base: Path | None) -> Path:
    aside = generations.begin(base)
    try:
        return _built(aside, base)
    except (OSError, duckdb.Error, FlipsideError) as error:
        if is_full(error):
            raise FlipsideError(full(generations.db_dir())) from error
        if isinstance(error, OSError):
            raise generations.unwritable(error) from None
        raise
    finally:
        generations.sweep()


def _built(aside: Path, base: Path | None) -> Path:
    """Fill the file and make it the newest generation."""
    rows = attached.folder_of(generations.target_of(aside))
    with contextlib.closing(connect(aside, read_only=False)) as connection:
        older = base is not None and schema.version_of(connection) < schema.VERSION
        judge_all = base is not None and schema.version_of(connection) < schema.JUDGED_SINCE
        if base is None:
            schema.create(connection, rows)
            migrated = True
        else:
            # Whatever is judged anew is judged from these files, and the next generation has them by links.
            sound = older or not attached.wrong(connection, rows, read=True)
            migrated = sound and schema.migrate(connection, rows)
        if migrated:
            problems = fill(connection, rows, judge_all)
            connection.execute("CHECKPOINT")
    if not migrated:
        if base is not None and not sound and base == generations.current():  # what set-up made is not this cache's
            damage.set_aside(base)
        generations.sweep()
        return _build(None)
    if older:
        _compact(aside)
    path = generations.publish(aside)
    for where, reason in problems:
        print(f"Left out: {where}: {reason}.", file=sys.stderr)  # noqa: T201
    return path


def _compact(aside: Path) -> None:
    """Leave no room in a file for what has been taken out of it: every next generation would copy that, too."""
    small = aside.with_name(f"{generations.ASIDE}small{generations.SUFFIX}")
    with contextlib.closing(duckdb.connect(":memory:", config=limits(aside))) as connection:
        for name, path, how in (("wide", aside, " (READ_ONLY)"), ("small", small, "")):
            connection.execute("ATTACH '" + str(path).replace("'", "''") + f"' AS {name}{how}")
        connection.execute("COPY FROM DATABASE wide TO small")
    small.replace(aside)


def fill(
    connection: duckdb.DuckDBPyConnection, rows: Path, judge_all: bool = False, coming: Path | None = None
) -> list[tuple[Path, str]]:
    """Everything that is new, into an open generation; what was left out. rows: the folder of what lies in files;
    judge_all: what is there already is judged anew, too; coming: as for `sources.stamp`."""
    # A second to load, which a start without anything new need not wait for.
    from backend.store.build import derive, loading

    before = sources.stamp(coming=coming)
    found = sources.scan(coming)
    changed = loading.load_benchmarks(connection, found)
    runs = loading.load_runs(connection, found, rows)
    attached.views(connection, rows)
    if judge_all:
        runs |= {run_id for (run_id,) in connection.execute("SELECT run_id FROM runs").fetchall()}
    unjudged = derive.derive(connection, runs, changed, rows)
    found.problems += [(found.folders[run], reason) for run, reason in unjudged.items()]
    found.problems += _without_items(connection, found)
    connection.execute("DELETE FROM problems")
    for path, reason in found.problems:
        connection.execute("INSERT INTO problems VALUES (?, ?)", [str(path), reason])
    attached.views(connection, rows)
    attached.note(connection, rows)
    after = sources.stamp(coming=coming)
    stamp = sources.stamp(problem_paths(connection), coming) if before == after else ""
    _set_meta(connection, "stamp", stamp)
    _set_meta(connection, "build", secrets.token_hex(4))
    return found.problems


def _without_items(connection: duckdb.DuckDBPyConnection, found: sources.Sources) -> Iterator[tuple[Path, str]]:
    """Runs of benchmarks that lie in no root: nothing of them can be shown. Damaged benchmarks are named themselves."""
    lost = connection.execute(
        "SELECT run_id, benchmark FROM runs WHERE benchmark NOT IN (SELECT hash FROM benchmarks) ORDER BY run_id"
    ).fetchall()
    for run_id, benchmark in lost:
        if benchmark not in found.benchmarks and run_id in found.folders:
            source = found.origins[run_id]
            again = f"its bundle again ({source.file})" if source.origin == "imported" else "its benchmark again"
            yield found.folders[run_id], f"its items are not here (benchmarks/{benchmark}); import {again}"


def problem_paths(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Where something was left out, which is looked at again when it changes."""
    return [path for (path,) in connection.execute("SELECT path FROM problems").fetchall()]


def _meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return str(row[0]) if row else None


def build_id(connection: duckdb.DuckDBPyConnection) -> str:
    """A generation's own name, different for every build."""
    return _meta(connection, "build") or ""


def _set_meta(connection: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])


def problems(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """What the last import left out, as (path, reason)."""
    yield from connection.execute("SELECT path, reason FROM problems ORDER BY path").fetchall()


def problems_in(path: Path) -> list[tuple[str, str]]:
    """What the import that made this generation left out. FlipsideError where it cannot be read."""
    with contextlib.closing(connect(path, read_only=True)) as connection:
        try:
            return list(problems(connection))
        except duckdb.Error as error:
            raise FlipsideError(f"{path}: cannot be read ({str(error).splitlines()[0]}).") from error
