"""Means of the Atlas: weights that sum to one, and the numbers that the authors' own results.csv has."""

import doctest

import numpy as np
import pytest
from scipy.stats import spearmanr

from backend.published.atlas import columns, measures, reading
from backend.published.atlas.measures import COMPOSITION, TASKS
from tests.published.atlas import made

#: From `results.csv` of the same repository: 12 benchmarks, COCO and Flickr30k both ways apart, 21 tasks, their means.
PRINTED = {
    ("DAC-SAM", "cc3m-ft"): (
        83.34437986, 13.33333333, 63.4420218, 25.47652137, 24.28323197, 9.62962963, 83.79912725, 88.44101518,
        70.25416116, 84.71483247, 42.36706777, 8.5, 51.86284366, 46.41, 47.82121152, 49.79877682,
    ),
    ("ViT-H-14-quickgelu", "dfn5b"): (
        37.53232814, 45, 14.08848372, 35.28738499, 30.66898349, 31.85185185, 83.40911165, 91.05572414, 70.66336976,
        67.40104342, 41.38471035, 11, 74.86047656, 82.57, 67.02321871, 46.61191596,
    ),
    ("RN50", "openai"): (
        62.80262117, 16, 24.124849, 26.64630303, 22.15464813, 6.666666667, 73.84621755, 83.71271017, 65.15083261,
        69.57664052, 40.98542847, 8.5, 52.78326813, 64.43, 42.91229508, 41.68057644,
    ),
}  # fmt: skip


def test_examples_hold():
    assert doctest.testmod(measures).failed == 0


def test_every_measure_is_a_weighted_mean_of_columns():
    known = {each.key for each in columns.columns()}
    for key, measure in measures.measures().items():
        assert measure.key == key
        assert measure.weights.keys() <= known
        assert sum(measure.weights.values()) == pytest.approx(1)
        assert min(measure.weights.values()) > 0
    assert len({measure.title for measure in measures.measures().values()}) == 152
    assert measures.measures()["winoground::text"].items == 400
    assert measures.measures()[TASKS].items is None


def test_equal_rates_are_equal(shared_data):
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    atlas = reading.read(path)
    mmvp, winoground = (measures.measures()[f"mean:{name}"].of(atlas) for name in ("mmvp_vlm", "winoground"))
    assert len(np.unique(mmvp)) == 33  # whole shares of nine categories of 15 items, not 55 sums of floats
    assert spearmanr(winoground, mmvp).statistic == pytest.approx(0.654, abs=5e-4)


def test_ours_are_taken_as_theirs(tmp_path):
    atlas = reading.read(made.write(tmp_path / "a.csv"))
    for key in (COMPOSITION, "mean:sugarcrepe", "valse::relations"):
        measure = measures.measures()[key]
        rates = dict(zip((c.key for c in columns.columns()), atlas.rates[3].tolist(), strict=True))
        assert measure.of_rates(rates) == pytest.approx(measure.of(atlas)[3])
        rates.pop(next(iter(measure.weights)))
        assert measure.of_rates(rates) is None


def test_the_authors_means_follow(shared_data):
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    atlas = reading.read(path)
    chosen = (*measures.benchmarks(), measures.measures()[COMPOSITION])
    for (arch, pretrained), printed in PRINTED.items():
        row = atlas.find(arch, pretrained)
        assert np.array([each.of(atlas)[row] for each in chosen]) == pytest.approx(np.array(printed), abs=1e-6)
