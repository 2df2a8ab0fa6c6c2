"""Clumps of a map are found once, and again where anything is another: the map, the rule, the library."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backend import paths
from backend.live.maps import clumped, maps
from backend.store.enrichment import clumps


@pytest.fixture
def places() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(at, 0.3, (30, 2)) for at in (0, 5, 10)])


@pytest.fixture
def searched(monkeypatch) -> list[int]:
    """How many dots were searched, each time."""
    asked: list[int] = []
    known = clumps.labels_of

    def labels_of(places):
        asked.append(len(places))
        return known(places)

    monkeypatch.setattr(clumps, "labels_of", labels_of)
    return asked


def test_a_map_is_searched_once(flipside_cache, places, searched):
    first = clumped.labels(places)
    assert set(first.tolist()) >= {0, 1, 2}
    assert np.array_equal(clumped.labels(places.copy()), first)
    assert searched == [90]
    moved = places.copy()
    moved[0, 0] = np.nextafter(moved[0, 0], 1)
    clumped.labels(moved)
    assert searched == [90, 90], "another map"


def test_another_version_or_rule_searches_anew(flipside_cache, places, searched, monkeypatch):
    clumped.labels(places)
    monkeypatch.setattr(clumped, "_library", lambda: "99.0")
    clumped.labels(places)
    monkeypatch.setattr(clumps, "NEIGHBOURS", 6)
    clumped.labels(places)
    assert searched == [90, 90, 90]


def test_a_damaged_file_and_a_cache_that_cannot_be_written_do_no_harm(flipside_cache, places, searched, monkeypatch):
    first = clumped.labels(places)
    path = maps.folder() / clumped.FOLDER / f"{clumped.key(places)}.npz"
    path.write_bytes(path.read_bytes()[:60])
    assert np.array_equal(clumped.labels(places), first)
    path.unlink()

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(maps, "write_arrays", full)
    assert np.array_equal(clumped.labels(places), first)
    assert len(searched) == 3


def test_those_that_ship_are_those_of_the_maps_that_ship():
    """Of every map that ships, what is kept beside it is what would be found in it."""
    shipped = sorted((paths.bundled_runs_dir() / "maps").glob("*.npz"))
    assert shipped
    for path in shipped:
        with np.load(path) as found:
            places = np.asarray(found["places"], dtype=np.float32)
        kept = maps.read_labels(clumped.shipped() / f"{clumped.key(places)}.npz", len(places))
        assert kept is not None, f"{path.name}: run `python -m scripts.bundled_maps`"
        assert np.array_equal(kept, clumps.labels_of(places))


def test_a_map_that_was_searched_loads_no_sklearn(flipside_cache, places):
    file = flipside_cache / "places.npy"
    np.save(file, places)
    clumped.labels(places)
    code = (
        "import sys, numpy as np; from backend.live.maps import clumped; from backend.store.enrichment import clumps;"
        "assert len(clumps.groups_of(np.load(sys.argv[1]), clumped.labels)) == 3; assert 'sklearn' not in sys.modules"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], cwd=root, env=dict(os.environ), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1500:]


@pytest.mark.parametrize(
    "labels",
    [np.array(["a"] * 90), np.full(90, np.nan), np.full(90, 9999), np.full(90, -7), np.zeros((90, 1), int),
     np.zeros(10**7, np.int16)],
)  # fmt: skip
def test_a_file_with_other_things_is_not_believed(flipside_cache, places, searched, labels):
    wanted = clumped.labels(places)
    path = maps.folder() / clumped.FOLDER / f"{clumped.key(places)}.npz"
    np.savez_compressed(path, labels=labels)
    assert np.array_equal(clumped.labels(places), wanted)
    assert searched == [90, 90]


def test_what_cannot_be_kept_is_found_all_the_same(flipside_cache, places):
    (maps.folder() / clumped.FOLDER / f"{clumped.key(places)}.npz").mkdir(parents=True)  # as a full disk refuses it
    assert set(clumped.labels(places).tolist()) >= {0, 1, 2}
