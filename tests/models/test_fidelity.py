import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.models import load
from backend.models.fidelity import TOLERANCE, check, scorers
from backend.models.odd_pictures import pictures
from backend.models.registry import FAMILIES, imported
from tests.zoo import cases
from tests.zoo.base import Case


def all_cases() -> list[Any]:
    """Every case; `make check` takes the first of each family."""
    seen: set[str] = set()
    found = []
    for case in cases():
        marks = [pytest.mark.slow] if case.family in seen else []
        seen.add(case.family)
        found.append(pytest.param(case, id=case.name, marks=marks))
    return found


def test_every_family_with_a_reference_is_in_the_zoo() -> None:
    held, wanted = {case.family for case in cases()}, {family.name for family in FAMILIES if family.reference}
    assert held == wanted, f"write CASES in tests/zoo/ for {', '.join(sorted(wanted - held))} (CONTRIBUTING.md)"


@pytest.mark.long
@pytest.mark.parametrize("case", all_cases())
def test_every_score_is_the_reference_librarys_whatever_its_company(case: Case, tmp_path: Path) -> None:
    if case.absent:
        pytest.skip(case.absent)
    module = case.build(tmp_path)
    model = load(case.spec.format(folder=tmp_path), device="cpu")
    assert model.family == case.family
    family = next(f for f in FAMILIES if f.name == case.family)
    reference = imported(family.reference)(model, module)
    findings = check(model, reference, case.texts)
    assert {finding.tolerance for finding in findings} == {TOLERANCE}
    assert {finding.check for finding in findings} >= {"reference", "batch of 1", "batch of 7", "company"}
    assert [finding for finding in findings if not finding.ok] == []
    assert all(finding.n > 0 for finding in findings)
    for kind, spread in told_apart(model, reference, case).items():
        assert spread > 10 * TOLERANCE, f"{kind}: its answers are too much alike for a wrong one to show"


def told_apart(model: Any, reference: Any, case: Case) -> dict[str, float]:
    """How far apart the answers to seven pictures with one text lie, and those to one picture with all texts (median
    over pairs of answers), by kind: were they alike, no check of them could fail."""
    images, texts = pictures(), list(dict.fromkeys(text for text in case.texts if text))
    found = {}
    for kind, (ours, _) in scorers(model, reference).items():
        if kind not in ("itc, text", "t2t", "prior"):
            found[f"{kind}, pictures"] = apart(ours(images, [texts[1]] * len(images)))
        if kind != "itc, image":
            found[f"{kind}, texts"] = apart(ours([images[1]] * len(texts), texts))
    return found


def apart(answers: list[Any]) -> float:
    """Median over pairs of answers of the largest difference of a number; answers of other lengths differ anyway."""
    pairs = [(a, b) for n, a in enumerate(answers) for b in answers[:n] if len(a) == len(b)]
    return float(np.median([np.abs(a - b).max() for a, b in pairs])) if pairs else math.inf
