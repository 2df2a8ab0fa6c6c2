"""Encoder-decoder language models that see no image: log P(text) as the decoder's, with nothing in the encoder."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.models.base import TokenScores
from backend.models.causal import empty_scores, score
from backend.models.hf import Texts, load_module, transformers
from backend.models.request import Request
from backend.models.texts.decoder import DecoderLm
from backend.models.texts.edges import PROBE, edges
from backend.models.torch_model import by_length

#: T5's signs for missing text, in their order.
SENTINEL = "<extra_id_0>"
#: Pegasus hides whole sentences behind a sign of its own.
SENTENCE_MASK = "<mask_1>"


class Seq2SeqLm(DecoderLm):
    """log P(text | the encoder sees no text), the decoder's start tokens given, the final EOS scored.

    What "no text" is depends on what the model was trained to do. Denoisers (BART, mBART, Pegasus: their tokenizers
    have a mask token) see one mask, their sign for text of unknown length: an empty text would ask them to copy
    nothing. Others (T5, Flan-T5, mT5) see an empty text, </s> alone. `#empty` and `#mask` ask for the other one; for T5
    `#mask` is its span-corruption task, <extra_id_0> in the encoder and at the decoder's start, which is all that
    T5 v1.1 and mT5 were trained on.
    """

    family: ClassVar[str] = "seq2seq-lm"
    kinds = frozenset({Kind.PRIOR})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, transformers.AutoModelForSeq2SeqLM, self.dtype, self.device)
        self.texts = Texts(request, self.module.config)
        tokenizer = self.texts.tokenizer
        if tokenizer.eos_token_id is None:
            raise FlipsideError(f"{self.spec}: its tokenizer has no EOS token, so P(text) is undefined.")
        self.end = int(tokenizer.eos_token_id)
        if getattr(tokenizer, "src_lang", None):
            tokenizer.tgt_lang = tokenizer.src_lang  # the captions' own language, not one to translate into
        if request.option not in ("", "empty", "mask"):
            raise UsageError(f"{self.spec}: #{request.option} is no option of an encoder-decoder; use #empty or #mask.")
        denoiser = tokenizer.mask_token is not None
        self.encoder_text, sentinel = self.hidden(request.option or ("mask" if denoiser else "empty"))
        self.encoder_ids = self.texts.ids([self.encoder_text])[0]
        self.start, *self.prompt = [*self.decoder_start(), *sentinel]

    def hidden(self, how: str) -> tuple[str, list[int]]:
        """What the encoder reads in place of the text, and the sentinel that the decoder then starts with, if any."""
        if how == "empty":
            return "", []
        tokenizer = self.texts.tokenizer
        known = tokenizer.get_vocab()
        if SENTENCE_MASK in known and "pegasus" in str(self.module.config.model_type):
            return SENTENCE_MASK, []
        if tokenizer.mask_token is not None:
            return str(tokenizer.mask_token), []
        if SENTINEL in known:
            return SENTINEL, [known[SENTINEL]]
        raise UsageError(f"{self.spec}: its tokenizer has no sign for missing text; leave #mask out.")

    def decoder_start(self) -> list[int]:
        """What the decoder is given before a text's first token, as the model's own training shift makes it."""
        labels = self.texts.tokenizer(text_target=PROBE)["input_ids"]
        shifted = self.module.prepare_decoder_input_ids_from_labels(labels=self.tensor([labels]))[0].tolist()
        before, _ = edges(shifted, self.texts.ids([PROBE], special=False)[0])
        if not before:
            raise FlipsideError(f"{self.spec}: its decoder has no start token, so P(text) is undefined.")
        return before

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        framed = self.framed(texts)
        out = empty_scores(len(texts))
        if not texts:
            return out
        with torch.inference_mode():
            states = self.module.get_encoder()(input_ids=self.tensor([self.encoder_ids])).last_hidden_state

        def work(part: NDArray[np.int64]) -> None:
            ids, mask = framed.batch(part, self.texts.pad_id)
            logits = self.module(
                encoder_outputs=(states.expand(len(part), -1, -1),),
                decoder_input_ids=self.tensor(ids),
                decoder_attention_mask=self.tensor(mask),
                use_cache=False,
            ).logits
            score(self.texts, framed, part, logits, out, skip=len(self.prompt))

        self.in_batches(by_length(framed.lengths), work, framed.lengths)
        return out

    def preprocessing(self) -> dict[str, Any]:
        *start, end = self.texts.pieces([self.start, *self.prompt, self.end])
        return {
            **super().preprocessing(),
            "texts": {"limit": self.texts.limit, "encoder": " ".join(self.texts.pieces(self.encoder_ids))},
            "scored": f"tokens after {' '.join(start)} in the decoder, with the final {end}",
        }
