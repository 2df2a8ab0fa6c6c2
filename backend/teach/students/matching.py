"""BLIP's matching head as a student: every pair is read by the cross-attending text encoder."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from backend.models.base import Picture
from backend.models.matching.blip import BlipMatcher
from backend.teach.students.base import Scores, Student


class Read(NamedTuple):
    """Token ids and their mask, int (m, length): texts are read together with an image, not before."""

    ids: Tensor
    mask: Tensor


class BlipStudent(Student[Tensor, Read]):
    """Images are patches, (n, patches + 1, width). A grid costs n x m passes through the text encoder, so batches are
    small; texts alone are not compared by the head."""

    kind = "itm"
    compares_texts = False
    model: BlipMatcher

    def see(self, images: Sequence[Picture]) -> Tensor:
        return self.team.each(len(images), lambda share: self._patches(images[share]))

    def _patches(self, images: Sequence[Picture]) -> Tensor:
        with self.precision():
            return self.model.patches(images)

    def read(self, texts: Sequence[str]) -> Read:
        inputs = self.model.text_inputs(self.model.tokens(texts)[0])
        return Read(inputs["input_ids"], inputs["attention_mask"])

    def grid(self, images: Tensor, texts: Read) -> Scores:
        n, m = len(images), len(texts.ids)
        rows = torch.arange(n, device=self.device).repeat_interleave(m)
        each = torch.arange(m, device=self.device).repeat(n)
        found = self.paired(images, rows, Read(texts.ids[each], texts.mask[each]))
        return Scores(found.raw.view(n, m), found.logits.view(n, m))

    def paired(self, images: Tensor, rows: Tensor, texts: Read) -> Scores:
        odds = self.team.each(
            len(rows), lambda share: self._odds(images[rows[share]], Read(texts.ids[share], texts.mask[share]))
        )
        return Scores(odds, odds)

    def _odds(self, states: Tensor, texts: Read) -> Tensor:
        with self.precision():
            hidden = self.model.module.text_encoder(
                input_ids=texts.ids,
                attention_mask=texts.mask,
                encoder_hidden_states=states,
                encoder_attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=self.device),
            ).last_hidden_state
            verdicts: Tensor = self.model.module.itm_head(hidden[:, 0]).float()
        return verdicts[:, 1] - verdicts[:, 0]
