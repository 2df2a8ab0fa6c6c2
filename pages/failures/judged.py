"""Verdicts of one's own in the list: given by a key on a card, said on cards, in one line, and in the table."""

from markupsafe import Markup

from backend import written
from backend.errors import FlipsideError
from backend.store.failures import own_verdicts
from backend.store.queries import FailurePage
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.frame import toasts
from pages.shared.frame.plain import plain


def by_key(benchmark: StoredBenchmark, card: str, number: int) -> None:
    """Give the item of a card (its benchmark's hash, a blank, its id) the verdict of a key; the same one again takes it
    away. Called before the page runs again."""
    of, _, item_id = card.partition(" ")
    if of not in {benchmark.hash, *(part.hash for part in benchmark.parts)}:
        return
    word = list(own_verdicts.VERDICTS)[number - 1]
    try:
        now = own_verdicts.switch(of, item_id, word)
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        return
    toasts.say(plain(f"{item_id}: {own_verdicts.title(now) if now else 'verdict taken away'}"), ":material/gavel:")


def label(word: str) -> Markup:
    """A verdict on a card; empty without one."""
    if not word:
        return Markup()
    return Markup('<span class="fs-own" title="{}">you: {}</span>').format(
        "Your verdict on the item itself; no model's.", own_verdicts.title(word)
    )


def share(everything: FailurePage, model: str) -> Markup:
    """One line where some item is judged “label wrong”: how many of the judged ones, and how often the model is right
    without them. everything: under no filter but the metric, as the line says; model: its name. Empty where there is
    none."""
    human = everything.human
    items, verdicts, right = human.get("label_wrong", (0, 0, 0))
    n = everything.n_items
    all_right = sum(each[2] for each in human.values())
    judged = sum(each[0] for word, each in human.items() if word)
    if not items or n <= verdicts:
        return Markup()
    before, after = all_right / n, (all_right - right) / (n - verdicts)
    return Markup(
        "You call {} of {} <b>label wrong</b>: of all {} under no filter, without {} {} is right on {}, with {} on {}."
    ).format(
        f"{items:,}", f"{count(judged, 'judged item')}", count(n, "verdict"),
        "it" if items == 1 else "them", model,
        facts(written.percent(after), note=f"{all_right - right:,} of {count(n - verdicts, 'verdict')}"),
        "it" if items == 1 else "them",
        facts(written.percent(before), note=f"{all_right:,} of {count(n, 'verdict')}"),
    )  # fmt: skip


def known(benchmark: StoredBenchmark) -> bool:
    """Whether any item of the benchmark, or of those that are listed together, is judged."""
    parts = benchmark.parts or (benchmark,)
    try:
        return bool(own_verdicts.of([part.hash for part in parts]))
    except FlipsideError:
        return False
