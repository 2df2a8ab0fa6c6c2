"""Everything that a page offers to take away: its file name, and what a script finds in it."""

import ast
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from backend.store.failures import own_verdicts
from tests.golden.kept import check_columns, check_shape, check_value, shape_of
from tests.golden.pages import journeys, visits
from tests.golden.pages.visits import SEEN

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("example")]

#: Views of the pages whose files are there without a job, and what opens them.
OFFERS: tuple[tuple[str, dict[str, str | list[str]], tuple[str, ...]], ...] = (
    ("overview", {"by": "concept"}, ("all-rates",)),
    ("failures", {"subset": "choice", "text": "three", "other": "bundled:matcher"}, ("export",)),
    ("debias", {}, ("debias-ranges",)),
    ("robustness", {}, ()),
    ("compare", {}, ("compare-tests",)),
)


@pytest.fixture(scope="module")
def taken(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[str, Any]]]:
    """File name -> (MIME type, its content) of every button that a page has drawn; the verdict that its files need is
    taken back afterwards, for Failures offers it as a filter to every later visit."""
    assert example.name == "cache"
    SEEN.downloads.clear()
    journeys.tried.cache_clear()
    folder = tmp_path_factory.mktemp("golden-downloads")
    own_verdicts.give(journeys.WORLD, journeys.PICKED[0], "model_wrong")
    for page, query, opens in OFFERS:
        app = visits.visit(page, **query)
        for fold in opens:
            app.session_state[fold] = True
        if opens:
            visits.rerun(app)
    journeys.tried()
    journeys.ended_jobs(folder / "jobs")
    journeys.two_benchmarks(folder / "two")
    journeys.trainings(folder / "taught")
    found: dict[str, tuple[str, Any]] = {}
    for drawn in SEEN.downloads.values():
        for name, mime, data in drawn:
            found[name] = (mime, data)
    yield found
    own_verdicts.give(journeys.WORLD, journeys.PICKED[0], "")


def test_what_is_taken_away(taken: dict[str, tuple[str, Any]]) -> None:
    check_shape("pages-downloads", {name: taken[name][0] for name in sorted(taken)})
    headings = {}
    for name, (_, data) in taken.items():
        content = made(data)
        kept, ending = f"pages-download-{name.rpartition('.')[0]}", name.rpartition(".")[2]
        if ending == "csv":
            check_columns(f"{kept}-csv", journeys.columns(content))
        elif ending == "jsonl":
            check_shape(f"{kept}-jsonl", shape_of([json.loads(line) for line in content.splitlines()]))
        elif ending == "parquet":
            schema = pq.read_schema(io.BytesIO(content))
            check_shape(f"{kept}-parquet", {field.name: str(field.type) for field in schema})
        elif ending == "json":
            assert json.loads(content) == journeys.DOCUMENTS["report"]
        else:
            headings[name] = {"tex": in_latex, "html": in_html}[ending](content)
    check_value("pages-downloads-headings", headings)


def made(data: Any) -> Any:
    """A file's content; the larger ones are made when they are asked for."""
    return data() if callable(data) else data


def in_latex(text: str) -> list[str]:
    """Heads and captions of the tables, and what the preamble asks for."""
    return [line for line in text.splitlines() if re.search(r"\\caption|\\usepackage|\\begin|^%|\\label", line)] + [
        line for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False) if r"\toprule" in before
    ]


def in_html(text: str) -> list[str]:
    """Headings, heads of tables and names of facts, in their order."""
    found = re.findall(r"<(title|h[1-4]|th|dt|summary)((?: [^>]*)?)>(.*?)</", text, flags=re.S)
    return [f"{tag}: {visits.plain(inner)}" for tag, more, inner in found if "row" not in more]


def test_no_button_in_the_code_was_missed(taken: dict[str, tuple[str, Any]]) -> None:
    """Each call of `download_button` in the code has been met: a new one needs a pin here. Nor is a file offered in
    another way: by a component, or by a link that a page's HTML holds; but for the picture of a chart, which the
    component of findings makes of what is drawn (tests/browser/test_published_site.py)."""
    assert taken
    hit = {(Path(file).resolve(), line) for file, line in SEEN.downloads}
    missed, others = [], []
    for path, tree in visits.sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                if node.func.attr == "download_button" and not any((path, line) in hit for line in lines):
                    missed.append(f"{path.name}:{node.lineno}")
        others += [path.name] if re.search(r"<a [^>]*\bdownload\b", path.read_text(encoding="utf-8")) else []
    scripts = [
        path for path in visits.ROOT.rglob("*.js") if path.relative_to(visits.ROOT).parts[0] not in visits.ELSEWHERE
    ]
    others += [
        path.name
        for path in scripts
        if path.name not in ("finding.js", "picture.js")
        and re.search(r"\.download\b|createObjectURL|toDataURL|saveAs", path.read_text())
    ]
    assert (missed, others) == ([], [])
    assert len(scripts) > 10
