import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import UsageError
from backend.models import kinds_of, load
from tests.models.captioning import byhand
from tests.zoo.coca import CASES
from tests.zoo.coca import TOWERS as CONFIG
from tests.zoo.openclip import build

TEXTS = ["a cat", "Two dogs, chasing a small red ball!?", "", "the cat is under the mat and the dog is on it"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> tuple[Path, Any, Any, Any]:
    """Folder, open_clip's model, its tokenizer, its transform."""
    open_clip = pytest.importorskip("open_clip")
    folder = tmp_path_factory.mktemp("coca")
    model = CASES[0].build(folder)
    config = open_clip.transform.PreprocessCfg(**model.visual.preprocess_cfg)
    transform = open_clip.transform.image_transform_v2(config, is_train=False)
    return folder, model, open_clip.get_tokenizer(f"local-dir:{folder}"), transform


def test_every_position_predicts_the_next_token(made: Any, torch: Any, images: list[Image.Image]) -> None:
    folder, model, tokenizer, transform = made
    mine = load(f"openclip:{folder}", device="cpu")
    assert mine.kinds == {"itc", "t2t", "gen", "prior"}
    scored = mine.caption_logprobs(images[:4], TEXTS)
    for image, text, (tokens, logprobs) in zip(images[:4], TEXTS, scored, strict=True):
        row = [49406, *tokenizer.encode(text), 49407]
        padded = torch.tensor([row[:16] + [0] * (16 - len(row))])
        with torch.no_grad():
            out = model(transform(image)[None], padded, output_labels=False)
        want = byhand.logprobs(out["logits"][0][: len(row) - 1], row[1:])
        np.testing.assert_allclose(logprobs, want, atol=1e-4)
        assert tokens == [tokenizer.decoder[i] for i in row[1:]]
        assert np.abs(logprobs - byhand.logprobs(out["logits"][0][1 : len(row)], row[1:])).max() > 0.1  # one too far


def test_the_mean_over_all_tokens_is_open_clips_caption_loss(made: Any, torch: Any, images: list[Image.Image]) -> None:
    folder, model, tokenizer, transform = made
    texts = [TEXTS[0], TEXTS[3]]
    with torch.no_grad():
        out = model(torch.stack([transform(image) for image in images[:2]]), tokenizer(texts))
    loss = torch.nn.CrossEntropyLoss(ignore_index=model.pad_id)(out["logits"].permute(0, 2, 1), out["labels"])
    scored = load(f"hf:{folder}", device="cpu").caption_logprobs(images[:2], texts)
    assert -np.concatenate([values for _, values in scored]).mean() == pytest.approx(loss.item(), abs=1e-4)


def test_embeddings_read_the_whole_context_and_captions_need_not(made: Any, torch: Any) -> None:
    """The class token stands at the end of the padding: cut texts would have other embeddings."""
    folder, model, tokenizer, _ = made
    ids = tokenizer(["a cat"])
    with torch.no_grad():
        whole, states = model._encode_text(ids)
        short, cut = model._encode_text(ids[:, :4])
    np.testing.assert_allclose(states[0, :4], cut[0], atol=1e-5)
    assert (whole - short).abs().max() > 1e-3
    np.testing.assert_allclose(load(f"hf:{folder}", device="cpu").encode_texts(["a cat"]), whole, atol=1e-5)


def test_an_image_is_seen_once_and_a_long_caption_keeps_its_end(made: Any, images: list[Image.Image]) -> None:
    mine: Any = load(f"hf:{made[0]}", device="cpu")
    seen: list[int] = []
    mine.module.visual.register_forward_hook(lambda _m, args, _o: seen.append(len(args[0])))
    scored = mine.caption_logprobs([images[0], images[1]] * 2, ["a cat " * 500, "a", "a cat", ""])
    assert sum(seen) == 2
    assert [len(values) for _, values in scored] == [15, 2, 3, 1]
    assert scored[0][0][-1] == "<end_of_text>"
    assert mine.caption_logprobs([], []) == []
    assert mine.prior_from(mine.noise_images(2, seed=0), ["a cat"]).shape == (2, 1)
    assert mine.describe()["preprocessing"]["scored"] == "tokens after <start_of_text>, with the final <end_of_text>"


def test_kinds_come_from_the_config_without_torch(made: Any, tmp_path: Path) -> None:
    both = {**CONFIG, "text_cfg": {**CONFIG["text_cfg"], "no_causal_mask": True}, "vision_cfg": {}}
    (tmp_path / "open_clip_config.json").write_text(__import__("json").dumps({"model_cfg": both}))
    (tmp_path / "open_clip_model.safetensors").write_bytes(b"x")
    specs = ["openclip:coca_ViT-L-14/none", "openclip:coca_roberta-ViT-B-32/none", f"hf:{made[0]}", f"hf:{tmp_path}"]
    code = (
        "import sys, backend.models as m; print([len(m.kinds_of(s)) for s in sys.argv[1:]]);"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, *specs], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[4, 2, 4, 2]"


@pytest.mark.long
def test_random_weights_come_from_the_seed(torch: Any, tmp_path: Path) -> None:
    import json

    open_clip = pytest.importorskip("open_clip")
    build(tmp_path, {**CONFIG, "vision_cfg": CASES[1].build.keywords["config"]["vision_cfg"]})  # type: ignore[attr-defined]
    config = json.loads((tmp_path / "open_clip_config.json").read_text())["model_cfg"]
    from backend.models.dual.coca import CoCa
    from backend.models.dual.openclip import OpenClip
    from backend.models.request import Request

    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "Tiny-CoCa.json").write_text(json.dumps(config))
    open_clip.add_model_config(tmp_path / "names")
    made = [
        family.load(Request("openclip:Tiny-CoCa/none", "Tiny-CoCa/none", Path(), config, "cpu", seed=seed))
        for family, seed in ((CoCa, 0), (CoCa, 0), (CoCa, 1), (OpenClip, 0))
    ]  # OpenClip: what a CoCa is here whose text tower reads in both directions
    one, same, other, plain = (model.module.text_decoder.text_projection for model in made)
    assert torch.equal(one, same)
    assert torch.equal(one, plain)
    assert not torch.equal(one, other)
    assert one.detach().std().item() == pytest.approx(32**-0.5, rel=0.05)


def test_a_kind_it_has_not(made: Any, images: list[Image.Image]) -> None:
    assert "itm" not in kinds_of(f"hf:{made[0]}")
    with pytest.raises(UsageError, match="gives no itm; it gives gen, itc, prior, t2t"):
        load(f"hf:{made[0]}", device="cpu").itm(images[:1], ["a"])
