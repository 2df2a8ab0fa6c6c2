"""What Debias proposes where there is no curve: only what can work."""

from backend.benchmarks import winoground_stub
from pages.debias import options
from pages.shared.data.stored import StoredBenchmark


def test_no_model_is_proposed_for_items_without_captions():
    """`bundled:captioner` and a gated folder were proposed for 58 runs to which no prior can be added."""
    runs = {"predictions:clip": "1" * 16, "predictions:people": "2" * 16}
    kinds = {"predictions:clip": ["itc"], "predictions:people": ["score"]}
    benchmark = StoredBenchmark(
        "winoground", winoground_stub.HASH[:16], {"test": 400}, {"test": "quad"}, runs, kinds,
        {model: [] for model in runs}
    )  # fmt: skip
    said = options.next_step(benchmark)
    assert (
        "The 2 rows here come from elsewhere (similarity, score); none of them is a caption's log-probability" in said
    )
    assert "bundled:" not in said
    assert "import winoground --data DIR" in said
