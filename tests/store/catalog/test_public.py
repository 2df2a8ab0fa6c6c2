"""Who of several rows is a model to be counted: neither people nor repeats, and heads are known as such."""

from backend.store.catalog.public import Apart, apart


def record(spec, system, repeats=None):
    return {"model": {"spec": spec, "public": {"name": spec, "system": system, "repeats": repeats}}}


RECORDS = {
    "predictions:clip_b32": record("predictions:clip_b32", "CLIP ViT-B/32", "predictions:clip"),
    "predictions:clip": record("predictions:clip", "CLIP ViT-B/32"),
    "predictions:people": record("predictions:people", "people"),
    "predictions:flava_itm": record("predictions:flava_itm", "FLAVA"),
    "predictions:flava_itc": record("predictions:flava_itc", "FLAVA"),
    "bundled:clip": {"model": {"spec": "bundled:clip"}},
}


def test_people_and_repeats_are_not_counted_and_heads_are_known():
    found = apart(RECORDS)
    assert (found.people, found.repeats) == ({"predictions:people"}, {"predictions:clip_b32"})
    assert found.heads == {"predictions:flava_itm", "predictions:flava_itc"}
    assert found.counted(RECORDS) == [
        "predictions:clip", "predictions:flava_itm", "predictions:flava_itc", "bundled:clip"
    ]  # fmt: skip
    assert found.noun(RECORDS) == "systems"
    assert found.noun(["predictions:clip", "predictions:flava_itm"]) == "models"
    assert found.left_out(RECORDS) == "people and 1 repeat"


def test_a_repeat_counts_where_what_it_repeats_is_not_there():
    alone = {model: each for model, each in RECORDS.items() if model != "predictions:clip"}
    assert apart(alone).repeats == frozenset()
    assert apart({}) == Apart()
