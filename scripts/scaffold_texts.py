"""What `scripts/scaffold.py` writes beside CONTRIBUTING's examples: tests, samples, rows. NAME is the new thing's."""

from typing import Any

SAMPLE = '''"""NAME as it is published, with made-up content. yours: the original's schema, quirks included."""

import json
from pathlib import Path

from PIL import Image


def write(folder: Path) -> None:
    """Two items, one record without a picture, and one picture of two."""
    records = {
        "7": {"image": "1.jpg", "caption": "a red cat", "foil": "a blue cat"},
        "8": {"image": "2.jpg", "caption": "a green dog", "foil": "a red dog"},
        "9": {"caption": "a boat", "foil": "two boats"},
    }
    (folder / "NAME.json").write_text(json.dumps(records), encoding="utf-8")
    (folder / "val2017").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (32, 32), "red").save(folder / "val2017" / "1.jpg")
'''

TEST_BENCHMARK = """from backend.benchmarks import load_benchmark, recognise
from backend.items import Item
from tests.benchmarks.samples.NAME import write


def test_items_and_what_is_left_out(tmp_path):
    write(tmp_path)
    benchmark = load_benchmark("NAME", tmp_path)
    first, second = [each for each in benchmark if isinstance(each, Item)]
    assert first.texts == ("a red cat", "a blue cat")
    assert not first.images[0].missing
    assert second.images[0].missing
    (skipped,) = benchmark.skipped()
    assert "image" in skipped.reason


def test_its_folder_is_recognised(tmp_path):
    write(tmp_path)
    assert recognise(tmp_path) == ["NAME"]


def test_it_is_imported_and_scored(tmp_path, flipside):
    write(tmp_path)
    assert flipside("import", "NAME", "--data", tmp_path, "--json").json["n_items"] == 2
    ran = flipside("run", "--model", "fake:ok", "--benchmark", "NAME", "--data", tmp_path, "--kinds", "itc", "--json")
    assert "1" in ran.out
    reported = flipside("report", "--model", "fake:ok", "--benchmark", "NAME", "--json")
    assert reported.json["metrics"]["accuracy"]["n"] == 1
"""

SOURCE: dict[str, Any] = {
    "source": "https://example.org/yours",
    "licence": "none stated by its authors",
    "status": "no licence",
    "how": "yours: where its files are, and what --data must hold.",
    "files": [],
}

BENCHMARK_SECTION = """## NAME

| | |
|---|---|
| files in `DIR` | `NAME.json` |
| protocol | `choice`; yours: chance |

yours: what the original leaves open, and our reading.
"""

TEST_PERTURBATION = """from backend.perturb import apply, get


def test_what_it_does():
    edit = apply("NAME", get("NAME").example)
    assert edit is not None
    assert (edit.text, edit.what) == ("A street by night.", "day → night")  # yours: its own example


def test_what_it_leaves_alone():
    assert apply("NAME", "A red car.") is None


def test_an_edition_is_made_of_it(flipside):
    listed = {row["name"] for row in flipside("perturb", "--json").json["perturbations"]}
    assert "NAME" in listed
    made = flipside("perturb", "--benchmark", "world", "--subset", "choice", "--limit", 2, "--kinds", "NAME", "--json")
    assert made.json["editions"][0]["name"].startswith("world~NAME")
"""

METRIC_LINE = """    Metric("NAME", "TITLE", _C, SIMILARITIES, "higher", (0.0, 1.0), 1 / 2,
           "s(I,truth) > s(I,foil) + 0.05 for every foil", "ours", "docs/methods.md",
           judge=lambda s: NAME_.NAME(s.scores, s.n_texts)),
"""

METRIC_SECTION = """## TITLE (`NAME.py`, ours)

`NAME`: s(I,truth) > s(I,foil) + 0.05 for every foil. yours: formula and paper.
"""

TEST_METRIC = """import doctest

import numpy as np

from backend.items import Kind, Protocol
from backend.metrics import NAME
from backend.metrics.core import evaluate


def test_its_worked_example():
    assert doctest.testmod(NAME).failed == 0


def test_it_is_a_slow_independent_count():
    scores = np.random.default_rng(0).normal(size=(200, 3))
    found = NAME.NAME(scores)
    assert found.correct.tolist() == [all(row[0] > foil + NAME.LEAD for foil in row[1:]) for row in scores]


def test_nothing_one_ties_and_nan():
    assert len(NAME.NAME(np.zeros((0, 2)))) == 0
    found = NAME.NAME([[1.0, 1.0], [np.nan, 0.0], [-0.1, -0.9]])
    assert found.correct.tolist() == [False, False, True]
    assert found.defined.tolist() == [True, False, True]


def test_it_is_among_the_verdicts():
    assert "NAME" in evaluate.outcomes(Protocol.CHOICE, Kind.ITC, [[1.0, 0.0]], [2])
"""

VERB_SECTION = """## TITLE

```sh
flipside VERB --json
```

`VERB` yours: what it does, and what its JSON holds.
"""

TEST_VERB = """def test_the_document(flipside):
    answer = flipside("VERB", "--json")
    assert (answer.code, answer.json) == (0, {"answer": 42})  # yours


def test_the_text(flipside):
    assert flipside("VERB").out == "42\\n"


def test_wrong_use(flipside):
    assert flipside("VERB", "--no-such-option").code == 2
"""

PAGE_ROW = (
    "| [{title}](pages/{slug}.md) ![](screenshots/{slug}-light.webp) | yours: what one does there | `test_{name}.py` |"
)

TEST_PAGE = """import pytest


@pytest.mark.usefixtures("nothing_shipped")
def test_with_nothing_computed_it_says_what_to_do(visit):
    page = visit("NAME")
    assert not page.exception
    assert not page.dataframe


@pytest.mark.usefixtures("small")
def test_what_it_shows(visit):
    page = visit("NAME")
    assert not page.exception
    table = page.dataframe[0].value
    assert set(table["model"]) == {"fake:strong", "fake:weak", "fake:speaker", "fake:blind"}
    assert table["runs"].tolist() == [1, 1, 1, 1]


@pytest.mark.usefixtures("small")
def test_its_address_reopens_it(visit):
    assert visit("NAME", least="2").dataframe[0].value.empty
"""

TEST_BROWSER = '''"""TITLE in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.stored import open_page, start

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def dashboard(serve, tmp_path_factory):
    return start(serve, tmp_path_factory.mktemp("NAME"))


def test_it_is_in_the_sidebar_and_opens(page, dashboard):
    open_page(page, dashboard, "SLUG?least=1")
    expect(page.locator(".fs-header h1")).to_have_text("How many runs has each model?")  # yours: what one does there
    expect(page.get_by_role("link", name="TITLE", exact=True)).to_be_visible()
'''

REFERENCE = '''"""NAME, by its library's own documented call. yours: that call, sharing no code with the adapter."""

import numpy as np
from numpy.typing import NDArray

from backend.models.reference.base import Reference


class CLASS(Reference):
    """One text at a time."""

    def text(self, text: str) -> NDArray[np.float32]:
        """The L2-normalised text embedding, (2,)."""
        length = float(np.hypot(len(text), 1.0))
        return np.array([len(text) / length, 1.0 / length], dtype=np.float32)
'''

ZOO = '''"""NAME: yours: random weights of the real architecture, as a hub folder is laid out."""

import json
from pathlib import Path
from typing import Any

from tests.zoo.base import Case


def build(folder: Path) -> Any:
    """A folder of it; its reference loads nothing else."""
    (folder / "config.json").write_text(json.dumps({"architectures": ["CLASSModel"]}), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"yours: weights")


CASES = [Case("CLASS", "NAME", build)]
'''

FAMILY_LINE = (
    '    _family("NAME", "texts.NAME:CLASS", "t2t", "yours: which models", ("hf:./my-NAME",), '
    'architectures=("CLASSModel",)),  # noqa: E501\n'
)

TEST_FAMILY = """import numpy as np

from backend.models import kinds_of, load
from tests.zoo.texts.NAME import build


def test_texts_are_unit_rows_in_order(tmp_path):
    build(tmp_path)
    model = load(f"hf:{tmp_path}")
    rows = model.encode_texts(["a cat", "a red cat"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.array_equal(model.encode_texts(["a red cat"])[0], rows[1])
    assert kinds_of(f"hf:{tmp_path}") == model.kinds
"""

TEST_KIND = """import pytest

from backend.benchmarks import load_benchmark
from backend.errors import UsageError
from backend.evaluation import evaluate
from backend.models import load

MODEL

def test_an_own_model_of_this_kind_is_scored_and_judged():
    world = load_benchmark("world")
    found = evaluate(CLASS("py:CLASS"), world, kinds="NAME", subsets="choice", limit=12)
    items = [item for item in world if item.subset == "choice"][:12]
    right = []
    for item in items:
        first, *foils = CLASS("py:CLASS").NAME_scores([item.images[0].uri] * len(item.texts), item.texts)
        right.append(bool(first > max(foils)))
    assert found.rate("accuracy") == sum(right) / 12
    judged = found.items[found.items["metric"] == "accuracy"]
    assert judged["correct"].tolist() == right


def test_a_score_of_ones_own_may_declare_it():
    class Longest:
        kind, weights_id = "NAME", "1"

        def score(self, images, texts):
            return [len(text) / 100 for text in texts]

    found = evaluate(Longest(), "world", kinds="NAME", subsets="choice", limit=4)
    assert found.scores["part"].unique().tolist() == ["NAME"]


def test_other_models_refuse_it():
    with pytest.raises(UsageError, match="fake:ok/itc gives no NAME"):
        load("fake:ok/itc").pair_scores("NAME", [], [])
"""

KIND_SECTION = """## The score kind `NAME`

1 / (1 + d), d the distance of what the model makes of image and text. yours: formula and paper.
"""

PROTOCOL_LINE = """    Metric("NAME", "TITLE", Protocol.UPPER, SIMILARITIES, "higher", (0.0, 1.0), 1 / 6,
           "every true caption above every false one", "ours", "docs/methods.md", headline=True,
           judge=lambda s: NAME_.NAME(s.scores)),
"""

PROTOCOL_SECTION = """## TITLE (`NAME.py`, ours)

`NAME`: both true captions above both false ones; chance 2! 2! / 4! = 1 / 6. yours: formula and paper.
"""

TEST_PROTOCOL = """import doctest

import numpy as np
import pytest

from backend.benchmarks import load_benchmark
from backend.evaluation import evaluate
from backend.items import Benchmark, Item, Protocol
from backend.kinds import Kind
from backend.metrics import NAME
from backend.metrics.core import evaluate as core


def test_its_worked_example():
    assert doctest.testmod(NAME).failed == 0


def test_it_is_a_slow_independent_count():
    scores = np.random.default_rng(0).normal(size=(200, 4))
    slow = [all(true > false for true in row[:2] for false in row[2:]) for row in scores.tolist()]
    assert NAME.NAME(scores).correct.tolist() == slow


def test_nothing_ties_and_nan():
    assert len(NAME.NAME(np.zeros((0, 4)))) == 0
    assert not NAME.NAME(np.zeros((1, 4))).correct[0]
    assert not NAME.NAME([[1.0, np.nan, 0.0, 0.0]]).defined[0]


@pytest.mark.parametrize("kind", ["itc", "itm", "vqa", "gen"])
def test_its_items_are_scored_and_judged(kind):
    known = list(load_benchmark("world"))
    pictures = [item.images[0] for item in known if item.subset == "choice"][:9]
    texts = ("a red square", "two stars above it", "a blue heart", "no picture at all")
    items = [Item(f"all/{k}", "all", Protocol.UPPER, (picture,), texts, ((0, 0), (0, 1)))
             for k, picture in enumerate(pictures)]  # fmt: skip
    found = evaluate("fake:ok", Benchmark("pairs", lambda: iter(items)), kinds=kind)
    scores = found.scores[found.scores["part"] == kind].pivot(index="item_id", columns="text_index", values="value")
    judged = core.outcomes(Protocol.UPPER, Kind.ITC, scores.to_numpy())["NAME"]
    if kind != "gen":  # judged by the mean a token there
        assert found.items["correct"].tolist() == judged.correct.tolist()
    assert found.rates[["metric", "n", "chance"]].values.tolist() == [["NAME", 9, 1 / 6]]
"""
