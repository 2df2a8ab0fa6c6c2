"""Runs of fetched public results: how they are named, what is known of them, and what of them may be handed on."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from backend.kinds import PREDICTIONS
from backend.models.spec import prefix_within
from backend.store.build.records import benchmark_of
from backend.store.build.store import Store

#: Longest word of a record that is shown: it may have come in a bundle.
_LONGEST = 120
#: Why an export of such a run lacks what others have.
VERDICTS_ONLY = (
    "these scores were fetched on terms under which verdicts, rates, cells, reasons and item numbers may be handed on, "
    "but no scores, margins, captions or pictures"
)

#: What is said of a run that is shown on the items of another edition than its own.
COMPLETED = "The scores are kept on item numbers alone and are shown here on the items of your own copy, by item id."


#: What is said of items that are known by their number alone.
NUMBERS_ALONE = (
    "Items are known by their number alone: captions and pictures are gated. Import your own copy of the benchmark on "
    "Runs, and these runs are shown on its items."
)
Key = TypeVar("Key", bound=Hashable)

#: The system whose scores are people's own, no model's.
PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Public:
    """What a run's record says of results that were fetched (`model.public`); "" and () where it says nothing."""

    name: str = ""
    source: str = ""
    system: str = ""
    head: str = ""
    other_heads: tuple[str, ...] = ()
    repeats: str = ""
    how: str = ""
    transformation: str = ""
    terms: str = ""
    verdicts_only: bool = False


def public(record: Mapping[str, Any]) -> Public | None:
    """Of a run's record; None for every run that was not fetched."""
    model = record.get("model")
    said = model.get("public") if isinstance(model, Mapping) else None
    if not isinstance(said, Mapping):
        return None
    heads = said.get("other_heads")
    return Public(
        **{key: _word(said.get(key)) for key in ("name", "source", "system", "head", "transformation", "terms")},
        other_heads=tuple(_word(each) for each in heads[:20]) if isinstance(heads, list) else (),
        repeats=_word(said.get("repeats")),
        how=_word(said.get("how_it_repeats")),
        verdicts_only=said.get("sharing") != "everything",
    )


def origin(stored: str, model: str, fetched: Collection[str]) -> str:
    """Where a run's scores are from, as `--json` says it: "computed" here, "shipped", "imported" (in a bundle), and of
    what the store calls computed, for its rows were made here, other systems' numbers: "fetched", or "predictions" that
    were added. fetched: the models of `names`.

    >>> [origin("computed", model, {"predictions:b"}) for model in ("bundled:clip", "predictions:a", "predictions:b")]
    ['computed', 'predictions', 'fetched']
    """
    if stored != "computed" or not model.startswith(PREDICTIONS):
        return stored
    return "fetched" if model in fetched else "predictions"


@dataclass(frozen=True, slots=True)
class Apart:
    """Which rows are no models of their own. people: people's scores; repeats: the same head as another row, under
    another name; heads: rows of which another head of the same model stands there, too."""

    people: frozenset[str] = frozenset()
    repeats: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()

    def counted(self, models: Iterable[str]) -> list[str]:
        """The models of which it may be said how many there are: neither people nor repeats.

        >>> Apart(frozenset({"people"}), frozenset({"b"})).counted(["a", "b", "people"])
        ['a']
        """
        return [model for model in models if model not in self.people | self.repeats]

    def noun(self, models: Collection[str]) -> str:
        """What they are called: "systems" where heads of one model are among them, else "models"."""
        return "systems" if len(self.heads.intersection(models)) > 1 else "models"

    def left_out(self, models: Collection[str]) -> str:
        """Who of these is not counted, in words; "" where all are.

        >>> Apart(frozenset({"people"}), frozenset({"b"})).left_out(["a", "b", "people"])
        'people and 1 repeat'
        """
        n = len(self.repeats.intersection(models))
        repeats = f"{n} repeat{'s' if n > 1 else ''}" if n else ""
        return " and ".join(filter(None, ("people" if self.people.intersection(models) else "", repeats)))


#: Where nothing is known of people, repeats and heads.
ALL_COUNT = Apart()


def apart(records: Mapping[str, Mapping[str, Any]]) -> Apart:
    """Of the records of some models' runs, by model."""
    said = {model: found for model, record in records.items() if (found := public(record))}
    why = set_apart(records)
    of_system: dict[str, set[str]] = {}
    for model in said:
        if model not in why:
            of_system.setdefault(said[model].system, set()).add(model)
    return Apart(
        frozenset(model for model, word in why.items() if word == "people"),
        frozenset(model for model, word in why.items() if word == "repeat"),
        frozenset(model for own in of_system.values() if len(own) > 1 for model in own),
    )


def verdicts_only(record: Mapping[str, Any]) -> bool:
    """Whether a run's scores, margins, captions and pictures may not be handed on.

    >>> verdicts_only({"model": {"public": {"sharing": "verdicts"}}}), verdicts_only({"model": {"spec": "hf:a/b"}})
    (True, False)
    """
    found = public(record)
    return found is not None and found.verdicts_only


def notes(record: Mapping[str, Any], shown_on: str) -> list[str]:
    """What a reader of such a run should know, a sentence each. shown_on: the benchmark (16 hex digits of its hash) on
    whose items it is shown."""
    found = public(record)
    if found is None:
        return []
    said = [f"Public scores of {found.system}, {found.head} ({found.source}); {found.terms}."]
    if found.transformation not in ("", "none"):
        said.append(f"Stored as {found.transformation} of the file's numbers; verdicts follow the file's own order.")
    if found.other_heads:
        said.append(f"Another head of the same model: {', '.join(found.other_heads)}.")
    if found.repeats:
        said.append(f"A repeat of {found.repeats} ({found.how}): do not count them as two models.")
    if is_completed(record, shown_on):
        said.append(COMPLETED)
    return said


def is_completed(record: Mapping[str, Any], shown_on: str) -> bool:
    """Whether the run is shown on the items of another edition than its own (see build/completions.py)."""
    return public(record) is not None and shown_on != benchmark_of(record)


def set_apart(records: Mapping[Key, Mapping[str, Any]]) -> dict[Key, str]:
    """Which of some runs (by their records) are no model of their own, and why: "people", or "repeat" of another one. A
    repeat holds the values of another file of the same head; it counts where the one that it repeats is not there."""
    said = {key: each for key, record in records.items() if (each := public(record))}
    found = {key: "people" for key, each in said.items() if each.system == PEOPLE}
    stands: dict[str, Key] = {}
    for key, each in sorted(said.items(), key=lambda entry: bool(entry[1].repeats)):
        if key not in found and stands.setdefault(_head(records[key], each), key) != key:
            found[key] = "repeat"
    return found


def names(store: Store) -> dict[str, tuple[str, str]]:
    """Spec -> (name, source) of all fetched systems."""

    def make() -> dict[str, tuple[str, str]]:
        rows = store.cursor().execute(
            """SELECT DISTINCT ON (model) model, json_extract_string(record, '$.model.public.name'),
                json_extract_string(record, '$.model.public.source')
            FROM runs WHERE json_extract_string(record, '$.model.public.name') IS NOT NULL ORDER BY model, updated"""
        )
        found = {spec: (_word(name), _word(source)) for spec, name, source in rows.fetchall()}
        return {spec: said for spec, said in found.items() if not prefix_within(said[0])}

    return store.cached("names of public results", make)


def repeat(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """How the runs of two records hold one head's scores twice, in the words of the fetched files; "" where they do
    not, or nothing says so."""
    one, other = public(a), public(b)
    if one is None or other is None or _head(a, one) != _head(b, other):
        return ""
    return " and ".join(dict.fromkeys(filter(None, (one.how, other.how)))) or "the same files"


def _head(record: Mapping[str, Any], said: Public) -> str:
    return said.repeats or str((record.get("model") or {}).get("spec"))


def _word(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""
