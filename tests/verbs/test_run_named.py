"""`run --name`, lists of models and benchmarks, the kinds of who names none, and the folder of who names it once."""

import json

import pytest

from backend.errors import UsageError
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import choose_run
from backend.verbs.run import command, named
from pages.shared.drawing import colours


def table(folder, n=4):
    """VISLA's lines, without their images."""
    folder.mkdir(exist_ok=True)
    lines = [f"{k}.jpg\tone {k} of {folder.name}\tthe one {k}\tnot {k}" for k in range(n)]
    header = "filename\tcaption\tsecond positive\tnegative_caption"
    (folder / "Generic_VISLA.tsv").write_text("\n".join([header, *lines]) + "\n")
    return folder


def test_the_name_is_kept_in_the_record_and_stands_for_the_model(tmp_path, capsys):
    command(model="fake:ok", benchmark="visla", kinds="t2t", data=table(tmp_path / "a"), name="  My  model ")
    store = open_store(follow=False, wait=True)
    assert catalog.called(store) == {"fake:ok": "My model"}
    chosen = choose_run(store, "My model", "visla")
    assert (chosen.model, store.run(chosen.run_id).record["name"]) == ("fake:ok", "My model")


def test_a_run_that_says_no_name_keeps_it_and_an_empty_one_takes_it_away(tmp_path, flipside_cache):
    folder = table(tmp_path / "a")

    def name_after(**said):
        command(model="fake:ok", benchmark="visla", kinds="t2t", data=folder, **said)
        (record,) = flipside_cache.glob("runs/*/run.json")
        return json.loads(record.read_text()).get("name")

    assert [name_after(name="A"), name_after(), name_after(name="B"), name_after(name="")] == ["A", "A", "B", None]


def test_names_that_are_none_are_refused():
    assert named(None, ["fake:ok"]) is None
    with pytest.raises(UsageError, match="one name for 2 models"):
        named("A", ["fake:ok", "fake:nan"])
    for wrong in ("x" * 81, "a\x1b[31m", "a\nb", "a\tb", "A\n"):
        with pytest.raises(UsageError, match="--name"):
            named(wrong, ["fake:ok"])


def test_two_models_of_one_name_are_told_apart_by_their_specs(tmp_path):
    folder = table(tmp_path / "a")
    for spec in ("fake:ok", "fake:constant"):
        command(model=spec, benchmark="visla", kinds="t2t", data=folder, name="Same")
    store = open_store(follow=False, wait=True)
    with pytest.raises(UsageError, match="2 models are called 'Same': fake:constant, fake:ok"):
        choose_run(store, "Same", "visla")


def test_pages_call_models_by_their_names():
    colours.call({"hf:a/b": ("Mine", ""), "hf:c/d": ("Mine", "")})
    try:
        assert colours.label("hf:a/b") == "Mine"
        assert colours.labels(["hf:a/b", "hf:x/y"]) == {"hf:a/b": "Mine", "hf:x/y": "y"}
        assert colours.labels(["hf:a/b", "hf:c/d"]) == {"hf:a/b": "hf:a/b", "hf:c/d": "hf:c/d"}
    finally:
        colours.call({})
    assert colours.label("hf:a/b") == "b"


def test_without_kinds_all_that_both_have_is_scored(tmp_path, capsys):
    command(model="fake:ok/itc,t2t,prior", benchmark="visla", data=table(tmp_path / "a"), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert [*document["parts"]] == ["itc", "t2t"]
    command(model="fake:ok/itc,t2t", benchmark="world", subset="relation", limit=2, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert ([*document["parts"]], document["skipped"]) == (["itc", "vectors:image", "vectors:text"], {})


def test_the_folder_is_remembered_the_latest_one_first(tmp_path, capsys):
    first, second = table(tmp_path / "one"), table(tmp_path / "two", 3)
    for folder in (first, second, first):
        command(model="fake:ok", benchmark="visla", kinds="t2t", data=folder, as_json=True)
    capsys.readouterr()
    command(model="fake:ok", benchmark="visla", kinds="t2t", as_json=True)
    out, err = capsys.readouterr()
    assert json.loads(out)["n_items"] == 4
    assert f"files from {first}, as last time" in err
    (first / "Generic_VISLA.tsv").unlink()
    first.rmdir()
    command(model="fake:ok", benchmark="visla", kinds="t2t", as_json=True)
    assert json.loads(capsys.readouterr().out)["n_items"] == 3


def test_several_models_and_benchmarks_with_commas(tmp_path, capsys):
    command(model="fake:ok/t2t", benchmark="visla", data=table(tmp_path / "a"), as_json=True)
    capsys.readouterr()
    command(model="fake:ok/itc,t2t, fake:constant", benchmark="visla,world", limit=2, as_json=True)
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["model"], run["benchmark"]) for run in runs] == [
        ("fake:ok/itc,t2t", "visla"), ("fake:ok/itc,t2t", "world"),
        ("fake:constant", "visla"), ("fake:constant", "world"),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="one folder for 2 benchmarks"):
        command(model="fake:ok", benchmark="visla,world", data=tmp_path)
