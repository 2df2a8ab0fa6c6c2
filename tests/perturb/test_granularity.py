import math
import statistics

import pytest

from backend.perturb.granularity import FEATURES, compare, measure

PLAIN = ["A dog.", "A man on a bench", "A man is here.", "a cat and a dog"]
FINE = [
    "A small brown dog.",
    "An old man sitting on a long wooden bench",
    "A tall man is here.",
    "a cat with a red hat",
]


def value(text: str, feature: str) -> float | None:
    return measure([text]).features[feature].mean


@pytest.mark.parametrize(
    ("feature", "text", "expected"),
    [
        ("adjectives_per_noun", "a big red car and a dog", 1.0),
        ("complements_per_noun", "a man in a hat riding a horse that runs", 1.0),
        ("concept_depth", "a dog", 8.0),
        ("characters", " a dog. ", 6.0),
        ("words", "A dog, a cat.", 4.0),
        ("distinct_words", "A dog, a cat.", 3.0),
        ("concept_diversity", "the gray wall", 1.0),  # gray: grey, greyish, grayish; wall has none
        ("concept_depth", "it runs", None),
        ("adjectives_per_noun", "it runs", None),
        ("concept_diversity", "...", None),
    ],
)
def test_by_hand(feature, text, expected):
    assert value(text, feature) == (None if expected is None else pytest.approx(expected))


def test_mean_and_error_are_those_of_the_values():
    lengths = [len(text.strip()) for text in PLAIN]
    found = measure(iter(PLAIN)).features["characters"]
    assert found.mean == pytest.approx(statistics.mean(lengths))
    assert found.se == pytest.approx(statistics.stdev(lengths) / math.sqrt(4))
    assert found.ci95[0] == pytest.approx(found.mean - 1.959964 * found.se)


def test_nothing_and_one():
    empty = measure([])
    assert empty.captions == empty.vocabulary == 0
    assert all(each.mean is None and each.n == 0 and each.ci95 is None for each in empty.features.values())
    assert measure(["a dog"]).features["words"].se is None


def test_finer_captions_score_higher_in_the_comparison():
    rows = {row.feature.name: row for row in compare(measure(PLAIN), measure(FINE))}
    assert list(rows) == [feature.name for feature in FEATURES]
    for name in ("adjectives_per_noun", "characters", "words"):
        row = rows[name]
        assert row.difference == pytest.approx(row.b.mean - row.a.mean)
        assert row.difference > 0
        assert row.ci95[0] < row.difference < row.ci95[1]
    assert rows["adjectives_per_noun"].clear
    assert compare(measure([]), measure(FINE))[0].clear is None
