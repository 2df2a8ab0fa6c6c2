"""Sentence encoders, through the sentence-transformers library: their own pooling, prompts and normalisation."""

import importlib
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.items import Kind
from backend.models.hf import first_line
from backend.models.registry import Request
from backend.models.torch_model import TorchModel, by_length, stacked

#: sentence-transformers' own limit is None where a model names no limit.
NO_LIMIT = 1 << 30


class SentenceEncoder(TorchModel):
    """A folder without sentence-transformers files is a plain encoder: the library gives it mean pooling."""

    family: ClassVar[str] = "sentence"
    kinds = frozenset({Kind.T2T})
    libraries = ("sentence-transformers",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        library: Any = importlib.import_module("sentence_transformers")
        try:
            self.module: Any = library.SentenceTransformer(
                str(request.folder),
                device=str(self.device),
                trust_remote_code=request.trust_remote_code,
                local_files_only=True,
                model_kwargs={"dtype": self.dtype},
            )
        except (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, AttributeError) as error:
            raise FlipsideError(f"{request.spec}: {request.folder} cannot be loaded ({first_line(error)}).") from error
        except Exception as error:
            if type(error).__name__ not in ("SafetensorError", "UnpicklingError"):
                raise
            message = f"{request.spec}: the weights in {request.folder} are damaged or cut short ({first_line(error)})."
            raise FlipsideError(f"{message} Download them again.") from error
        self.module.eval().to(self.dtype)
        self.module.tokenizer.padding_side = "right"  # on the left it would move the positions of the shorter texts

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows: list[NDArray[np.float32] | None] = [None] * len(texts)
        lengths = self.text_lengths(texts)

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
        return int(self.module.max_seq_length or NO_LIMIT)

    def full_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text with special tokens and before truncation."""
        if not texts:
            return np.zeros(0, dtype=np.int64)
        found = self.module.tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        return np.array([len(row) for row in found["input_ids"]], dtype=np.int64)

    def preprocessing(self) -> dict[str, Any]:
        parts = [type(part).__name__ for part in self.module]
        prompt = (self.module.prompts or {}).get(self.module.default_prompt_name or "", "")
        text = {"limit": self.limit, "modules": parts, "prompt": prompt}
        return {**super().preprocessing(), "texts": text}
