"""Every example in a docstring of the backend and of the pages' parts says what the code does."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Modules with an example; page scripts run when they are imported and have none.
WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in ("backend", "pages")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_hold(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
