"""docs/demo.md can be played as it is written."""

import pytest

from scripts import demo

pytestmark = pytest.mark.browser


@pytest.mark.timeout(300)
def test_the_demo_plays_through(shipped, page):
    took = demo.play(page, shipped.address)
    assert [name for name, _ in took] == [name for name, _ in demo.ACTS]


def test_every_act_is_in_the_script():
    text = (demo.Path(demo.__file__).parent.parent / "docs" / "demo.md").read_text(encoding="utf-8")
    assert [name for name, _ in demo.ACTS if f"**{name}**" not in text] == []
