"""Score files of Winoground: read whole, kept in the file's own order; the real ones give the printed rates."""

import json

import numpy as np
import pytest

from backend.benchmarks import winoground_stub
from backend.errors import FlipsideError
from backend.intake.real import quads
from backend.intake.real.score_files import score_files

PRINTED = {"clip": (30.75, 10.5, 8.0), "uniter_large": (38.0, 14.0, 10.5), "people": (89.5, 88.5, 85.5),
           "vinvl": (37.75, 17.75, 14.5), "blip_itm_b16_coco": (48.0, 24.5, 20.0)}  # fmt: skip


def written(path, change=lambda lines: lines):
    """A whole file: the score of item n's caption c with image i is n + 0.1 c + 0.2 i."""
    lines = [
        {"label": f"{n}_c{c}_i{i}", "score": n + 0.1 * c + 0.2 * i}
        for n in range(400) for c in (0, 1) for i in (0, 1)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, change(lines))), encoding="utf-8")
    return path


def rates(s):
    """Text, image and group score in per cent of (n, image, caption)."""
    text = (s[:, 0, 0] > s[:, 0, 1]) & (s[:, 1, 1] > s[:, 1, 0])
    image = (s[:, 0, 0] > s[:, 1, 0]) & (s[:, 1, 1] > s[:, 0, 1])
    return [round(100 * float(v.mean()), 2) for v in (text, image, text & image)]


def test_cells_stand_by_image_and_caption(tmp_path):
    found = quads.read(written(tmp_path / "a.jsonl"))
    assert found.shape == (400, 2, 2)
    assert found[7].tolist() == pytest.approx(np.array([[7.0, 7.1], [7.2, 7.3]]))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: lines[:-1], "1 of 1600 scores are missing"),
        (lambda lines: [*lines, lines[0]], "0_c0_i0 is there twice"),
        (lambda lines: [{"label": "400_c0_i0", "score": 1.0}, *lines], "a.jsonl:1: '400_c0_i0' is no label"),
        (lambda lines: [{"label": "0_c0_i0", "score": "high"}, *lines[1:]], "a.jsonl:1: the score is 'high'"),
        (lambda lines: [*lines[:3], [], *lines[4:]], "a.jsonl:4: is no record"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, change, says):
    with pytest.raises(FlipsideError, match=says):
        quads.read(written(tmp_path / "a.jsonl", change))


def test_the_order_of_the_file_survives_single_precision():
    """Neighbouring doubles, ties, 0 and 1: equal stays equal, larger stays larger."""
    s = np.array([[[1.0, 1.0 - 2.0**-53], [0.0, 5e-324]], [[0.5, 0.5 + 2.0**-53], [0.5, 0.4]]])
    for transformation in ("none", "logit / 100", "log-odds"):
        kept = quads.stored(s, transformation)
        assert kept.dtype == np.float32
        assert np.isfinite(kept).all()
        own, found = s.reshape(2, 4), kept.reshape(2, 4)
        for a in range(4):
            for b in range(4):
                assert (np.sign(own[:, a] - own[:, b]) == np.sign(found[:, a] - found[:, b])).all()
    with pytest.raises(ValueError, match="are no probabilities"):
        quads.stored(s * 2, "log-odds")


def test_the_stub_is_the_declared_one():
    assert winoground_stub.stub().content_hash() == winoground_stub.HASH
    assert len(winoground_stub.ids()) == len(list(winoground_stub.stub())) == 400


def test_the_table_names_each_file_once():
    files = score_files()
    assert len({each.spec for each in files}) == len({each.sha256 for each in files}) == 58
    assert {each.kind for each in files} == {"itc", "itm", "score"}
    known = {each.spec: each for each in files}
    assert set(known["blip_itm_b16"].other_heads) == {"blip_itc_b16"}
    assert known["clip_b32"].repeats == "clip"
    assert known["flava_itm-etxaniz"].source != known["flava_itm"].source
    assert {each.path for each in files if each.transformation == "logit / 100"} == {
        each.path for each in files if each.name.startswith("clip")
    }


def test_the_real_files_give_what_is_printed(shared_data):
    folder = shared_data / "winoground_scores"
    if not folder.is_dir():
        pytest.skip("the scores on Winoground are not in ../shared/data")
    for each in score_files():
        own = quads.read(folder / each.path.replace("/", "-"))
        kept = quads.stored(own, each.transformation)
        assert rates(own) == rates(kept), each.spec
        if each.spec in PRINTED:
            assert rates(kept) == pytest.approx(PRINTED[each.spec])
