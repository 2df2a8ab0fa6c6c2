"""X-CLIP: CLIP for video, whose text vector looks at the video before they are compared."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import Kind
from backend.models.base import Picture, check_pairs
from backend.models.dual.hf import HfDual
from backend.models.once import each_image_once
from backend.models.pictures import decode
from backend.models.torch_model import by_length


class XClip(HfDual):
    """XCLIPModel. Its prompt generator adds to each text vector something read off the video's patches, so that a text
    has another vector for every video: no dual encoder. Its text vectors before any video give `t2t`.

    `itc` is the model's own score of a pair, a still image standing for a clip of `num_frames` equal frames.
    """

    family: ClassVar[str] = "dual-xclip"
    pairwise = frozenset({Kind.ITC})

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        raise UsageError(
            f"{self.spec}: X-CLIP makes another text vector for every video, so that no cosine of two independent "
            "vectors is its score; ask pair_cosines(images, texts)."
        )

    def pair_cosines(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine that `forward` scales to logits, of image i (as a clip that stands still) with text i, (n,)
        float32."""
        check_pairs(images, texts)
        found = np.zeros(len(texts), dtype=np.float32)
        if not texts:
            return found
        uniques = list(dict.fromkeys(texts))
        place = {text: row for row, text in enumerate(uniques)}
        own = np.array([place[text] for text in texts], dtype=np.int64)
        read = self.read(uniques)

        def work(part: NDArray[np.int64], seen: torch.Tensor) -> None:
            words = read[self.tensor(own[part])].unsqueeze(1)
            words = words + self.module.prompts_generator(words, seen[:, 1:])
            cosine = torch.nn.functional.cosine_similarity(seen[:, 0].float(), words[:, 0].float(), dim=-1)
            found[part] = cosine.cpu().numpy()

        each_image_once(self, images, np.ones(len(texts), dtype=np.int64), self.watch, work)
        return found

    def read(self, texts: Sequence[str]) -> torch.Tensor:
        """The texts' vectors before they meet a video, not normalised, (n, d)."""
        ids = self.texts.cut_ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        rows: dict[int, torch.Tensor] = {}

        def work(part: NDArray[np.int64]) -> None:
            inputs = {name: self.tensor(value) for name, value in self.texts.batch([ids[i] for i in part]).items()}
            rows.update(zip(part.tolist(), self.text_features(inputs), strict=True))

        self.in_batches(by_length(lengths), work, lengths)
        return torch.stack([rows[i] for i in range(len(ids))])

    def watch(self, images: Sequence[Picture]) -> torch.Tensor:
        """The clip's vector and, behind it, its patches as the prompt generator reads them, (n, 1 + patches, d)."""
        # One at a time: a video processor takes a list of images for the frames of one video.
        each = [self.pictures([decode(image)])["pixel_values"] for image in images]
        pixels = torch.cat([one.reshape(-1, *one.shape[-3:])[:1] for one in each]).to(self.device, self.dtype)
        frames = int(self.module.config.vision_config.num_frames)
        clip = pixels.repeat_interleave(frames, dim=0)
        output = self.module.vision_model(pixel_values=clip)
        first = self.module.visual_projection(output.pooler_output).view(len(pixels), frames, -1)
        patches = self.module.prompts_visual_layernorm(output.last_hidden_state[:, 1:])
        patches = patches @ self.module.prompts_visual_projection
        patches = patches.view(len(pixels), frames, -1, first.shape[-1]).mean(dim=1)
        return torch.cat([self.module.mit(first).pooler_output.unsqueeze(1), patches], dim=1)

    def describe(self) -> dict[str, Any]:
        frames = int(self.module.config.vision_config.num_frames)
        return {**super().describe(), "cosine": f"with the text as it stands before {frames} equal frames"}
