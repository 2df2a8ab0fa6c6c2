"""What is read on each page before anything is clicked: headings, labels of fields with their options, buttons."""

import pytest

from tests.golden.kept import check_value
from tests.golden.pages import journeys, visits

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("example")]


@pytest.mark.parametrize("page", journeys.FIRST_VIEWS)
def test_a_first_view(page: str) -> None:
    app = journeys.first_view(page)
    shown = [element for element in app if element.type in ("button", "download_button", "expander", "tab")]
    check_value(
        f"pages-first-{page}",
        {
            "headings": visits.headings(app),
            "sidebar": visits.fields(app.sidebar, as_shown=True),
            "page": visits.fields(app.main, as_shown=True),
            "buttons": [f"{each.type}: {each.label}" for each in shown if each.label],
            "popovers": [each.proto.popover.label for each in app.get("popover")],
        },
    )
