"""What models are called: no name passes for another model, and each finds its model in every command."""

import json

import pytest

from backend.errors import UsageError
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import choose_run
from backend.study.grid import read
from backend.verbs.run import named
from tests.store import writer

PUBLIC = {"source": "Winoground", "system": "CLIP", "head": "contrastive", "sharing": "everything"}


def write(root, run_id, model, items, name="", public=None, benchmark="toy"):
    """A run whose record has a name, or is of a fetched system."""
    folder = writer.write_run(root, items, run_id, ["itc"], model=model, name=benchmark)
    record = json.loads((folder / "run.json").read_text())
    record |= {"name": name} if name else {}
    record["model"] |= {"public": PUBLIC | public} if public else {}
    (folder / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize("name", ["bundled:clip", "HF: my model", "a (predictions:clip)", "openclip：ViT"])
def test_a_spec_is_no_name(name, tmp_path):
    with pytest.raises(UsageError, match=r"--name: the name .* reads as the spec of a model"):
        named(name, ["py:mine.py:load"])
    grid = tmp_path / "grid.toml"
    grid.write_text(f'[[models]]\nspec = "fake:ok"\nname = "{name}"\n[[benchmarks]]\nname = "world"\n')
    with pytest.raises(UsageError, match=r"grid\.toml, line 3: the name .* reads as the spec"):
        read(grid)
    assert catalog.name_of({"name": name}) == ""
    assert named("fake:ok", ["fake:ok"]) == "fake:ok"


def test_models_that_ship_keep_their_names(flipside_cache, tmp_path, monkeypatch):
    """A run of one's own under a name never renames what ships."""
    shipped = tmp_path / "ships"
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: shipped)
    items = writer.items()
    writer.write_run(shipped, items, "1" * 16, ["itc"], model="bundled:clip")
    write(flipside_cache, "2" * 16, "bundled:clip", items, name="My CLIP")
    write(flipside_cache, "3" * 16, "fake:ok", items, name="Mine")
    store = open_store(follow=False, wait=True)
    assert set(catalog.runs(store)["origin"]) == {"shipped", "computed"}
    assert catalog.called(store) == catalog.shown(store) == {"fake:ok": "Mine"}
    assert choose_run(store, "My CLIP", "toy").model == "bundled:clip"


def test_fetched_systems_go_by_their_names_where_one_is_on_the_benchmark(flipside_cache):
    items = writer.items()
    write(flipside_cache, "1" * 16, "predictions:clip", items, public={"name": "clip"})
    write(flipside_cache, "2" * 16, "predictions:clip-b", items, public={"name": "clip", "source": "B"}, benchmark="b")
    write(flipside_cache, "3" * 16, "predictions:vilt", items, public={"name": "vilt"})
    store = open_store(follow=False, wait=True)
    shown = catalog.shown(store)
    assert shown == {
        "predictions:clip": "clip (Winoground)", "predictions:clip-b": "clip (B)", "predictions:vilt": "vilt"
    }  # fmt: skip
    assert choose_run(store, "vilt", "toy").model == "predictions:vilt"
    assert choose_run(store, "clip", "toy").model == "predictions:clip"
    assert choose_run(store, "clip", "b").model == choose_run(store, "clip (B)", "b").model == "predictions:clip-b"
    with pytest.raises(UsageError, match=r"no run of model 'vil'\. Did you mean vilt\?"):
        choose_run(store, "vil", "toy")
    with pytest.raises(UsageError, match=r"flipside add-predictions FILE --as vilt --benchmark world` makes one"):
        choose_run(store, "vilt", "world")


def test_a_command_that_is_suggested_asks_for_kinds_that_the_model_gives(flipside_cache):
    writer.write_run(flipside_cache, writer.items(), "1" * 16, ["gen"], model="bundled:captioner")
    store = open_store(follow=False, wait=True)
    with pytest.raises(UsageError, match="--benchmark visla --data DIR` makes one"):
        choose_run(store, "bundled:captioner", "visla")
    with pytest.raises(UsageError, match=r"it has gen. The model gives no itc; it gives gen, prior"):
        choose_run(store, "bundled:captioner", "toy", "itc")


def test_a_bundle_cannot_give_a_model_the_name_of_another(flipside_cache, monkeypatch):
    items = writer.items()
    write(flipside_cache, "1" * 16, "fake:ok", items, name="Mine")
    write(flipside_cache, "2" * 16, "hf:else/where", items, name="Mine")
    write(flipside_cache, "3" * 16, "hf:else/what", items, name="Theirs")
    store = open_store(follow=False, wait=True)
    frame = catalog.runs(store).copy()
    frame.loc[frame["model"] != "fake:ok", "origin"] = "imported"
    monkeypatch.setattr(catalog, "runs", lambda *_: frame)
    assert catalog.called(store) == {"fake:ok": "Mine", "hf:else/what": "Theirs"}
