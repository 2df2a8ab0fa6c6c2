"""One architecture's adapter against open_clip's own calls, for the study of all (`scripts/openclip_parity.py`)."""

from itertools import combinations
from pathlib import Path
from typing import Any

from scripts.openclip_transform import apart

LIMIT = 1e-4
NOISE = (0.02, 0.05, 0.1)
TEXTS = 5
PICTURES = 3


def compare(name: str, config: dict[str, Any], transform: Any) -> dict[str, Any]:
    """The largest differences, by kind."""
    from backend.models.dual.captions import written
    from backend.models.dual.coca import CoCa
    from backend.models.dual.openclip import OpenClip
    from backend.models.reference.dual import coca, openclip
    from backend.models.request import Request

    captions = written(config, Path())
    request = Request(f"openclip:{name}/none", f"{name}/none", Path(), config, "cpu", "float32", seed=3)
    model: Any = (CoCa if captions else OpenClip).load(request)
    if apart(model, transform):
        return {"status": "different", "reason": f"pictures are prepared {apart(model, transform):.0e} apart"}
    reference: Any = (coca.CoCa if captions else openclip.OpenClip)(model)
    found: dict[str, Any] = {}
    for noise in NOISE:  # the least that makes inputs tell: a check of answers that are all alike could not fail
        stir(model.module, noise)
        found = asked(model, reference, captions)
        if found["status"] != "undecided":
            break
    return found


def asked(model: Any, reference: Any, captions: bool) -> dict[str, Any]:
    """Both sides' answers, and how far they are apart."""
    from backend.models.fidelity import TEXTS as KNOWN
    from backend.models.odd_pictures import pictures

    images, texts = pictures()[:PICTURES], list(KNOWN[:TEXTS])
    pairs = {
        "image": (list(model.encode_images(images)), [reference.image(image) for image in images]),
        "text": (list(model.encode_texts(texts)), [reference.text(text) for text in texts]),
    }
    if captions:
        shown = [images[n % PICTURES] for n in range(TEXTS)]
        ours = [logprobs for _, logprobs in model.caption_logprobs(shown, texts)]
        pairs["caption"] = (ours, [reference.caption(i, t) for i, t in zip(shown, texts, strict=True)])
    return judged(pairs)


def judged(pairs: dict[str, tuple[list[Any], list[Any]]]) -> dict[str, Any]:
    """The verdict on both sides' answers, by kind.

    `kinds` is how far the sides are apart at most; `told` is by how much the two most alike inputs differ, which must
    be ten times the limit: a check of answers that are all alike could not fail.
    """
    import numpy as np

    largest, told = {}, {}
    for kind, (got, want) in pairs.items():
        if not all(np.isfinite(a).all() and np.isfinite(b).all() for a, b in zip(got, want, strict=True)):
            return {"status": "different", "reason": f"{kind}: not every number is finite"}
        if any(a.shape != b.shape for a, b in zip(got, want, strict=True)):
            return {"status": "different", "reason": f"{kind}: one side gives more numbers"}
        largest[kind] = max(float(np.abs(a.astype(np.float64) - b).max()) for a, b in zip(got, want, strict=True))
        told[kind] = min(float(np.abs(np.subtract(*clipped(a, b))).max()) for a, b in combinations(want, 2))
    alike = [kind for kind in told if told[kind] < 10 * LIMIT]
    said = {"largest": max(largest.values()), "kinds": largest, "told": told}
    if max(largest.values()) > LIMIT:
        return {
            "status": "different",
            "reason": f"{max(largest, key=lambda kind: largest[kind])}: sides differ",
            **said,
        }
    if alike:
        return {"status": "undecided", "reason": f"{alike[0]}: two inputs are {told[alike[0]]:.0e} apart", **said}
    return {"status": "equal", **said}


def clipped(a: Any, b: Any) -> tuple[Any, Any]:
    """Both up to the shorter one's length."""
    common = min(len(a), len(b))
    return a[:common], b[:common]


def stir(module: Any, noise: float) -> None:
    """Noise on every weight: freshly made towers scale their layers to almost nothing, and all inputs look alike.

    Gains (norms, layer scales) get a good part of one, so that each layer is heard; offsets get little, as what is
    added to every input makes inputs more alike.
    """
    import torch

    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, value in module.named_parameters():
            if value.ndim:
                gain = value.ndim == 1 and not name.endswith("bias")
                scale = 0.3 if gain else noise if value.ndim > 1 else 0.02
                value.add_(torch.randn(value.shape, generator=generator), alpha=scale)
