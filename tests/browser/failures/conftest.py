"""The one dashboard of the tests of Failures."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def dashboard(small: Any) -> Any:
    return small
