"""ELEVATER's own numbers: each task by its metric, and a mean that is undefined while something is missing."""

import numpy as np
import pytest

from backend.benchmarks.base import Judged
from backend.benchmarks.classification.elevater import TASKS, official


def judged(rates, widths=None, metric="top1_accuracy"):
    """One item of each task with one class, as `report` hands them over."""
    subsets = [task for task in rates if task != "voc-2007-classification"]
    tags = [{"classes": (str((widths or {}).get(task, TASKS[task].classes)),)} for task in subsets]
    return Judged(subsets, subsets, tags, np.ones(len(subsets)), metric, rates=rates)


def rates():
    """Every task with a value of its own metric that tells them apart, and other metrics that must not be taken."""
    found = {}
    for place, (task, told) in enumerate(TASKS.items()):
        wrong = dict.fromkeys(("top1_accuracy", "mean_per_class_accuracy", "top5_accuracy"), (0.99, 7))
        found[task] = wrong | {told.metric: ((place + 1) / 100, 10)}
    return found


def test_tasks_have_their_own_metrics_and_a_plain_mean():
    assert len(TASKS) == 21
    scores = {score.name: score for score in official(judged(rates()))}
    values = [(place + 1) / 100 for place in range(21)]
    assert [scores[task].value for task in TASKS] == values
    assert scores["average_21"].value == pytest.approx(np.mean(values))
    assert scores["average_20"].value == pytest.approx(np.mean(values[:-1]))  # ImageNet is the last
    assert (scores["average_21"].n, scores["average_20"].n) == (210, 200)
    kinds = {told.metric for told in TASKS.values()}
    assert kinds == {"top1_accuracy", "mean_per_class_accuracy", "classification_auroc", "map_11_point"}


def test_a_missing_task_leaves_the_mean_undefined():
    some = rates()
    del some["mnist"]
    scores = {score.name: score for score in official(judged(some))}
    assert "mnist" not in scores
    assert scores["average_21"].value is None
    assert scores["average_21"].how.endswith("undefined without mnist")
    del some["imagenet-1k"]
    assert {s.name: s for s in official(judged(some))}["average_20"].how.endswith("undefined without mnist")


def test_another_number_of_classes_is_another_task():
    scores = {score.name: score for score in official(judged(rates(), {"dtd": 2}))}
    assert (scores["dtd"].value, scores["dtd"].n) == (None, 10)
    assert "2 classes, where the task has 47" in scores["dtd"].how
    assert scores["average_21"].value is None


def test_other_metrics_bring_nothing_of_their_own():
    assert official(judged(rates(), metric="top5_accuracy")) == []
