import shutil

import pytest

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
