"""What one model of a study has decoded is there for the next one, as long as its file is the same."""

import json

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs import decoder as decode_
from backend.engine.inputs.decoder import Decoder
from backend.engine.inputs.kept_pictures import KeptPictures, stamp_of
from backend.items import ImageRef


@pytest.fixture
def files(tmp_path):
    draw = np.random.default_rng(0)
    paths = [tmp_path / f"{n}.png" for n in range(4)]
    for path in paths:
        Image.fromarray(draw.integers(0, 255, (10, 10, 3), dtype=np.uint8)).save(path)
    return paths


def test_each_file_is_decoded_once_and_a_changed_one_again(files, monkeypatch):
    opened = []
    original = decode_.decode
    monkeypatch.setattr(decode_, "decode", lambda ref: [opened.append(ref.key), original(ref)][1])
    kept, refs = KeptPictures(), [ImageRef(path.name, str(path)) for path in files]
    found = []
    for decoded in (4, 0):
        decoder = Decoder(2, kept=kept)
        found.append([image for batch in decoder.batches(refs) for image in batch])
        assert decoder.decoded == decoded
        decoder.close()
    assert sorted(opened) == [ref.key for ref in refs]
    assert [image.digest for image in found[0]] == [image.digest for image in found[1]]
    assert [i.picture.tobytes() for i in found[0]] == [i.picture.tobytes() for i in found[1]]
    Image.new("RGB", (7, 7)).save(files[1])
    decoder = Decoder(2, kept=kept)
    (third,) = decoder.batches(refs)
    decoder.close()
    assert opened[4:] == ["1.png"]
    assert third[1].picture.size == (7, 7)
    assert third[1].digest != found[0][1].digest


def test_the_first_pictures_stay_when_there_is_no_room_for_more(files):
    kept = KeptPictures(room=700)  # two of 300 bytes
    for path in files:
        with Image.open(path) as image:
            kept.put(str(path), image.convert("RGB"), "digest", stamp_of(str(path)))
    assert len(kept) == 2
    assert [kept.get(str(path)) is not None for path in files] == [True, True, False, False]
    assert kept.bytes == 600
    with Image.open(files[0]) as image:
        kept.put(str(files[0]), image.convert("RGB"), "digest", stamp_of(str(files[0])))
    assert (len(kept), kept.bytes) == (2, 600)


def test_only_whole_files_are_kept_and_the_room_can_be_said(files, monkeypatch):
    kept = KeptPictures()
    for uri in ("world:5.hgbdJS.crssYC", f"crop:0,0,2,2:{files[0]}", str(files[0]) + "x"):
        kept.put(uri, Image.new("RGB", (4, 4)), "digest", stamp_of(uri))
    here = stamp_of(str(files[0]))
    kept.put(str(files[0]), Image.new("RGB", (4, 4)), "", here)  # nobody knows its bytes
    kept.put(str(files[0]), Image.new("RGB", (4, 4)), "digest", (here[0] - 1, here[1]))  # written into since
    assert len(kept) == 0
    monkeypatch.setenv("FLIPSIDE_KEEP_PICTURES", "0")
    none = KeptPictures()
    none.put(str(files[0]), Image.new("RGB", (4, 4)), "digest", here)
    assert (none.room, len(none)) == (0, 0)


@pytest.mark.long
def test_the_second_model_of_a_study_decodes_nothing(tmp_path, flipside, flipside_cache, monkeypatch):
    """Through the verb: two models, one benchmark; the decoder is called once a picture."""
    from bench.paired import made

    made.sugarcrepe(tmp_path / "data", 4, 14, (96, 72))
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'title = "two"\n[[models]]\nspec = "bundled:clip"\n[[models]]\nspec = "bundled:clip-plain"\n'
        f'[[benchmarks]]\nname = "sugarcrepe"\n'
        f'data = "{tmp_path / "data"}"\nkinds = ["itc"]\n'
    )
    opened = []
    original = decode_.decode
    monkeypatch.setattr(decode_, "decode", lambda ref: [opened.append(ref.key), original(ref)][1])
    done = flipside("study", str(grid), "--json")
    assert done.code == 0, done
    assert json.loads(done.out)["asked"]["images_decoded"] == 4, "those that another model has decoded do not count"
    assert len(set(opened)) == 4
    assert len(opened) <= 4 + 2 * 8  # what batching changes is measured on pictures of its own, eight cells a model
