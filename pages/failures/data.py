"""What Failures asks the store, cached for one generation of the data."""

from dataclasses import replace

from backend.metrics.statistics import Rate
from backend.store import queries
from backend.store.failures import models_right, notes, order
from backend.store.failures import share as share_
from backend.store.failures.models_right import Solved
from backend.store.queries import FailureFilter, FailurePage, ItemDetail
from backend.store.rates import asking_orders
from backend.store.rates.asking_orders import Told
from backend.store.rates.both_paraphrases import OF_ONE, bounded
from pages.shared.data.stored import kept, store


@kept()
def solved(wanted: FailureFilter) -> Solved:
    """On how many of the items that a filter is about no model is right (see `models_right.solved`)."""
    return models_right.solved(store(), wanted)


def best_first(benchmark: str, kind: str, metric: str) -> tuple[str, ...]:
    """The models of a benchmark (hash) that have verdicts by a metric, by the share that each is right on."""
    return models_right.models_right(store(), benchmark, kind).best_first.get(metric, ())


def is_bounded(wanted: FailureFilter) -> bool:
    """Whether a filter's wrong verdicts are no more than an upper bound, and its right ones a lower one: by a metric of
    one paraphrase alone where each triplet has one verdict for both (`both_paraphrases`)."""
    if not set(wanted.metrics) & set(OF_ONE):
        return False
    some = ",".join(sorted(wanted.subsets)) or None
    runs = (wanted.run_id, *wanted.also)
    return any(bounded(store(), run, wanted.setting.kind, wanted.metrics, some) for run in runs)


def by_margins(wanted: FailureFilter) -> bool:
    """Whether a filter's order can be kept (see `order.by_margins`)."""
    return order.by_margins(store(), wanted)


def has_margins(wanted: FailureFilter) -> bool:
    """Whether what is listed has margins (see `asking_orders.has_margins`)."""
    runs = (wanted.run_id, *wanted.also)
    return all(asking_orders.has_margins(store(), run, wanted.setting.kind) for run in runs)


def rule(wanted: FailureFilter) -> str:
    """The rule behind each verdict that is listed, in words; "" where none was asked for in several orders."""
    rules = (asking_orders.strict(store(), run, wanted.setting.kind) for run in (wanted.run_id, *wanted.also))
    return next(filter(None, rules), "")


def failures(wanted: FailureFilter) -> FailurePage:
    """One page of what a filter leaves."""
    return _failures(notes.version(), wanted)


@kept()
def _failures(written: str, wanted: FailureFilter) -> FailurePage:
    del written
    return queries.failures(store(), wanted)


def ids(wanted: FailureFilter) -> list[str]:
    """The ids of all that a filter leaves, in its order."""
    return _ids(notes.version(), replace(wanted, offset=0, limit=1))


@kept()
def _ids(written: str, wanted: FailureFilter) -> list[str]:
    del written
    return queries.failure_ids(store(), wanted)


def share(wanted: FailureFilter) -> Rate:
    """What is listed, as a share of what the filters of items leave (see `share.share`)."""
    return share_.share(store(), wanted)


def told(wanted: FailureFilter) -> Told | None:
    """What choices that were asked in several orders come to on these items (see `share.told`); None where they may
    have been chosen by their outcome (`by_outcome`), of which there is no rate."""
    return None if by_outcome(wanted) else share_.told(store(), wanted)


def by_outcome(wanted: FailureFilter) -> bool:
    """Whether the items of a filter may have been chosen for being right or wrong: a share of them has no interval.
    These are a set that was picked, what another model's verdicts tell, and what a person wrote (a verdict, a tag, a
    note) with the model's answer in sight; "not judged" is what such a choice has left."""
    by_person = wanted.human or wanted.tags or wanted.noted is not None
    return wanted.only is not None or wanted.other_correct is not None or bool(by_person)


@kept()
def card_items(benchmark: str, item_ids: tuple[str, ...]) -> dict[str, ItemDetail]:
    """The items of some cards of a benchmark (hash), without scores and tokens (see `cards.card_items`)."""
    return queries.card_items(store(), benchmark, item_ids)
