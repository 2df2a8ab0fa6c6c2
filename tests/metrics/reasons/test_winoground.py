"""`scripts/winoground_reasons.py`: its table from made-up score files, and from the real ones where they are there."""

import json

import pytest

from backend.metrics.reasons.mirror import at_least
from scripts.planted_reasons import PAGE
from scripts.winoground_reasons import NAMED, differences, read, table

ROWS = {0: (0.9, 0.2, 0.1, 0.8), 1: (0.6, 0.7, 0.1, 0.2), 2: (0.1, 0.5, 0.6, 0.2)}


def written(path, rows):
    lines = [
        {"label": f"{item}_c{caption}_i{image}", "score": scores[2 * image + caption]}
        for item, scores in rows.items()
        for caption in (0, 1)
        for image in (0, 1)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_a_file_is_read_image_by_caption(tmp_path):
    found = read(written(tmp_path / "scores-x.jsonl", ROWS))
    assert found.quads.gamma == pytest.approx([0.35, 0.0, -0.2])
    assert found.reasons.cell == ["right", "no_binding", "no_binding"]
    assert found.scaled.name == "as they come"
    assert read(written(tmp_path / "scores-blip_itm_x.jsonl", ROWS)).scaled.name == "log-odds"


def test_a_missing_score_is_named(tmp_path):
    path = written(tmp_path / "scores-x.jsonl", ROWS)
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[1:]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"scores-x.jsonl has no score '0_c0_i0'"):
        read(path)


def test_halves_are_rounded_as_everywhere(tmp_path):
    """1 of 16 is 6.25 %: the page had 6.2 where `report` has 6.3."""
    row = read(
        written(tmp_path / "scores-x.jsonl", {k: ROWS[min(k, 2)] for k in range(16) if k != 1} | {1: ROWS[2]})
    ).row()
    assert (row[2], row[3].split()[3], row[5].split(",")[0]) == ("6.3", "93.8", "6.3")


@pytest.mark.slow
def test_the_page_has_todays_table(shared_data):
    """A rule of the reasons that changes changes the page: its counts stood for five days under an older rule."""
    files = [read(path) for path in sorted((shared_data / "winoground_scores").glob("*.jsonl"))]
    kept = PAGE.read_text(encoding="utf-8").partition("<!-- winoground -->\n")[2].partition("\n<!-- /winoground -->")[0]
    assert len(files) > 50
    assert kept.splitlines() == table(files).splitlines(), "docs/reasons.md: run python -m scripts.winoground_reasons"


def test_the_table_and_what_differs(tmp_path):
    files = [read(written(tmp_path / f"{file}.jsonl", ROWS)) for file in NAMED.values()]
    text = table(files)
    assert text.count("\n| `") == len(NAMED)
    assert text.count(", cells as of `") >= 1
    row = " ".join(f"{value:.1f}" for value in files[0].numbers())
    page = "\n".join(f"| {name} | {row} |" for name in NAMED)
    said = differences(files, page)
    assert said.splitlines()[0] == "- people: 19 of 19 numbers agree."
    other = differences(files, page.replace(row, "99.0" + row[4:], 1))
    assert other.splitlines()[0] == "- people: 18 of 19 numbers agree; 99.0 is 33.3."
    with pytest.raises(ValueError, match="found 0 rows"):
        differences(files, "")


@pytest.mark.parametrize(("name", "group"), [("clip", 8.0), ("human", 85.5), ("uniter_large", 10.5), ("vinvl", 14.5)])
def test_group_scores_are_those_that_winoground_prints(shared_data, name, group):
    folder = shared_data / "winoground_scores"
    if not folder.is_dir():
        pytest.skip("the scores on Winoground are not in ../shared/data")
    found = read(folder / f"baseline_scores-{name}.jsonl")
    assert 100 * found.quads.group.mean() == pytest.approx(group)
    share = at_least(found.quads.gamma)
    assert share.ci95[0] < share.value < share.ci95[1]
