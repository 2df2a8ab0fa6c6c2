from pathlib import Path

import pytest

from backend.models import load
from backend.models.fidelity import TOLERANCE, check
from backend.models.registry import FAMILIES, imported
from tests.zoo import cases
from tests.zoo.base import Case


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_score_is_the_reference_librarys_whatever_its_company(case: Case, tmp_path: Path) -> None:
    module = case.build(tmp_path)
    model = load(case.spec.format(folder=tmp_path), device="cpu")
    assert model.family == case.family
    family = next(f for f in FAMILIES if f.name == case.family)
    findings = check(model, imported(family.reference)(model, module), case.texts)
    assert {finding.tolerance for finding in findings} == {TOLERANCE}
    assert {finding.check for finding in findings} >= {"reference", "batch of 1", "batch of 7", "company"}
    assert [finding for finding in findings if not finding.ok] == []
    assert all(finding.n > 0 for finding in findings)
