"""Streamlit's look at installed packages: the short one finds what the long one does."""

from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from pages.shared.server import manifests

#: Streamlit's own, as it was before anything replaced it.
LONG = manifest_scanner._is_likely_streamlit_component_package


class Package(Distribution):
    """One with this description."""

    def __init__(self, said: str | None, name: str = "METADATA") -> None:
        self.said, self.name_of_file = said, name

    def read_text(self, filename: str) -> str | None:
        return self.said if filename == self.name_of_file else None

    def locate_file(self, path):  # type: ignore[no-untyped-def]
        return Path(path)


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    long = LONG if not getattr(LONG, "is_of_few", False) else LONG.__closure__[0].cell_contents  # type: ignore[index]
    monkeypatch.setattr(manifest_scanner, manifests._QUESTION, long)


HEAD = "Metadata-Version: 2.1\nName: {}\nVersion: 1\nSummary: {}\n{}\n\nA long description.\n"


@pytest.mark.parametrize(
    ("said", "file", "meant"),
    [
        (HEAD.format("numpy", "arrays", ""), "METADATA", False),
        (HEAD.format("streamlit-bokeh", "plots", ""), "METADATA", True),
        (HEAD.format("ST-aggrid", "tables", ""), "METADATA", True),
        (HEAD.format("st_tables", "tables", ""), "PKG-INFO", True),
        (HEAD.format("tables", "For Streamlit", ""), "METADATA", True),
        (HEAD.format("tables", "of numbers", "Requires-Dist: Streamlit>=1.50"), "METADATA", True),
        (HEAD.format("test-utils", "of tests", "Requires-Dist: pytest"), "METADATA", False),
        (HEAD.format("tables", "of numbers", "") + "It works in Streamlit, too.", "METADATA", False),
    ],
)
def test_the_same_answer_as_streamlits_own(said: str, file: str, meant: bool) -> None:
    package = Package(said, file)
    assert manifest_scanner._is_likely_streamlit_component_package(package) == meant
    manifests.ask_few()
    assert manifest_scanner._is_likely_streamlit_component_package(package) == meant


def meant() -> set[str]:
    return {each.name for each in distributions() if manifest_scanner._is_likely_streamlit_component_package(each)}


def test_all_that_is_installed_is_answered_alike_and_most_is_not_asked() -> None:
    long = meant()
    asked = [each.name for each in distributions() if manifests.may_be_meant(each)]
    manifests.ask_few()
    manifests.ask_few()  # twice is once
    assert {
        each.name for each in distributions() if manifest_scanner._is_likely_streamlit_component_package(each)
    } == long
    assert "streamlit" in long
    assert set(asked) >= long
    assert len(asked) < len(list(distributions())) / 4


def test_one_without_a_description_is_streamlits_own_affair() -> None:
    assert manifests.may_be_meant(Package(None))
