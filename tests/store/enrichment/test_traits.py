"""Traits of items, what a selection has more of, and clumps: on a planted cause, and on nothing."""

import numpy as np
import pandas as pd
import pytest

from backend.store.enrichment.clumps import FEWEST, clumps, groups_of
from backend.store.enrichment.traits import CONCEPT, REASON, SUBSET, WORD, Trait, inside, over_represented, traits_of
from backend.store.enrichment.worst import worst_part
from backend.store.items.embeddings import Points


def points(captions, *, concepts=None, subsets=None):
    """An item a pair of captions, each with two images; the same caption in two items is one content."""
    rows, names, together = [], {}, []
    n = len(captions)
    for k in range(2 * n):
        names.setdefault(("image", f"p{k}"), None)
    for pair in captions:
        for caption in pair:
            names.setdefault(("text", caption), None)
    place = {name: at for at, name in enumerate(sorted(names, key=lambda name: name[0] != "image"))}
    for k, pair in enumerate(captions):
        first = len(rows)
        rows += [(k, f"s/{k}", "image", index, place["image", f"p{2 * k + index}"]) for index in range(2)]
        rows += [(k, f"s/{k}", "text", index, place["text", caption]) for index, caption in enumerate(pair)]
        together += [(first, first + 2), (first + 1, first + 3)]
    frame = pd.DataFrame(rows, columns=["item_no", "item_id", "modality", "index", "content"])
    frame["concept"] = np.repeat(concepts if concepts is not None else [""] * n, 4)
    frame["subset"] = np.repeat(subsets if subsets is not None else ["s"] * n, 4)
    frame["protocol"], frame["query"] = "quad", -1
    contents = pd.DataFrame([(kind, name, "") for kind, name in place], columns=["modality", "label", "uri"])
    return Points(frame, contents, np.array(together), n, n)


def verdicts(of, wrong, reasons=None):
    rows = of.frame["item_no"].to_numpy()
    reasons = reasons if reasons is not None else [""] * len(wrong)
    return pd.DataFrame({
        "correct": pd.array([None if wrong[k] is None else not wrong[k] for k in rows], dtype="boolean"),
        "reason": [reasons[k] for k in rows],
    })  # fmt: skip


def world(rng, n=200, planted=True):
    """Captions of random words; those with "dog" are wrong more often, where that is planted."""
    words = [f"w{chr(97 + k)}" for k in range(15)]
    captions, wrong = [], []
    for k in range(n):
        mine = list(rng.choice(words, 3, replace=False))
        dog = rng.random() < 0.3
        captions.append(
            (f"{' '.join(mine)} {'dog' if dog else 'cat'} {k}", f"{mine[0]} {'dog' if dog else 'cat'} {k}x")
        )
        wrong.append(bool(rng.random() < (0.9 if dog and planted else 0.3)))
    return points(captions), wrong


def test_articles_are_no_traits():
    """Failed before: "an" was more frequent where oranges are."""
    of = points([("an orange ring", "the orange ring"), ("a red disc", "a disc")] * 20)
    words = {trait.name for trait in traits_of(of).names if trait.sort == WORD}
    assert words
    assert not words & {"a", "an", "the"}


def test_traits_are_of_items_and_of_their_true_captions():
    of = points([("a red dog", "the dog, red"), ("a cat's hat", "a cat’s hat"), ("a red cat", "no cat")] * 5,
                concepts=["colour|animal", "animal", ""] * 5, subsets=["s", "t", "t"] * 5)  # fmt: skip
    wrong = [True, False, None] * 5
    found = traits_of(of, verdicts(of, wrong, ["outvoted_by_image", "right", ""] * 5))
    column = {trait: found.matrix[:3, k].tolist() for k, trait in enumerate(found.names)}
    assert column[Trait(WORD, "red")] == [True, False, True]
    assert column[Trait(WORD, "cat's")] == [False, True, False]
    assert column[Trait(CONCEPT, "animal")] == [True, True, False]
    assert Trait(CONCEPT, "colour") in column
    # the very same items: told once, by the first name in the order concept, subset, reason, word
    assert Trait(SUBSET, "s") not in column
    assert Trait(REASON, "outvoted by the image") not in column
    assert Trait(WORD, "dog") not in column
    assert Trait(REASON, "right") not in column
    assert found.wrong[:3].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(found.wrong[2])
    foil = of.together[of.together[:, 1] != 3]  # the second caption of item 0 is not true
    less = traits_of(Points(of.frame, of.contents, foil, 15, 15))
    the = [k for k, trait in enumerate(less.names) if trait == Trait(WORD, "the")]
    assert not the or not less.matrix[0, the[0]]


def test_an_item_is_inside_where_any_of_its_dots_is():
    of = points([("one", "two"), ("two", "three"), ("four", "five")])
    traits = traits_of(of)
    shared = int(of.contents.index[of.contents["label"] == "two"][0])
    assert inside(traits, of, [shared]).tolist() == [True, True, False]
    assert inside(traits, of, [0, 1]).tolist() == [True, False, False]
    assert inside(traits, of, []).tolist() == [False] * 3


def test_a_planted_cause_is_found_among_the_wrong_items():
    for seed in range(10):
        of, wrong = world(np.random.default_rng(seed))
        traits = traits_of(of, verdicts(of, wrong))
        dogs = of.contents["label"].str.contains("dog").to_numpy()
        told = over_represented(traits, inside(traits, of, np.flatnonzero(dogs)))
        first, found = told.found[0]
        assert first == Trait(WORD, "dog")
        assert found.k_in == found.n_in
        assert found.k_out == 0
        assert told.errors.holds
        assert told.errors.ratio > 1.5
        assert told.tested == len(traits.names) + 1


def test_at_random_nothing_is_found_more_than_once_in_twenty():
    found = 0
    of, wrong = world(np.random.default_rng(0), planted=False)
    traits = traits_of(of, verdicts(of, wrong))
    for seed in range(400):
        rng = np.random.default_rng(seed)
        chosen = np.zeros(200, dtype=bool)
        chosen[rng.choice(200, rng.integers(10, 100), replace=False)] = True
        told = over_represented(traits, chosen)
        found += bool(told.found) or told.errors.holds
    assert found / 400 <= 0.05


def blobs(of, rng, items_of_blob):
    """Places in which each blob holds all dots of some items."""
    centres = rng.normal(scale=30, size=(len(items_of_blob), 2))
    where = {item: k for k, items in enumerate(items_of_blob) for item in items}
    content = of.frame.drop_duplicates("content").sort_values("content")["item_no"].to_numpy()
    return np.array([centres[where[item]] for item in content]) + rng.normal(scale=0.4, size=(len(content), 2))


def test_clumps_are_told_by_what_they_hold_and_only_where_it_is_beyond_chance():
    rng = np.random.default_rng(1)
    of, wrong = world(rng)
    traits = traits_of(of, verdicts(of, wrong))
    dogs = [k for k in range(200) if "dog" in of.contents["label"][of.frame["content"][4 * k + 2]]]
    rest = [k for k in range(200) if k not in dogs]
    places = blobs(of, rng, [dogs, rest[: len(rest) // 2], rest[len(rest) // 2 :]])
    found = clumps(of, traits, places)
    again = clumps(of, traits, places)
    assert [c.contents.tolist() for c in found.each] == [c.contents.tolist() for c in again.each]
    of_dogs = [c for c in found.each if c.found and c.found[0][0] == Trait(WORD, "dog")]
    assert of_dogs
    assert any(c.errors is not None and c.errors.ratio > 1 for c in of_dogs)
    assert found.by_chance <= 0.05
    assert all(c.n_items == inside(traits, of, c.contents).sum() for c in found.each)
    told = {trait for c in found.each for trait, _ in c.found}
    assert told <= {Trait(WORD, "dog"), Trait(WORD, "cat")}


def test_clumps_of_shuffled_items_have_no_label_more_than_once_in_twenty():
    labelled = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        of, wrong = world(rng, n=120, planted=False)
        traits = traits_of(of, verdicts(of, wrong))
        order = rng.permutation(120)
        found = clumps(of, traits, blobs(of, rng, np.array_split(order, 4)))
        assert found.tested > 50
        labelled += any(c.holds for c in found.each)
    assert labelled / 60 <= 0.05


def test_few_or_very_many_dots_have_no_clumps(monkeypatch):
    assert groups_of(np.zeros((FEWEST, 2))) == []
    monkeypatch.setattr("backend.store.enrichment.clumps.MOST", 50)
    assert groups_of(np.random.default_rng(0).normal(size=(60, 2))) == []


@pytest.mark.parametrize(("protocols", "expected"), [
    ({"x": "quad", "y": "quad", "z": "choice"}, "y"), ({"x": "choice", "z": "choice"}, "z"),
    ({"c": "classify"}, None), ({"new": "quad"}, None),
])  # fmt: skip
def test_the_part_to_look_at_first_is_the_one_on_which_the_best_is_worst(protocols, expected):
    known = [("a", "itc", "x", 0.1), ("b", "itc", "x", 0.9), ("a", "itc", "y", 0.4), ("b", "itc", "y", 0.5)]
    known += [("b", "itm", "y", 1.0), ("a", "itc", "z", 0.2), ("b", "itc", "z", None), ("other", "itc", "y", 1.0)]
    rates = pd.DataFrame(known, columns=["model", "kind", "group", "value"])
    assert worst_part(rates, ["a", "b"], protocols) == expected


def test_plain_rates_are_those_of_the_heat_map(asked):
    from backend.store import queries
    from backend.store.enrichment.worst import plain_rates

    benchmark = str(asked.cursor().execute("SELECT hash FROM benchmarks").fetchone()[0])
    mine = plain_rates(asked, benchmark).set_index(["model", "kind", "group"])["value"]
    known = queries.heatmap(asked, benchmark, "subset").dropna(subset=["value"])
    quads = known[known["group"].isin(["attribute", "choice", "triplet"])]
    assert len(quads)
    for line in quads.itertuples():
        if (line.model, line.kind, line.group) in mine.index:
            assert mine[line.model, line.kind, line.group] == pytest.approx(line.value)
    assert {"attribute", "choice"} <= set(mine.index.get_level_values("group"))
