"""An item says in plain words what it is and why it fails: no internal key, no word twice."""

import doctest
import re

import numpy as np
import pandas as pd
import pytest

from backend.metrics.diagnosis import DEFINITIONS
from backend.store.labels import diagnosis
from pages.item import evidence as item_evidence
from pages.shared.drawing.numbers import score
from tests.pages.item.test_edits import detail

EVIDENCE = {
    "text_encoder": {"t2t_margin": -0.1},
    "cross_modal": {"t2t_margin": 0.1, "i2t_margin": -0.2},
    "language_prior": {"margin_alpha_0": -0.775, "margin_alpha_1": 0.004771, "prior": "lm:bundled:lm"},
    "brittle": {"margin": 0.1, "edits": 9, "flips": 2, "flipped_by": ["world~typos@4"]},
    "near_miss": {"margin": 0.1, "edits": 9, "change_90th_percentile": 0.3},
    "blind_solvable": {
        "scorers": ["bundled:lm (self)", "bundled:captioner (images:20)"], "margins": [0.5, 0.1],
        "thresholds": [0.2, 0.1],
    },
}  # fmt: skip


def test_examples() -> None:
    assert doctest.testmod(item_evidence).failed == 0


@pytest.mark.parametrize("margin", [0.2175023, 0.100451, -0.2175023])
def test_a_margin_is_the_same_number_on_its_chip_and_in_its_evidence(margin: float) -> None:
    """Stored whole and rounded by the page: 0.2175 of four digits would become 0.217, the margin itself is 0.218."""
    stored = diagnosis._said(np.float64(margin))
    assert stored == margin
    assert item_evidence._number("t2t_margin", stored).endswith(score(margin, signed=True))


def html(name: str) -> str:
    kind = "gen" if name in ("language_prior", "cross_modal", "brittle", "near_miss") else ""
    model = "" if name == "blind_solvable" else "bundled:captioner"
    labels = [(model, "r", kind, name, DEFINITIONS[name], EVIDENCE[name])]
    shown = item_evidence.evidence_html(detail(["a", "b"], labels=labels))
    return re.sub("<[^>]+>", "", shown.replace("<b>", " "))


def test_every_diagnosis_is_written_without_keys() -> None:
    """Failed before: "captioner · gen gen is wrong at alpha = 0 … prior lm:bundled:lm"."""
    assert set(EVIDENCE) == set(DEFINITIONS)
    for name in EVIDENCE:
        said = html(name)
        assert not re.search(r"\b(gen|itc|t2t|i2t|alpha|bundled|self)\b", said), said
        assert "_" not in said
        assert not re.search(r"\b(\w+) \1\b", said), said
    assert "generation is wrong at α = 0 and right at α = 1. Evidence: margin −0.775 at α = 0" in html("language_prior")
    assert "margin +0.00477 at α = 1, prior from blind model lm" in html("language_prior")
    assert "captioner · generation" in html("brittle")
    assert "blind scorers (lm; captioner, 20 sampled images)" in html("blind_solvable")


def test_tags_are_plain_words() -> None:
    """Failed before: chips "perturbation: against_prior" and "split: dev"."""
    shown = item_evidence.tags_html(
        {"concept": ["relation"], "perturbation": ["swap_horizontal"], "split": ["dev"], "original": ["<b>"],
         "change": ["{}"], "none": ["none"]}
    )  # fmt: skip
    assert "concept: relation" in shown
    assert "change: left and right swapped" in shown
    assert "dev split" in shown
    assert "in the source: &lt;b&gt;" in shown
    assert "_" not in shown
    assert "perturbation" not in shown


@pytest.mark.parametrize("shape", [[0.5, None], 3, 0.5])
def test_numbers_are_written_as_everywhere(shape: object) -> None:
    evidence = {"margins": shape}
    frame = pd.DataFrame([("", "", "", "blind_solvable", "x", evidence)],
                         columns=["model", "run_id", "kind", "label", "definition", "evidence"])  # fmt: skip
    said = item_evidence.evidence_html(detail(["a"], labels=list(frame.itertuples(index=False, name=None))))
    expected = {"list": "(+0.500, –)", "int": "3", "float": "+0.500"}[type(shape).__name__]
    assert f"their margins {expected}." in said
