"""What the model page does not show, and its sentences of the best line: on made-up lines, without results."""

from dataclasses import replace

import pytest

from backend.store.labels.asked_again import LeftOut
from pages.model import lacking, lines, to_copy
from pages.overview.view import Grid
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing import signs


def benchmark(model: str, kinds: list[str], priors: list[str]) -> StoredBenchmark:
    return StoredBenchmark("world", "h", {}, {}, {model: "r"}, {model: kinds}, {model: priors})


def line(label: str, value: float, chance: float, sign: str = "") -> lines.Line:
    low, high = value - 0.02, value + 0.02
    return lines.Line(
        f"m\titc\n{label}\tgroup_score", label, "group score", "", value, low, high, chance, 400, "", sign
    )


#: Captioner's: far above chance in many, below in one.
DRAWN = [line("relation", 0.0, 1 / 6, signs.DOWN), line("size", 0.84, 1 / 6), line("retrieval", 0.82, 0.01)]


def test_the_model_does_best_on_what_stands_highest_above_chance_retrieval_among_them() -> None:
    """It said "does best on relation (88.7)" above a retrieval of 92.6 at a chance of 0.2."""
    drawn = [line("relation", 0.82, 1 / 6), line("retrieval", 0.926, 0.002)]
    assert lines.seen("m", Grid([], [], {}, {}), drawn).startswith("m does best on retrieval (92.6 %, chance 0.2 %)")
    part = [line("relation", 0.2, 1 / 6), replace(line("retrieval", 0.82, 0.01), pool="100 × 300 only")]
    said = lines.seen("m", Grid([], [], {}, {}), part)  # it read as if it were of the pool of all others
    assert said.startswith("m does best on retrieval, 100 × 300 only (82.0 %, chance 1.0 %)")
    assert lines.best_of([line("relation", 0.1, 1 / 6)]) is None


def test_nothing_is_what_a_model_does_best_on_where_the_highest_is_not_told_from_the_others() -> None:
    """“does best on A” was said of the highest of lines whose intervals all overlapped."""
    near = [line("A", 0.88, 1 / 6), line("B", 0.87, 1 / 6), line("C", 0.3, 1 / 6)]
    said = lines.seen("m", Grid([], [], {}, {}), near, by="concept")
    assert said.startswith(
        "No concept stands out as what m does best on: the highest above chance, A (88.0 %, chance 16.7 %), is not "
        "told from B; "
    )
    assert [one.label for one in lines.rivals(near)] == ["B"]
    twice = [near[0], near[1], replace(near[1], sub="accuracy")]
    said = lines.seen("m", Grid([], [], {}, {}), twice, by="concept")
    assert "is not told from B by group score and B by accuracy; " in said
    told = to_copy.said("m", benchmark("m", ["itc"], []), "itc", near)
    assert "of its 3 lines the highest above chance, not told from all others" in told
    assert lines.rivals([near[0], near[2]]) == []  # A stands out beside C
    assert "does best on A" in lines.seen("m", Grid([], [], {}, {}), [near[0], near[2]])


def test_the_finding_is_of_what_is_below_chance_and_claims_no_more() -> None:
    """It called 16.7 points below chance the furthest of lines that stood 68 and 81 points above."""
    said = to_copy.said("captioner", benchmark("m", ["gen"], []), "gen", DRAWN)
    assert "of relation (group score); chance is 16.7 %" in said
    assert "of its 3 lines the furthest below chance" in said
    said = to_copy.said("captioner", benchmark("m", ["gen"], []), "gen", DRAWN[1:])
    assert "of its 2 lines the highest above chance, not told from all others" in said
    assert "of retrieval" in said
    said = to_copy.said("m", benchmark("m", ["gen"], []), "gen", [line("size", 0.3, 1 / 6), DRAWN[2]])
    assert "of its 2 lines the one it does best on" in said
    assert to_copy.said("m", benchmark("m", ["itc"], []), "itc", []) == ""


@pytest.mark.parametrize(
    ("kinds", "priors", "kind", "said"),
    [(["itc"], [], "itc", "only a model that writes captions"), (["gen"], [], "gen", "no P(t) yet"),
     (["itc", "gen"], ["noise:3"], "itc", "generation alone")],
)  # fmt: skip
def test_each_part_that_is_lacking_says_what_brings_it(
    kinds: list[str], priors: list[str], kind: str, said: str
) -> None:
    """Without these lines a page without prior, sensitivity or place did not say that there could be any."""
    made = lacking.found(benchmark("m", kinds, priors), "m", kind, prior=False, sensitive=False, placed=False)
    assert [each.what for each in made] == ["Language prior", "Sensitivity to edits", "Place in the Atlas"]
    assert said in made[0].why
    assert made[0].page or "run --model m --benchmark world --kinds gen,prior" in made[0].commands[0]
    assert "--benchmark 'world~*'" in made[1].commands[0]
    assert lacking.found(benchmark("m", kinds, priors), "m", kind, prior=True, sensitive=True, placed=True) == []


def test_other_systems_are_not_told_to_run() -> None:
    """A page said `run --model predictions:verd`, which `run` refuses."""
    made = lacking.found(
        benchmark("predictions:verd", ["gen"], []), "predictions:verd", "gen", prior=False, sensitive=False, placed=True
    )
    assert [[line.split()[1] for line in each.commands] for each in made] == [
        ["add-predictions"], ["perturb", "export", "add-predictions"],
    ]  # fmt: skip
    gone = lacking.found(
        benchmark("hf:/gone", ["gen"], []), "hf:/gone", "gen", prior=False, sensitive=False, placed=True
    )
    assert all("not there any more" in each.why and not each.commands for each in gone)


def test_edited_captions_that_were_asked_otherwise_are_not_said_to_be_missing() -> None:
    """“No edited captions … have been scored by it” stood there, and the command that had been run."""
    left = LeftOut("predictions:verd", 245, 245, "in the orders a, b, c", "in the orders a, b", several=False)
    (made,) = lacking.found(
        benchmark("predictions:verd", ["verdict"], []), "predictions:verd", "verdict", prior=True, sensitive=False,
        placed=True, left=left,
    )  # fmt: skip
    assert made.why.startswith("Not compared: all 245 choices of verd on edited captions, asked in the orders a, b ")
    assert not made.commands


def test_names_stay_text() -> None:
    one = lacking.Lacking("a <b>", "c", "atlas", "d", (("model", 'e"&'),), ("f <g>",))
    said = str(lacking.html([one]))
    assert "<li><b>a &lt;b&gt;.</b> c" in said
    assert 'href="atlas?model=e%22%26"' in said
    assert "<code>f &lt;g&gt;</code>" in said
