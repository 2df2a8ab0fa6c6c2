"""Captions that were generated from captions: negatives that are no longer true, positives that still are.

They are written to a file of JSON lines before anything trains, so that they can be looked through, filtered and given
to others; training reads the file. SVLC paper: rule-based negatives (3.1.1), negatives by unmasking (3.1.2), analogies
(3.1.3). The edits themselves are those of `backend.perturb`.

That a negative is false of its image is what the rules are made for, not what anybody has checked: "a red cube beside a
cube" → "a red cube beside a red cube" may still hold. Look at the file.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from backend import durable, plain_json
from backend.benchmarks.reading import records
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError, UsageError
from backend.perturb import apply_many, get
from backend.perturb.base import Effect, Perturbation, Proposer

#: Rule-based negatives of SVLC's kinds (3.1.1), and positives that need no model.
NEGATIVES: Final = tuple(f"negative_{kind}" for kind in ("colour", "material", "size", "state", "action", "spatial"))
POSITIVES: Final = ("synonym_noun", "synonym_adjective")
FORMAT: Final = "flipside generated captions"
VERSION: Final = 1
_SIDES: Final = {Effect.CHANGING: "negative", Effect.PRESERVING: "positive"}
_FIELDS: Final = ("caption", "text", "effect", "how", "what", "concept", "keep")


@dataclass(frozen=True, slots=True)
class Generated:
    """One generated caption. caption: what it was made from. effect: "negative" or "positive". how: the perturbation's
    name. what: the edit in a phrase ("red → blue"). concept: of the taxonomy, or "". keep: whether training takes it.
    """

    caption: str
    text: str
    effect: str
    how: str
    what: str = ""
    concept: str = ""
    keep: bool = True


@dataclass(frozen=True)
class Captions:
    """A file of generated captions. about: how they were made, as JSON."""

    rows: tuple[Generated, ...]
    about: Mapping[str, Any]

    def kept(self, effect: str) -> dict[str, tuple[str, ...]]:
        """Caption -> its generated texts of one effect that training takes, in the file's order."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            if row.keep and row.effect == effect:
                found.setdefault(row.caption, []).append(row.text)
        return {caption: tuple(texts) for caption, texts in found.items()}

    def summary(self) -> list[dict[str, Any]]:
        """One row a perturbation: how, effect, n, kept, captions (of how many), and the first edit as an example."""
        told = []
        for how, effect in dict.fromkeys((row.how, row.effect) for row in self.rows):
            rows = [row for row in self.rows if (row.how, row.effect) == (how, effect)]
            told.append(
                {
                    "how": how,
                    "effect": effect,
                    "n": len(rows),
                    "kept": sum(row.keep for row in rows),
                    "captions": len({row.caption for row in rows}),
                    "example": f"{rows[0].caption} → {rows[0].text}",
                }
            )
        return told

    def filtered(self, *, how: str = "", concept: str = "", words: str = "", keep: bool = False) -> "Captions":
        """The same with `keep` set for the rows that match everything given: a perturbation's name, a concept, a
        regular expression found in the generated text. UsageError where nothing is given, or the expression is none."""
        if not (how or concept or words):
            raise UsageError("say which generated captions are meant: by how, concept or words.")
        try:
            pattern = re.compile(words, re.IGNORECASE)
        except re.error as error:
            raise UsageError(f"words {words!r} is no regular expression ({error}).") from None

        def meant(row: Generated) -> bool:
            fits = (not how or row.how == how) and (not concept or row.concept == concept)
            return fits and pattern.search(row.text) is not None

        rows = tuple(replace(row, keep=keep) if meant(row) else row for row in self.rows)
        return Captions(rows, self.about)

    def csv(self) -> str:
        """All rows as CSV with a header, for a spreadsheet."""
        out = io.StringIO()
        writer = csv.DictWriter(out, _FIELDS)
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        return out.getvalue()


def generate(
    captions: Iterable[str],
    ways: Sequence[str] = (*NEGATIVES, *POSITIVES),
    *,
    seed: int = 0,
    proposers: Mapping[str, Proposer] | None = None,
    true_of: Mapping[str, Iterable[str]] | None = None,
) -> Captions:
    """Each caption edited in each way that applies to it, in the order of captions and ways.

    ways: names of perturbations; those that change the meaning make negatives, those that keep it positives. proposers:
    "fill-mask" and "analogy" -> the model that a way needs (`backend.models.proposers.load_proposer`). true_of:
    caption -> texts that are true of the same image, which are therefore no negatives. A text that comes twice for a
    caption counts once. UsageError for an unknown way, or one whose proposer is missing.
    """
    known = [_equipped(name, proposers or {}) for name in dict.fromkeys(ways)]
    if not known:
        raise UsageError("name at least one way to generate captions (flipside perturb lists them).")
    unique = list(dict.fromkeys(captions))
    edits = {kind.name: list(apply_many(kind, unique, seed)) for kind in known}
    rows: list[Generated] = []
    dropped: Counter[str] = Counter()
    for number, caption in enumerate(unique):
        true = {_bare(text) for text in (true_of or {}).get(caption, ())} | {_bare(caption)}
        seen: set[str] = set()
        for kind in known:
            edit = edits[kind.name][number]
            if edit is None:
                dropped[f"{kind.name} does not apply"] += 1
                continue
            bare = _bare(edit.text)
            if bare in seen or (bare in true and _SIDES[kind.effect] == "negative") or bare == _bare(caption):
                dropped["the same text again" if bare in seen else "true of the same image"] += 1
                continue
            seen.add(bare)
            rows.append(Generated(caption, edit.text, _SIDES[kind.effect], kind.name, edit.what, edit.concept))
    told = {name: _told(proposer) for name, proposer in (proposers or {}).items()}
    about = {"seed": seed, "ways": [kind.name for kind in known], "captions": len(unique), "proposers": told}
    return Captions(tuple(rows), about | {"left_out": dict(dropped)})


def _equipped(name: str, proposers: Mapping[str, Proposer]) -> Perturbation:
    kind = get(name)
    if not kind.needs:
        return kind
    if kind.needs not in proposers:
        hint = {"fill-mask": "a masked language model", "analogy": "a model that writes"}[kind.needs]
        raise UsageError(f"{name} needs {hint}: give one, or leave {name} out.")
    return kind.with_proposer(proposers[kind.needs])


def _told(proposer: Any) -> Any:
    """A proposer's own description, as JSON."""
    told = proposer.describe() if hasattr(proposer, "describe") else {"class": type(proposer).__name__}
    return json.loads(json.dumps(told))


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!")


def write(captions: Captions, path: Path) -> None:
    """The file: a first line that says how they were made, then one line a caption. FlipsideError where the disk does
    not take it; what was there before is kept."""
    head = {"format": FORMAT, "version": VERSION, **captions.about}
    lines = [json.dumps(each, ensure_ascii=False) for each in (head, *(asdict(row) for row in captions.rows))]
    try:
        durable.replaced(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise FlipsideError(
            durable.unwritable(error, path.parent) or f"{path}: cannot be written ({error})."
        ) from error


def read(path: Path) -> Captions:
    """What `write` wrote, or a person changed: lines taken out, `keep` set, texts mended. FlipsideError with file and
    line for anything that is no such line."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file of generated captions.")
    numbered = records.json_lines(path)
    head = next(numbered, (0, None))[1]
    if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("version") != VERSION:
        raise FlipsideError(
            f"{path}, line 1: expected the first line of a file of generated captions, with format {FORMAT!r} and "
            f"version {VERSION}. Generate them again."
        )
    about = plain_json.loads(json.dumps({k: v for k, v in head.items() if k not in ("format", "version")}))
    return Captions(tuple(_rows(path, numbered)), about)


def _rows(path: Path, numbered: Iterable[tuple[int, Any]]) -> Iterator[Generated]:
    for line, record in numbered:
        try:
            yield _row(record)
        except Malformed as reason:
            raise FlipsideError(f"{path}, line {line}: {reason}. Mend the line, or take it out.") from None


def _row(record: Any) -> Generated:
    if isinstance(record, Malformed):
        raise record
    caption, text, how = (records.text(record, name) for name in ("caption", "text", "how"))
    effect, keep = records.text(record, "effect"), record.get("keep", True)
    if effect not in _SIDES.values():
        raise Malformed(f"'effect' is {effect!r}, expected {' or '.join(_SIDES.values())}")
    if not isinstance(keep, bool):
        raise Malformed(f"'keep' is {keep!r}, expected true or false")
    what, concept = (str(record.get(name) or "") for name in ("what", "concept"))
    return Generated(caption, text, effect, how, what, concept, keep)
