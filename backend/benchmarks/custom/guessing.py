"""What the names of columns tell about a table."""

import re
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence

from backend.benchmarks.custom.columns import Column, Mapping
from backend.benchmarks.custom.roles import ROLES, SHAPES, TAGS, plain
from backend.errors import UsageError

#: caption_0, caption1, text_a: captions by number, whose role depends on the rest of the table.
_NUMBERED = re.compile(r"(?:caption|text|sentence|cap|sent)_?(\d+|[ab])")
_PICTURES = re.compile(r"(?:image|img|picture|photo)_?([012ab])")

Roles = dict[str, tuple[str, ...]]


class Unclear(Exception):  # noqa: N818 - what is not clear, not what is broken
    """Why the names do not tell what is what: a phrase."""


def guessed(known: Sequence[Column]) -> Mapping:
    """The mapping that the names tell; Unclear where they tell nothing, or two things at once."""
    return _of_shape(_shape(known), {}, known)


def completed(protocol: str, said: AnyMapping[str, tuple[str, ...]], known: Sequence[Column]) -> Mapping:
    """What is said, and for roles that it leaves open what the names tell. protocol: "" to find that, too."""
    if protocol and protocol not in SHAPES:
        raise UsageError(f"--map protocol={protocol}: expected {', '.join(SHAPES)}.")
    taken = {name for names in said.values() for name in names}
    free = [column for column in known if column.name not in taken]
    try:
        return _of_shape(protocol or _told_by(said) or _shape(free, said), said, free)
    except Unclear:
        return Mapping(protocol or _told_by(said) or "choice", dict(said))


def _told_by(said: AnyMapping[str, tuple[str, ...]]) -> str:
    """The only shape that has all the roles that are given, or ""."""
    fits = [name for name, shape in SHAPES.items() if shape.needs and set(shape.needs) <= set(said) <= set(shape.roles)]
    return fits[0] if len(fits) == 1 else ""


def _of_shape(protocol: str, said: AnyMapping[str, tuple[str, ...]], known: Sequence[Column]) -> Mapping:
    shape = SHAPES[protocol]
    roles: Roles = {}
    for role in shape.roles:
        found = said.get(role) or _columns_of(role, protocol, said, known)
        if found:
            roles[role] = found
    for role in said:
        roles.setdefault(role, said[role])
    return Mapping(protocol, roles)


def _shape(known: Sequence[Column], said: AnyMapping[str, tuple[str, ...]] | None = None) -> str:
    """The shape that the names tell."""
    said = said or {}
    names = [plain(column.name) for column in known]

    def has(role: str) -> bool:
        return role in said or any(ROLES[role].fits(name) for name in names)

    numbered = len(_numbered(known))
    if len(_pictures(known)) == 2 and numbered == 2:
        return "quad"
    if has("negative"):
        if has("paraphrase") or (numbered == 2 and not has("caption")):
            return "triplet"
        if has("caption") or numbered == 1:
            return "choice"
        raise Unclear("there is a false caption, but no column for the true one")
    if has("label") and (has("candidate") or numbered >= 2 or _lists(known)):
        return "labelled"
    if has("label"):
        raise Unclear("there is a label beside one caption a row: in a pool every caption is a true one")
    if numbered == 2:
        raise Unclear("two captions and one picture: which caption is true, or are both?")
    if has("caption") or numbered > 2 or len(_texts(known)) == 1:
        return "retrieval"
    raise Unclear("the columns' names do not tell what is what")


def _columns_of(
    role: str, protocol: str, said: AnyMapping[str, tuple[str, ...]], known: Sequence[Column]
) -> tuple[str, ...]:
    """The columns that have a role in a shape; Unclear where several could be it and one is wanted."""
    numbered = _numbered(known)
    if protocol == "quad" and role in ("image_0", "image_1", "caption_0", "caption_1"):
        pair = _pictures(known) if role.startswith("image") else numbered
        return (pair[int(role[-1])],) if len(pair) == 2 else ()
    named = [column for column in known if ROLES[role].fits(plain(column.name))]
    if role == "image" and len(named) != 1:
        named = [column for column in named or _nameless(known) if column.kind == "image"] or named
    if not named and role in ("caption", "paraphrase", "candidate"):
        return _from_numbered(role, protocol, numbered, said, known) or (_lonely(known) if role == "caption" else ())
    found = tuple(column.name for column in named)
    if role in TAGS and len(found) > 1:
        return (min(found, key=lambda name: ROLES[role].names.index(plain(name))),)
    if len(found) > 1 and (role not in SHAPES[protocol].several or role == "caption"):
        both = " and ".join(f"'{name}'" for name in found)
        raise Unclear(f"{both} could each be {role} ({ROLES[role].what})")
    return found


def _from_numbered(
    role: str,
    protocol: str,
    numbered: Sequence[str],
    said: AnyMapping[str, tuple[str, ...]],
    known: Sequence[Column],
) -> tuple[str, ...]:
    if role == "candidate":
        return tuple(numbered) or tuple(_lists(known)[:1])
    if role == "caption" and protocol == "retrieval":
        return tuple(numbered)
    if role == "caption":
        return tuple(numbered[:1])
    return tuple(numbered[1:2] if "caption" not in said else numbered[:1])


def _lonely(known: Sequence[Column]) -> tuple[str, ...]:
    """The only column of texts, where nothing else could be the caption."""
    texts = _texts(known)
    return (texts[0],) if len(texts) == 1 else ()


def _texts(known: Sequence[Column]) -> list[str]:
    return [column.name for column in _nameless(known, but="caption") if column.kind in ("text", "list")]


def _lists(known: Sequence[Column]) -> list[str]:
    """The columns that hold several captions a row and may be them by their names."""
    return [column.name for column in _nameless(known, but="caption") if column.kind == "list"]


def _nameless(known: Sequence[Column], but: str = "") -> list[Column]:
    """The columns whose names say no role, or only the role `but`."""
    roles = [role for name, role in ROLES.items() if name != but]
    return [column for column in known if not any(role.fits(plain(column.name)) for role in roles)]


def _numbered(known: Sequence[Column]) -> list[str]:
    return [column.name for column in known if _NUMBERED.fullmatch(plain(column.name))]


def _pictures(known: Sequence[Column]) -> list[str]:
    return [column.name for column in known if _PICTURES.fullmatch(plain(column.name))]
