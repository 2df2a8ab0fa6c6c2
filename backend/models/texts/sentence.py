"""Sentence encoders, through the sentence-transformers library: their own pooling, prompts and normalisation."""

import importlib
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.models.hf import text_limit
from backend.models.registry import says
from backend.models.request import Request
from backend.models.texts.reports import loading_reports, refuse_missing
from backend.models.torch_model import TorchModel, by_length, stacked
from backend.models.unloadable import cannot_load, refuse_surplus, refuse_unknown, refuse_wordless, refused

#: sentence-transformers' own limit is None where a model names no limit.
NO_LIMIT = 1 << 30
#: Option of a spec -> sentence-transformers' name.
POOLING = {"": "mean", "mean": "mean", "cls": "cls", "last": "lasttoken"}


class SentenceEncoder(TorchModel):
    """A folder without sentence-transformers files is a plain encoder: the library gives it mean pooling, unless the
    spec asks for another one (`st:BAAI/bge-base-en#cls`). A folder's own pooling, Dense layers, default prompt and
    normalisation are kept as they are; all vectors are then scaled to length one, which changes no cosine."""

    family: ClassVar[str] = "sentence"
    kinds = frozenset({Kind.T2T})
    libraries = ("sentence-transformers",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        with loading_reports() as reports:
            self.module: Any = self.read(request)
        refuse_missing(self.spec, reports)
        for module, report in reports:
            names = dict(module.named_parameters())
            refuse_surplus(self.spec, request.folder, report["unexpected_keys"], names)
        self.module.eval().to(self.dtype)
        self.plain = not (request.folder / "modules.json").is_file()
        self.pool(request.option)
        tokenizer = self.module.tokenizer
        if tokenizer is None:
            raise UsageError(f"{self.spec}: {says(request.config)}, which has no tokenizer, so it encodes no texts.")
        refuse_wordless(self.spec, request.folder, tokenizer)
        if hasattr(tokenizer, "padding_side"):
            tokenizer.padding_side = "right"  # on the left it would move the positions of the shorter texts
        config = getattr(getattr(self.module[0], "auto_model", None), "config", None)
        self.size: int | None = getattr(config, "vocab_size", None)
        if isinstance(getattr(config, "max_position_embeddings", None), int) and self.module.max_seq_length:
            # The library forgets that RoBERTa's positions start behind its padding id.
            self.module.max_seq_length = min(self.limit, text_limit(tokenizer, config))

    def read(self, request: Request) -> Any:
        """The folder as the library loads it; one sentence where it cannot."""
        library: Any = importlib.import_module("sentence_transformers")
        try:
            return library.SentenceTransformer(
                str(request.folder),
                device=str(self.device),
                trust_remote_code=request.trust_remote_code,
                local_files_only=True,
                model_kwargs={"dtype": self.dtype},
            )
        except Exception as error:
            if not refused(error):
                raise
            raise cannot_load(request.spec, request.folder, error) from error

    def pool(self, option: str) -> None:
        """Another pooling for a plain encoder; a sentence encoder's own is part of the model."""
        if option and not self.plain:
            own = ", ".join(self.parts())
            raise UsageError(f"{self.spec}: this model has a pooling of its own ({own}); leave #{option} out.")
        if option:
            old = self.module[1]
            self.module[1] = type(old)(old.pooling_output_dimension, pooling_mode=POOLING[option])

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows: list[NDArray[np.float32] | None] = [None] * len(texts)
        lengths = self.text_lengths(texts)
        if len(texts) and not lengths.all():
            raise FlipsideError(
                f"{self.spec}: its tokenizer makes no token of an empty text, so that has no embedding."
            )

        def work(part: NDArray[np.int64]) -> None:
            vectors = self.module.encode(
                [texts[i] for i in part],
                batch_size=len(part),
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
            for i, row in zip(part, np.asarray(vectors, dtype=np.float32), strict=True):
                rows[i] = row

        self.in_batches(by_length(lengths), work, lengths)
        return stacked(rows)

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return np.minimum(self.full_lengths(texts), self.limit)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return np.asarray(self.full_lengths(texts) > self.limit, dtype=np.bool_)

    @property
    def limit(self) -> int:
        return int(min(self.module.max_seq_length or NO_LIMIT, NO_LIMIT))

    def full_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text with its prompt and special tokens and before truncation."""
        if not texts:
            return np.zeros(0, dtype=np.int64)
        asked = [self.prompt + text for text in texts]
        tokenizer = self.module.tokenizer
        if not callable(tokenizer):  # static embeddings have a bare one of the tokenizers library
            return np.array([len(one.ids) for one in tokenizer.encode_batch(asked, add_special_tokens=False)], np.int64)
        found = tokenizer(asked, truncation=False, padding=False, verbose=False)
        refuse_unknown(self.spec, tokenizer, found["input_ids"], self.size)
        return np.array([len(row) for row in found["input_ids"]], dtype=np.int64)

    @property
    def prompt(self) -> str:
        """What the library puts in front of every text: the folder's default prompt."""
        return str((self.module.prompts or {}).get(self.module.default_prompt_name or "", ""))

    def parts(self) -> list[str]:
        """The names of the modules that a text goes through."""
        return [type(part).__name__ for part in self.module]

    def preprocessing(self) -> dict[str, Any]:
        text = {"limit": self.limit, "modules": self.parts(), "prompt": self.prompt}
        if self.plain:  # no file of the folder says it
            text["pooling"] = str(self.module[1].pooling_mode)
        return {**super().preprocessing(), "texts": text}
