"""The findings of the two pictures of a prior."""

import numpy as np

from backend.metrics.statistics import rate
from backend.store.alpha.prior_shapes import Few, Shape
from pages.debias import prior_shapes
from pages.shared.data.stored import StoredBenchmark


def test_the_chart_of_p_of_t_says_in_how_many_pairs_the_foil_is_likelier() -> None:
    none = np.zeros(3, dtype=np.intp)
    found = Shape(np.arange(4.0), none, none, 0.62, (0.55, 0.69), 240, 200)
    assert prior_shapes.shape_finding(found, "Counting", "3 noise images", "m", "w") == (
        "By P(t) from 3 noise images under m a false caption of Counting is likelier than a true one in 62.0 % [55.0, "
        "69.0] of 240 pairs; at 50 % it does not tell them apart (n = 200 items; mean log-probability a token; ties "
        "one half; w)."
    )


def test_the_command_names_its_benchmark_and_is_none_that_cannot_be_run() -> None:
    """It said `flipside run --model predictions:one --benchmark NAME`, which is impossible, and NAME nobody's name."""
    kinds: dict[str, list[str]] = {model: ["gen"] for model in ("predictions:one", "bundled:captioner")}
    of = StoredBenchmark(
        "world", "h", {"a": 1, "q": 1}, {"a": "choice", "q": "quad"}, dict.fromkeys(kinds, "r"), kinds, {}
    )
    said = prior_shapes.few_needs("bundled:captioner", of, "a")
    assert "flipside run --model bundled:captioner --benchmark world --kinds gen,prior --prior noise:10" in said
    said = prior_shapes.few_needs("predictions:one", of, "a")
    assert "without weights" in said
    assert "flipside" not in said
    assert "choose a subset of choices" in prior_shapes.few_needs("bundled:captioner", of, "q")


def test_few_images_say_none_one_and_all() -> None:
    few = [Few(k, rate(np.arange(100) < hits)) for k, hits in ((0, 40), (1, 55), (3, 60))]
    said = prior_shapes.few_finding({"one": few[:2], "three noise images": few}, "Counting", "m", "w")
    assert said == (
        "m is right on 40.0 % [30.9, 49.8] of Counting with no prior taken away, on 55.0 % with P(t) from one null "
        "image, and on 60.0 % [50.2, 69.1] with P(t) from 3 images (n = 100 items; three noise images; α = 1; no test "
        "of the difference; w)."
    )
