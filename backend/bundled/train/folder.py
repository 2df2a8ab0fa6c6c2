"""Writing a trained model as an ordinary Hugging Face folder: float16 weights, config, tokenizer, processor."""

import json
import platform
import shutil
from pathlib import Path
from typing import Any

from backend.bundled.train import tokens
from backend.models import folders, packed
from backend.models.spec import parse
from backend.paths import cache_dir


def model_folder(name: str) -> Path:
    """Where a training leaves a model: aside of what ships, until all are there (publish.py)."""
    return cache_dir() / "train" / "out" / name


def start(name: str) -> Path:
    """The folder of a model that another starts from: the one trained here, else the one that ships."""
    trained = model_folder(name)
    return trained if (trained / "card.json").exists() else packed.ordinary(folders.resolve(parse(f"bundled:{name}")))


def machine() -> str:
    """What a card says of the processor."""
    return platform.processor() or platform.machine()


def write(model: Any, name: str, processor: Any, card: dict[str, Any]) -> Path:
    """Save as `<cache>/train/out/<name>`, whole or not at all; `card.json` says how it was trained."""
    import torch

    folder = model_folder(name)
    aside = folder.with_name(f".{name}")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    kept = {key: value.detach().clone() for key, value in model.state_dict().items()}
    model.half()
    model.config.dtype = torch.float16
    model.save_pretrained(aside, safe_serialization=True)
    model.float()
    model.load_state_dict(kept)  # training goes on in float32 where it was
    processor.save_pretrained(aside)
    _portable_tokenizer(aside)
    if name == "sentence":
        add_sentence_modules(aside, tokens.MAX_TOKENS)
    (aside / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)
    return folder


def _portable_tokenizer(folder: Path) -> None:
    """Name the tokenizer class that transformers 4 and 5 both know."""
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    path.write_text(json.dumps(config, indent=1) + "\n")


def clip_image_processor() -> Any:
    """Resize 256 → 64 with the filter that training used, then the training pictures' own mean and deviation."""
    from transformers import CLIPImageProcessor

    from backend.world.drawing import fast

    size = {"height": fast.MODEL_SIZE, "width": fast.MODEL_SIZE}
    return CLIPImageProcessor(
        do_resize=True,
        size=size,
        resample=fast.MODEL_RESAMPLE,
        do_center_crop=False,
        crop_size=size,
        image_mean=list(fast.PIXEL_MEAN),
        image_std=list(fast.PIXEL_STD),
    )


def blip_image_processor() -> Any:
    """As `clip_image_processor`, of the class that BLIP's processor expects."""
    from transformers import BlipImageProcessor

    from backend.world.drawing import fast

    return BlipImageProcessor(
        size={"height": fast.MODEL_SIZE, "width": fast.MODEL_SIZE},
        resample=fast.MODEL_RESAMPLE,
        image_mean=list(fast.PIXEL_MEAN),
        image_std=list(fast.PIXEL_STD),
    )


def pixel_tensor(pictures: Any) -> Any:
    """uint8 (n, 64, 64, 3) → normalised float32 (n, 3, 64, 64), as the image processors make it."""
    import torch

    from backend.world.drawing import fast

    values = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    mean = torch.tensor(fast.PIXEL_MEAN).view(1, 3, 1, 1)
    deviation = torch.tensor(fast.PIXEL_STD).view(1, 3, 1, 1)
    return (values - mean) / deviation


def add_sentence_modules(folder: Path, max_tokens: int) -> None:
    """Lay the folder out as sentence-transformers does: encoder, mean pooling, L2 normalisation."""
    modules = ["Transformer", "Pooling", "Normalize"]
    entries = [
        {
            "idx": i,
            "name": str(i),
            "path": "" if i == 0 else f"{i}_{module}",
            "type": f"sentence_transformers.models.{module}",
        }
        for i, module in enumerate(modules)
    ]
    pooling = {
        "word_embedding_dimension": 128,
        "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True,
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    }
    (folder / "modules.json").write_text(json.dumps(entries, indent=1) + "\n")
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": max_tokens, "do_lower_case": False}, indent=1) + "\n"
    )
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling, indent=1) + "\n")
    (folder / "2_Normalize").mkdir(exist_ok=True)
    (folder / "2_Normalize" / "config.json").write_text("{}\n")  # git keeps no empty folders
