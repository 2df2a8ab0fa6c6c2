"""What `run` says of captions under other images, and what bundled models get without being asked."""

import json
import shlex
from pathlib import Path

from backend.verbs.shared.under_others import default


def ran(flipside, *more, kinds="itm", model="fake:ok", subset="choice"):
    words = ["run", "--model", model, "--benchmark", "world", "--subset", subset, "--limit", "20", "--kinds", kinds]
    return flipside(*words, *more)


def test_a_run_without_names_the_command_that_brings_them(flipside):
    plain = ran(flipside)
    assert plain.code == 0
    first, command = plain.out.splitlines()[-2:]
    assert "have not been scored under other images (1,280 scores, about " in first
    words = shlex.split(command)
    assert words[-2:] == ["--counterfactual", "16"]
    said = ran(flipside, "--json").json["counterfactual"]
    assert (said["images"], said["would_be"], said["kinds"], said["scores"]) == (0, 16, ["itm"], 1280)
    assert shlex.split(said["command"])[-12:] == words[-12:]
    assert said["seconds"] is not None
    brought = flipside(*words[words.index("run") :], "--json").json
    assert 1200 < brought["parts"]["counterfactual:itm"]["rows"] <= 1280  # of so few images some fit a caption
    assert brought["counterfactual"] == {"images": 16}
    assert "other images" not in ran(flipside).out


def test_bundled_models_have_them_and_0_leaves_them_out(flipside):
    assert (default("bundled:clip"), default("fake:ok"), default("lm:gpt2")) == (16, 0, 0)
    found = ran(flipside, "--json", model="bundled:clip", kinds="itc").json
    assert found["parts"]["counterfactual:image"]["rows"] == 20
    assert found["counterfactual"] == {"images": 16}
    quads = ran(flipside, "--json", model="bundled:clip", kinds="itc", subset="relation").json
    assert (quads["skipped"], list(quads["parts"])) == ({}, ["itc"])
    without = ran(flipside, "--counterfactual", "0", model="bundled:clip", kinds="itc").out
    assert "other images" not in without  # there are some from before


def test_wrong_numbers_and_what_has_none_are_said(flipside):
    refused = ran(flipside, "--counterfactual", "-1")
    assert refused.code == 2
    assert "--counterfactual -1: expected a number of other images from 0 (none) to 1000" in refused.err
    quads = ran(flipside, "--counterfactual", "4", subset="relation")
    assert "nothing to do: world: no selected item is a choice or a triplet" in quads.out
    assert json.loads(ran(flipside, "--json", subset="relation").out)["counterfactual"] == {"images": 0}


def test_a_run_that_was_asked_for_more_is_told_the_same_number(flipside):
    """What an earlier session of the run asked for and did not come to is what the next one names."""
    told = ran(flipside, "--counterfactual", "0", "--json", subset="choice").json
    assert told["counterfactual"]["would_be"] == 16
    record = Path(told["folder"]) / "run.json"
    kept = json.loads(record.read_text())
    kept["sessions"][0]["counterfactual"] = 18
    record.write_text(json.dumps(kept))
    said = ran(flipside, "--json").json["counterfactual"]
    assert (said["would_be"], shlex.split(said["command"])[-1]) == (18, "18")
