"""Colours with a meaning: models, verdicts, scores, deviations. The same on every page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from threading import Lock

from markupsafe import Markup

#: Okabe and Ito's palette (2008); black is a grey that both themes show, green and vermilion come last because they
#: also mean right and wrong, and yellow is darkened so that a line in it can be seen on paper.
OKABE_ITO = ("#0072b2", "#56b4e9", "#cc79a7", "#e69f00", "#8c8c8c", "#b8a500", "#009e73", "#d55e00")

#: The bundled models in the order in which every page lists them, and each one's place in the palette: the models that
#: see images stay clear of green and vermilion, which stand beside their verdicts.
SLOTS = {
    "bundled:clip": 0,
    "bundled:clip-bag": 1,
    "bundled:clip-young": 5,
    "bundled:clip-relational": 3,
    "bundled:captioner": 2,
    "bundled:matcher": 4,
    "bundled:sentence": 6,
    "bundled:lm": 7,
}
ORDER = tuple(SLOTS)
#: No more than eight hues can be told apart, so models have a shape, too (classes of style.css): bundled models are
#: discs, all others, and those taught from them, are squares, and beyond eight of them diamonds, and so on.
SHAPES = ("", "square", "diamond", "up", "down", "plus", "west", "east", "cross", "hex", "dash")

#: Hue and shape of every model that this process has shown, so that each keeps its own on every page. The bundled
#: taught models are set beside each other and beside their base on Teach, so theirs are chosen.
_given: dict[str, tuple[int, int]] = {
    "bundled:clip-plain": (4, 1), "bundled:clip-eqsim": (2, 1), "bundled:clip-svlc": (3, 1)
}  # fmt: skip
#: What models are called by who ran them (`run --name`), and fetched systems: spec -> (name, what tells it apart from
#: another of the same name, or ""), as the store that the pages read has it.
_called: dict[str, tuple[str, str]] = {}
_lock = Lock()
#: What other systems' results are kept under.
_PREDICTIONS = "predictions:"

RIGHT, WRONG, NEAR = "#009e73", "#d55e00", "#e69f00"
#: Word, sign and CSS class of a verdict: never colour alone.
VERDICTS = {"right": ("right", "✓"), "wrong": ("wrong", "✗"), "near": ("near miss", "≈"), "none": ("undefined", "–")}

CIVIDIS = (
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838",
)  # fmt: skip
#: Below zero blue, above it brown, the middle is zero.
DIVERGING = (
    "#12486b", "#2f77a5", "#6ba6c9", "#a6cade", "#e9e9e6", "#e0c29c", "#c8975c", "#a26a2c", "#6d4413",
)  # fmt: skip


#: A spec of a folder here, and last parts of a path that do not say which model it is, or only which step of it.
_FOLDER = re.compile(r"[a-z]+:(/|\.|~)")
_SAYS_NOTHING = re.compile(
    r"(model|checkpoint|snapshot|weight|output)s?|hf|none|best|last|final|latest|main|merged|(?=.*\d)[0-9a-f]{7,64}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(checkpoint|ckpt|step|epoch)[-_]?\d+", re.IGNORECASE)


def order(specs: Iterable[str]) -> list[str]:
    """Models in the order of every list and legend: the bundled ones first, then by name."""
    rank = {spec: i for i, spec in enumerate(ORDER)}
    return sorted(set(specs), key=lambda spec: (rank.get(spec, len(ORDER)), spec))


def of_models(specs: Iterable[str]) -> dict[str, str]:
    """A colour for each model. Bundled models have their own; others start from a hash of their name and take the
    next hue and shape that no model has yet, which they keep from page to page.

    >>> of_models(["bundled:clip"])
    {'bundled:clip': '#0072b2'}
    """
    return {spec: OKABE_ITO[hue] for spec, (hue, _) in styles(specs).items()}


def styles(specs: Iterable[str]) -> dict[str, tuple[int, int]]:
    """(place in OKABE_ITO, place in SHAPES) of each model: no two of at most 80 that are not bundled share both; of
    more, no two of those asked for together, as far as the pairs reach."""
    listed = order(specs)
    with _lock:
        found = {spec: (SLOTS[spec], 0) for spec in listed if spec in SLOTS}
        found |= {spec: _given[spec] for spec in listed if spec in _given}
        for spec in (spec for spec in listed if spec not in found):
            start = int(sha256(spec.encode()).hexdigest()[:8], 16)
            ring = [((start + step) % len(OKABE_ITO), shape) for shape in range(1, len(SHAPES))
                    for step in range(len(OKABE_ITO))]  # fmt: skip
            here, anywhere = set(found.values()), set(_given.values())
            free = next((pair for pair in ring if pair not in anywhere and pair not in here), None)
            if free is not None:
                _given[spec] = free
            found[spec] = free or next((pair for pair in ring if pair not in here), ring[0])
    return {spec: found[spec] for spec in listed}


def shape(spec: str) -> str:
    """The class of a model's mark: one of SHAPES.

    >>> shape("bundled:clip")
    ''
    """
    return SHAPES[styles([spec])[spec][1]]


def dot(spec: str, colour: str = "") -> Markup:
    """A model's mark as HTML, in its hue and shape. colour: another one, such as a paler tint of its own.

    >>> print(dot("bundled:clip"))
    <i class="fs-dot" style="background:#0072b2"></i>
    """
    kind = shape(spec)
    return Markup('<i class="fs-dot{}" style="background:{}"></i>').format(
        kind and " fs-" + kind, colour or of_models([spec])[spec]
    )


def call(names: Mapping[str, tuple[str, str]]) -> None:
    """Take over what models are called: spec -> (name, what tells it apart from another of the same name)."""
    said = {spec: each for spec, each in names.items() if each[0]}
    if said != _called:
        with _lock:
            _called.clear()
            _called.update(said)


def call_also(names: Mapping[str, str]) -> None:
    """Call models otherwise (spec -> name) in this process, whatever else they are called: a study's own names."""
    with _lock:
        _called.update({spec: (name, "") for spec, name in names.items()})


def label(spec: str) -> str:
    """A model's short name: what it was called (`call`), else `clip` for `bundled:clip`, the last part of a hub name or
    a path. Where that says nothing, as `model` or a snapshot's hash, it is the folder above that does; a checkpoint's
    number stays behind it.

    >>> label("bundled:clip"), label("hf:openai/clip-vit"), label("st:/data/bge-small/model")
    ('clip', 'clip-vit', 'bge-small')
    >>> label("hf:/hub/models--org--mini/snapshots/0a1b2c3d4e"), label("hf:/runs/mine/checkpoint-500")
    ('mini', 'mine/checkpoint-500')
    >>> label("predictions:gpt-4v")
    'gpt-4v'
    """
    if spec in _called:
        return _called[spec][0]
    if spec.startswith(_PREDICTIONS):
        return spec.removeprefix(_PREDICTIONS)
    return _name(spec, 0)


def labels(specs: Iterable[str]) -> dict[str, str]:
    """Short names. Where models would share one, folders come with as many of the parts above as tell them apart, and
    names of a hub are in full. Other systems' results come with their source, and a model of ours keeps its name
    beside them.

    >>> list(labels(["st:/a/x/model", "st:/b/x/model"]).values())
    ['a/x', 'b/x']
    """
    listed = order(specs)
    found = {spec: label(spec) for spec in listed}
    for spec in [spec for spec in listed if spec.startswith(_PREDICTIONS) and _is_twice(found, spec)]:
        found[spec] = f"{label(spec)} ({_called.get(spec, ('', ''))[1] or 'predictions'})"
    short = list(found.values())
    for spec in [spec for spec, name in found.items() if short.count(name) > 1]:
        found[spec] = _in_full(spec, [other for other in listed if other != spec and label(other) == label(spec)])
    names = list(found.values())
    return {spec: name if names.count(name) == 1 else spec for spec, name in found.items()}


def _is_twice(names: Mapping[str, str], spec: str) -> bool:
    return any(label(other) == label(spec) for other in names if other != spec)


def _in_full(spec: str, others: Sequence[str]) -> str:
    if not _FOLDER.match(spec):
        return spec
    for more in range(1, spec.count("/")):
        name = _name(spec, more)
        if name not in {_name(other, more) for other in others}:
            return name
    return spec


def _name(spec: str, more: int) -> str:
    """The part of a spec that says most, with so many parts above it."""
    whole = spec.removeprefix("bundled:").rstrip("/")
    path, mark, option = whole.partition("#") if _FOLDER.match(spec) else (whole, "", "")
    parts = path.split("/")
    first = at = len(parts) - 1
    kept: list[str] = []
    while at > 0 and (_NUMBERED.fullmatch(parts[at]) or _SAYS_NOTHING.fullmatch(parts[at])):
        kept = [parts[at], *kept] if _NUMBERED.fullmatch(parts[at]) else kept
        at -= 1
    if at == 0 or not parts[at].strip(".~"):  # nothing above says more
        if first and not _FOLDER.match(spec):
            return spec
        at, kept = first, []
    name = parts[at].rpartition("--")[2] if parts[at].startswith("models--") else parts[at]
    above = [part for part in parts[max(1, at - more) : at] if part]
    return "/".join([*above, name, *kept]) + mark + option or spec


def along(scale: tuple[str, ...], position: float) -> str:
    """The colour at 0 … 1 along a scale, as #rrggbb.

    >>> along(CIVIDIS, 0.0), along(CIVIDIS, 1.0)
    ('#00224e', '#fee838')
    """
    at = min(max(position, 0.0), 1.0) * (len(scale) - 1)
    low = min(int(at), len(scale) - 2)
    a, b = _rgb(scale[low]), _rgb(scale[low + 1])
    mixed = (round(x + (y - x) * (at - low)) for x, y in zip(a, b, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def ink_on(colour: str) -> str:
    """White or black, whichever reads better on the colour: at least 4.5 to 1 on any (relative luminance, WCAG 2)."""
    linear = [(c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4) for c in (v / 255 for v in _rgb(colour))]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#ffffff"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
