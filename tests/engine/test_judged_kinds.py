"""Questions are answered by probabilities: other kinds are refused, or said to judge nothing, before scoring."""

import pytest

from backend.engine.runner import run
from backend.errors import UsageError
from backend.items import Benchmark, Protocol
from tests.engine.samples import item, picture


@pytest.fixture
def questions(tmp_path):
    def items():
        for k in range(3):
            yield item(f"q/{k}", Protocol.ANSWERS, [picture(tmp_path, f"p{k}")], (f"is it {k}?",), {})

    return Benchmark("questions", items)


def test_a_model_that_cannot_answer_is_refused_where_nobody_names_a_kind(questions, tmp_path, monkeypatch):
    monkeypatch.setattr("backend.models.load", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(
        UsageError, match="questions asks for yes or no, which itm or vqa answer: a cosine is no"
    ) as said:
        run("bundled:clip", questions, None, root=tmp_path / "cache")
    assert "bundled:clip gives itc, t2t alone" in str(said.value)
    assert not list((tmp_path / "cache").glob("runs/*"))


def test_kinds_that_can_are_scored_and_those_that_are_named_are_said_to_judge_nothing(questions, tmp_path):
    every = run("fake:ok", questions, None, root=tmp_path / "cache")
    assert {part for part in every.parts if not part.startswith("tokens")} == {"itm", "vqa"}
    told: list[str] = []
    run("fake:ok", questions, ["itc"], root=tmp_path / "cache", tell=told.append)
    assert any("The scores of itc are kept, but no item is judged by them." in line for line in told)
