"""A benchmark whose name nobody knows is wrong use in every verb, with near matches and no command that cannot work."""

import pytest

CLIP = ("--model", "bundled:clip")
VERBS = (
    ("report", *CLIP, "--benchmark"),
    ("failures", *CLIP, "--benchmark"),
    ("compare", "bundled:clip", "bundled:clip-bag", "--benchmark"),
    ("runs", "--benchmark"),
    ("publish", "--out", "site", "--benchmark"),
    ("table", "--benchmarks"),
    ("table", "--models", "bundled:clip", "--benchmarks"),
)


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_a_misspelt_benchmark_has_near_matches(flipside, shipped_imported, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    refused = flipside(*words, "wrld")
    assert refused.code == 2
    assert "unknown benchmark 'wrld'. Did you mean world?" in refused.err
    assert "makes one" not in refused.err


def test_what_is_known_is_not_refused(flipside, shipped_imported):
    report = flipside("report", *CLIP, "--benchmark", "valse")
    assert report.code == 2
    assert "has no run on benchmark 'valse'" in report.err
    table = flipside("table", "--benchmarks", "valse")
    assert (table.code, "no run on valse is here that fits" in table.err) == (1, True)
    edition = flipside("report", *CLIP, "--benchmark", "world~nearby_key")
    assert "`flipside perturb` makes an edition anew" in edition.err
    unknown = flipside("table", "--benchmarks", "world,custom:nope")
    assert (unknown.code, "unknown benchmark 'custom:nope'" in unknown.err) == (2, True)
    assert flipside("runs", "--benchmark", "valse").out == "No run is here that fits.\n"
