"""Statements into rows of scores: each cell once, and a list of what belongs nowhere."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from backend.benchmarks.reading.malformed import Malformed
from backend.errors import UsageError
from backend.items import Kind, Protocol
from backend.kinds import MEAN_ORDER, ORDER, PROBABILITIES, SPOKEN, listed
from backend.predictions.claim import UNNAMED, Claim, GivenScale, Score, Unmatched, Verdict
from backend.predictions.contests import contests
from backend.predictions.finding import Cell, Items
from backend.predictions.ids import Ids
from backend.predictions.scale import Numbers, Reading

#: A row without its value: item_no, image_index, text_index, text_index_b, sample.
Key = tuple[int, int, int, int, int]
#: How far above 0 rounding may carry a sum of log-probabilities.
ROUNDING = 1e-3
#: What the columns of a run hold: scores in single precision, counts in 16 bits (engine/storage/schema.py).
LARGEST, MOST = 3.4e38, 32_767
#: log P(t) of the system's own, where it gives nothing else, and where it gives log P(t|i), too.
BLIND, BESIDE_GEN = "prior@self", "prior@predicted"


@dataclass
class Part:
    """The rows of one part by their key, with value and token count (-1: none)."""

    rows: dict[Key, int] = field(default_factory=dict)
    values: array = field(default_factory=lambda: array("f"))  # type: ignore[type-arg]
    n_tokens: array = field(default_factory=lambda: array("h"))  # type: ignore[type-arg]

    def add(self, key: Key, value: float, n_tokens: int = -1) -> bool:
        """Take a row; False where its cell has a value already, which stays."""
        if key in self.rows:
            return False
        self.rows[key] = len(self.values)
        self.values.append(value)
        self.n_tokens.append(n_tokens)
        return True

    def __iter__(self) -> Iterator[tuple[Key, float, int]]:
        for key, at in self.rows.items():
            yield key, self.values[at], self.n_tokens[at]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass
class Matched:
    """What came of all files. parts: kind (or order of asking) -> rows. statements: how many belong to an item;
    unnamed: scores that name no kind; only_text: those that name no text, which was the item's only one. orders: the
    names of orders of asking as they came first, by these in small letters. readings: on which scale numbers of itm and
    vqa were read. ids: those of the statements, None for rows that came without any."""

    parts: dict[str, Part] = field(default_factory=dict)
    unmatched: list[Unmatched] = field(default_factory=list)
    statements: int = 0
    unnamed: int = 0
    only_text: int = 0
    orders: dict[str, str] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    ids: Ids | None = None

    @property
    def guesses(self) -> list[str]:
        """What the statements leave open and how it was read, a sentence each."""
        found = [each.guess for each in self.readings if each.guess]
        if self.only_text:
            found.append(
                f"{self.only_text:,} scores name neither text_index nor caption and were taken for the only text of "
                "their item."
            )
        return found

    @property
    def hints(self) -> list[str]:
        """What to do about ids that no item has, a sentence each."""
        return self.ids.hints() if self.ids else []

    def order(self, name: str) -> str:
        """The part of an order of asking. `First` and `first` are one: nobody asks in two that differ by a capital, and
        as two each would have half of the answers."""
        name = name.strip()
        if name.casefold() == MEAN_ORDER:
            raise Malformed(f"no order of asking is called '{name}', for that is what all of them come to")
        return f"{ORDER}{self.orders.setdefault(name.casefold(), name)}"

    def items_of(self, part: str) -> set[int]:
        """The items that have rows in a part."""
        return {key[0] for key in self.parts[part].rows}


def match(
    claims: Iterable[Claim | Unmatched], items: Items, kind: Kind | None = None, scale: GivenScale | None = None
) -> Matched:
    """Every statement in the rows that it means. kind: of scores that say none. scale: of numbers of itm and vqa, None
    to read it off the files. UsageError where numbers are not on the scale that is said, or none are of these kinds."""
    ids = Ids(items)
    found = Matched(ids=ids)
    numbers: dict[str, Numbers] = {}
    for claim in claims:
        if isinstance(claim, Unmatched):
            found.unmatched.append(claim)
            continue
        ids.note(claim)
        try:
            if isinstance(claim, Score):
                taken = _score(found, claim, items, kind, numbers)
            else:
                taken = _verdict(found, claim, items)
            if not taken:
                raise Malformed("was said before; the first one is kept")  # noqa: TRY301
            found.statements += 1
        except Malformed as reason:
            found.unmatched.append(Unmatched(claim.place, str(reason)))
    _on_one_scale(found, numbers, scale)
    if BLIND in found.parts and Kind.GEN in found.parts:
        found.parts[BESIDE_GEN] = found.parts.pop(BLIND)
    return found


def merge_orders(parts: dict[str, Part]) -> str:
    """`verdict` out of its orders of asking: 1 where all chose the text, 0 where all chose the other, 0.5 where it was
    chosen in some of them alone; where it was chosen in none, and neither was in some, the mean.

    So a caption has won only where it was chosen in every order, as for a model behind a server (Model.prefer).

    Returns what is to be said of verdicts that name no order where others do, a sentence; "" where nothing is.
    """
    orders = {name: part for name, part in parts.items() if name.startswith(ORDER)}
    said = ""
    if len(orders) > 1 and ORDER in orders:
        unnamed = orders.pop(ORDER)
        del parts[ORDER]
        made, left = _merged(orders), Part()
        for key, value, _ in unnamed:
            if key not in made.rows:
                left.add(key, value)
        # An export of this program has its orders, and what was made of them: that says nothing new.
        others = sum(key in made.rows and made.values[made.rows[key]] != value for key, value, _ in unnamed)
        gone = len(unnamed) - len(left)
        if others:
            said = (
                f"Answers without an order, where others to the same questions have one, count in no rate: {gone:,}. "
                "Give each its order, or add them under a name of their own."
            )
        if len(left):
            orders |= {ORDER: left}
            parts[ORDER] = left
            said += f"{' ' if said else ''}Answers without an order that stand as one of their own: {len(left):,}."
    if not orders:
        return said
    parts[Kind.VERDICT] = _merged(orders)
    if len(orders) == 1:
        del parts[next(iter(orders))]
    return said


def _merged(orders: Mapping[str, Part]) -> Part:
    """What several orders come to, see `merge_orders`."""
    merged = Part()
    for key in {key: None for part in orders.values() for key in part.rows}:
        shares = [part.values[part.rows[key]] for part in orders.values() if key in part.rows]
        same = len(set(shares)) == 1
        merged.add(key, shares[0] if same else 0.5 if max(shares) > 0.5 else sum(shares) / len(shares))
    return merged


def _on_one_scale(found: Matched, numbers: dict[str, Numbers], scale: GivenScale | None) -> None:
    """Probabilities of itm and vqa become log-odds."""
    if scale is not None and not numbers:
        raise UsageError(
            f"--scale {scale} is about numbers of {listed(PROBABILITIES, 'and')}, and there are none. --kind "
            "says what those are that name no kind."
        )
    for name, each in numbers.items():
        values, readings = each.stored(scale)
        found.readings += readings
        if name in found.parts:
            found.parts[name].values = array("f", values.tobytes())


def _score(found: Matched, claim: Score, items: Items, kind: Kind | None, numbers: dict[str, Numbers]) -> bool:
    name = claim.kind or (kind or UNNAMED)
    kind_, _, order = name.partition("@")
    if kind_ not in set(Kind) or (order and kind_ != Kind.VERDICT):
        raise Malformed(f"the kind '{name}' is unknown; kinds are {', '.join(Kind)}")
    asked = found.order(order)
    if abs(claim.value) > LARGEST:
        raise Malformed(f"{claim.value:g} is too large for a score")
    if max(claim.n_tokens, claim.sample) > MOST:
        raise Malformed(f"{max(claim.n_tokens, claim.sample):,} tokens or samples are more than the {MOST:,} that fit")
    if name in SPOKEN and claim.n_tokens < 1:
        raise Malformed(f"kind {name} is a sum over tokens and needs their number, n_tokens")
    if name in SPOKEN and claim.value > ROUNDING:
        raise Malformed(f"kind {name} is a sum of log-probabilities, and {claim.value:g} is above 0")
    found.unnamed += not claim.kind
    seen = numbers.setdefault(name, Numbers(name)) if name in PROBABILITIES else None
    if seen is not None:
        seen.see(claim)
    stored = {Kind.PRIOR: BLIND, Kind.VERDICT: asked}.get(Kind(kind_), kind_)
    keys = _keys(claim, Kind(kind_), items)
    part = found.parts.setdefault(stored, Part())  # not before: a part without rows is none
    taken = [part.add(key, claim.value, claim.n_tokens) for key in keys]
    if seen is not None:
        seen.keep(claim, sum(taken))
    found.only_text += any(taken) and _names_no_text(claim)
    return any(taken)


def _names_no_text(claim: Score) -> bool:
    """Whether a score is known by its item alone."""
    by_item = bool(claim.about.ids) or claim.about.position >= 0
    return by_item and claim.text_index < 0 and not claim.about.caption


def _keys(claim: Score, kind: Kind, items: Items) -> list[Key]:
    """The rows of a score: one by its indices, or every cell that holds its image and caption."""
    if not claim.about.ids and claim.about.position < 0:
        if kind in (Kind.T2T, Kind.VERDICT):
            raise Malformed(f"kind {kind} compares two texts; give item_id, text_index and text_index_b")
        cells = items.cells(claim.about)
        if kind == Kind.PRIOR:
            cells = [Cell(cell.item_no, -1, cell.text) for cell in cells]
        return [(*cell, -1, claim.sample) for cell in cells]
    number = items.number(claim.about)
    item = items.item_of(number)
    is_pool = item.protocol == Protocol.RETRIEVAL and kind != Kind.PRIOR
    n_texts = items.pools[item.subset] if is_pool else len(item.texts)
    text = claim.text_index if claim.text_index >= 0 else _text_of(claim, item.texts, n_texts)
    image = claim.image_index
    if kind in (Kind.PRIOR, Kind.T2T):
        image = -1
    elif image < 0:
        if len(item.images) > 1:
            raise Malformed(f"the item has {len(item.images)} images; say which one in image_index")
        image = 0
    pair = kind in (Kind.T2T, Kind.VERDICT)
    if pair and claim.text_index_b < 0:
        raise Malformed(f"kind {kind} compares two texts; give text_index and text_index_b")
    if not 0 <= text < n_texts or image >= len(item.images) or (pair and not 0 <= claim.text_index_b < n_texts):
        places = f"image {image}, text {text}" + (f", other text {claim.text_index_b}" if pair else "")
        raise Malformed(
            f"{item.item_id} has no {places}: it has {_of(len(item.images), 'image')} and "
            f"{_of(n_texts, 'text')}, from 0"
        )
    if kind == Kind.VERDICT and not 0.0 <= claim.value <= 1.0:
        raise Malformed(f"a verdict is a share from 0 to 1, not {claim.value}")
    return [(number, image, text, claim.text_index_b if pair else -1, claim.sample)]


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _text_of(claim: Score, texts: tuple[str, ...], n_texts: int) -> int:
    """The text that a score with an item's id is of: by its words, or the only one. n_texts: how many it may be of."""
    caption = claim.about.caption
    if not caption and n_texts == 1:
        return 0
    if not caption:
        raise Malformed(
            f"says neither text_index nor caption, so it is not known which of the item's {n_texts:,} texts is meant"
        )
    if caption not in texts:
        raise Malformed(f"the item has no caption '{caption[:60]}'")
    return texts.index(caption)


def _verdict(found: Matched, claim: Verdict, items: Items) -> bool:
    number = items.item(claim.about)
    asked = found.order(claim.order)
    held = contests(items.item_of(number), claim)
    part = found.parts.setdefault(asked, Part())  # not before: a part without rows is no order
    taken = [part.add((number, one.image, one.text, one.other, -1), one.share) for one in held]
    return any(taken)


def check_kind(kind: str | None) -> Kind | None:
    """The kind of `--kind`; UsageError for one that does not exist or that nobody gives as a number."""
    if kind is None:
        return None
    if kind not in set(Kind):
        raise UsageError(f"--kind {kind}: expected one of {', '.join(Kind)}.")
    return Kind(kind)
