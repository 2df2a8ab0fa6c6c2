"""Small benchmarks of every protocol, a model that counts how often it is asked, and runs as sorted rows."""

from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

from backend.engine.storage import shards
from backend.items import Benchmark, ImageRef, Item, Protocol
from backend.models import load

PARTS_OF_ALL = ["itc", "itm", "gen", "vqa", "verdict", "t2t", "prior"]


def picture(folder: Path, name: str) -> ImageRef:
    """An 8 × 8 picture whose pixels depend on its name."""
    path = folder / f"{name}.png"
    if not path.is_file():
        pixels = np.random.default_rng(list(name.encode())).integers(0, 255, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
    return ImageRef(path.name, str(path))


def mixed(folder: Path, n: int = 4) -> Benchmark:
    """n items of each protocol. Triplet k and choice k share an image and a text, far apart in the file; each text of
    a choice is also a text of the next one."""
    folder.mkdir(parents=True, exist_ok=True)

    def items():
        for k in range(n):
            split = {"split": ("a" if k % 2 else "b",), "concept": ("colour",)}
            texts = (f"one {k}", f"the one {k}", f"not the one number {k}")
            yield item(f"tri/{k}", Protocol.TRIPLET, [picture(folder, f"p{k}")], texts, split)
        for k in range(n):
            pictures = [picture(folder, f"q{k}a"), picture(folder, f"q{k}b")]
            yield item(f"quad/{k}", Protocol.QUAD, pictures, (f"left {k}", f"right {k}"), {"split": ("a",)})
        for k in range(n):
            texts = (f"one {k}", f"foil {k}", f"foil {k + 1}", f"foil {k + 2}")
            yield item(f"choice/{k}", Protocol.CHOICE, [picture(folder, f"p{k}")], texts, {"split": ("b",)})
        for k in range(n):
            texts = tuple(f"caption {c} of pool {k}" for c in range(2 + k % 2))
            yield item(f"pool/{k}", Protocol.RETRIEVAL, [picture(folder, f"r{k}")], texts, {})

    return Benchmark("mixed", items)


def item(item_id, protocol, images, texts, tags) -> Item:
    return Item(item_id, item_id.split("/")[0], protocol, tuple(images), tuple(texts), ((0, 0),), tags, "test")


class Counting:
    """fake:ok that writes down every image and text it is given."""

    def __init__(self, spec: str = "fake:ok") -> None:
        self.model = load(spec)
        self.calls: Counter[str] = Counter()
        self.inputs: dict[str, Counter[object]] = {}
        for name in (
            "encode_images",
            "encode_texts",
            "itm_logits",
            "vqa_logits",
            "caption_logprobs",
            "text_logprobs",
            "prefer",
        ):
            setattr(self.model, name, self._counted(name, getattr(self.model, name)))

    def _counted(self, name, original):
        seen = self.inputs.setdefault(name, Counter())

        def call(*arguments):
            self.calls[name] += 1
            plain = [[x if isinstance(x, str) else np.asarray(x).tobytes() for x in a] for a in arguments]
            seen.update(plain[0] if len(plain) == 1 else zip(*plain, strict=True))
            return original(*arguments)

        return call


def rows(run_dir: Path) -> dict[str, list[tuple]]:
    """Every part's rows, sorted: equal for equal scores, however they are cut into shards."""
    manifest = shards.read_manifest(run_dir)
    found = {}
    for part in manifest["parts"]:
        table = shards.read_part(run_dir, part, manifest)
        columns = [table.column(name).to_pylist() for name in table.column_names]
        found[part] = sorted(zip(*[[_plain(v) for v in column] for column in columns], strict=True))
    return found


def _plain(value):
    return tuple(value) if isinstance(value, list) else value


def stopping_after(n):
    """A callback for progress that asks to stop after n windows."""
    told = []

    def stop(report):
        told.append(report)
        if len(told) == n:
            raise KeyboardInterrupt

    return stop
