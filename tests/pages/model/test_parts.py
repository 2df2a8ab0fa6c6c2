"""Parts of the model page that need no results: its place in the Atlas, its sensitivity, links by its name."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from backend.metrics.reasons.sensitivity import Sensitivity
from backend.metrics.statistics import Paired, Rate
from backend.published.atlas.measures import benchmarks
from backend.published.atlas.reading import read
from backend.store.labels.sensitive import Flips, Sensitive
from pages.model import atlas_place, sensitive
from pages.shared.data import stored
from pages.shared.frame import model_link
from tests.pages.shared.drawing.test_html import ATTACKS, Shape
from tests.published.atlas import made

NOTHING = Paired(None, None, None, 0)


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory):
    from hashlib import sha256

    path = made.write(Path(tmp_path_factory.mktemp("atlas")) / "atlas.csv")
    return read(path, sha256(path.read_bytes()).hexdigest())


def test_a_model_is_found_by_its_spec_or_by_the_system_of_fetched_scores(atlas) -> None:
    first = atlas.find("ViT-B-32", "openai")
    assert atlas_place.row_of("openclip:ViT-B-32/openai", "", atlas) == first
    assert atlas_place.row_of("predictions:clip", "CLIP ViT-B/32", atlas) == first
    assert atlas_place.row_of("bundled:clip", "", atlas) is None
    assert atlas_place.row_of("predictions:vilt", "ViLT", atlas) is None


def test_its_place_is_counted_from_the_published_rates(atlas) -> None:
    row = atlas.find("ViT-B-32", "openai")
    found = atlas_place.places(atlas, row)
    assert [each.measure.key for each in found] == [measure.key for measure in benchmarks()]
    for each in found:
        assert each.rate == each.others[row]
        assert each.rank == 1 + int(np.sum(each.others > each.rate))
    html = str(atlas_place.html(found))
    assert html.count("<svg") == len(found)
    assert f"{found[0].rank} of {len(atlas.entries)}" in html


def flips(difference: float) -> Flips:
    return Flips(40, 0.1, 0.1 + difference, Paired(difference, (difference - 0.05, difference + 0.05), 0.01, 40))


def test_sensitivity_is_said_with_its_facts() -> None:
    of = Sensitive(
        "m", "itc", "r", 50, "all", ("a",), ("b", "c"), flips(0.078), flips(-0.011),
        Sensitivity(0.154, (0.1, 0.2), 300, 200), 9.0, Rate(0.4, 25, 0, (0.2, 0.6)), (),
    )  # fmt: skip
    lost, won, d, near = sensitive.numbers(of).values()
    assert ">+7.8<" in lost
    assert "40 items · 95 % interval 2.8 to 12.8 points · 1 editions keep the meaning, 2 change it" in lost
    assert ">−1.1<" in won
    assert ">+0.15<" in d
    assert "300 edits keep the meaning, 200 change it" in d
    assert ">40.0 %<" in near
    lacking = Sensitive(
        "m", "itc", "r", 50, "all", (), (), Flips(0, None, None, NOTHING), Flips(0, None, None, NOTHING),
        Sensitivity(None, None, 0, 0), 0.0, Rate(None, 0, 0, None), (),
    )  # fmt: skip
    assert set(map(str, sensitive.numbers(lacking).values())) == {"–"}


class Links(HTMLParser):
    """Where links lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if tag == "a" and name == "href"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_model_s_link_keeps_every_name_a_name(attack: str) -> None:
    made_of, plain = (Shape(str(model_link.model_link(text, text, text, text))) for text in (attack, "x"))
    assert made_of.tags == plain.tags
    (link,) = Links(str(model_link.model_link(attack, "world"))).found
    assert link.startswith("model?model=")


def test_a_model_s_link_is_its_address() -> None:
    from urllib.parse import parse_qs, urlsplit

    (link,) = Links(str(model_link.model_link("openclip:ViT-B-32/openai#x", "a & b"))).found
    assert parse_qs(urlsplit(link).query) == {"model": ["openclip:ViT-B-32/openai#x"], "benchmark": ["a & b"]}


def test_a_system_of_verdicts_alone_is_not_said_to_have_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """“Another system's scores, read from a file” stood under a name whose file held true and false."""
    kinds = {"predictions:v": ["verdict"], "predictions:s": ["score"], "bundled:clip": ["itc"]}
    known = {"world": stored.StoredBenchmark("world", "h", {}, {}, dict.fromkeys(kinds, "r"), kinds, {})}
    monkeypatch.setattr(model_link.stored, "chosen", lambda: known)
    monkeypatch.setattr(model_link.stored, "store", lambda: None)
    what = dict.fromkeys(kinds, "another system's scores, read from a file")
    monkeypatch.setattr(model_link.about, "known", lambda _, models: {model: what[model] for model in models})
    said = model_link.described(kinds)
    assert said["predictions:v"] == "another system's verdicts, read from a file"
    assert said["predictions:s"] == what["predictions:s"]
