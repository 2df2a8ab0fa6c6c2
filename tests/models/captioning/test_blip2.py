import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.models import load
from tests.models.captioning import byhand
from tests.models.captioning.tokenizers import INSTRUCTION, NEWLINE
from tests.models.conftest import TEXTS
from tests.zoo.captioning.blip2 import QUERIES, blip2, instructblip

CAPTION = "two cats chases the red ball"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, hf: Any) -> Any:
    """language model, kind -> (folder, the library's model, its processor), each made once."""
    kept: dict[tuple[str, str], tuple[Path, Any, Any]] = {}

    def get(language: str, kind: str = "blip2") -> tuple[Path, Any, Any]:
        if (language, kind) not in kept:
            folder = tmp_path_factory.mktemp(language)
            model = {"blip2": blip2, "instructblip": instructblip}[kind](folder, language)
            kept[language, kind] = (folder, model, hf.AutoProcessor.from_pretrained(folder))
        return kept[language, kind]

    return get


def test_opt_reads_queries_bos_caption_and_scores_up_to_the_newline(
    made: Any, torch: Any, images: list[Image.Image]
) -> None:
    folder, model, processor = made("opt")
    tokenizer, image_token = processor.tokenizer, model.config.image_token_id
    caption = byhand.ids(tokenizer, CAPTION)
    newline, stop = tokenizer.convert_tokens_to_ids([NEWLINE, "</s>"])
    ids = [image_token] * QUERIES + [stop, *caption, newline]
    pixels = processor.image_processor(images[:1], return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        logits = model(pixel_values=pixels, input_ids=torch.tensor([ids])).logits[0]
    ((tokens, scored),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[:1], [CAPTION])
    assert tokens == [*tokenizer.convert_ids_to_tokens(caption), NEWLINE]
    want = byhand.logprobs(logits[QUERIES:-1], [*caption, newline])
    np.testing.assert_allclose(scored, want, atol=1e-4)
    assert np.abs(scored - byhand.logprobs(logits[QUERIES + 1 :], [*caption, newline])).max() > 0.1  # one too far
    assert abs(scored[-1] - byhand.logprobs(logits[-2:-1], [stop])[0]) > 0.1  # OPT's own end instead of the newline


@pytest.mark.parametrize(("language", "kind"), [("opt", "blip2"), ("t5", "blip2"), ("t5", "instructblip")])
def test_the_mean_is_the_librarys_own_loss(
    language: str, kind: str, made: Any, torch: Any, images: list[Image.Image]
) -> None:
    folder, model, processor = made(language, kind)
    batch = processor(images=images[1], text=INSTRUCTION if kind == "instructblip" else "", return_tensors="pt")
    target = [*byhand.ids(processor.tokenizer, CAPTION), model.config.text_config.eos_token_id]
    if language == "opt":
        seen = batch["input_ids"][0].tolist()
        batch["input_ids"] = torch.tensor([seen + target])
        batch["attention_mask"] = torch.ones_like(batch["input_ids"])
        target = [-100] * len(seen) + target
    with torch.no_grad():
        loss = model(**batch, labels=torch.tensor([target])).loss.item()
    ((_, scored),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[1:2], [CAPTION])
    assert -scored.mean() == pytest.approx(loss, abs=1e-4)


def test_instructblip_reads_the_instruction_twice_and_scores_none_of_it(
    made: Any, torch: Any, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, model, processor = made("llama", "instructblip")
    caption = byhand.ids(processor.tokenizer, CAPTION, start="▁")
    batch = processor(images=images[2], text=INSTRUCTION, return_tensors="pt")
    seen = batch["input_ids"][0].tolist()
    assert seen[QUERIES] == processor.tokenizer.bos_token_id
    batch["input_ids"] = torch.tensor([[*seen, *caption, 2]])
    batch["attention_mask"] = torch.ones_like(batch["input_ids"])
    with torch.no_grad():
        logits = model(**batch).logits[0]
    mine = load(f"hf:{folder}", device="cpu")
    ((tokens, scored),) = mine.caption_logprobs(images[2:3], [CAPTION])
    assert tokens == [f"▁{word}" if word != "cats" else "<unk>" for word in CAPTION.split()] + ["</s>"]
    np.testing.assert_allclose(scored, byhand.logprobs(logits[len(seen) - 1 : -1], [*caption, 2]), atol=1e-4)
    assert mine.describe()["preprocessing"]["prompt"] == INSTRUCTION
    assert mine.describe()["preprocessing"]["scored"] == "tokens after ▁caption., with the final </s>"
    for part in ("qformer_input_ids", "input_ids"):  # both readers of the instruction matter
        other = {**batch, part: batch[part].clone()}
        other[part][0, 2 if part.startswith("q") else QUERIES + 2] = 6
        with torch.no_grad():
            changed = byhand.logprobs(model(**other).logits[0, len(seen) - 1 : -1], [*caption, 2])
        assert np.abs(scored - changed).max() > 1e-3
    monkeypatch.setattr("backend.models.captioning.instructblip.InstructBlip.prompt", "A short image")
    ((_, asked),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[2:3], [CAPTION])
    assert np.abs(scored - asked).max() > 1e-3


@pytest.mark.parametrize(("language", "kind"), [("opt", "blip2"), ("t5", "blip2"), ("llama", "instructblip")])
def test_the_vision_tower_sees_an_image_once_and_noise_as_it_is(
    language: str, kind: str, made: Any, images: list[Image.Image]
) -> None:
    mine: Any = load(f"hf:{made(language, kind)[0]}", device="cpu")
    seen: list[Any] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(kwargs["pixel_values"]), with_kwargs=True
    )
    mine.caption_logprobs([images[0], images[1]] * 7, [*TEXTS, *TEXTS])
    assert sum(map(len, seen)) == 2
    seen.clear()
    noise = mine.noise_images(2, seed=1)
    sums = mine.prior_from(noise, TEXTS)
    assert sums.shape == (2, len(TEXTS))
    assert np.isfinite(sums).all()
    np.testing.assert_array_equal(seen[0][0].numpy(), noise[0])


def test_a_long_caption_keeps_its_end_and_fits_behind_the_queries(made: Any, images: list[Image.Image]) -> None:
    long = "a cat " * 500
    mine = load(f"hf:{made('opt')[0]}", device="cpu")
    ((tokens, scored),) = mine.caption_logprobs(images[:1], [long])
    assert len(scored) == len(tokens) == 48 - QUERIES - 1
    assert tokens[-1] == NEWLINE
    assert mine.truncated([long, "a cat " * 20, "a cat " * 21]).tolist() == [True, False, True]


@pytest.mark.parametrize("language", ["opt", "t5"])
def test_half_precision(language: str, made: Any, images: list[Image.Image]) -> None:
    folder = made(language)[0]
    exact, rough = (
        load(f"hf:{folder}", device="cpu", dtype=dtype).caption_logprobs(images[:1], [CAPTION])[0][1]
        for dtype in ("float32", "bfloat16")
    )
    assert 0 < np.abs(exact - rough).max() < 0.5


def test_without_the_qformers_tokenizer(made: Any, tmp_path: Path) -> None:
    shutil.copytree(made("llama", "instructblip")[0], tmp_path / "model")
    shutil.rmtree(tmp_path / "model" / "qformer_tokenizer")
    with pytest.raises(UsageError, match="no usable tokenizer for its Q-Former"):
        load(f"hf:{tmp_path / 'model'}", device="cpu")


def test_no_room_for_a_caption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.zoo.captioning.blip2.QUERIES", 47)
    blip2(tmp_path, "opt")
    with pytest.raises(FlipsideError, match="no room for a caption"):
        load(f"hf:{tmp_path}", device="cpu")
