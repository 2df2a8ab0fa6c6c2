"""What Failures says of Winoground's items where only their numbers are here."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks import winoground_stub
from pages.shared.data.stored import StoredBenchmark
from tests.store.writer import items, write_run

Visit = Callable[..., AppTest]
SAID = "captions and pictures are gated and not here"


def benchmark(hash_: str, *parts: StoredBenchmark) -> StoredBenchmark:
    return StoredBenchmark("one", hash_, {}, {}, {}, {}, {}, parts)


def test_only_the_stub_of_item_numbers_is_one() -> None:
    assert benchmark(winoground_stub.HASH[:16]).is_stub
    assert not benchmark("0" * 16).is_stub
    assert not benchmark("").is_stub


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_what_is_missing_is_said_with_the_way_to_bring_it(flipside_cache: Path, visit: Visit) -> None:
    some = list(winoground_stub.stub())
    write_run(flipside_cache, some, "1" * 16, ["itc"], model="fake:ok", seed=1, name="winoground")
    write_run(flipside_cache, items(20), "2" * 16, ["itc"], model="fake:ok", seed=2, name="other")
    for shown, is_said in (("winoground", True), ("other", False), ("all", True)):
        page = visit("failures", benchmark=shown)
        assert not page.exception
        said = "".join(element.proto.body for element in page.get("html"))
        assert (SAID in said) is is_said, shown
        leads = [each.proto.page for each in page.get("page_link") if each.proto.label == "Import your copy"]
        assert len(leads) == int(is_said)
