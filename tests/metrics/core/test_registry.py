"""Declarations: complete, found by name, documented."""

from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.items import Kind, Protocol
from backend.metrics import grounding, retrieval
from backend.metrics.core.registry import METRICS, applicable, by_name, deciding, headlines
from backend.metrics.core.scored import Scored

#: Means of other metrics' outcomes, which the store forms.
MEANS = ("accuracy_mean_of_orders", "mean_per_class_accuracy", "grounding_mean_accuracy")
#: Levels that are printed, or follow from counting orderings; all others depend on the items, or do not exist.
LEVELS = {
    "i2t_accuracy": 1 / 3, "t2t_accuracy": 1 / 3, "p1_n_accuracy": 1 / 2, "p2_n_accuracy": 1 / 2,
    "i2t_p1_n_accuracy": 1 / 2, "i2t_p2_n_accuracy": 1 / 2, "text_score": 1 / 4, "image_score": 1 / 4,
    "group_score": 1 / 6, "group_match": 1 / 2, "pc": 1 / 2, "pf": 1 / 2,
    "threshold_accuracy": 1 / 2, "min_pc_pf": 1 / 2, "auroc": 1 / 2,
    "classification_auroc": 1 / 2, "answer_accuracy": 1 / 2, "question_accuracy": 1 / 4, "image_accuracy": 1 / 4,
    "group_accuracy": 1 / 16, "answer_auroc": 1 / 2,
}  # fmt: skip

DOCS = Path(__file__).parents[3] / "docs" / "methods.md"


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_declaration_is_complete_and_documented(metric):
    assert metric.title
    assert metric.formula
    assert "\n" not in metric.formula
    assert metric.paper
    assert metric.where
    assert metric.kinds
    forms = [form for form in (metric.judge, metric.value, metric.measure) if form]
    assert len(forms) == (0 if metric.name in MEANS else 1)
    assert metric.share is not bool(metric.unit)
    assert not {"itc", "itm", "gen", "vqa"} & set(metric.name.split("_"))
    documented = DOCS.read_text(encoding="utf-8")
    assert f"`{metric.name}`" in documented


def test_names_are_found_and_near_matches_offered():
    assert by_name("rsum").direction == "higher"
    with pytest.raises(UsageError, match="did you mean image_score"):
        by_name("imagescore")
    with pytest.raises(UsageError, match="available: i2t_accuracy"):
        by_name("zzzz")


def test_applicable():
    names = {metric.name for metric in applicable(Protocol.QUAD, Kind.ITC)}
    assert {"text_score", "image_score", "group_score", "eqsim_v1"} <= names
    assert "pc" not in {metric.name for metric in applicable(Protocol.CHOICE, Kind.ITC)}
    assert "pc" in {metric.name for metric in applicable(Protocol.CHOICE, Kind.ITM)}
    assert applicable(Protocol.QUAD, Kind.PRIOR) == ()


def test_chance_levels_stand_in_the_entries():
    assert {metric.name: metric.level() for metric in METRICS if metric.level() is not None} == LEVELS
    shaped = {metric.name: metric.level([10, 4], [1, 1]) for metric in METRICS if callable(metric.chance)}
    recalls = {f"{side}_recall_at_{k}" for side in ("i2t", "t2i") for k in (1, 5, 10)}
    grounded = {grounding.metric(threshold) for threshold in grounding.THRESHOLDS}
    assert shaped.keys() == recalls | grounded | {
        "accuracy", "top1_accuracy", "top5_accuracy", "mean_per_class_accuracy",
    }  # fmt: skip
    assert shaped["accuracy"] == shaped["i2t_recall_at_1"] == shaped["grounding_accuracy_at_1.0s"] == 0.175
    assert shaped["top5_accuracy"] == shaped["t2i_recall_at_5"] == 0.75


def test_pools_and_boundaries_are_computed_by_their_entries():
    scores, relevance = [[0.9, 0.1], [0.8, 0.3]], [[True, False], [False, True]]
    pool = Scored(scores, relevance=relevance, embeddings=[[1.0, 0.0], [0.8, 0.6]])
    expected = retrieval.recall_at_k(scores, relevance)
    for metric in METRICS:
        if metric.protocol == Protocol.RETRIEVAL and metric.judge:
            assert metric.judge(pool).correct.tolist() == expected.verdicts[metric.name].correct.tolist()
        elif metric.protocol == Protocol.RETRIEVAL and metric.measure:
            assert metric.measure(pool) == expected.rates[metric.name]
    assert by_name("i2t_similarity_relevance").value(pool).tolist() == [1.0, 1.0]
    clip = Scored(
        [[[0.5, 0.0], [0.25, 0.25], [0.0, 1.0]]], n_images=[3], seconds=[[0.0, 0.2, 0.4]], boundaries=[[0.375]]
    )
    near, far = by_name("grounding_accuracy_at_0.1s"), by_name("grounding_accuracy_at_3.0s")
    assert near.judge(clip).correct.tolist() == [True]
    assert [counts.tolist() for counts in near.candidates(clip)] == [[2], [1]]
    assert [counts.tolist() for counts in far.candidates(clip)] == [[2], [2]]
    quad = Scored([[[4.0, 2.0], [1.0, 8.0]]])
    found = [by_name(f"eqsim_{name}").value(quad).tolist() for name in ("v1", "v2_text", "v2_image")]
    assert found == [[1.0], [-5.0], [-3.0]]


def test_what_decides_an_item():
    assert [deciding(protocol) for protocol in Protocol] == [
        "i2t_accuracy", "accuracy", "group_score", "i2t_recall_at_1", "top1_accuracy", "grounding_accuracy_at_1.0s",
        "answer_accuracy",
    ]  # fmt: skip
    assert deciding(Protocol.TRIPLET, Kind.T2T) == "t2t_accuracy"
    assert headlines(Protocol.CHOICE) == ("accuracy", "accuracy_mean_of_orders")
