import shutil
from dataclasses import replace

import numpy as np
import pytest

from backend.items import Protocol
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from tests.engine.samples import mixed
from tests.store import writer

#: A model with every kind, a second one that is worse, and a blind one.
ONE, TWO, BLIND = "1" * 16, "2" * 16, "3" * 16
MODEL = "fake:ok"


@pytest.fixture(autouse=True)
def no_shipped_results(monkeypatch, tmp_path):
    """Only what a test writes is imported."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "shipped")


@pytest.fixture
def items():
    return writer.items()


def fill(root, items):
    parts = ["itc", "itm", "gen", "t2t", "prior@noise:3", "prior@images:2"]
    writer.write_run(root, items, ONE, parts)
    writer.write_run(root, items, TWO, ["itc"], model="fake:collapsed", skill=0.2, seed=5)
    writer.write_run(root, items, BLIND, ["prior@self"], model="fake:blind", seed=6)


@pytest.fixture
def toy(flipside_cache, items):
    """The cache with three runs on a toy benchmark; its root."""
    fill(flipside_cache, items)
    return flipside_cache


@pytest.fixture(scope="session")
def asked_root(tmp_path_factory):
    """A cache with the same three runs for tests that only read."""
    root = tmp_path_factory.mktemp("asked")
    fill(root, writer.items())
    return root


@pytest.fixture(scope="session")
def asked(asked_root) -> Store:
    """The store on `asked_root`, built once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(asked_root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: asked_root / "nothing")
        return open_store(follow=False)


@pytest.fixture(scope="session")
def patchy(tmp_path_factory) -> Store:
    """The store on a benchmark of several protocols whose quads share pictures two by two, with three runs: ONE lacks
    some scores of itc and gen, single ones and those of whole items; TWO and BLIND are as in `toy`."""
    root = tmp_path_factory.mktemp("patchy")
    known = writer.items()
    for at, item in enumerate(known):
        if item.subset == "attribute" and at % 2:
            known[at] = replace(item, images=(known[at - 1].images[0], item.images[1]))
    fill(root, known)
    for part in ("itc", "gen"):
        rng = np.random.default_rng(len(part))
        rows = [
            row for number, item in enumerate(known) if item.protocol != Protocol.RETRIEVAL and number % 7 != 3
            for row in writer.score_rows(part, number, item, rng, 0.7) if (number + 2 * row[1] + row[2]) % 11
        ]  # fmt: skip
        writer.add_part(root / "runs" / ONE, part, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        return open_store(follow=False)


@pytest.fixture
def ready(asked_root, asked, monkeypatch):
    """The command line on `asked_root`, where nothing is left to import; its folder."""
    assert asked.generation
    monkeypatch.setenv("FLIPSIDE_CACHE", str(asked_root))
    return asked_root


@pytest.fixture(scope="session")
def scored_once(tmp_path_factory):
    """(folder, run id, store): 24 items of each protocol, scored by the engine by every kind that reasons are known of,
    the choices and triplets under 18 other images, too; for tests that only read."""
    from backend.engine.runner import run

    root = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        kinds = ["itc", "itm", "gen", "t2t", "prior"]
        benchmark = mixed(root / "pictures", 24)
        summary = run(MODEL, benchmark, kinds, priors=["noise:6"], counterfactual=18, root=root)
        return root, summary.run_id, open_store(follow=False)


@pytest.fixture
def scored(scored_once, monkeypatch):
    """(store, run id) of `scored_once`; the command line reads it, too."""
    root, run_id, store = scored_once
    monkeypatch.setenv("FLIPSIDE_CACHE", str(root))
    return store, run_id


@pytest.fixture
def scored_copy(scored_once, flipside_cache):
    """(folder, run id): the same for a test that changes files."""
    root, run_id, _ = scored_once
    for name in ("runs", "benchmarks"):
        shutil.copytree(root / name, flipside_cache / name)
    for path in root.iterdir():
        if path.is_file():
            shutil.copy2(path, flipside_cache / path.name)
    return flipside_cache, run_id


@pytest.fixture
def store(toy) -> Store:
    return open_store()
