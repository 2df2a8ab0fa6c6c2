"""Help tips: every control that is a method has one, and every header of a metric in a table does."""

import ast
import doctest
import re
from html import unescape
from pathlib import Path

import pytest

from backend.metrics.core.registry import METRICS
from pages.shared.frame import tips

ROOT = Path(__file__).resolve().parents[4]
CONTROLS = {
    "selectbox", "segmented_control", "slider", "radio", "pills", "multiselect", "toggle", "checkbox", "number_input",
    "select_slider",
}  # fmt: skip
#: Controls that pick some of the data, or how it is listed: their own words say all. Whatever else lacks help is a gap.
PLAIN = {
    "'Benchmark'", "'Benchmarks'", "'By'", "'Order'", "'View'", "'Show'", "'Where'", "'Series'", "'Subset'",
    "'Items'", "'And also'", "'Page'", "'Your note'", "'Tags'", "'Model and kind'", "'Set'",
    "'Compared with'", "'Captions'", "'Split'", "'Each row is'", "'Which captions'", "label", "'Before'", "'After'",
    "'Where its pictures are'", "'Caption'", "'Set against'", "'Image'", "'What to try'", "'Images'", "'How many'",
    "'A violin for each'", "'Families'", "'Find a model'", "'Leave out'", "'Correlate'", "'… where that model is'",
}  # fmt: skip
#: Headers of tables that are no number of a method.
WORDS = {
    "", "model", "Model", "Items", "items", "Metric", "Scores", "Where", "images", "captions", "editions", "edition",
    "n",
    "before", "after", "feature", "foils", "P(t) from", "so", "pairs", "concept", "B is", "subset", "change",
    "all", "choice", "triplet",  # subsets
}  # fmt: skip


def unhelped() -> list[tuple[str, str]]:
    found = []
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_control = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if not is_control or node.func.attr not in CONTROLS or not node.args:
                continue
            if all(keyword.arg != "help" for keyword in node.keywords):
                found.append((path.name, ast.unparse(node.args[0])))
    return found


def test_every_control_that_is_a_method_has_a_help_tip() -> None:
    """Those that come behind Overview, out of sight, are seen by nobody (`pages.overview.widgets_ahead`)."""
    lacking = [(file, label) for file, label in unhelped() if label not in PLAIN and file != "widgets_ahead.py"]
    assert not lacking


def test_every_metric_has_a_tip_with_its_formula_and_its_paper() -> None:
    for metric in METRICS:
        tip = tips.metric_tip(metric.name)
        assert metric.title in tip
        assert metric.formula in tip
        assert metric.paper in tip


def test_a_header_is_escaped_and_carries_its_tip() -> None:
    assert doctest.testmod(tips).failed == 0
    assert "Kish 1965" in tips.column_head("a text weighs like")
    assert all(tip.endswith((".", "95 %.")) for tip in tips.COLUMNS.values())


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "name", ["overview", "equivariance", "debias", "robustness", "embeddings", "compare", "teach", "atlas"]
)
def test_no_header_of_a_number_lacks_its_tip(visit, name) -> None:
    opened = visit(name)
    assert not opened.exception
    html = "".join(str(part.proto.body) for part in opened.get("html"))
    lacking = []
    for attributes, inner in re.findall(r"<th scope=[\"']col[\"']([^>]*)>(.*?)</th>", html, flags=re.DOTALL):
        text = unescape(re.sub(r"<[^>]+>", " ", inner)).strip()
        is_model = "fs-dot" in inner
        if "title=" not in attributes and not is_model and text not in WORDS and not text.startswith("rate at α"):
            lacking.append(text)
    assert not lacking
