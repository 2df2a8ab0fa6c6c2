"""How many of how many verdicts are listed: for the headline, and as a sentence to copy."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from backend.finding import Finding
from backend.metrics.reasons.names import NAMES, NOTHING_SEEN, of_group
from backend.store.queries import FailureFilter, FailurePage
from backend.store.rates.both_paraphrases import WHY
from pages.failures import data, facets, words
from pages.shared.data import asked_orders, findings
from pages.shared.drawing.colours import label
from pages.shared.drawing.numbers import count, score

#: What `words.said` says that the claim, or the setting as `findings.kind_under` has it, says already.
_SAID = {"benchmark", "model", "scores", "listed", "margin", "order", "bounds", "rule"}
_SAID |= {facets.FACETS[name].lower() for name in ("cell", "reason")}

#: Which numbers put an item where it is, said wherever a cell is named; a reason is said to be certified.
ALONE = "by the scores alone"


def filters_said(wanted: FailureFilter, benchmark: str, model: str) -> list[tuple[str, str]]:
    """(what, its value in words) of the filters of items, which the headline and its setting do not say already.

    >>> from backend.store.queries import Setting
    >>> filters_said(FailureFilter("r", Setting("itc"), subsets=("relation",), text="left of"), "world", "m")
    [('subset', 'relation'), ('part of a caption', '“left of”')]
    """
    return [
        (words.PART if what.startswith(words.PART) else what, value)
        for what, value in words.said(wanted, benchmark, model)
        if what not in {*_SAID, "compared with"} and (what, value) != ("metric", words.HEADLINE)
    ]  # fmt: skip


#: So many reasons are named at most, and in so many characters: two lines beside the histogram at 1440 pixels. The
#: sidebar lists all of them.
_NAMED, _LETTERS = 3, 84


def certified(found: FailurePage) -> str:
    """What the evidence certifies of the listed verdicts, the most frequent reason first, what is uncertain and what
    has no reason (of retrieval there is none, elsewhere it is not measured): they add up to the list. "" where nothing
    is listed. See `certified_more` for what stands behind it.

    >>> import pandas as pd
    >>> def listed(why): return certified(FailurePage(pd.DataFrame(), sum(why.values()), 20, {}, why=why))
    >>> listed({("no_binding", "no_binding"): 3, ("right", "uncertain"): 5, ("outvoted", "outvoted"): 1})
    'Certified 4 of 9 listed: no binding beyond luck 3 · outvoted 1. Uncertain 5.'
    >>> print(listed({("no_binding", "no_binding"): 2, ("outvoted_by_image", "no_binding"): 1, ("", ""): 4}))
    Certified 3 of 7 listed: no binding beyond luck 3. Without a reason 4.
    >>> listed({("no_binding", "uncertain"): 5}), listed({("", ""): 4}), listed({})
    ('Certified 0 of 5 listed. Uncertain 5.', 'None of the 4 listed has a reason.', '')
    """
    counts = _reasons(found)
    left, unmeasured = counts.pop("uncertain", 0), counts.pop("", 0)
    if not found.total:
        return ""
    if unmeasured == found.total:
        return f"None of the {found.total:,} listed has a reason."
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))  # the same whatever order they come in
    named = [f"{of_group(word)} {n:,}" for word, n in ordered[:_NAMED]]
    while len(named) > 1 and len(" · ".join(named)) > _LETTERS:
        named.pop()
    if rest := ordered[len(named) :]:
        named.append(f"{count(len(rest), 'other reason')} {sum(n for _, n in rest):,}")
    said = f"Certified {sum(counts.values()):,} of {found.total:,} listed"
    said += f": {' · '.join(named)}." if named else "."
    said += f" Uncertain {left:,}." if left else ""
    return said + (f" Without a reason {unmeasured:,}." if unmeasured else "")


def certified_more(found: FailurePage) -> str:
    """What is certified, by what, and of each reason that says that nothing is seen in how many of its items the scores
    alone show nothing, which is what the bar of the cell counts; "" where no reason is listed.

    >>> import pandas as pd
    >>> why = {("no_binding", "no_binding"): 2, ("outvoted_by_image", "no_binding"): 1}
    >>> print(certified_more(FailurePage(pd.DataFrame(), 3, 20, {}, why=why)))
    Certified: the evidence tells the reason from luck. “no binding beyond luck”: 3, of which 2 are “no binding seen” \
by the scores alone; the others show no more than luck gives.
    """
    counts = _reasons(found)
    if not counts or set(counts) == {""}:
        return ""
    said = ["Certified: the evidence tells the reason from luck."]
    for reason in NOTHING_SEEN:
        same, n = found.why.get((reason, reason), 0), counts[reason]
        if n and same != n:
            said.append(
                f"“{of_group(reason)}”: {n:,}, of which {same:,} {'is' if same == 1 else 'are'} “{NAMES[reason]}” "
                f"{ALONE}; the others show no more than luck gives."
            )
    return " ".join(said)


def _reasons(found: FailurePage) -> Counter[str]:
    """Reason -> how many of the list; "uncertain" and "" (none) among them."""
    counts: Counter[str] = Counter()
    for (_, reason), n in found.why.items():
        counts[reason] += n
    return counts


def judged(wanted: FailureFilter, found: FailurePage) -> int:
    """Of how many verdicts those that are listed are a share: of those that the filters of items leave (see
    `population`), wrong and right ones listed together or not. A margin, a cell or a reason comes of the verdict
    itself: among the items that have it all would fail, or none, so these leave the base as it is."""
    if wanted.margin is not None or wanted.cells or wanted.reasons:
        found = data.failures(replace(wanted, margin=None, cells=(), reasons=(), offset=0))
    if wanted.correct is None:
        return found.total
    return sum(each for verdict, each in found.facets["correct"].items() if verdict != "undefined")


def population(wanted: FailureFilter, benchmark: str, model: str) -> str:
    """Of which verdicts `judged` is the number, in words in brackets; "" for all of the run.

    >>> from backend.store.queries import Setting
    >>> population(FailureFilter("r", Setting("itc"), subsets=("choice",), reasons=("uncertain",)), "world", "m")
    ' (subset: choice)'
    >>> population(FailureFilter("r", Setting("itc"), cells=("outvoted",)), "world", "m")
    ''
    """
    told = [f"{what}: {value}" for what, value in filters_said(wanted, benchmark, model)]
    return f" ({'; '.join(told)})" if told else ""


def narrowed(wanted: FailureFilter) -> str:
    """What of the verdict itself the list is narrowed to, in words.

    >>> from backend.store.queries import Setting
    >>> narrowed(FailureFilter("r", Setting("itc"), margin=(-0.06, -0.01), cells=("no_binding",)))
    ' with margins from −0.0600 to −0.0100, as “no binding seen” by the scores alone'
    >>> narrowed(FailureFilter("r", Setting("itc"), reasons=("no_binding", "uncertain")))
    ' certified as “no binding beyond luck” or left “uncertain”'
    >>> narrowed(FailureFilter("r", Setting("itc")))
    ''
    """
    parts = []
    if wanted.margin is not None:
        parts.append(f"with margins from {score(wanted.margin[0], True)} to {score(wanted.margin[1], True)}")
    if wanted.cells:
        parts.append(f"as {_or(NAMES.get(word, word) for word in wanted.cells)} {ALONE}")
    if wanted.reasons:
        certified = [word for word in wanted.reasons if word != "uncertain"]
        left = [f"left “{of_group('uncertain')}”"] if "uncertain" in wanted.reasons else []
        parts.append(" or ".join([*([f"certified as {_or(map(of_group, certified))}"] if certified else []), *left]))
    return " " + ", ".join(parts) if parts else ""


def _or(names: Iterable[str]) -> str:
    return " or ".join(f"“{name}”" for name in names)


def at_least(wanted: FailureFilter, more: bool) -> str:
    """What stands before a number of right verdicts (more) or of wrong ones, with a blank behind it; "" where they are
    no bounds (`data.is_bounded`)."""
    return "" if not data.is_bounded(wanted) else "at least " if more else "at most "


def why_bounded(wanted: FailureFilter) -> str:
    """Why numbers of right and wrong are bounds, a sentence; "" where they are none."""
    if not data.is_bounded(wanted):
        return ""
    return f"Bounds, not to be set against chance or another model: {WHY}."


def most_often(found: FailurePage) -> str:
    """Which reason is certified most often among what is listed; "" where none is.

    >>> import pandas as pd
    >>> most_often(FailurePage(pd.DataFrame(), 9, 9, {"reason": {"uncertain": 5, "no_binding": 3, "outvoted": 1}}))
    ', most often certified as “no binding beyond luck” (3)'
    >>> most_often(FailurePage(pd.DataFrame(), 9, 9, {"reason": {"uncertain": 9}}))
    ''
    """
    known = {word: n for word, n in found.facets["reason"].items() if word != "uncertain"}
    if not known:
        return ""
    word = max(known, key=lambda each: known[each])
    return f", most often certified as “{of_group(word)}” ({known[word]:,})"


def sentence(
    wanted: FailureFilter, found: FailurePage, n: int, model: str, benchmark: str, other: str = "", picked: str = ""
) -> str:  # fmt: skip
    """The headline as a finding; "" where right and wrong are listed together, or nothing is. n: see `judged`; other:
    what the model is called with which it is compared; picked: the title of a picked set."""
    if wanted.correct is None or not n or not found.total:
        return ""
    verb = "right" if wanted.correct else "wrong"
    why = "" if wanted.correct or wanted.reasons else most_often(found)
    bound = at_least(wanted, wanted.correct)
    claim = f"{label(model)} is {verb} on {bound}{{}}{narrowed(wanted)}: {count(found.total, 'verdict')}{why}"
    more = [f"{what}: {value}" for what, value in words.said(wanted, benchmark, model, other, picked)
            if what not in _SAID]  # fmt: skip
    one = "one verdict for both paraphrases" if bound else ""
    rule = asked_orders.strict(wanted.run_id, wanted.setting.kind)
    picked_ = words.PICKED if data.by_outcome(wanted) else ""
    setting = (findings.kind_under(wanted.setting.kind, wanted.setting), rule, *more, picked_, one, benchmark)
    ends = None if picked_ else data.share(wanted).ci95
    return Finding(claim, n, setting, found.total / n, ends, counted="verdicts").said
