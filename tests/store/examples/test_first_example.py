"""The example as set-up imports it: what is made ahead of a first look begins with it, and holds what importing all of
it gives; where it does not fit, all is imported."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.engine.storage import shards
from backend.store.build import attached, derive, first, generations, importer, loading, sources
from backend.store.examples import ahead, first_example, make_first_example, shown_once
from tests.store import writer
from tests.store.conftest import fill
from tests.store.examples.test_ahead import content

pytestmark = pytest.mark.long


@pytest.fixture
def kept(few: Path, flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What set-up keeps of an example of two runs; the cache holds what ships, here three runs, and nothing of the
    example."""
    fill(tmp_path / "results", writer.items())
    monkeypatch.setattr(sources, "bundled_runs_dir", lambda: tmp_path / "results")
    monkeypatch.setattr(first, "folder", lambda: tmp_path / "share")
    monkeypatch.setattr(make_first_example, "bundled_editions_dir", lambda: few)
    path = make_first_example.make()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))  # `make` sets another one
    assert path is not None
    assert first_example.found(few) == path
    importer.refresh(wait=True)
    return path


def refuse_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no shard and no benchmark be imported, and no run be judged."""
    for module, name in (
        (loading, "_scores"), (loading, "_is_sound"), (loading, "_load_benchmark"), (derive, "_judged"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, lambda *_, name=name: pytest.fail(name))


def test_what_begins_with_it_holds_what_an_import_gives(kept: Path, few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        refuse_imports(patch)
        begun = ahead.make(few)
        assert begun is not None
        found = content(begun)
    shutil.rmtree(ahead.folder())
    monkeypatch.setattr(first_example, "found", lambda _: None)
    made = ahead.make(few)
    assert made is not None
    all_of_it = content(made)
    assert found[0].keys() == all_of_it[0].keys()
    for name, rows in all_of_it[0].items():
        assert sorted(map(repr, found[0][name])) == sorted(map(repr, rows)), name
    assert found[1] == all_of_it[1]
    assert ahead.take(few)
    assert importer.is_current_now()


def test_who_looks_before_anything_was_made_gets_it_at_once(
    kept: Path, few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_imports(monkeypatch)
    assert not ahead.folder().exists()
    assert shown_once.take_ahead(few)
    assert importer.is_current_now()
    before = generations.current()
    importer.refresh(wait=True)
    assert generations.current() == before
    assert not shown_once.is_new(few)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _change_a_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in range(20_000, len(content), 4096):
        content[at] ^= 0xFF
    path.write_bytes(bytes(content))


def _lose_a_file(path: Path) -> None:
    next(attached.folder_of(path).glob("*/*/*/*.parquet")).unlink()


@pytest.mark.parametrize("harm", [_cut, _change_a_page, _lose_a_file])
def test_a_damaged_one_is_no_harm(kept: Path, few: Path, harm: Callable[[Path], None]) -> None:
    whole, n = content(kept)[1], len(shards.run_dirs(few))
    harm(kept)
    made = ahead.make(few)
    assert made is not None
    rows, files = content(made)
    assert files == whole
    assert n == 2
    assert {run.name for run in shards.run_dirs(few)} <= {str(row[0]) for row in rows["runs"]}
    assert not list(ahead.folder().glob(f"{generations.ASIDE}*"))


def test_where_the_cache_holds_more_it_is_of_no_use(kept: Path, few: Path, flipside_cache: Path) -> None:
    base = generations.current()
    assert base is not None
    assert first_example.instead_of(base, few) == kept
    writer.write_run(flipside_cache, writer.items(), "6" * 16, ["itc"], model="fake:more")
    importer.refresh(wait=True)
    more = generations.current()
    assert more is not None
    assert more != base
    assert first_example.instead_of(more, few) is None
    made = ahead.make(few)
    assert made is not None
    here = {run.name for folder in (flipside_cache, few) for run in shards.run_dirs(folder)}
    assert here <= {str(row[0]) for row in content(made)[0]["runs"]}


@pytest.mark.parametrize(
    "more",
    [
        "INSERT INTO run_parts SELECT run_id, 'itm', complete, n_rows, root, shards FROM run_parts LIMIT 1",
        "UPDATE runs SET record = '{}'",
        "UPDATE benchmarks SET fingerprint = 'with pictures'",
    ],
    ids=["scores of its own under a run that ships", "another record", "pictures that were found"],
)
def test_a_cache_with_something_else_than_what_ships_keeps_it(kept: Path, few: Path, tmp_path: Path, more: str) -> None:
    base = shutil.copyfile(generations.current() or Path(), tmp_path / "base.duckdb")
    assert first_example.instead_of(base, few) == kept
    with contextlib.closing(importer.connect(base, read_only=False)) as connection:
        connection.execute(more)
    assert first_example.instead_of(base, few) is None


def test_what_goes_while_it_is_copied_is_no_harm(kept: Path, few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where set-up runs again beside a dashboard."""

    whole = content(kept)[1]

    def gone(*_: object) -> Path:
        shutil.rmtree(attached.folder_of(kept))
        return kept

    monkeypatch.setattr(first_example, "instead_of", gone)
    made = ahead.make(few)
    assert made is not None
    assert content(made)[1] == whole


def test_it_counts_only_for_this_code_and_this_example(kept: Path, few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_example.found(few.parent) is None
    monkeypatch.setattr(first, "key", lambda: "0" * 16)
    assert first_example.found(few) is None
