"""`flipside fetch results`: from a server on loopback, right, wrong, truncated, redirected and not there."""

import json
import zipfile
from dataclasses import replace

import pytest

from backend.benchmarks import winoground_stub
from backend.benchmarks.fetching import transfer
from backend.intake.real.packages import packages
from backend.intake.real.score_files import score_files
from backend.store.build.reader import open_store
from backend.store.catalog.catalog import tagged
from backend.store.items.cards import card_items
from backend.store.items.detail import item
from tests.benchmarks.fetching.server import Served, serving

FILES = ("baseline_scores/clip.jsonl", "baseline_scores/human.jsonl", "baseline_scores/uniter_large.jsonl")
#: Text, image and group score, as printed.
PRINTED = {"clip": (30.75, 10.5, 8.0), "uniter_large": (38.0, 14.0, 10.5), "people": (89.5, 88.5, 85.5)}


@pytest.fixture
def real(shared_data):
    """The folder of the real files."""
    folder = shared_data / "winoground_scores"
    if not folder.is_dir():
        pytest.skip("the scores on Winoground are not in ../shared/data")
    return folder


@pytest.fixture
def three(monkeypatch):
    """The package of Winoground cut down to three files, so that a test takes seconds."""
    from backend.intake.real import packages as module

    whole = module._winoground()
    source = whole.sources[0]
    files = tuple(file for file in source.files if file.path in FILES)
    cut = replace(whole, sources=(replace(source, files=files),))
    monkeypatch.setattr(module, "packages", lambda: (cut,))
    monkeypatch.setattr(transfer, "ROOM", 0)
    return cut


@pytest.fixture
def mirror(three, real):
    with serving() as files:
        for path in FILES:
            files.files[f"/winoground-scores/{path}"] = Served((real / path.replace("/", "-")).read_bytes())
        yield files


def fetch(flipside, mirror, *more):
    return flipside("fetch", "results", "--mirror", mirror.base, "--yes", "--json", *more)


def states(answer):
    return {each["file"]: each["state"] for each in answer.json["results"][0]["files"]}


def rates(flipside, model):
    found = flipside("report", "--model", f"predictions:{model}", "--benchmark", "winoground", "--json").json
    return [100 * found["metrics"][f"{name}_score"]["value"] for name in ("text", "image", "group")], found


def test_right_bytes_become_runs_with_the_printed_rates(flipside, mirror):
    answer = fetch(flipside, mirror)
    assert answer.code == 0
    found = answer.json["results"][0]
    assert set(states(answer).values()) == {"fetched"}
    assert [each["model"] for each in found["runs"]] == [
        "predictions:clip", "predictions:people", "predictions:uniter_large"
    ]  # fmt: skip
    for model, printed in PRINTED.items():
        values, document = rates(flipside, model)
        assert values == pytest.approx(printed)
        assert document["benchmark_hash"] == winoground_stub.HASH[:16]
    store = open_store(follow=False)
    hashed = winoground_stub.HASH[:16]
    assert tagged(store, hashed) == (False, False), "a placeholder's tags say nothing"
    assert item(store, hashed, "test/7").tags == card_items(store, hashed, ["test/7"])["test/7"].tags == {}
    refused = flipside("report", "--model", "predictions:clip", "--benchmark", "winoground", "--by", "concept")
    assert "no item here has this tag. There is: subset, cell, reason." in refused.err
    again = fetch(flipside, mirror)
    assert set(states(again).values()) == {"already there"}
    assert all(each["unchanged"] for each in again.json["results"][0]["runs"])
    assert len(mirror.asked) == 3


def test_wrong_truncated_redirected_and_missing_files_are_named_and_the_others_come(
    flipside, mirror, three, monkeypatch
):
    # Tried again without a pause between tries.
    monkeypatch.setattr(transfer.time, "sleep", lambda seconds: None)
    clip, human, uniter = (mirror.files[f"/winoground-scores/{path}"] for path in FILES)
    clip.body = clip.body[:-5] + b"9999}"  # as long as it should be
    mirror.files["/elsewhere"] = Served(human.body)
    human.statuses, human.location = [302], f"{mirror.base}/elsewhere"
    uniter.body = uniter.body[:1000]
    answer = fetch(flipside, mirror)
    assert answer.code == 1
    assert states(answer) == {FILES[0]: "failed", FILES[1]: "fetched", FILES[2]: "failed"}
    assert "its sha256 is" in answer.err
    assert "another file" in answer.err
    assert [each["model"] for each in answer.json["results"][0]["runs"]] == ["predictions:people"]
    del mirror.files[f"/winoground-scores/{FILES[2]}"]
    gone = fetch(flipside, mirror)
    assert "HTTP 404" in gone.err
    assert gone.code == 1


def test_a_redirect_to_another_place_without_https_is_not_followed(flipside, mirror):
    served = mirror.files[f"/winoground-scores/{FILES[0]}"]
    served.statuses, served.location = [302], "http://example.org/clip.jsonl"
    answer = fetch(flipside, mirror)
    assert states(answer)[FILES[0]] == "failed"
    assert "only https addresses are followed" in answer.err


def test_nobody_is_taken_to_agree(flipside, mirror, flipside_cache):
    answer = flipside("fetch", "results", "--mirror", mirror.base)
    assert (answer.code, answer.out) == (2, "")
    assert "MIT" in answer.err
    assert "give --yes" in answer.err
    assert mirror.asked == []
    assert not (flipside_cache / "fetched").exists()


def test_files_at_hand_are_known_by_their_bytes(flipside, three, real, tmp_path):
    (tmp_path / "renamed.txt").write_bytes((real / "baseline_scores-clip.jsonl").read_bytes())
    answer = flipside("fetch", "results", "--from", tmp_path, "--yes", "--json")
    assert answer.code == 1
    assert states(answer) == {FILES[0]: "fetched", FILES[1]: "failed", FILES[2]: "failed"}
    assert [each["model"] for each in answer.json["results"][0]["runs"]] == ["predictions:clip"]


def test_what_is_fetched_and_what_is_ones_own_never_stand_under_one_name(flipside, mirror, real, flipside_cache):
    """OFA's scores, added as a fetched CLIP, were shown as fetched, and answers of a model as people's."""
    assert fetch(flipside, mirror).code == 0
    before = flipside("runs", "--json").json
    scores = real / "baseline_scores-clip.jsonl"
    for more in ((), ("--replace",)):
        answer = flipside("add-predictions", scores, "--as", "people", "--benchmark", "winoground", *more)
        assert (answer.code, "name of results that were fetched" in answer.err) == (2, True)
    # Nor by what it is shown as: beside another file's of its name with its source, in capitals or not.
    for name in ("CLIP", "clip (Winoground)", "Clip (winoground)"):
        answer = flipside("add-predictions", scores, "--as", name, "--benchmark", "winoground")
        assert answer.code == 2
        assert f"--as {name}: nothing was added, for this is the name of results" in answer.err
    assert flipside("runs", "--json").json == before


def test_a_system_of_ones_own_goes_on_whatever_is_fetched_beside_it(flipside, mirror, real):
    """It was there first, and all that a fetched one shares with it is how it is called."""
    scores = real / "baseline_scores-clip.jsonl"
    brought = fetch(flipside, mirror).json["results"][0]["runs"]
    for run in brought:
        assert flipside("runs", run["run"], "--delete").code == 0
    assert flipside("add-predictions", scores, "--as", "CLIP", "--benchmark", "winoground").code == 0
    assert "predictions:clip" in [each["model"] for each in fetch(flipside, mirror).json["results"][0]["runs"]]
    assert flipside("add-predictions", scores, "--as", "CLIP", "--benchmark", "winoground").code == 0


def test_before_anything_is_fetched_predictions_by_item_number_say_what_brings_the_numbers(flipside, real):
    scores = real / "baseline_scores-clip.jsonl"
    answer = flipside("add-predictions", scores, "--as", "mine", "--benchmark", "winoground")
    assert answer.code == 2
    assert "needs --data DIR" in answer.err
    assert "fetch results --only winoground` brings published results by item number" in answer.err


def test_ones_own_under_a_fetched_name_are_not_replaced(flipside, mirror, real):
    scores = real / "baseline_scores-clip.jsonl"
    brought = fetch(flipside, mirror).json["results"][0]["runs"]  # with the items, by their numbers
    (people,) = (each["run"] for each in brought if each["model"] == "predictions:people")
    assert flipside("runs", people, "--delete").code == 0
    assert flipside("add-predictions", scores, "--as", "people", "--benchmark", "winoground").code == 0
    own = flipside("runs", "--json").json
    answer = fetch(flipside, mirror)
    assert (answer.code, "predictions of your own are kept under this name" in answer.err) == (1, True)
    (mine,) = (run["run"] for run in own if run["model"] == "predictions:people")
    assert f"runs {mine} --delete`" in answer.err  # as it can be typed
    assert "predictions:people" not in [each["model"] for each in answer.json["results"][0]["runs"]]
    assert [run for run in flipside("runs", "--json").json if run["model"] == "predictions:people"] == [
        run for run in own if run["model"] == "predictions:people"
    ]


def test_two_at_once_do_not_disturb_each_other(three, real, tmp_path, monkeypatch):
    from backend import durable
    from backend.intake.real import bring

    source = three.sources[0]
    at_hand = tmp_path / "at hand"
    at_hand.mkdir()
    for path in FILES:
        (at_hand / path.replace("/", "-")).write_bytes((real / path.replace("/", "-")).read_bytes())
    write, rival = durable.write_synced, []

    def meanwhile(path, data):
        write(path, data)
        if not rival:  # the other process does all of it between this one's writing and renaming
            rival.append(path)
            with monkeypatch.context() as patch:
                patch.setattr("os.getpid", lambda: 4_194_999)
                rival.extend(each.state for each in bring._copied(source, tmp_path / "to", at_hand))

    monkeypatch.setattr(durable, "write_synced", meanwhile)
    first = [each.state for each in bring._copied(source, tmp_path / "to", at_hand)]
    assert rival[1:] == ["fetched"] * 3
    assert first == ["fetched", "already there", "already there"]
    assert sorted(path.name for path in (tmp_path / "to").rglob("*") if path.is_file()) == sorted(
        path.rpartition("/")[2] for path in FILES
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["results", "--only", "blip", "--yes"], "there is no such package"),
        (["results", "--to", "x", "--yes"], "--to is not for results"),
        (["results", "--from", "/nowhere", "--yes"], "no such folder"),
        (["results", "--mirror", "http://example.org", "--yes"], "expected an https address"),
        (["results", "--mirror", "https://a.b", "--from", "x", "--yes"], "exclude each other"),
        (["sugarcrepe", "--to", "x", "--yes"], "are for `fetch results`"),
    ],
)
def test_wrong_use(flipside, words, says):
    answer = flipside("fetch", *words)
    assert (answer.code, answer.out) == (2, "")
    assert says in answer.err


def test_list_says_sizes_sources_terms_and_what_one_will_see(flipside):
    found = flipside("fetch", "results", "--list", "--json").json["results"]
    assert [(each["package"], len(each["files"])) for each in found] == [
        ("winoground", 58),
        ("gpt-4v", 21),
        ("visla", 2),
        ("atlas", 1),
    ]
    assert all(each["licence"] and each["terms"] and each["see"] and each["bytes"] for each in found)
    assert all(file["sha256"] and file["address"].startswith("https://") for each in found for file in each["files"])
    assert "85f6c2a33fe5" in flipside("fetch", "results", "--list").out


def full(folder, lines=400):
    """A Winoground with captions of our own, its items in another order than their numbers'."""
    rows = [
        {"id": k, "image_0": f"ex_{k}_img_0", "image_1": f"ex_{k}_img_1", "caption_0": f"dog {k} on a cat",
         "caption_1": f"cat on a dog {k}", "collapsed_tag": "Object"}
        for k in reversed(range(lines))
    ]  # fmt: skip
    folder.mkdir()
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_the_full_edition_completes_the_stub_by_item_id(flipside, mirror, flipside_cache, tmp_path):
    from backend.store.build.reader import open_store

    fetch(flipside, mirror)
    before, _ = rates(flipside, "people")
    shards = {path: path.read_bytes() for path in (flipside_cache / "runs").rglob("*") if path.is_file()}
    short = flipside("import", "winoground", "--data", full(tmp_path / "short", 399), "--json")
    assert "completes" not in short.json
    assert rates(flipside, "people")[1]["benchmark_hash"] == winoground_stub.HASH[:16]
    whole = flipside("import", "winoground", "--data", full(tmp_path / "full"), "--json")
    assert whole.json["completes"] == 400
    after, document = rates(flipside, "people")
    assert (after, document["benchmark_hash"]) == (before, whole.json["hash"][:16])
    said = flipside("report", "--model", "predictions:people", "--benchmark", "winoground").err
    assert "shown here on the items of your own copy" in said
    cursor = open_store(follow=False).cursor()
    texts, value = cursor.execute(
        """SELECT i.texts, s.value FROM runs r JOIN items i ON i.benchmark = r.benchmark
        JOIN scores s ON s.run_id = r.run_id AND s.item_no = i.item_no
        WHERE r.model = 'predictions:people' AND i.item_id = 'test/0' AND image_index = 1 AND text_index = 0"""
    ).fetchall()[0]
    assert texts == ["dog 0 on a cat", "cat on a dog 0"]
    assert value == pytest.approx(0.2857142857)  # people's 0_c0_i1
    assert {path: path.read_bytes() for path in shards} == shards


def test_no_score_margin_or_caption_leaves(flipside, mirror, tmp_path):
    fetch(flipside, mirror)
    flipside("import", "winoground", "--data", full(tmp_path / "full"))
    asked = ("--model", "predictions:clip", "--benchmark", "winoground", "--out", tmp_path / "out")
    for what in ("scores", "items", "tokens", "close-pairs"):
        answer = flipside("export", *asked, "--what", what)
        assert answer.code == 2
        assert "no scores, margins, captions or pictures" in answer.err
        assert not (tmp_path / "out").exists()
    assert flipside("export", *asked, "--what", "outcomes", "--format", "jsonl").code == 0
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert len(rows) == 1600
    assert {row["margin"] for row in rows} == {row["concept"] for row in rows} == {None}
    assert {row["correct"] for row in rows} == {True, False}
    assert flipside("export", *asked, "--what", "bundle").code == 0
    with zipfile.ZipFile(tmp_path / "out") as archive:
        document = json.loads(archive.read("verdicts.json"))
        table = archive.read("verdicts.csv").decode()
        assert sorted(archive.namelist()) == ["verdicts.csv", "verdicts.json"]
    by_name = {each["metric"]: each["value"] for each in document["rates"]}
    assert by_name["group_score"] == pytest.approx(0.08)
    assert table.splitlines()[0] == "item_id,kind,metric,correct,ties,cell,reason"
    assert "dog" not in table + json.dumps(document)
    refused = flipside("import-results", tmp_path / "out")
    assert refused.code == 1
    assert "verdicts without scores" in refused.err


def test_the_sizes_on_the_card_are_those_of_the_files(shared_data):
    for package in packages():
        for source in package.sources:
            folder = {
                "winoground-scores": "winoground_scores", "gpt-4v": "sugarcrepe-gpt4v", "vl-compo": "vl_compo"
            }.get(source.name, source.name)  # fmt: skip
            for file in source.files:
                name = file.path.replace("/", "-") if source.name == "winoground-scores" else file.path
                assert (shared_data / folder / name).stat().st_size == file.size
    assert len(score_files()) == packages()[0].n_files


@pytest.mark.slow
def test_gpt4v_in_both_orders_and_vislas_items(flipside, shared_data):
    answer = flipside(
        "fetch", "results", "--from", shared_data, "--only", "gpt-4v", "--only", "visla", "--yes", "--json"
    )
    assert answer.code == 0
    gpt, visla = answer.json["results"]
    assert (gpt["n_items"], visla["n_items"], visla["runs"]) == (7511, 1613, [])
    found = flipside("report", "--model", "predictions:gpt-4v", "--benchmark", "sugarcrepe", "--json").json
    assert found["setting"]["kind"] == "verdict"
    assert found["orders"]["all"]
    mean, both = (found["metrics"][name] for name in ("accuracy_mean_of_orders", "accuracy"))
    assert (mean["n"], both["n"]) == (7511, 7511)
    assert both["value"] < mean["value"] == pytest.approx(0.9218, abs=5e-5)
