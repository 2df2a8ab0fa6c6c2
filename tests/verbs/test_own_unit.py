"""Other systems' similarities: nobody says what they are measured in, and nowhere are they called cosines."""

import json

import pytest

HEAD = "item_id,c0_i0,c1_i0,c0_i1,c1_i1\n"


@pytest.fixture
def logits(flipside, tmp_path):
    """Logits near 30 of two quads, as predictions:theirs on custom:set."""
    own, scores = tmp_path / "set.csv", tmp_path / "scores.csv"
    own.write_text("id,image_1,image_2,caption_1,caption_2\n1,a.png,b.png,a b,b a\n2,c.png,d.png,c d,d c\n")
    scores.write_text(f"{HEAD}1,30.1,29.2,28.7,29.9\n2,22.9,23.6,23.4,23.7\n")
    done = flipside("add-predictions", scores, "--as", "theirs", "--benchmark", "custom", "--data", own)
    assert done.code == 0, done.err
    return ("--model", "theirs", "--benchmark", "custom:set")


def test_logits_are_not_called_cosines(flipside, logits):
    found = flipside("report", *logits, "--json").json
    assert found["deviations"]["unit"] == "the system's own unit"
    assert {told["scale"] for told in found["reasons"].values()} == {"as they come"}
    assert "cosine" not in json.dumps(found)
    printed = flipside("report", *logits)
    assert "normalisation raw (the system's own unit)" in printed.out
    assert "(scores as they come)" in printed.out
    assert "cosine" not in printed.out + printed.err
    softened = flipside("report", *logits, "--normalise", "softmax-cells", "--json").json["deviations"]
    assert softened["logit_scale"] is None


def test_json_says_whose_scores_they_are(flipside, logits):
    """They were called computed."""
    assert flipside("report", *logits, "--json").json["origin"] == "predictions"
    assert [row["origin"] for row in flipside("runs", "--model", "theirs", "--json").json] == ["predictions"]
    (kept,) = flipside("sql", "SELECT origin FROM runs WHERE model = 'predictions:theirs'", "--json").json
    assert kept == {"origin": "computed"}, "what is stored stays as it is"
