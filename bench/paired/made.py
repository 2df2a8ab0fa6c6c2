"""What the comparisons score: made pictures and captions in the files of real benchmarks, and BLIP models of 48 million
parameters with random weights. Everything follows from sizes and a seed, so each process makes of it the same.
"""

import json
import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

#: Width and height of most COCO pictures.
COCO = (640, 480)
#: Words a caption of SugarCrepe has (11,844 different ones: mean 11.4, standard deviation 2.8, 5 to 38).
MEAN, SPREAD, FEWEST, MOST = 11.35, 2.84, 5, 38
WORDS = (
    *("a", "the", "two", "three", "one", "some", "red", "blue", "green", "white", "black", "small", "large", "old"),
    *("young", "wooden", "cat", "dog", "horse", "man", "woman", "child", "boy", "girl", "table", "chair", "bus"),
    *("train", "street", "field", "beach", "kitchen", "plate", "pizza", "cake", "umbrella", "kite", "ball", "bench"),
    *("car", "truck", "boat", "bird", "sheep", "cow", "laptop", "phone", "bed", "window", "door", "mirror", "sink"),
    *("on", "under", "in", "near", "behind", "with", "without", "beside", "above", "and", "of", "to", "holding"),
    *("riding", "watching", "eating", "sitting", "standing", "walking", "running", "next", "front", "while", "next"),
)
#: SugarCrepe: the seven files with their numbers of items, which stand on 1,560 pictures under 4,345 true captions.
FILES = {
    "add_att": 692, "add_obj": 2062, "replace_att": 788, "replace_obj": 1652, "replace_rel": 1406, "swap_att": 666,
    "swap_obj": 245,
}  # fmt: skip
TRUE_CAPTIONS = 4345


@dataclass(frozen=True)
class Asked:
    """One item as a loop sees it. image: a file, or "" where none is looked at. texts: all that it is asked about."""

    image: str
    texts: tuple[str, ...]


def captions(n: int, seed: int) -> list[str]:
    """n different sentences with SugarCrepe's lengths."""
    draw = random.Random(seed)  # noqa: S311 - a seeded draw keeps no secret
    found: dict[str, None] = {}
    while len(found) < n:
        length = min(MOST, max(FEWEST, round(draw.gauss(MEAN, SPREAD))))
        found[" ".join(draw.choice(WORDS) for _ in range(length))] = None
    return list(found)


def picture(path: Path, seed: int, size: tuple[int, int] = COCO) -> None:
    """A JPEG file as large as a photograph's: soft shapes under fine noise."""
    draw = np.random.default_rng(seed)
    width, height = size
    coarse = Image.fromarray(draw.integers(0, 255, (12, 16, 3), dtype=np.uint8)).resize(size, Image.Resampling.BICUBIC)
    fine = draw.normal(0, 12, (height, width, 1))
    Image.fromarray(np.clip(np.asarray(coarse) + fine, 0, 255).astype(np.uint8)).save(path, quality=90)


def pictures(folder: Path, n: int, size: tuple[int, int] = COCO) -> list[Path]:
    """n pictures under their COCO names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:012d}.jpg" for number in range(n)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # numpy and Pillow let go of the interpreter
        list(pool.map(picture, paths, range(n), repeat(size)))
    return paths


def sugarcrepe(folder: Path, n_pictures: int, n_items: int, size: tuple[int, int] = COCO) -> list[Asked]:
    """SugarCrepe's seven files with their shares of n_items, on n_pictures; true captions recur as often as there."""
    shown = pictures(folder / "val2017", n_pictures, size)
    n_true = max(n_pictures, round(n_items * TRUE_CAPTIONS / sum(FILES.values())))
    made = captions(n_true + n_items, seed=1)
    items, first = [], 0
    for number, (name, share) in enumerate(FILES.items()):
        last = n_items if number == len(FILES) - 1 else first + round(n_items * share / sum(FILES.values()))
        records = {}
        for k in range(first, last):
            path, texts = shown[k % n_pictures], (made[k % n_true], made[n_true + k])
            records[str(k)] = {"filename": path.name, "caption": texts[0], "negative_caption": texts[1]}
            items.append(Asked(str(path), texts))
        (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
        first = last
    return items


def visla(folder: Path, n_rows: int) -> list[Asked]:
    """VISLA's generic file; its pictures are not there, for t2t looks at none."""
    made = captions(3 * n_rows, seed=2)
    items = [Asked("", (made[3 * k], made[3 * k + 1], made[3 * k + 2])) for k in range(n_rows)]
    lines = ["filename\tcaption\tsecond positive\tnegative_caption"]
    lines += [f"{k:012d}.jpg\t" + "\t".join(item.texts) for k, item in enumerate(items)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Generic_VISLA.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return items


def choices(folder: Path, n_pictures: int, n_captions: int, size: tuple[int, int] = COCO) -> list[Asked]:
    """Each picture with one true caption and n_captions - 1 foils, all captions different: a table of one's own."""
    shown = pictures(folder / "pictures", n_pictures, size)
    made = captions(n_pictures * n_captions, seed=3)
    items = [Asked(str(path), tuple(made[k * n_captions : (k + 1) * n_captions])) for k, path in enumerate(shown)]
    records = [{"image": f"pictures/{Path(i.image).name}", "caption": i.texts[0], "foils": i.texts[1:]} for i in items]
    _write(folder / "items.jsonl", records)
    return items


def pool(folder: Path, n_pictures: int, n_captions: int, size: tuple[int, int] = COCO) -> list[Asked]:
    """A pool whose captions belong to its pictures in equal shares; every picture is asked about all of them."""
    if n_captions % n_pictures:
        raise SystemExit(f"a pool of {n_pictures} pictures has a multiple of so many captions, not {n_captions}")
    shown, share = pictures(folder / "pictures", n_pictures, size), n_captions // n_pictures
    made = captions(n_captions, seed=4)
    rows = [
        {"image": f"pictures/{path.name}", "captions": made[k * share : (k + 1) * share]}
        for k, path in enumerate(shown)
    ]
    _write(folder / "items.jsonl", rows)
    return [Asked(str(path), tuple(made)) for path in shown]


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@dataclass(frozen=True)
class Shape:
    """A BLIP model's. side, patch: pixels. vocabulary: rows of the embedding; the tokenizer knows WORDS."""

    width: int = 384
    heads: int = 6
    vision_layers: int = 12
    text_layers: int = 6
    side: int = 384
    patch: int = 16
    vocabulary: int = 30522


#: The comparisons' own, and one for tests: the same architecture, a hundredth of the work.
BASE, SMALL = Shape(), Shape(48, 4, 4, 2, 96, 8, 120)


def blip(folder: Path, name: str, shape: Shape = BASE) -> None:
    """A model of that class of transformers from seed 7, as a hub folder: weights, processor, tokenizer by words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    towers = {"hidden_size": shape.width, "intermediate_size": 4 * shape.width, "num_attention_heads": shape.heads}
    text = {**towers, "num_hidden_layers": shape.text_layers, "vocab_size": shape.vocabulary, "is_decoder": True}
    text |= {"max_position_embeddings": 64, "encoder_hidden_size": shape.width, "projection_dim": 256}
    text |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3, "sep_token_id": 3}
    vision = {**towers, "num_hidden_layers": shape.vision_layers, "image_size": shape.side, "patch_size": shape.patch}
    config = transformers.BlipConfig(
        text_config=text, vision_config=vision, image_text_hidden_size=256, projection_dim=256
    )
    torch.manual_seed(7)
    getattr(transformers, name)(config).eval().save_pretrained(folder)
    special = ("[PAD]", "[BOS]", "[UNK]", "[EOS]")
    vocabulary = {word: n for n, word in enumerate(dict.fromkeys([*special, *WORDS]))}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 1), ("[EOS]", 3)]
    )
    named = {"pad_token": "[PAD]", "bos_token": "[BOS]", "eos_token": "[EOS]", "unk_token": "[UNK]"}
    named |= {"cls_token": "[BOS]", "sep_token": "[EOS]"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=64, **named)
    tokenizer.save_pretrained(folder)
    size = {"height": shape.side, "width": shape.side}
    transformers.BlipImageProcessor(size=size).save_pretrained(folder)


def openclip_small(folder: Path) -> None:
    """open_clip's CLIP with two small towers and its full 77 positions, for tests, as a hub folder."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    text = {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2}
    vision = {"image_size": 64, "layers": 2, "width": 64, "patch_size": 8}
    config = {"model_cfg": {"embed_dim": 32, "vision_cfg": vision, "text_cfg": text}, "preprocess_cfg": {}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "open_clip_config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(7)
    model = open_clip.create_model(f"local-dir:{folder}", load_weights=False)
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")


def others(items: list[Asked], n: int, seed: int = 5) -> Iterator[tuple[int, str, str]]:
    """Each item's captions under its own picture and n other items': (item, picture, caption)."""
    draw = random.Random(seed)  # noqa: S311 - a seeded draw keeps no secret
    for number, item in enumerate(items):
        rest = [other.image for k, other in enumerate(items) if k != number]
        for image in (item.image, *draw.sample(rest, n)):
            for text in item.texts:
                yield number, image, text
