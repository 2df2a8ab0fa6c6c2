from collections import Counter

import pytest

from backend.engine.inputs import decoder as decode
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from tests.engine.samples import PARTS_OF_ALL, Counting, mixed

SMALL = Pace(cells=4, first_cells=4, rows=8)


def test_everything_is_computed_once_however_many_items_use_it(tmp_path, monkeypatch):
    opened = Counter()
    original = decode.decode
    monkeypatch.setattr(decode, "decode", lambda ref: (opened.update([ref.key]), original(ref))[1])
    benchmark = mixed(tmp_path / "pictures", n=5)
    counting = Counting()
    summary = run(counting.model, benchmark, PARTS_OF_ALL, pace=SMALL)
    items = list(benchmark)
    images = {image.key for it in items for image in it.images}
    texts = {text for it in items for text in it.texts}
    assert set(opened) == images
    assert set(opened.values()) == {1}
    assert set(counting.inputs["encode_texts"]) == texts
    for name in ("encode_images", "encode_texts", "itm_logits", "vqa_logits", "caption_logprobs", "prefer"):
        assert set(counting.inputs[name].values()) == {1}, name
    assert len(counting.inputs["encode_images"]) == len(images) == summary.asked["images_decoded"]
    pairs = {
        (it.images[i].key, t) for it in items if it.subset != "pool" for i in range(len(it.images)) for t in it.texts
    }
    pool = 5 * sum(len(it.texts) for it in items if it.subset == "pool")
    assert len(counting.inputs["itm_logits"]) == len(pairs) + pool
    contests = {(it.images[0].key, it.texts[0], t) for it in items if it.subset == "choice" for t in it.texts[1:]}
    contests |= {(it.images[0].key, t, it.texts[2]) for it in items if it.subset == "tri" for t in it.texts[:2]}
    contests |= {(image.key, *it.texts) for it in items if it.subset == "quad" for image in it.images}
    assert len(counting.inputs["prefer"]) == len(contests)
    assert len(counting.inputs["caption_logprobs"]) == len(pairs) + pool + 3 * len(texts)


def test_an_image_and_its_texts_go_through_the_model_together(tmp_path):
    counting = Counting("fake:ok")
    run(counting.model, mixed(tmp_path / "pictures", n=8), ["gen"])
    assert counting.calls["caption_logprobs"] <= 3


@pytest.mark.long
def test_small_caches_change_no_score(tmp_path, monkeypatch):
    from backend.engine import cache
    from tests.engine.samples import rows

    benchmark = mixed(tmp_path / "pictures", n=5)
    plenty = rows(run("fake:ok", benchmark, PARTS_OF_ALL, root=tmp_path / "a").run_dir)
    monkeypatch.setattr(cache, "VECTORS", 1)
    monkeypatch.setattr(cache, "SCORES", 1)
    scarce = rows(run("fake:ok", benchmark, PARTS_OF_ALL, root=tmp_path / "b", pace=SMALL).run_dir)
    assert plenty == scarce
