"""Chat VLMs: log P(caption | image, instruction), and the log-odds of "Yes" to the question whether it is shown."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import Kind
from backend.models import folders
from backend.models.base import Picture, TokenScores, check_pairs
from backend.models.causal import empty_scores
from backend.models.chat.agreement import shares_prefix
from backend.models.chat.answers import log_odds, yes_token
from backend.models.chat.prefix import Prefix, common
from backend.models.chat.prompt import Prompt, dialogue, stop_tokens
from backend.models.chat.recognise import VERIFIED, verification
from backend.models.chat.sight import REFERENCE, Seen, Sight
from backend.models.hf import load_module, text_limit, transformers
from backend.models.pictures import unique_by_identity
from backend.models.request import Request
from backend.models.torch_model import TorchModel, by_length
from backend.models.unloadable import REFUSALS, first_line, refuse_unknown, refuse_wordless

log = logging.getLogger(__name__)
#: A kept token costs a batch less memory than one that is read: by about this, where memory runs out audibly.
KEPT_WEIGHT = 4
#: What is done with a batch of rows: positions of the texts, and the logits behind prefix and tails.
Work = Callable[[NDArray[np.int64], torch.Tensor], None]


class ChatVlm(TorchModel):
    """Whatever AutoModelForImageTextToText loads, through its own processor and chat template.

    Scored are the caption's tokens as the assistant's turn and the token that ends the turn; P("Yes") is that of the
    answer's first token among the whole vocabulary. A picture and its prompt are read once for all texts.
    """

    family: ClassVar[str] = "chat"
    kinds = frozenset({Kind.GEN, Kind.PRIOR, Kind.VQA})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, transformers.AutoModelForImageTextToText, self.dtype, self.device)
        self.processor = load_processor(request)
        tokenizer = self.processor.tokenizer
        logging.getLogger("transformers.tokenization_utils_base").setLevel(logging.ERROR)
        self.dialogue = dialogue(self.spec, self.processor, self.module.config, stop_tokens(self.module, tokenizer))
        self.question = request.question
        if self.question:
            self.dialogue.template_of_question = self.question
        self.sight = Sight(self.dialogue, self.device, self.dtype)
        self.image_size = (self.sight.shape[-2], self.sight.shape[-1]) if self.sight.fixed else None
        self.limit = text_limit(tokenizer, self.module.config.get_text_config())
        self.size = int(self.module.get_input_embeddings().num_embeddings)
        own_pad = int(tokenizer.pad_token_id or 0)
        self.pad_id = own_pad if own_pad < self.size else 0  # padding is masked, so any id will do
        self.room = self.limit - len(self.reference().ids)
        self.placeholders = placeholders(self.processor, self.module.config)
        self.yes = self.dialogue.answers(self.dialogue.question("a cat"), ["Yes"])[0]
        self.shared = shares_prefix(self)
        self.verified = verification(self.spec, str(self.module.config.model_type))
        if self.module.config.model_type not in VERIFIED:
            log.warning("%s: %s", self.spec, self.verified)

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def reference(self) -> Seen:
        """The grey reference picture under the caption's prompt."""
        from PIL import Image

        return self.sight.look(Image.new("RGB", REFERENCE, "grey"), self.dialogue.caption())

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        check_pairs(images, texts)
        self.refuse_placeholders(texts)
        prompt = self.dialogue.caption()
        answers = self.answers(prompt, texts)
        refuse_unknown(self.spec, self.processor.tokenizer, answers, self.size)
        out = empty_scores(len(texts))

        def work(part: NDArray[np.int64], logits: torch.Tensor) -> None:
            for i, row in zip(part, logits, strict=True):
                ids = torch.as_tensor(answers[i], device=row.device)
                wide = row[: len(ids)].float()
                found = wide.gather(-1, ids[:, None])[:, 0] - wide.logsumexp(-1)
                out[i] = (self.pieces(answers[i]), np.asarray(found.cpu().numpy(), dtype=np.float32))

        for image, here in self.each_image(images):
            seen = self.sight.look(image, prompt)
            tails = {int(i): answers[i][:-1] for i in here}
            self.read(Prefix(self.module, seen, seen.ids, tail_type=int(self.dialogue.whole_prompt)), tails, work)
        return out

    def vqa_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        self.refuse_placeholders(texts)
        yes = yes_token(self.spec, self.processor.tokenizer, self.yes)
        values = np.zeros(len(texts), dtype=np.float32)
        base = self.dialogue.question("")
        for image, here in self.each_image(images):
            seen = self.sight.look(image, base)
            prompts = [self.dialogue.question(texts[i]) for i in here]
            rows = self.sight.other_prompts(seen, prompts) or [self.sight.look(image, p).ids for p in prompts]
            shared = common(rows)
            tails = {int(i): row[shared:] for i, row in zip(here, rows, strict=True)}
            refuse_unknown(self.spec, self.processor.tokenizer, tails.values(), self.size)

            def work(part: NDArray[np.int64], logits: torch.Tensor, tails: dict[int, list[int]] = tails) -> None:
                last = torch.as_tensor([len(tails[int(i)]) for i in part], device=logits.device)
                values[part] = log_odds(logits[torch.arange(len(part), device=logits.device), last], yes)

            whole = self.dialogue.whole_prompt
            self.read(Prefix(self.module, seen, rows[0][:shared]), tails, work, share=not whole)
        return values

    def each_image(self, images: Sequence[Picture]) -> list[tuple[Picture, NDArray[np.int64]]]:
        """Each distinct image with the positions of its texts."""
        uniques, index = unique_by_identity(images)
        return [(image, np.flatnonzero(index == number)) for number, image in enumerate(uniques)]

    def read(self, prefix: Prefix, tails: dict[int, list[int]], work: Work, share: bool = True) -> None:
        """Call `work` for batches of rows about one picture. A single row is read whole: one pass instead of two."""
        positions = np.array(list(tails), dtype=np.int64)
        weight = 1
        if share and self.shared and len(positions) > 1:
            self.in_batches(np.zeros(1, dtype=np.int64), lambda _: prefix.read())
            weight = KEPT_WEIGHT if self.device.type == "cuda" else 1
        lengths = np.zeros(int(positions.max()) + 1, dtype=np.int64)
        lengths[positions] = [len(prefix.ids) // weight + len(tail) for tail in tails.values()]
        self.in_batches(
            by_length(lengths, positions),
            lambda part: work(part, prefix.logits([tails[int(i)] for i in part], self.pad_id)),
            lengths,
        )

    def answers(self, prompt: Prompt, texts: Sequence[str]) -> list[list[int]]:
        """Each text's tokens with what closes it. Cut to what fits behind the reference picture, so that a text has
        the same tokens under every picture."""
        ends = self.dialogue.ends
        cut = max(0, self.room - len(ends))
        return [[*row[:cut], *ends] for row in self.dialogue.answers(prompt, texts)]

    def refuse_placeholders(self, texts: Sequence[str]) -> None:
        """A text that spells the image's placeholder would be read as a second image."""
        for text in texts:
            found = [word for word in self.placeholders if word in text]
            if found:
                raise UsageError(f"{self.spec}: the text {text!r} holds {found[0]}, which stands for an image here.")

    def noise_images(self, n: int, seed: int) -> list[NDArray[np.float32]]:
        return [self.sight.noise(seed, number) for number in range(n)]

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return np.array([len(row) for row in self.answers(self.dialogue.caption(), texts)], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        rows = self.dialogue.answers(self.dialogue.caption(), texts)
        return np.array([len(row) + len(self.dialogue.ends) > self.room for row in rows], dtype=np.bool_)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The tokens behind some ids, as the vocabulary spells them."""
        found = self.processor.tokenizer.convert_ids_to_tokens(list(ids))
        return [f"[{number}]" if piece is None else str(piece) for number, piece in zip(ids, found, strict=True)]

    def describe(self) -> dict[str, Any]:
        prefix = "shared" if self.shared else "read again for each text"
        return {**super().describe(), "prefix": prefix, "verified": self.verified}

    def preprocessing(self) -> dict[str, Any]:
        """Prompts, what is scored, and what null images are."""
        images = folders.plain(self.processor.image_processor.to_dict())
        normal = "N(0, 1)" if self.sight.normalised else "N(0.5, 0.5²), which the model maps to N(0, 1),"
        null = f"{normal} as {' and '.join(self.sight.parts)} of shape {self.sight.noise_shape}"
        return {
            **super().preprocessing(),
            "images": {**images, "class": type(self.processor.image_processor).__name__},
            "texts": {"limit": self.limit},
            "prompt_from": self.dialogue.source,
            "prompt": self.dialogue.caption().text,
            "question": self.dialogue.question("{text}").text,
            # Only where it is another than ours: the runs of ours keep their ids.
            **({"question_template": self.question} if self.question else {}),
            "scored": f"the answer's tokens, with the final {' '.join(self.pieces(self.dialogue.ends))}",
            "answer_begins_with": self.dialogue.lead,
            "vqa": f"P({self.pieces(self.yes[:1])[0]}) as the answer's first token, among the whole vocabulary",
            "null_images": null if self.sight.fixed else f"{null}, as for a picture of {REFERENCE[0]} × {REFERENCE[1]}",
        }


def placeholders(processor: Any, config: Any) -> list[str]:
    """The words that a processor, and then the model, replaces by the image."""
    number = getattr(config, "image_token_id", None) or getattr(config, "image_token_index", None)
    written = processor.tokenizer.convert_ids_to_tokens([number])[0] if isinstance(number, int) else None
    found = [getattr(processor, "image_token", None), written]
    return [word for word in dict.fromkeys(found) if isinstance(word, str) and word]


def load_processor(request: Request) -> Any:
    """The folder's own processor, with an image processor and a tokenizer."""
    try:
        processor = transformers.AutoProcessor.from_pretrained(
            request.folder, local_files_only=True, trust_remote_code=request.trust_remote_code
        )
    except REFUSALS as error:
        raise UsageError(f"{request.spec}: {request.folder} has no usable processor ({first_line(error)}).") from error
    if getattr(processor, "tokenizer", None) is None or getattr(processor, "image_processor", None) is None:
        raise UsageError(
            f"{request.spec}: {request.folder} has no processor for images and texts together: "
            "preprocessor_config.json and the tokenizer's files are needed."
        )
    refuse_wordless(request.spec, request.folder, processor.tokenizer)
    return processor
