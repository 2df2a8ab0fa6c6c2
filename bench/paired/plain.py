"""The models as their libraries' users have them: no adapter of ours. `alone` scores one item or pair as a benchmark's
own script does, `bare` puts unique inputs through the towers in full batches and nothing else.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from PIL import Image

#: Inputs of one forward pass in `bare`, as many as the engine takes where nobody says.
BATCH = 64


def opened(path: str) -> Image.Image:
    """A picture's file, decoded."""
    with Image.open(path) as image:
        return image.convert("RGB")


def batches(things: Sequence[Any], size: int = BATCH) -> Iterable[Sequence[Any]]:
    """Successive parts of a list."""
    return (things[first : first + size] for first in range(0, len(things), size))


class Clip:
    """open_clip's dual encoder. spec: an architecture with random weights from seed 0, or a folder."""

    def __init__(self, spec: str) -> None:
        import open_clip

        name, _, weights = spec.partition("/")
        if weights == "none":
            torch.manual_seed(0)
            self.model: Any = open_clip.create_model(name, None, precision="fp32")
        else:
            name = f"local-dir:{spec}"
            self.model = open_clip.create_model(name)
        self.model.eval()
        self.transform: Any = open_clip.transform.image_transform_v2(
            open_clip.transform.PreprocessCfg(**self.model.visual.preprocess_cfg), is_train=False
        )
        self.tokenizer: Any = open_clip.get_tokenizer(name)

    def score(self, image: str, texts: Sequence[str]) -> list[float]:
        """One item as SugarCrepe's `main_eval.py` scores it: three calls of one input, at 77 positions."""
        vectors = [self.model.encode_text(self.tokenizer([text]), normalize=True) for text in texts]
        pixels = self.transform(opened(image)).unsqueeze(0)
        seen = self.model.encode_image(pixels, normalize=True)
        return [float(vector @ seen.t()) for vector in vectors]

    def alike(self, texts: Sequence[str]) -> list[float]:
        """One triplet of texts: the cosines of (0, 1), (0, 2), (1, 2)."""
        a, b, c = (self.model.encode_text(self.tokenizer([text]), normalize=True) for text in texts)
        return [float(a @ b.t()), float(a @ c.t()), float(b @ c.t())]

    def see(self, images: Iterable[str]) -> None:
        """Every picture once."""
        for part in batches(list(images)):
            self.model.encode_image(torch.stack([self.transform(opened(path)) for path in part]), normalize=True)

    def read(self, texts: Iterable[str], *, cut: bool) -> None:
        """Every text once. cut: sorted by length and no further than the longest of a batch; else at 77 positions."""
        from backend.models.dual.openclip import encode_cut

        ids = self.tokenizer(list(texts))
        lengths = ids.argmax(dim=1) + 1  # the closing token has the largest number
        for part in batches(torch.argsort(lengths) if cut else torch.arange(len(ids))):
            if cut:
                torch.nn.functional.normalize(encode_cut(self.model, ids[part, : int(lengths[part].max())]), dim=-1)
            else:
                self.model.encode_text(ids[part], normalize=True)


class Blip:
    """transformers' BLIP in a folder: a matching head, or a captioner."""

    def __init__(self, folder: str) -> None:
        import json

        import transformers

        name = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))["architectures"][0]
        self.model: Any = getattr(transformers, name).from_pretrained(folder).eval()
        self.matches = name == "BlipForImageTextRetrieval"
        self.pictures: Any = transformers.BlipImageProcessor.from_pretrained(folder)
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)

    def pixels(self, paths: Sequence[str]) -> torch.Tensor:
        """(n, 3, side, side), normalised."""
        return torch.as_tensor(self.pictures(images=[opened(path) for path in paths], return_tensors="pt").pixel_values)

    def score(self, image: str, texts: Sequence[str]) -> list[float]:
        """Each pair by itself, as the library's documentation shows it: log-odds of "match", or log P(text | image)."""
        found = []
        for text in texts:
            ids = self.tokenizer([text], return_tensors="pt")
            asked = {"pixel_values": self.pixels([image]), "input_ids": ids.input_ids}
            asked["attention_mask"] = ids.attention_mask
            if self.matches:
                odds = self.model(**asked, use_itm_head=True).itm_score[0]
                found.append(float(odds[1] - odds[0]))
            else:
                logits = self.model(**asked).logits[0, :-1].log_softmax(dim=-1)
                found.append(float(logits.gather(1, ids.input_ids[0, 1:, None]).double().sum()))
        return found

    def pairs(self, asked: dict[str, list[str]]) -> None:
        """Every picture once through the vision tower, every pair once through the other, sorted by length."""
        for image, texts in asked.items():
            patches = self.model.vision_model(pixel_values=self.pixels([image])).last_hidden_state
            rows = sorted(self.tokenizer(texts).input_ids, key=len)
            for part in batches(rows):
                width = len(part[-1])
                ids = torch.tensor([row + [0] * (width - len(row)) for row in part])
                mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in part])
                seen = patches.expand(len(part), -1, -1)
                self._meet(ids, mask, seen)

    def _meet(self, ids: torch.Tensor, mask: torch.Tensor, seen: torch.Tensor) -> None:
        if self.matches:
            hidden = self.model.text_encoder(input_ids=ids, attention_mask=mask, encoder_hidden_states=seen)
            self.model.itm_head(hidden.last_hidden_state[:, 0])
            return
        out = self.model.text_decoder(
            input_ids=ids, attention_mask=mask, encoder_hidden_states=seen, use_cache=False
        ).logits[:, :-1]
        out.log_softmax(dim=-1).gather(2, ids[:, 1:, None])
