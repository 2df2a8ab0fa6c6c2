import pytest

from backend.cli import VERBS
from backend.store.reader import Store, open_store
from tests.store import writer

#: A model with every kind, a second one that is worse, and a blind one.
ONE, TWO, BLIND = "1" * 16, "2" * 16, "3" * 16
MODEL = "fake:ok"


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
def asked(tmp_path_factory) -> Store:
    """A store on the same three runs that is only read: built once."""
    root = tmp_path_factory.mktemp("asked")
    fill(root, writer.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.sources.bundled_runs_dir", lambda: root / "nothing")
        return open_store(follow=False)


@pytest.fixture(autouse=True)
def no_shipped_results(monkeypatch, tmp_path):
    """Only what a test writes is imported."""
    monkeypatch.setattr("backend.store.sources.bundled_runs_dir", lambda: tmp_path / "shipped")


@pytest.fixture
def store(toy) -> Store:
    return open_store()


@pytest.fixture(autouse=True)
def verbs(monkeypatch):
    for verb in ("report", "export", "import-results", "sql"):
        monkeypatch.setitem(VERBS, verb, f"backend.verbs.{verb.replace('-', '_')}:command")
