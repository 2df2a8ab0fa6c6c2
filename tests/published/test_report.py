"""`flipside report` sets printed numbers beside ours: by weights, by the owner, and not where it would be wrong."""

import json

import pytest

from backend.engine.storage import shards

SHA = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
ARGS = ("--model", "fake:ok", "--benchmark", "visla")


@pytest.fixture
def ran(shared_data, flipside_cache):
    """A function that scores VISLA with scripted scores and gives the run's folder."""
    from backend.engine.inputs.selection import Selection
    from backend.engine.runner import run

    def score(weights=None, data=shared_data / "visla", **selection):
        done = run("fake:ok", "visla", ["t2t"], data_dir=data, selection=Selection(**selection))
        if weights:
            path = done.run_dir / shards.RECORD
            record = json.loads(path.read_text())
            record["model"]["weights_sha256"] = weights
            path.write_text(json.dumps(record))
        return done.run_dir

    return score


@pytest.mark.slow
def test_by_weights(flipside, ran):
    ran(SHA)
    found = flipside("report", *ARGS, "--json").json
    assert found["metrics"]["t2t_accuracy"]["published"] is None  # two subsets pooled: no paper prints that
    assert found["metrics"]["t2t_accuracy"]["published_all"] == []
    entry = found["by"]["generic"]["t2t_accuracy"]
    assert entry["published"]["value"] == 0.5889
    assert entry["published"]["model"] == "All-MiniLM-L6-v2"
    assert entry["published"]["difference"] == pytest.approx(entry["value"] - 0.5889)
    assert entry["published"] == entry["published_all"][0]
    assert len(found["by"]["generic"]["p1_n_accuracy"]["published_all"]) == 2
    assert found["published_as"] is None
    one = flipside("report", *ARGS, "--subset", "spatial", "--json").json
    assert one["metrics"]["p1_n_accuracy"]["published"]["value"] == 0.5438


@pytest.mark.slow
def test_the_table_shows_number_difference_and_caveat(flipside, ran):
    ran(SHA)
    answer = flipside("report", *ARGS, "--subset", "spatial")
    value = flipside("report", *ARGS, "--subset", "spatial", "--json").json["metrics"]["t2t_accuracy"]["value"]
    line = next(line for line in answer.out.splitlines() if line.startswith("t2t_accuracy"))
    assert f"43.75 %, ours {100 * (value - 0.4375):+.2f} (visla, Table 2: All-MiniLM-L6-v2)" in line
    assert "54.38 %*, ours" in answer.out
    assert "* visla, Table 3" in answer.out
    assert "restored from Table 5" in answer.out


@pytest.mark.slow
def test_unknown_weights_have_no_number_until_the_owner_names_them(flipside, ran):
    ran()
    found = flipside("report", *ARGS, "--subset", "generic", "--json").json
    assert found["metrics"]["t2t_accuracy"]["published"] is None
    assert found["printed_models"] == {"matched_by": "", "names": []}
    named = flipside("report", *ARGS, "--subset", "generic", "--published-as", "LaBSE", "--json").json
    assert named["published_as"] == "LaBSE"
    entry = named["metrics"]["t2t_accuracy"]["published"]
    assert (entry["value"], entry["matched_by"]) == (0.3392, "published-as")
    assert named["metrics"]["t2t_accuracy"]["value"] == found["metrics"]["t2t_accuracy"]["value"]
    answer = flipside("report", *ARGS, "--published-as", "labs")
    assert (answer.code, answer.out) == (2, "")
    assert "Did you mean LaBSE" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize(("selection", "said"), [({"limit": 50}, "--limit 50"), ({"sample": 40}, "--sample 40")])
def test_a_part_is_not_compared(flipside, ran, selection, said):
    run_dir = ran(SHA, subset="generic", **selection)
    answer = flipside("report", *ARGS, "--run", run_dir.name, "--json")
    assert answer.json["metrics"]["t2t_accuracy"]["published"] is None
    assert any(said in note and "No published number" in note for note in answer.json["notes"])
    assert said in answer.err


@pytest.mark.slow
def test_other_items_are_not_compared(flipside, ran, shared_data, tmp_path):
    lines = (shared_data / "visla" / "Generic_VISLA.tsv").read_bytes().split(b"\r\n")
    (tmp_path / "Generic_VISLA.tsv").write_bytes(b"\r\n".join(lines[:101]))
    ran(SHA, data=tmp_path)
    answer = flipside("report", *ARGS, "--json")
    assert answer.json["metrics"]["t2t_accuracy"]["n"] == 100
    assert answer.json["metrics"]["t2t_accuracy"]["published"] is None
    assert "generic has 100 items here, the original release 973" in answer.err


@pytest.mark.slow
def test_groups_of_a_tag_are_not_compared(flipside, ran):
    ran(SHA)
    found = flipside("report", *ARGS, "--by", "concept", "--json").json
    assert set(found["by"]) == {"sentence", "spatial"}  # groups of the tag; one is called like a subset
    assert found["by"]["spatial"]["t2t_accuracy"]["published"] is None
