"""A look at predictions before they are added."""

from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.items import Kind
from backend.live.uploads import own_uploads, predicted

HEADER = "filename\tcaption\tsecond positive\tnegative_caption\n"


@pytest.fixture
def visla(tmp_path: Path) -> Path:
    folder = tmp_path / "visla"
    folder.mkdir()
    rows = "".join(f"{n}.jpg\ta{n}\tb{n}\tc{n}\n" for n in range(1, 5))
    (folder / "Generic_VISLA.tsv").write_text(HEADER + rows)
    return folder


def aside(text: str, name: str = "mine.csv") -> Path:
    return own_uploads.lay_aside(text.encode(), name)


def test_what_matches_is_counted_and_what_does_not_is_named(visla: Path) -> None:
    rows = "generic/1,0,.5\ngeneric/1,1,.4\ngeneric/1,2,.1\ngeneric/2,0,.2\ngeneric/9,0,.2\n"
    found = predicted.glance([aside("item_id,text_index,value\n" + rows)], "visla", visla)
    assert (found.statements, found.matched, found.n_items, found.whole) == (5, 4, 4, True)
    assert found.kinds == {"itc": 2}
    (left,) = found.unmatched
    assert "generic/9" in left.reason
    assert predicted.glance([aside("item_id,text_index,value\n" + rows)], "visla", visla, Kind.VQA).kinds == {"vqa": 2}
    assert not list((own_uploads.paths.cache_dir()).glob("runs/*"))


def test_only_the_first_are_looked_at(visla: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = aside("item_id,text_index,value\n" + "".join(f"generic/{n},0,1\n" for n in range(1, 5)))
    monkeypatch.setattr(predicted, "MOST_STATEMENTS", 2)
    found = predicted.glance([file], "visla", visla)
    assert (found.statements, found.matched, found.whole) == (2, 2, False)
    monkeypatch.setattr(predicted, "MOST_STATEMENTS", 100)
    monkeypatch.setattr(predicted, "MOST_ITEMS", 3)
    found = predicted.glance([file], "visla", visla)
    assert (found.matched, found.n_items, found.whole) == (3, 3, False)


def test_what_is_no_prediction_is_refused(visla: Path) -> None:
    with pytest.raises(UsageError, match="expected CSV"):
        predicted.glance([aside("x", "mine.txt")], "visla", visla)
    with pytest.raises(UsageError, match="no such folder"):
        predicted.glance([aside("item_id,text_index,value\n")], "visla", visla.parent / "none")


def test_the_order_of_asking_is_a_folder(visla: Path) -> None:
    text = '{"0": {"filename": "1.jpg", "caption": "a1", "negative_caption": "c1", "correct": true, "answer": %s}}'
    text %= '{"multiple_choice_answer": "a1"}'
    file = own_uploads.lay_aside(text.encode(), "gpt4v-swap.json", "positive-first")
    assert file.parent.name == "positive-first"
    assert predicted.has_orders(file)
    assert not predicted.has_orders(aside("item_id,value\n"))
    assert own_uploads.lay_aside(text.encode(), "gpt4v-swap.json").parent.name != "positive-first"


def test_probabilities_are_told_from_log_odds_as_when_they_are_added(visla: Path) -> None:
    file = aside("item_id,text_index,value\n" + "".join(f"generic/1,{text},0.{text + 1}\n" for text in range(3)))
    found = predicted.glance([file], "visla", visla, Kind.VQA)
    assert "The 3 numbers of vqa all lie from 0 to 1 and were read as probabilities" in found.guesses[0]
    assert predicted.glance([file], "visla", visla, Kind.VQA, "log-odds").guesses == []
    with pytest.raises(UsageError, match="--scale probability is about numbers of itm and vqa"):
        predicted.glance([file], "visla", visla, None, "probability")
    with pytest.raises(UsageError, match="expected probability or log-odds"):
        predicted.glance([file], "visla", visla, Kind.VQA, "odds")


def test_ids_that_count_from_another_number_cannot_be_added(visla: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = aside("item_id,text_index,value\n" + "".join(f"generic/{n},0,1\n" for n in range(4)))
    found = predicted.glance([file], "visla", visla)
    assert found.misplaced
    assert "seem to count from 0 ('generic/0' is among them, 'generic/4' is not)" in found.hints[0]
    monkeypatch.setattr(predicted, "MOST_STATEMENTS", 2)
    found = predicted.glance([file], "visla", visla)
    assert (found.misplaced, found.hints) == (False, [])  # the rest may say otherwise
