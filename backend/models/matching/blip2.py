"""BLIP-2's first stage: its Q-Former as a matching head, and as a text encoder."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import Kind
from backend.models.base import Picture, check_pairs
from backend.models.matching.base import MatchingHead, odds
from backend.models.once import each_image_once
from backend.models.torch_model import by_length, normalised, stacked


class Blip2Matcher(MatchingHead):
    """Blip2ForImageTextRetrieval. The matching head gives two logits a query token, whose mean over the query tokens
    is the model's answer; output 1 is "match".

    `itc` is the model's contrastive score: the **best** of its query tokens' cosines with the text. That is a number of
    the pair and no product of one image vector with one text vector. The text vector alone gives `t2t`.
    """

    family: ClassVar[str] = "matcher-blip2"
    kinds = frozenset({Kind.ITM, Kind.ITC, Kind.T2T})
    pairwise = frozenset({Kind.ITC})

    def text_config(self) -> Any:
        return self.module.config.qformer_config

    def look(self, images: Sequence[Picture]) -> torch.Tensor:
        states: torch.Tensor = self.module.vision_model(pixel_values=super().look(images)).last_hidden_state
        return states

    def match(self, inputs: dict[str, torch.Tensor], seen: torch.Tensor) -> torch.Tensor:
        queries = self.queries(len(seen))
        mask = torch.cat([torch.ones(queries.shape[:2], dtype=torch.long, device=self.device),
                          inputs["attention_mask"]], dim=1)  # fmt: skip
        joint = self.module.qformer(
            query_embeds=self.module.embeddings(input_ids=inputs["input_ids"], query_embeds=queries),
            query_length=queries.shape[1],
            attention_mask=mask,
            encoder_hidden_states=seen,
            encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long, device=self.device),
        ).last_hidden_state
        head = self.module.itm_head
        return odds(head(joint[:, : queries.shape[1]].to(head.weight.dtype)).float().mean(dim=1))

    def queries(self, n: int) -> torch.Tensor:
        """The learned query tokens for n images, (n, query tokens, width)."""
        queries: torch.Tensor = self.module.query_tokens.expand(n, -1, -1)
        return queries

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        raise UsageError(
            f"{self.spec}: BLIP-2's cosine is the best of its {self.module.query_tokens.shape[1]} query tokens "
            "for each text, so an image has no single vector; ask pair_cosines(images, texts)."
        )

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        ids = self.texts.cut_ids(texts)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        rows: list[NDArray[np.float32] | None] = [None] * len(ids)

        def work(part: NDArray[np.int64]) -> None:
            inputs = self.text_inputs([ids[i] for i in part])
            states = self.module.qformer(
                query_embeds=self.module.embeddings(input_ids=inputs["input_ids"]),
                query_length=0,
                attention_mask=inputs["attention_mask"],
            ).last_hidden_state
            head = self.module.text_projection
            for i, row in zip(part, normalised(head(states[:, 0].to(head.weight.dtype))), strict=True):
                rows[i] = row

        self.in_batches(by_length(lengths), work, lengths)
        return stacked(rows)

    def pair_cosines(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """The model's contrastive score of image i with text i, (n,) float32 in [-1, 1]: what its `forward` returns
        with `use_image_text_matching_head=False`, on the diagonal."""
        check_pairs(images, texts)
        uniques = list(dict.fromkeys(texts))
        place = {text: row for row, text in enumerate(uniques)}
        own = np.array([place[text] for text in texts], dtype=np.int64)
        vectors = self.encode_texts(uniques)
        found = np.zeros(len(texts), dtype=np.float32)

        def work(part: NDArray[np.int64], tokens: torch.Tensor) -> None:
            found[part] = np.einsum("nqd,nd->nq", tokens.cpu().numpy(), vectors[own[part]]).max(axis=1)

        each_image_once(self, images, np.ones(len(texts), dtype=np.int64), self.image_tokens, work)
        return found

    def image_tokens(self, images: Sequence[Picture]) -> torch.Tensor:
        """The image's query tokens in the shared space, unit vectors, (n, query tokens, d) float32."""
        seen = self.look(images)
        states = self.module.qformer(
            query_embeds=self.queries(len(seen)),
            encoder_hidden_states=seen,
            encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long, device=self.device),
        ).last_hidden_state
        head = self.module.vision_projection
        return torch.nn.functional.normalize(head(states.to(head.weight.dtype)).float(), dim=-1)

    def preprocessing(self) -> dict[str, Any]:
        return {**super().preprocessing(), "match_output": 1, "match_logits": "mean over query tokens"}

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "cosine": f"best of {self.module.query_tokens.shape[1]} query tokens"}
