"""Asks the bundled models about Try it's examples and writes what ships: `python -m scripts.example_scores`."""

import json
from dataclasses import astuple
from typing import Any

from backend.images import open_image
from backend.kinds import PAIR_KINDS
from backend.live.playing import others
from backend.live.scoring import pool, shipped
from backend.live.scoring.examples import EXAMPLES
from backend.live.scoring.scoring import score

#: Those that Try it asks first.
MODELS = ("clip", "clip-bag", "clip-young", "clip-relational", "captioner", "matcher")


def asked(spec: str) -> dict[str, Any]:
    """What one model says of every example, as `shipped` reads it: scores as they are judged."""
    models = pool.shared()
    scored, under = dict[str, Any](), dict[str, Any]()
    for example in EXAMPLES:
        images = [open_image(uri) for uri in example.images]
        found = score(models, spec, images, example.texts, "", example.images)
        if found.problem:
            raise SystemExit(found.problem)
        own = {str(kind): found.judged(kind) for kind in found.matrices if kind in PAIR_KINDS}
        scored[example.name] = {kind: matrix.tolist() for kind, matrix in own.items()}
        codes = others.scenes(example.images[0], example.texts)
        below = others.under_others(models, spec, own, codes, example.texts, example.layout)
        if below:
            under[example.name] = {kind: astuple(each) for kind, each in below.items()}
    return {"weights": shipped.weights_of(spec), "scores": scored, "under": under}


def main() -> None:
    """Write the file."""
    found = {f"{shipped.PREFIX}{name}": asked(f"{shipped.PREFIX}{name}") for name in MODELS}
    shipped.FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
