"""Other tools' files: labelled scores, t2v_metrics' tables, lmms-eval's logs, and CLIP_benchmark's rates."""

import json

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.items import ImageRef, Item, Protocol
from backend.predictions import lmms
from backend.predictions.finding import Items
from backend.predictions.matching import match
from backend.predictions.reading import claims, guesses


def quad(number: int) -> Item:
    images = (ImageRef(f"{number}_0", ""), ImageRef(f"{number}_1", ""))
    return Item(f"test/{number}", "test", Protocol.QUAD, images, ("a", "b"), ((0, 0), (1, 1)))


QUADS = [quad(number) for number in (3, 0, 7)]  # in another order than their numbers'
CHOICES = [
    Item(f"c/{n}", "c", Protocol.CHOICE, (ImageRef(f"{n}.jpg", ""),), ("truth", "foil"), ((0, 0),)) for n in (1, 2, 3)
]


def matched(path, items, kind=None):
    return match(claims(path, None), Items(items.__getitem__, range(len(items)), len(items)), kind)


def lines(path, *records):
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_a_label_names_item_caption_and_image(tmp_path):
    path = lines(
        tmp_path / "a.jsonl", {"label": "7_c0_i1", "score": 0.25}, {"label": "test/0_c1_i0", "score": 0.5},
        {"label": "9_c0_i0", "score": 1.0}, {"label": "cat", "score": 1.0},
    )  # fmt: skip
    found = matched(path, QUADS)
    rows = {key[:3]: value for key, value, _ in found.parts["itc"]}
    assert rows == {(2, 1, 0): 0.25, (1, 0, 1): 0.5}
    assert [each.reason for each in found.unmatched] == [
        "there is no item '9'",
        "names no item: the label is 'cat', expected an item, a caption and an image of it, 0 or 1 each, as 7_c0_i1",
    ]


def test_a_column_of_class_labels_beside_ids_changes_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item_id,text_index,label,score\nc/1,0,cat,0.5\n")
    assert [key[:3] for key, _, _ in matched(path, CHOICES).parts["itc"]] == [(0, 0, 0)]


def test_a_table_of_cells_counts_items_images_and_texts(tmp_path):
    scores = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    scores[1, 0, 0] = np.nan
    np.save(tmp_path / "t2v.npy", scores)
    found = matched(tmp_path / "t2v.npy", QUADS)
    rows = {key[:3]: value for key, value, _ in found.parts["itc"]}
    assert rows[0, 1, 0] == 2.0
    assert rows[2, 0, 1] == 9.0
    assert len(rows) == 8
    assert [each.reason for each in found.unmatched] == ["has a score that is no finite number"]
    assert "first axis counts the benchmark's items in its order" in guesses([tmp_path / "t2v.npy"])[0]
    np.save(tmp_path / "long.npy", np.zeros((4, 2, 2)))
    assert (
        "its file counts 4 items where the benchmark has 3" in matched(tmp_path / "long.npy", QUADS).unmatched[0].reason
    )


def test_a_sample_log_is_read_by_its_place_and_the_guess_is_said(tmp_path):
    path = lines(
        tmp_path / "model_samples_task.jsonl",
        {"doc_id": 0, "target": "A", "filtered_resps": ["A. the truth"], "doc_hash": "x"},
        {"doc_id": 1, "target": "A", "filtered_resps": ["B"], "doc_hash": "x"},
        {"doc_id": 2, "target": "A", "resps": [["B"]], "acc": {"score": 1.0}},
        {"doc_id": "x", "target": "A", "resps": [["A"]]},
    )
    found = matched(path, CHOICES)
    assert {key[0]: value for key, value, _ in found.parts["verdict@"]} == {0: 1.0, 1: 0.0, 2: 1.0}
    assert [each.reason for each in found.unmatched] == ["doc_id is 'x', expected a number from 0"]
    assert guesses([path]) == [f"{lmms.GUESS[:1].upper()}{lmms.GUESS[1:]}."]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_rates_of_a_whole_benchmark_are_refused_with_what_they_say(tmp_path, ending):
    said = {"dataset": "sugar_crepe/swap_obj", "model": "ViT-B-32", "pretrained": "openai", "task": "selection",
            "metrics": {"acc": 0.6057}, "language": "en"}  # fmt: skip
    path = tmp_path / f"result.{ending}"
    path.write_text(json.dumps(said))
    with pytest.raises(UsageError, match=r"CLIP_benchmark: ViT-B-32 on sugar_crepe/swap_obj: acc 0\.6057.*no item's"):
        claims(path, None)


def test_a_list_with_nan_names_its_line_and_an_empty_table_says_so(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('[{"label": "7_c0_i1", "score": 1},\n {"label": "7_c0_i0", "score": NaN}]')
    with pytest.raises(FlipsideError, match=r"p\.json, line 2: holds NaN, expected a finite number"):
        matched(path, QUADS)
    np.save(tmp_path / "none.npy", np.zeros((0, 2, 2)))
    with pytest.raises(FlipsideError, match=r"shape \(0, 2, 2\), so it holds no score"):
        matched(tmp_path / "none.npy", QUADS)


def test_an_array_with_a_broken_header_is_no_fault_of_the_program(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,9**9,2"
    path = tmp_path / "bad.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + (len(header) + 1).to_bytes(2, "little") + header + b"\n")
    with pytest.raises(FlipsideError, match="cannot be read as an array of numbers"):
        matched(path, QUADS)


def test_a_reason_quotes_no_whole_cell_and_nothing_that_steers_a_terminal(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"item_id,score\n\x1b[2Jx,0.5\ny,{'9' * 100_000}\nz,1_000\n")
    reasons = [each.reason for each in matched(path, QUADS).unmatched]
    assert len(reasons) == 3
    assert all(reason.isprintable() and len(reason) < 400 for reason in reasons)
    assert "expected a number" in reasons[2]


def test_a_decimal_comma_is_named_with_line_and_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('item_id,score\nx,"0,53"\ny,"-1.234,5e-3"\nz,"1,2,3"\n')
    found = matched(path, QUADS).unmatched
    said = "'score' is '{}', with a decimal comma; expected a decimal point, as in 0.53"
    assert [each.reason for each in found[:2]] == [said.format("0,53"), said.format("-1.234,5e-3")]
    assert (found[0].place.file, found[0].place.key) == ("a.csv", 2)
    assert "comma" not in found[2].reason
    path.write_text("item_id,text_index,score\nx,0,0,53\n")
    with pytest.raises(
        FlipsideError, match="line 2 has 4 cells where the header has 3; a decimal comma makes two cells"
    ):
        matched(path, QUADS)


def test_a_table_of_many_models_rates_is_named_with_who_takes_it(tmp_path):
    path = tmp_path / "individual_results.csv"
    path.write_text("arch,pretrained,family,aro::VG_Relation,winoground::text\nRN50,openai,clip,50.1,30.2\n")
    with pytest.raises(UsageError, match=r"rates of whole benchmarks.*flipside fetch results --only atlas"):
        list(claims(path, None))
