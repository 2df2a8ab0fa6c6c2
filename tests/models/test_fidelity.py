from pathlib import Path
from typing import Any

import pytest

from backend.models import load
from backend.models.fidelity import TOLERANCE, check
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
    assert {case.family for case in cases()} == {family.name for family in FAMILIES if family.reference}


@pytest.mark.parametrize("case", all_cases())
def test_every_score_is_the_reference_librarys_whatever_its_company(case: Case, tmp_path: Path) -> None:
    if case.absent:
        pytest.skip(case.absent)
    module = case.build(tmp_path)
    model = load(case.spec.format(folder=tmp_path), device="cpu")
    assert model.family == case.family
    family = next(f for f in FAMILIES if f.name == case.family)
    findings = check(model, imported(family.reference)(model, module), case.texts)
    assert {finding.tolerance for finding in findings} == {TOLERANCE}
    assert {finding.check for finding in findings} >= {"reference", "batch of 1", "batch of 7", "company"}
    assert [finding for finding in findings if not finding.ok] == []
    assert all(finding.n > 0 for finding in findings)
