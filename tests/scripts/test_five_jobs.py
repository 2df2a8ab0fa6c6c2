"""The five jobs: what their report says of made-up counts, and what counts as the answer of an export."""

import json
from pathlib import Path

import pytest
from PIL import Image

from scripts.five_jobs import before, now, table
from scripts.five_jobs.hand import Count, UnseenError
from scripts.five_jobs.jobs import JOBS, check_tagged, photograph

FOUND = {
    "A": {
        "before": [Count(3, 0, 0, 900, 9.0), Count(3, 0, 0, 800, 5.0), Count(3, 0, 0, 1000, 7.0)],
        "now": [Count(1, 0, 0, 0, 2.0), Count(1, 0, 0, 0, 4.0), Count(1, 0, 0, 0, 3.0)],
    },
    "D": {"before": [Count(7, 14, 1, 1341, 12.34)], "now": [Count(2, 10, 1, 0, 6.0)]},
    "E": {"now": [Count(2, 0, 0, 0, 1.5)]},
}


def test_both_sides_have_steps_for_every_job() -> None:
    assert [job.letter for job in JOBS] == list("ABCDE") == list(before.STEPS) == list(now.STEPS)


def test_the_table_has_medians_and_their_sum_over_what_both_sides_played() -> None:
    lines = table.rows(FOUND)
    assert lines[0].startswith("| A · ")
    assert lines[0].endswith("| 3 → **1** | 0 → **0** | 0 → **0** | 900 → **0** | 7.0 → **3.0** |")
    assert lines[2].endswith("| 2 | 0 | 0 | 0 | 1.5 |")
    assert lines[-1] == "| all 2 | 10 → **3** | 14 → **10** | 1 → **1** | 2,241 → **0** | 19.3 → **9.0** |"


def test_one_side_alone_has_no_sum() -> None:
    assert len(table.rows({"E": FOUND["E"]})) == 1


def test_the_json_holds_every_round() -> None:
    said = json.loads(json.dumps(table.plain(FOUND)))
    assert said["A"]["before"]["median"]["seconds"] == 7.0
    assert [each["scrolled"] for each in said["A"]["before"]["rounds"]] == [900, 800, 1000]


def test_the_page_says_every_task_and_keeps_its_lines_short() -> None:
    text = table.page(FOUND, 3)
    assert all(job.task in text and job.answer in text for job in JOBS)
    assert all(len(line) <= 120 for line in text.splitlines() if not line.startswith("|"))


def test_the_picture_of_ones_own_is_a_picture(tmp_path: Path) -> None:
    with Image.open(photograph(tmp_path)) as image:
        assert image.size == (640, 480)
        assert image.convert("RGB").getpixel((180, 240)) == (209, 53, 43)  # the circle on the left is red


def written(folder: Path, *lines: dict[str, str]) -> Path:
    path = folder / "tagged.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_an_export_of_the_tagged_item_is_the_answer(tmp_path: Path) -> None:
    line = {"item_id": "a/1", "tags": "other|mine", "metric": "text_score"}
    check_tagged(written(tmp_path, line, line | {"metric": "image_score"}), "mine")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "empty"),
        ([{"item_id": "a/1", "tags": "other"}], "lacks the tag"),
        ([{"item_id": "a/1", "tags": "mine"}, {"item_id": "a/2", "tags": "mine"}], "2 items"),
    ],
)
def test_another_export_is_not(tmp_path: Path, lines: list[dict[str, str]], says: str) -> None:
    with pytest.raises(UnseenError, match=says):
        check_tagged(written(tmp_path, *lines), "mine")
