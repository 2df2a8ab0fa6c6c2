"""Sentences of the same meaning from a causal or an encoder-decoder language model on this machine."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.models.base import Model
from backend.models.proposers.analogies import LONGEST, continued, conversation, proposal
from backend.models.texts.causal_lm import BlindLm
from backend.models.texts.seq2seq_lm import Seq2SeqLm
from backend.models.torch_model import by_length


class LocalWriter:
    """Greedy decoding with the module's own `generate`. A model with a chat template is asked in it; any other
    continues a text. Only captions with as many tokens as each other share a batch, so nothing is padded."""

    def __init__(self, model: Model) -> None:
        if not isinstance(model, BlindLm | Seq2SeqLm):
            raise TypeError(f"{model.spec} writes nothing")
        self.model = model
        self.tokenizer = model.texts.tokenizer
        self.decoder_only = isinstance(model, BlindLm)
        self.chat = self.decoder_only and bool(getattr(self.tokenizer, "chat_template", None))
        self.refused: Counter[str] = Counter()

    def __call__(self, captions: Sequence[str], /) -> list[list[str]]:
        """One sentence a caption, or none."""
        found = []
        for caption, answer in zip(captions, self.answers(captions), strict=True):
            text, reason = ("", "longer than the model reads") if answer is None else (
                proposal(caption, answer, self.chat)
            )  # fmt: skip
            self.refused.update([reason] if reason else [])
            found.append([text] if text else [])
        return found

    def answers(self, captions: Sequence[str]) -> list[str | None]:
        """What the model writes for each caption, as it stands; None where the question is too long for it."""
        rows = [self.question(caption) for caption in captions]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        room = self.model.texts.limit - (LONGEST if self.decoder_only else 0)
        out: list[str | None] = [None] * len(rows)

        def work(part: NDArray[np.int64]) -> None:
            for _, same in groupby(part.tolist(), key=lambda i: len(rows[i])):
                members = list(same)
                for i, text in zip(members, self.write([rows[i] for i in members]), strict=True):
                    out[i] = text

        self.model.in_batches(by_length(lengths, np.flatnonzero(lengths <= room)), work, lengths)
        return out

    def question(self, caption: str) -> list[int]:
        """The ids of what the model is given."""
        if self.chat:
            try:
                found = self.tokenizer.apply_chat_template(
                    conversation(caption), add_generation_prompt=True, tokenize=True, return_dict=False
                )
            except Exception as error:  # a template is a program of the model's own, and may refuse a system turn
                raise FlipsideError(
                    f"{self.model.spec}: its chat template takes no such conversation ({str(error).splitlines()[0]})."
                ) from error
            return self.model.texts.known([found])[0]
        if self.decoder_only:
            bare = self.model.texts.ids([continued(caption)], special=False)[0]
            return [self.model.start, *self.model.prompt, *bare]
        return self.model.texts.ids([continued(caption)])[0]

    def write(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """What follows some questions of one length."""
        ids = self.model.tensor(rows)
        begun = ids.shape[1] if self.decoder_only else 0
        written = self.model.module.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            num_beams=1,
            max_new_tokens=LONGEST,
            pad_token_id=self.model.texts.pad_id,
            eos_token_id=self.model.end,
        )
        decoded: list[str] = self.tokenizer.batch_decode(written[:, begun:], skip_special_tokens=True)
        return decoded

    def describe(self) -> dict[str, Any]:
        """The model by its weights, and what came of its answers."""
        told = self.model.describe()
        kept = {name: told[name] for name in ("spec", "family", "class", "weights_sha256", "dtype")}
        return kept | {"asked_in": "its chat template" if self.chat else "plain text", "refused": self.refused}
