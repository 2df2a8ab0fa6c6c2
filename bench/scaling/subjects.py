"""The fifty models of docs/scaling.md, and EqBen. Widths, layers and positions are those of the published
configurations; which models, and how many of each, is our assumption.
"""

from backend.engine.planned import CELLS
from bench.scaling.work import Inputs, Subject, Tower, vision

#: Two images and two captions a quad, four pairs. How many captions are the same is not known: none, at worst.
QUADS = 251_048
EQBEN = Inputs(2 * QUADS, 2 * QUADS, 4 * QUADS)
#: Quads of a window, the unit that a process takes (backend/engine/planned.py); a quad has four cells.
WINDOW = CELLS // 4

#: Positions of a caption at its own length; of a question with a caption in it; of a chat before its picture.
CAPTION, QUESTION, TEMPLATE = 14, 45, 35
#: Null images under which a captioner reads every text for its prior.
NULLS = 3

_G14 = Tower(1408, 39, 257, feed=4.3637)


def _dual(name: str, see: Tower, read: Tower, gigabytes: float) -> Subject:
    return Subject(name, "itc", see.flops, read.flops, gigabytes=gigabytes)


def _qformer(positions: int) -> float:
    """BLIP-2's: every second of twelve layers also attends to the image."""
    return Tower(768, 6, positions, cross=(257, 1408)).flops + Tower(768, 6, positions).flops


def _matching(name: str, see: Tower, gigabytes: float) -> Subject:
    reads = Tower(768, 12, CAPTION, cross=(see.positions, see.width))
    return Subject(name, "itm", see.flops, 0, reads.flops, gigabytes, reads.keys)


def _captioner(name: str, see: Tower, gigabytes: float) -> Subject:
    reads = Tower(768, 12, CAPTION, cross=(see.positions, see.width), vocabulary=30524).flops
    return Subject(name, "gen, prior", see.flops, NULLS * reads, reads, gigabytes)


def _opt() -> Subject:
    prefix, row = Tower(2560, 32, 32), Tower(2560, 32, CAPTION, past=32, vocabulary=50272)
    see = _G14.flops + _qformer(32) + prefix.flops
    return Subject("BLIP-2 OPT-2.7B", "gen, prior", see, NULLS * row.flops, row.flops, 7.5)


def _chat() -> Subject:
    """The picture's and the template's positions are read once an image, the question once a pair."""
    language = {"feed": 2.6875, "gated": True}
    before = Tower(4096, 32, 576 + TEMPLATE, **language)  # type: ignore[arg-type]
    after = Tower(4096, 32, QUESTION, past=576 + TEMPLATE, vocabulary=0, **language)  # type: ignore[arg-type]
    return Subject("LLaVA-1.5-7B", "vqa", vision(336, 14, 1024, 24).flops + before.flops, 0, after.flops, 14.1)


_BASE, _LARGE = vision(384, 16, 768, 12), vision(384, 16, 1024, 24)
_NARROW, _WIDE = Tower(512, 12, CAPTION), Tower(768, 12, CAPTION)
_B14 = Subject(
    "BLIP-2 matching", "itm", _G14.flops, 0, _qformer(32 + CAPTION), 2.4
)  # its queries read the text, so the former is passed for each pair
#: (how many of them, model).
MODELS: tuple[tuple[int, Subject], ...] = (
    (6, _dual("CLIP ViT-B/32", vision(224, 32, 768, 12), _NARROW, 0.3)),
    (6, _dual("CLIP ViT-B/16", vision(224, 16, 768, 12), _NARROW, 0.3)),
    (8, _dual("CLIP ViT-L/14", vision(224, 14, 1024, 24), _WIDE, 0.9)),
    (2, _dual("CLIP ViT-L/14 at 336", vision(336, 14, 1024, 24), _WIDE, 0.9)),
    (2, _dual("CLIP ViT-H/14", vision(224, 14, 1280, 32), Tower(1024, 24, CAPTION), 2.0)),
    (1, _dual("SigLIP so400m/14 at 384", Tower(1152, 27, 729, feed=3.736), Tower(1152, 27, 64, feed=3.736), 1.8)),
    (5, _matching("BLIP base matching", _BASE, 0.5)),
    (3, _matching("BLIP large matching", _LARGE, 0.9)),
    (2, _B14),
    (4, _captioner("BLIP base captioner", _BASE, 0.5)),
    (3, _captioner("BLIP large captioner", _LARGE, 0.9)),
    (2, _opt()),
    (6, _chat()),
)
#: Scores that each kind gives a quad: its four cells; a prior for each null image and text.
SCORES = {"itc": 4, "itm": 4, "vqa": 4, "gen, prior": 4 + 2 * NULLS}


def scores() -> int:
    """All that the fifty models store about EqBen."""
    return sum(n * SCORES[subject.kind] * QUADS for n, subject in MODELS)
