"""Which two models Compare opens on: the one that a reader comes from, or the best, against the next best; and under
which α, where one is taken along (`pages.shared.frame.alpha`)."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.compare import data
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
    return pair(list(known), known, data.ranked(benchmark), came)


def usual(benchmark: StoredBenchmark, known: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """The keys of A and B that an address means which names none: the same in every session."""
    if all(key in known for key in USUAL):
        return USUAL
    return pair(list(known), known, data.ranked(benchmark), ("", ""))


def begin(keys: Sequence[str], first: str, second: str) -> None:
    """Put the sides of `opening` in place where nothing is chosen yet; not where a link names one side, which means
    the usual other one."""
    state = st.session_state
    if address.asked("a") or address.asked("b"):
        return
    if state.get("a") not in keys:
        state["a"] = first
    if state.get("b") not in keys or state["b"] == state["a"]:
        state["b"] = second if second != state["a"] else first


def pair(
    keys: Sequence[str], known: Mapping[str, tuple[str, str]], ranked: Sequence[Entry], came: tuple[str, str]
) -> tuple[str, str]:
    """A and B: B the model that one comes from, under its kind there, else the best; A the best of the others.

    >>> known = {"itc a": ("a", "itc"), "itc b": ("b", "itc"), "itm b": ("b", "itm"), "itc c": ("c", "itc")}
    >>> ranked = [Entry(m, k, 0.0, frozenset()) for m, k in (("b", "itm"), ("c", "itc"), ("a", "itc"))]
    >>> pair(list(known), known, ranked, ("", "")), pair(list(known), known, ranked, ("a", "itc"))
    (('itc c', 'itm b'), ('itm b', 'itc a'))
    """
    best = [key for entry in ranked for key in keys if known[key] == (entry.model, entry.kind)]
    own = [key for key in keys if known[key][0] == came[0]]
    b = next((key for key in own if known[key] == came), next((key for key in best if key in own), None))
    b = b or next(iter([*own, *best, *keys]))
    others = [key for key in (*best, *keys) if key != b]
    return next((key for key in others if known[key][0] != known[b][0]), others[0]), b


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
