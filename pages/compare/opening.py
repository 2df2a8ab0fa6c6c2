"""Which two models Compare opens on: the one that a reader comes from, or the best, against the next best; and under
which α, where one is taken along (`pages.shared.frame.alpha`)."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import streamlit as st

from pages.compare import data
from pages.shared.data import partners
from pages.shared.data.best import Entry
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import address, alpha

#: Stands for kind gen under the α of the slider.
DEBIASED = "gen-alpha"
#: Least α of the slider: at 0 it would be kind gen as scored.
LEAST = 0.001
_FOLLOWED = "_compare_followed"
#: The slider's values while no side is judged under an α, and what they are where nobody chose.
_ASIDE = "_compare_alpha_aside"
PLAIN = {"alpha": 1.0, "prior": "auto", "norm": "token"}
#: Where a benchmark has both, the two that the guided visit and the documents speak of.
USUAL = ("itc bundled:clip", "itc bundled:clip-relational")


def opening(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """The keys of A, the baseline, and B, for whoever comes from another page: these are written to the address where
    they are not the `usual` ones. known: key -> (model, kind) of all that can be chosen, at least two."""
    state = st.session_state
    came = (str(state.get("model", "")), str(state.get("kind", "")))
    if came[0] not in benchmark.runs:
        return usual(benchmark, known)
    return paired(benchmark, known, came)


def usual(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """The keys of A and B that an address means which names none: the same in every session."""
    if all(key in known for key in USUAL):
        return USUAL
    return paired(benchmark, known, ("", ""))


def paired(
    benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], came: tuple[str, str]
) -> tuple[str, str]:  # fmt: skip
    """The keys of `pair` for whoever comes from a model and kind, of sides that have anything to compare."""

    def fit(one: str, other: str) -> bool:
        return fits(benchmark, known, one, other)

    return pair(list(known), known, data.ranked(benchmark), came, fit)


def fits(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], one: str, other: str) -> bool:
    """Whether two keys have anything to compare (see `partners.compares`): not the verdicts of systems that were asked
    in other numbers of orders, nor captions alone with images."""
    a, b = ((model, "gen" if kind == DEBIASED else kind) for model, kind in (known[one], known[other]))
    return one != other and (a == b or partners.compares(benchmark, a, b))


def beside(
    benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], key: str, among: Iterable[str] = (),
    but: Container[str] = (),
) -> str | None:  # fmt: skip
    """What can be set against a key: the first of some that compares with it, else of all models, the best first, of
    another one where there is such; None where nothing does. but: none of these."""
    best = [each for entry in data.ranked(benchmark) for each in known if known[each] == (entry.model, entry.kind)]
    rest = sorted(dict.fromkeys([*best, *known]), key=lambda each: known[each][0] == known[key][0])
    return next((each for each in (*among, *rest) if each not in but and fits(benchmark, known, key, each)), None)


def begin(
    benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], first: str, second: str
) -> None:  # fmt: skip
    """Put the sides of `opening` in place where nothing is chosen yet; not where a link names one side, which means
    the usual other one. A side that is chosen keeps its place: the other is one that compares with it."""
    state = st.session_state
    if address.asked("a") or address.asked("b"):
        return
    if state.get("a") not in known:
        state["a"] = first
    if state.get("b") not in known or state["b"] == state["a"]:
        a, usual_ = str(state["a"]), (second, first)
        other = beside(benchmark, known, a, usual_)
        state["b"] = other or next(key for key in usual_ if key != a)


def pair(
    keys: Sequence[str],
    known: Mapping[str, tuple[str, str]],
    ranked: Sequence[Entry],
    came: tuple[str, str],
    fit: Callable[[str, str], bool] = lambda one, other: one != other,
) -> tuple[str, str]:
    """A and B: B the model that one comes from, under its kind there, else the best; A the best of the others that has
    anything to compare with it. Where B has nobody, and nobody came from it, the next best has its place. fit: whether
    two keys compare.

    >>> known = {"itc a": ("a", "itc"), "itc b": ("b", "itc"), "itm b": ("b", "itm"), "itc c": ("c", "itc")}
    >>> ranked = [Entry(m, k, 0.0, frozenset()) for m, k in (("b", "itm"), ("c", "itc"), ("a", "itc"))]
    >>> pair(list(known), known, ranked, ("", "")), pair(list(known), known, ranked, ("a", "itc"))
    (('itc c', 'itm b'), ('itm b', 'itc a'))
    >>> pair(list(known), known, ranked, ("", ""), lambda one, other: {one, other} == {"itc a", "itc c"})
    ('itc a', 'itc c')
    """
    best = [key for entry in ranked for key in keys if known[key] == (entry.model, entry.kind)]
    own = [key for key in keys if known[key][0] == came[0]]
    left = [*(key for key in own if known[key] == came), *(key for key in best if key in own), *own][:1]
    ordered = list(dict.fromkeys([*best, *keys]))
    pairs = []
    for b in left or ordered:
        others = sorted((key for key in ordered if key != b), key=lambda key: known[key][0] == known[b][0])
        pairs.append((others[0], b))
        if a := next((key for key in others if fit(key, b)), None):
            return a, b
    return pairs[0]


def follow(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], keys: Sequence[str]) -> list[str]:
    """The sides, of these keys, as Compare begins: generation scores under the α that is taken along, where they can
    be, and as scored again where it has been given back. What is chosen afterwards, or by a link, stays."""
    state = st.session_state
    linked = any(address.asked(key) for key in alpha.KEYS)
    begins, before = alpha.seed(LEAST, alpha.MOST), state.get(_FOLLOWED, ())
    if begins:
        state.pop(_ASIDE, None)
        found = [_debiased(benchmark, known, key, keys) for key in keys]
        state[_FOLLOWED] = tuple({*before, *(new for key, new in zip(keys, found, strict=True) if new != key)})
        return found
    if alpha.taken() is None and before:
        state[_FOLLOWED] = ()
        plain = {key: f"gen {known[key][0]}" for key in before if key in known}
        return list(keys) if linked else [key if plain.get(key, key) in keys else plain.get(key, key) for key in keys]
    return list(keys)


def aside() -> None:
    """No side is judged under an α: none stands in the address, and the one that was chosen waits for a side."""
    state = st.session_state
    held = {key: state.get(key, plain) for key, plain in PLAIN.items()}
    if held != PLAIN:
        state[_ASIDE] = held
        state.update(PLAIN)


def back() -> None:
    """A side is judged under an α: the one that was set `aside` comes back, unless a link names another."""
    state = st.session_state
    held = state.pop(_ASIDE, None)
    if held is not None and not any(address.asked(key) for key in PLAIN):
        state.update(held)


def _debiased(
    benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]], key: str, among: Sequence[str]
) -> str:  # fmt: skip
    """The key of the same model's generation scores under the α; the same key where there is none, or it is chosen."""
    model, kind = known[key]
    new = f"{DEBIASED} {model}"
    can = kind == "gen" and new in known and new not in among and alpha.setting(benchmark, model, kind).alpha
    return new if can else key
