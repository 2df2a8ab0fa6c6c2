"""Causal language models that see no image: log P(text), the prior that a caption has by itself."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.items import Kind
from backend.models.base import TokenScores
from backend.models.causal import empty_scores, score
from backend.models.hf import Texts, load_module, transformers
from backend.models.request import Request
from backend.models.texts.decoder import DecoderLm
from backend.models.texts.edges import PROBE, edges
from backend.models.torch_model import by_length


class BlindLm(DecoderLm):
    """A text starts with whatever the tokenizer puts before it: BOS (LLaMA, Gemma), </s> (OPT, XGLM), nothing (GPT-2,
    GPT-NeoX, Qwen). Where that is nothing, the BOS of the tokenizer or of the config stands there (<|endoftext|> for
    GPT-2 and Qwen: text in training followed an end of text), and where there is none, the EOS. The final EOS is
    scored, so that a text is a whole text."""

    family: ClassVar[str] = "blind-lm"
    kinds = frozenset({Kind.PRIOR})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, transformers.AutoModelForCausalLM, self.dtype, self.device)
        config = self.module.config
        self.texts = Texts(request, config)
        tokenizer = self.texts.tokenizer
        ends = [tokenizer.eos_token_id, getattr(config, "eos_token_id", None)]
        ends += [tokenizer.sep_token_id, tokenizer.bos_token_id]
        self.end = self.first_known(ends)
        own, _ = edges(*(self.texts.ids([PROBE], special=special)[0] for special in (True, False)))
        starts = [tokenizer.bos_token_id, getattr(config, "bos_token_id", None), self.end]
        self.start, *self.prompt = own or [self.first_known(starts)]

    def first_known(self, candidates: Sequence[int | list[int] | None]) -> int:
        """The first candidate with an embedding in the model; a config may list several ends or one out of range."""
        for candidate in candidates:
            token = candidate[0] if isinstance(candidate, list) and candidate else candidate
            if isinstance(token, int) and 0 <= token < self.module.get_input_embeddings().num_embeddings:
                return token
        raise FlipsideError(f"{self.spec}: its tokenizer has neither a BOS nor an EOS token, so P(text) is undefined.")

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        framed = self.framed(texts)
        out = empty_scores(len(texts))

        def work(part: NDArray[np.int64]) -> None:
            ids, mask = framed.batch(part, self.texts.pad_id)
            logits = self.module(input_ids=self.tensor(ids), attention_mask=self.tensor(mask), use_cache=False).logits
            score(self.texts, framed, part, logits, out, skip=len(self.prompt))

        self.in_batches(by_length(framed.lengths), work, framed.lengths)
        return out

    def preprocessing(self) -> dict[str, Any]:
        *start, end = self.texts.pieces([self.start, *self.prompt, self.end])
        return {
            **super().preprocessing(),
            "texts": {"limit": self.texts.limit},
            "scored": f"tokens after {' '.join(start)}, with the final {end}",
        }
