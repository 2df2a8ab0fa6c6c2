"""Files of what Failures lists: read back, they hold the same; LaTeX is escaped and balanced."""

import io
import json
import re

import pandas as pd
import pytest

from backend.latex import escape
from backend.store.failures import files, latex

NASTY = ['100% of $x_1$ & {y} \\ ~ ^ # <b>\n"q" −1 α', "=cmd()"]


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run_id": "r", "benchmark": "b", "item_id": ["s/1", "[2]", "s/3"], "subset": "s",
            "concepts": [["colour", "shape"], ["colour"], []], "perturbations": [["swap_colour"], [], []],
            "metric": "accuracy", "query": [-1, -1, 4], "correct": [False, True, None],
            "margin": [-0.5, 0.25, float("nan")],
            "ties": [False, False, None], "cell": ["outvoted", "", ""], "reason": ["uncertain", "", ""],
            "own_tags": [["odd"], [], []],
            "own_verdict": "", "own_date": "",
            "other_correct": [None, None, None], "other_margin": [float("nan")] * 3,
            "texts": [NASTY, ["a", "b"], ["c"]], "image_keys": [["1.png"], ["2.png"], []],
            "cluster": ["1.png", "2.png", "s/3"],
        }
    )  # fmt: skip


def test_every_format_holds_the_same() -> None:
    frame = files.flat(rows(), notes={("b", "s/1"): 'look, "here"'})
    assert "other_correct" not in frame
    assert "benchmark" not in frame
    lines = [json.loads(line) for line in files.jsonl(frame).splitlines()]
    assert [line["correct"] for line in lines] == [False, True, None]
    assert lines[0]["texts"] == NASTY
    assert lines[0]["note"] == 'look, "here"'
    assert lines[2]["query"] == 4
    assert lines[0]["query"] is None
    assert lines[2]["margin"] is None
    back = pd.read_parquet(io.BytesIO(files.parquet(frame)))
    assert [list(texts) for texts in back["texts"]] == [NASTY, ["a", "b"], ["c"]]
    assert back["margin"].to_list()[:2] == [-0.5, 0.25]
    assert back["correct"].isna().to_list() == [False, False, True]
    assert back["diagnosis"].to_list() == ["uncertain", "", ""]
    assert (frame.columns[-1], back["cell"].to_list()) == ("cell", ["outvoted", "", ""])
    table = files.for_csv(frame)
    assert table["texts"][0] == "\n".join(NASTY)
    assert files.flat(rows(), names={"b": "mine"})["benchmark"].to_list() == ["mine"] * 3


def test_the_summary_counts_each_concept_and_all() -> None:
    found = files.by_concept(rows()).set_index("concept")
    assert found.loc["colour", ["n", "wrong"]].to_list() == [2, 1]
    assert found.loc["shape", ["n", "wrong", "rate"]].to_list() == [1, 1, 1.0]
    assert found.loc["all", ["n", "wrong"]].to_list() == [2, 1]  # the undefined verdict is no verdict
    assert found.index[-1] == "all"
    # Wilson, 1 of 2, by hand: (2k + z²) / (2 (n + z²)) ± z √(z² + 4k(1 − k/n)) / (2 (n + z²)).
    z2 = 1.959963984540054**2
    middle, half = (2 + z2) / (2 * (2 + z2)), (z2 * (z2 + 2)) ** 0.5 / (2 * (2 + z2))
    assert found.loc["all", "low"] == pytest.approx(middle - half)
    assert found.loc["all", "high"] == pytest.approx(middle + half)


def test_latex_is_escaped_and_every_row_has_its_cells() -> None:
    frame = files.flat(rows())
    text = latex.listing(frame, "Failures of clip & co, α = 0.5")
    body = text.split("\\endfoot\n")[1].split("\\end{longtable}")[0]
    lines = body.strip().split(" \\\\\n")
    assert len(lines) == 3
    assert lines[1].startswith("{}[2] &")
    for line in lines:
        assert len(re.findall(r"(?<!\\)&", line)) == 5
    assert not re.findall(r"(?<!\\)[%#]", body)
    assert r"100\% of \$x\_1\$ \& \{y\} \textbackslash{} \textasciitilde{} \textasciicircum{} \#" in body
    assert r"\textless{}b\textgreater{}" in body
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")
    summed = latex.summary(files.by_concept(rows()), "by concept")
    assert "colour & 2 & 1 & 1 of 2 & --" in summed  # of few a count, no interval
    assert summed.index("\\midrule\nall") > summed.index("colour")
    assert escape("swap\nline\tx\x00y") == "swap line x y"


def test_of_scores_that_may_not_be_handed_on_only_verdicts_stay() -> None:
    frame = files.flat(rows(), verdicts_only=True)
    assert frame["margin"].isna().all()
    assert set(frame["concept"]) == {""}
    assert not any(frame["texts"].map(len))
    assert not any(frame["images"].map(len))
    assert json.loads(files.jsonl(frame).splitlines()[0])["margin"] is None
    assert len(pd.read_parquet(io.BytesIO(files.parquet(frame)))) == 3
    whole = files.flat(rows())
    assert frame["correct"].equals(whole["correct"])
    assert frame["cell"].equals(whole["cell"])
    assert whole["texts"].map(len).all()
