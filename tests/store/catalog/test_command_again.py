"""The command that goes on with a stored run names all that decides its id: asked again, it is the same run."""

import shlex

import pytest

from backend import paths
from backend.benchmarks.items_folder import kept
from backend.engine.storage.identity import run_id
from backend.items import Protocol
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.catalog import command_again
from backend.store.examples import example
from backend.store.failures import selections
from backend.store.reasons.not_measured import command, of_run, why
from tests.benchmarks.samples import valse
from tests.pages import results

RUN, SPEAKER = "1" * 16, "3" * 16


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    root = tmp_path_factory.mktemp("again")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "none")
        results.write(root)
        return open_store(follow=False)  # tests have caches of their own, which it would move on to


@pytest.fixture
def small(written, flipside_cache):
    """Four runs of a small benchmark; notes and what was read on this machine are the test's own."""
    return written


@pytest.fixture
def alone(tmp_path, monkeypatch, flipside_cache):
    """A cache in which nothing ships."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    return flipside_cache


@pytest.mark.long
def test_the_command_goes_on_with_the_same_run(alone, flipside, tmp_path):
    valse.write(tmp_path / "valse")
    of_valse = ("--benchmark", "valse", "--data", tmp_path / "valse")
    world = ("--benchmark", "world", "--subset", "relation,choice")
    picked = selections.keep("f8eadc93235c6500", ["choice/1", "choice/2", "relation/1"], "three of them")
    asked = (
        (*of_valse, "--split", "all"),
        (*world, "--sample", "12", "--seed", "3", "--counterfactual", "3"),
        ("--benchmark", "world", "--set", picked.key),
    )
    said = []
    for words in asked:
        first = flipside("run", "--model", "fake:ok", "--kinds", "itm", *words, "--json")
        assert first.code == 0, first.err
        again = command_again.words(open_store().run(first.json["run"]))
        second = flipside("run", *again, "--json")
        assert second.json["run"] == first.json["run"], again
        assert not any(part["new_rows"] for part in second.json["parts"].values())
        said.append(" ".join(again))
    assert said[0].endswith(f"--data {tmp_path / 'valse'} --kinds itm --split all")
    assert said[1].endswith("--subset choice,relation --sample 12 --seed 3 --counterfactual 3")
    assert said[2].endswith(f"--set {picked.key}")


def test_picked_items_that_are_not_kept_here_leave_no_command(small, monkeypatch):
    run = small.run(RUN)
    items = {"n": 2, "sha256": "0" * 16}
    monkeypatch.setitem(run.__dict__, "record", run.record | {"selection": {"items": items}})
    assert command_again.words(run, ["itc"]) == []
    selections.keep(run.benchmark, ["a", "b"], "others")
    assert command_again.words(run, ["itc"]) == []
    monkeypatch.setitem(run.__dict__, "record", {"benchmark": {"name": "small"}})
    assert command_again.words(run, ["itc"]) == [], "a record that names no model"


@pytest.mark.parametrize(
    ("asked", "model", "origin", "named"),
    [
        ("bfloat16", {"dtype": "bfloat16", "device": "cpu"}, "computed", "bfloat16"),
        ("auto", {"dtype": "float32", "device": "cpu"}, "computed", None),
        ("auto", {"dtype": "float16", "device": "cuda:0 (A card)"}, "computed", "float16"),
        ("auto", {"dtype": "float32", "device": "cpu"}, "imported", "float32"),
        ("auto", {"dtype": "its own", "device": "its own"}, "imported", None),
        ("auto", {"dtype": "float32", "device": "cpu", "family": "py"}, "imported", None),
    ],
)
def test_a_dtype_is_named_where_another_could_be_taken(small, monkeypatch, asked, model, origin, named):
    run = small.run(RUN)
    record = run.record | {"model": {"spec": "hf:x", **model}, "sessions": [{"dtype": asked}]}
    monkeypatch.setitem(run.__dict__, "record", record)
    monkeypatch.setitem(run.__dict__, "origin", origin)
    words = command_again.words(run, ["itc"])
    assert words[:6] == ["--model", "hf:x", "--benchmark", "small", "--kinds", "itc"]
    assert words[6:] == (["--dtype", named] if named else [])


def test_the_dtype_is_part_of_a_run_s_id():
    told = [{"weights_sha256": "w", "preprocessing": {}, "dtype": dtype} for dtype in ("float16", "float32")]
    assert run_id(told[0], "b", {}) != run_id(told[1], "b", {})


#: What a session's record says of what was asked, what else the record says, and the words that ask for it again.
OWED = [
    ({"counterfactual": 20}, {}, "--counterfactual 20"),
    ({}, {"counterfactual": {"counterfactual:itc": {"images": 9}}}, "--counterfactual 9"),
    ({"counterfactual": 16}, {"model": {"spec": "bundled:x"}}, ""),
    ({}, {"model": {"spec": "bundled:x"}}, "--counterfactual 0"),
    ({"planned": 1024}, {}, "--planned"),
    ({}, {"model": {"spec": "hf:x", "compiled": True}}, "--compile"),
    ({"trust_remote_code": True, "reuse": False}, {}, "--trust-remote-code --no-reuse"),
    ({}, {"series": {"tuning": 200}, "name": "Mine"}, ""),
]


@pytest.mark.parametrize(("session", "more", "asked"), OWED)
def test_whatever_changes_what_is_owed_is_named(small, monkeypatch, session, more, asked):
    run = small.run(RUN)
    record = run.record | {"model": {"spec": "hf:x"}, "sessions": [session]} | more
    monkeypatch.setitem(run.__dict__, "record", record)
    said = " ".join(command_again.words(run))
    assert said.partition("--benchmark small --kinds itc,itm,t2t")[2].strip() == asked
    if "counterfactual" in session:
        assert "--counterfactual" not in command_again.words(run, ["itc"]), "named by whoever asks for a kind's own"
        assert command(run, "itc").endswith(f"--kinds itc --counterfactual {session['counterfactual']}")


def test_a_run_that_was_stopped_before_it_came_to_a_kind_owes_it(small, monkeypatch):
    run = small.run(RUN)
    monkeypatch.setitem(run.__dict__, "record", run.record | {"sessions": [{"kinds": ["t2t", "verdict"]}]})
    assert "--kinds itc,itm,verdict,t2t" in " ".join(command_again.words(run))


def test_an_imported_run_is_computed_under_its_name_and_trusted_with_nothing(small, monkeypatch):
    run = small.run(RUN)
    record = run.record | {"series": {"my tuning": 200}, "name": "Mine", "sessions": [{"trust_remote_code": True}]}
    monkeypatch.setitem(run.__dict__, "record", record)
    monkeypatch.setitem(run.__dict__, "origin", "imported")
    said = " ".join(command_again.words(run))
    assert said.endswith("--series my tuning --step 200 --name Mine")
    assert "--trust-remote-code" not in said


def test_priors_are_named_and_a_folder_that_nobody_recorded_has_a_place(small, monkeypatch):
    run = small.run(SPEAKER)
    priors = {"prior@noise:2": {}, "prior@images:3@train-0a1b2c3d": {}}
    monkeypatch.setitem(run.__dict__, "record", run.record | {"priors": priors})
    assert command_again.own_priors(run.record) == ["noise:2", "images:3@train-0a1b2c3d"]
    assert " ".join(command_again.words(run)).endswith("--kinds gen,prior --prior noise:2 --prior images:3@FOLDER")
    assert "prior" not in " ".join(command_again.words(run, ["gen"]))
    assert list(queries.runs(small)["origin"].unique()) == [run.origin] == ["computed"]


def test_the_folder_is_the_one_that_was_read_here(small, flipside_cache, monkeypatch):
    """What a run's record says of it may have come in a bundle."""
    from backend import recorded

    run = small.run(RUN)
    elsewhere = run.record["benchmark"] | {"data_dir": "/elsewhere"}
    monkeypatch.setitem(run.__dict__, "record", run.record | {"benchmark": elsewhere})
    assert "--data" not in command_again.words(run)
    folder = flipside_cache / "data"
    folder.mkdir()
    recorded.record(flipside_cache, run.benchmark, "small", "", str(folder), [])
    assert f"--data {folder}" in " ".join(command_again.words(run))


@pytest.mark.long
def test_what_ships_of_an_edition_is_gone_on_with_in_an_empty_cache(flipside, flipside_cache, tmp_path, monkeypatch):
    """The edition is made again, under its name, or beside another of that name; and then it is the same run."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    example.take_over(paths.bundled_editions_dir())
    run, benchmark = "fd28d7de49f6035d", "09f2f69310b087aa"
    monkeypatch.chdir(tmp_path)
    assert of_run(open_store(), run, "itc")["choice"].command == (
        "flipside perturb --benchmark world --subset choice,attribute,relation --sample 200 --kinds distraction && "
        "flipside run --model bundled:clip-relational --benchmark 'world~distraction' --kinds itc --counterfactual 16"
    )
    refused = flipside("run", "--model", "bundled:clip", "--benchmark", "world~distraction", "--kinds", "itc")
    assert refused.code == 2
    assert f"`{' '.join(['flipside', 'perturb', *kept.made_again(benchmark)])}` makes it" in refused.err
    assert flipside("perturb", "--benchmark", "world", "--kinds", "distraction", "--limit", "9").code == 0
    assert kept.kept_hash("world~distraction") != benchmark, "another one of that name"
    said = of_run(open_store(), run, "itc")["choice"].command
    assert "--kinds distraction --out editions && " in said
    assert "--data 'editions/world~distraction'" in said
    for line in said.split(" && "):
        done = flipside(*shlex.split(line)[1:], "--json")
        assert done.code == 0, done.err
    assert done.json["run"] == run
    assert of_run(open_store(), run, "itc") == {}
    assert command_again.made_first(open_store().run(run)) == [], "where it was read is known now"


def test_an_edition_that_is_here_no_longer_leaves_no_command_and_is_said(small, monkeypatch):
    run = small.run(RUN)
    monkeypatch.setitem(run.__dict__, "record", run.record | {"benchmark": {"name": "small~distraction"}})
    assert command_again.words(run, ["itc"]) == []
    assert command_again.typed(run, ["itc"]) == ""
    said = why(run, Protocol.CHOICE, "itc")
    assert said.command == ""
    assert "kept here no longer" in said.said


def test_every_edition_that_ships_can_be_made_again():
    known = list((paths.bundled_editions_dir() / "benchmarks").iterdir())
    assert known
    seeds = [kept.made_again(folder.name)[len(kept.SHIPPED_OF) :] for folder in known]
    assert sorted(seeds) == sorted({tuple(words): words for words in seeds}.values()), "no two alike"
    assert ["--kinds", "character_swap", "--seed", "4"] in seeds
    assert kept.made_again("0" * 16) == []
