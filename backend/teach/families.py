"""Which models can be taught, from their configs alone. No torch in here, for pages ask it, too."""

from typing import Final

from backend.errors import UsageError
from backend.kinds import Kind
from backend.models.registry import find, kinds_of
from backend.models.spec import parse

#: Families whose gradients are known to go through, and their students (module of `students`, class).
FAMILIES: Final = {
    "dual-hf": ("dual", "HfStudent"),
    "dual-openclip": ("dual", "OpenClipStudent"),
    "matcher": ("matching", "BlipStudent"),
}
TAUGHT: Final = "CLIP-like dual encoders (bundled:clip, hf:, openclip:) and BLIP matching heads (bundled:matcher, hf:)"


def family(spec: str) -> str:
    """The family of a model that can be taught, without loading it. UsageError for one that cannot, with the reason;
    whatever `registry.find` raises where there is no such model."""
    refuse_unteachable(spec)
    name = find(parse(spec))[0].name
    refuse_family(spec, name)
    return name


def refuse_unteachable(spec: str) -> None:
    """UsageError for a model that gives neither a cosine nor a matching score."""
    kinds = kinds_of(spec)
    if not kinds & {Kind.ITC, Kind.ITM}:
        given = ", ".join(sorted(map(str, kinds))) or "nothing"
        raise UsageError(
            f"{spec} cannot be taught here: it gives {given}, and what is taught is a cosine or a matching score. "
            f"Taught are {TAUGHT}."
        )


def refuse_family(spec: str, name: str) -> None:
    """UsageError for a family whose weights are not here, or that nobody has tried."""
    if name not in FAMILIES:
        raise UsageError(f"{spec} cannot be taught here: it is of the family {name}. Taught are {TAUGHT}.")
