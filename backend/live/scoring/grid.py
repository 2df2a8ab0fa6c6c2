"""One score kind of one model for every image with every text, in the unit that decides verdicts."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from PIL import Image

from backend.errors import UsageError
from backend.items import Kind
from backend.live.scoring.scoring import Array
from backend.models import Model

#: Kinds that are a number of an image and a text; the others are about texts alone, or are contests.
OF_IMAGES: Final = (Kind.ITC, Kind.ITM, Kind.GEN, Kind.VQA)
#: The units of `table`, which are those that verdicts are judged in.
UNITS: Final[dict[str, str]] = {
    Kind.ITC: "cosine",
    Kind.ITM: "log-odds",
    Kind.VQA: "log-odds",
    Kind.GEN: "mean log P per token",
    Kind.T2T: "cosine",
    Kind.PRIOR: "mean log P per token",
}


def table(model: Model, kind: str, images: Sequence[Image.Image], texts: Sequence[str]) -> Array:
    """(images, texts) float64: cosine for `itc`, log-odds for `itm` and `vqa`, mean log P a token (nats) for `gen`.

    The same numbers as `ModelScores.judged`. Every image is encoded once. Raises UsageError for a kind that is no
    number of an image and a text, or that the model does not give.
    """
    if kind not in OF_IMAGES:
        raise UsageError(f"“{kind}” is no score of an image; choose one of {', '.join(OF_IMAGES)}.")
    n, m = len(images), len(texts)
    if kind == Kind.ITC and Kind.ITC not in model.pairwise:
        return model.encode_images(images).astype(np.float64) @ model.encode_texts(texts).astype(np.float64).T
    paired, repeated = [image for image in images for _ in range(m)], list(texts) * n
    if kind == Kind.GEN:
        scored = model.caption_logprobs(paired, repeated)
        means = [float(np.mean(values, dtype=np.float64)) if len(values) else np.nan for _, values in scored]
        return np.array(means).reshape(n, m)
    ask = {Kind.ITC: model.pair_cosines, Kind.ITM: model.itm_logits, Kind.VQA: model.vqa_logits}[Kind(kind)]
    return ask(paired, repeated).astype(np.float64).reshape(n, m)
