"""The part of docs/models.md that says how the models came about and what ships of them (`make card`)."""

import json
import textwrap
from datetime import datetime
from pathlib import Path
from typing import Any

from scripts.markdown import table

ROOT = Path(__file__).resolve().parent.parent
TRAIN = ROOT / "backend" / "bundled" / "train"
MODELS = ("clip-bag", "clip-young", "clip", "clip-relational", "captioner", "matcher", "sentence", "lm")
PLANTED = ("clip-no-pink-heart", "captioner-blind")
TAUGHT = ("clip-plain", "clip-eqsim", "clip-svlc")
NOTE = """# The bundled models

Eight small models, trained from scratch on fresh samples of the bundled world's training split by `make models`
(recipes: `backend/bundled/train/`, one file a model), two more with a planted weakness, and three that `flipside
teach` made of `clip` on 24 November 2026.
They know 92 words whole and read any other word by its characters, so a misspelt one is no unknown one;
they know the world's pictures, nothing else: on photographs they run, but what they say there means nothing.

**How they came about, plainly.** {trained} Four times a recipe's result was looked at, on fresh quads and choices
of the test split (not the benchmark's items), and a stage was added that goes on from it: to the captioner, `clip`,
the matcher and `clip-relational`; each says so below. `clip-relational` had been begun once before, without the
loss that pushes pairs apart, and had not learned relations; `clip-no-pink-heart` once before, with a fair coin and
fewer layers, and had kept the sign of what it was to unlearn. Both were begun anew. What ships is what the recipes
give as they now stand, stage after stage; {again} So what each model can and cannot do is a choice of ours: that
`clip` gets attribute quads and no relation quads, that `clip-relational` gets places before relations, that the
captioner sees noise beside true captions, and where the checkpoints of the ladder are taken. The benchmark, its
items and every score are not chosen. Try it's "prior trap" example was searched for because it flips.

{repeated}

**What ships.** `backend/bundled/models/<name>/` holds everything of an ordinary Hugging Face folder but its
weights. These are `weights.packed`: a safetensors file, compressed by zlib, in which a weight matrix is int8 with
one float16 scale a row and all else is float16 (`backend/models/packed.py`; the planted models hold only what
differs from their base, the taught ones an adapter: two thin matrices a weight, added to the base's). When a model
is first loaded it is unpacked into `<cache>/bundled/<name>-<key>/`, an ordinary folder with float16 safetensors
that transformers loads as any other (`AutoModel.from_pretrained`, or `hf:<that folder>` here); the key is a hash of
all that goes into it. `<cache>` is `FLIPSIDE_CACHE`, by default `cache/` of a checkout. Every score was computed
from these folders, in float32. Shipped scores are rounded far below what is shown of them
(`scripts/compact_results.py`).

This page is made by `make card` from the models' `card.json` and the results that ship with the project.
"""


def head_of_page() -> str:
    """All that is said before the results."""
    note = NOTE.format(trained=trained(), repeated=repeated(), again=again())
    wrapped = [textwrap.fill(part, 118, break_long_words=False, break_on_hyphens=False) for part in note.split("\n\n")]
    return "\n".join(["\n\n".join(wrapped), "", "## Training\n", cards(), described(), ""])


def trained() -> str:
    """When and how the weights that ship were made, from the log that `make models` kept."""
    lines = [json.loads(line) for line in (TRAIN / "times.jsonl").read_text(encoding="utf-8").splitlines()]
    began, ended = (datetime.fromisoformat(line["at"]) for line in (lines[0], lines[-1]))
    calls = sum(line["event"] == "began" or ("by" in line and line["event"] == "started") for line in lines)
    return (
        f"They were trained on {began:%d %B %Y}, from {began:%H:%M} to {ended:%H:%M} UTC, on two cores that other work"
        " shared, one thread a recipe, two or three side by side. That was `make models`, but not in one go: it was"
        f" called or continued {calls} times (`backend/bundled/train/times.jsonl`)."
    )


def again() -> str:
    """Whether one uninterrupted run of the recipes was seen."""
    if (TRAIN / "again.json").is_file():
        return (
            "one uninterrupted run of them, made afterwards, gave other weights and such models: see *The same recipes"
            " once more* below."
        )
    return "but one uninterrupted run of them has not been made, so nobody has seen that it gives these weights."


def repeated() -> str:
    """Whether the first steps of every recipe came out the same twice (`make repeated`)."""
    path = TRAIN / "repeated.json"
    if not path.is_file():
        return "`make repeated`, which runs the first steps of every recipe twice, has not been run on these recipes."
    said = json.loads(path.read_text(encoding="utf-8"))
    differing = [name for name, row in said["recipes"].items() if not row["same"]]
    found = f"all but {', '.join(differing)} had" if differing else "all had"
    return (
        f"**Again?** `make repeated` ran the first {said['steps']} steps of every recipe twice on {said['on']}, each"
        f" time in a process and a cache of its own, with {said['threads']} thread and torch {said['torch']} on one"
        f" machine: {found} the same weights, bit by bit, the second time. Another machine, thread count or version of"
        " torch need not give them, and a whole training has not been compared with its repetition."
    )


def card(name: str) -> dict[str, Any]:
    """A model's card.json."""
    kept: dict[str, Any] = json.loads((ROOT / "backend/bundled/models" / name / "card.json").read_text("utf-8"))
    return kept


def cards() -> str:
    """Configuration, steps, time."""
    rows = []
    for name in (*MODELS, *PLANTED, *TAUGHT):
        said = card(name)
        stages = ", then ".join(f"{s['name']} {s['steps']}" for s in said["stages"])
        of_base = f"`{said['base']}`, then {stages}" if "base" in said else stages
        rows.append(
            [f"`bundled:{name}`", f"{said['parameters'] / 1e6:.2f} M", f"{said['packed_bytes'] / 1e6:.2f} MB",
             str(said["steps"]), of_base, f"{said['seconds'] / 60:.0f} min", f"{said['loss']:.2f}"]
        )  # fmt: skip
    head = ("model", "parameters", "packed", "steps so far", "stages of its recipe", "time so far", "loss")
    return table(head, rows)


def described() -> str:
    """What each recipe says of itself, once a recipe."""
    return "\n\n".join(dict.fromkeys(card(name)["what"] for name in (*MODELS, *PLANTED, *TAUGHT)))


def planted() -> str:
    """What the reasons say of the planted models beside their bases, on fresh items of the test split."""
    from scripts.planted_models import pink_hearts, speaking

    rows = []
    for name in ("clip", "clip-no-pink-heart"):
        for what, told in zip(("of a pink heart", "without one"), pink_hearts(f"bundled:{name}"), strict=True):
            cells = [str(told.count(word)) for word in ("no_binding", "reversed", "uncertain")]
            rows.append(
                [f"`{name}` itc", f"colour exchanges {what}", *_beyond_luck(told.share), _certified(told), *cells]
            )
    for name in ("captioner", "captioner-blind"):
        told = speaking(f"bundled:{name}")
        cells = [str(told.count("by_bias", "no_evidence")), str(told.count("reversed")), str(told.count("uncertain"))]
        rows.append([f"`{name}` gen", "choices", *_beyond_luck(told.share), _certified(told), *cells])
    head = ("model, kind", "items", "n", "bound, beyond luck, %", "certified as bound", "certified as not bound",
            "reversed", "uncertain")  # fmt: skip
    return (
        "## Two planted causes\nScored on fresh items of the test split, beside the model that each was made from, with"
        ' the product\'s own functions from scores to reasons (docs/reasons.md). "Bound" for choices: this image moves'
        " the model more than sixteen others do.\n\n" + table(head, rows)
    )


def _beyond_luck(share: Any) -> list[str]:
    low, high = share.ci95
    return [str(share.n), f"{100 * share.value:.0f} [{100 * low:.0f}, {100 * high:.0f}]"]


def _certified(told: Any) -> str:
    return str(
        told.count("right", "outvoted_by_caption", "outvoted_by_image", "outvoted_by_both", "grounded", "outvoted")
    )
