"""Commands that pages suggest: they hold for what they are suggested for, and can be typed as they stand."""

import shlex

from pages.shared.data import commands
from pages.shared.data.stored import StoredBenchmark


def benchmark(name: str, **kinds: list[str]) -> StoredBenchmark:
    runs = {model.replace("__", ":"): found for model, found in kinds.items()}
    return StoredBenchmark(name, "h", {"a": 8}, {"a": "choice"}, dict.fromkeys(runs, "r"), runs, {})


def test_a_model_that_can_be_run_is_named_rather_than_a_placeholder() -> None:
    known = benchmark("custom:tiny", predictions__one=["itc"], bundled__matcher=["itm", "itc"])
    assert commands.a_model(known) == "bundled:matcher"
    assert (
        commands.scored_edits(known) == "flipside run --model bundled:matcher --benchmark 'custom:tiny~*' --kinds itm"
    )
    assert commands.run("hf:a b", "world", "itc") == "flipside run --model 'hf:a b' --benchmark world --kinds itc"


def test_where_all_are_predictions_no_run_is_suggested() -> None:
    """“Robustness makes them, then run --model predictions:verd …” was, which run refuses."""
    known = benchmark("custom:tiny", predictions__my_verd=["verdict"])
    assert commands.a_model(known) == commands.ANY_MODEL
    lines = [*commands.answered_elsewhere(known, "predictions:my verd"), commands.scored_edits(known)]
    assert [shlex.split(line)[1] for line in lines] == ["perturb", "export", "add-predictions", "add-predictions"]
    assert "--as 'my verd' --benchmark 'custom:tiny~character_swap'" in lines[2]
    assert "--what items" in lines[1]
    assert not any("flipside run" in line for line in lines)


def test_a_benchmark_of_a_data_folder_is_named_with_it(flipside_cache: object) -> None:
    del flipside_cache
    assert "--benchmark visla --data DIR" in commands.edited(benchmark("visla", bundled__clip=["itc"]))
