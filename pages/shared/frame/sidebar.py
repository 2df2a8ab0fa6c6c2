"""What several sidebars share: benchmark, model, score kind."""

from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from backend.benchmarks.items_folder.kept import EDITED
from backend.errors import FlipsideError
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame import absent, address, namesakes
from pages.shared.frame.header import empty, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name, kinds_help

#: Models with runs that are not whole, of which a page says so one by one.
PARTIAL = 4
#: Letters of a benchmark and of what is said of it that stand side by side without being cut.
ROOM = 29


def choose_benchmark(
    together: bool = False, items: bool = False, every_model: bool = True
) -> stored.StoredBenchmark | None:  # fmt: skip
    """The benchmark in the sidebar; None, after saying what to do, where nothing has been computed. together: whether
    all of them may be chosen at once; items: whether one may be chosen that has items alone, and then no models;
    every_model: whether the page shows rates of all models, of which it is then said here which are of a part: one
    that shows some says so of these (`say_partial`), once it knows them."""
    try:
        known = stored.chosen()
        bare = stored.unscored() if items else {}
    except FlipsideError as error:
        trouble(str(error))
        return None
    if not known and not bare:
        empty(
            "Nothing has been computed yet",
            "Score a model on a benchmark, for example: python -m backend run --model bundled:clip --benchmark world "
            "--kinds itc,t2t. The results appear here by themselves.",
        )
        return None
    originals = {name: found for name, found in known.items() if EDITED not in name}
    if together and len(originals) > 1:
        known = known | {stored.EVERYTHING: stored.everything(originals)}
    known |= bare
    names = with_editions(known)
    namesakes.follow(known)
    absent.note(names)
    with st.sidebar:
        name = st.selectbox(
            "Benchmark", names,
            key=address.option("benchmark", names, "world" if "world" in names else names[0], moves=True),
            index=address.index("benchmark"),
            format_func=lambda n: in_list(
                "all benchmarks" if known[n].parts else as_edition(n), sum(known[n].subsets.values()),
                has_run=bool(known[n].runs),
            ),
            persist_state="session",
        )  # fmt: skip
        found = known[name or names[0]]
        _say_imported(found)
        if every_model:
            say_partial(found)
        _say_trained(found)
    absent.draw(found.name)
    namesakes.draw(found.name)
    return found


def say_partial(found: stored.StoredBenchmark, shown: Collection[str] | None = None) -> None:
    """Name the models whose runs leave out items of the benchmark. shown: of which the page shows rates, None: all."""
    with st.sidebar:
        for said in partial(found, shown):
            st.caption(plain(said))


def partial(found: stored.StoredBenchmark, shown: Collection[str] | None = None) -> list[str]:
    """A sentence for each model that is shown by a run which leaves out items of the benchmark, of the first ones by
    name: its rates are of what that run has scored, and are no rates of the benchmark. A run that is not complete may
    have none of what it is of, so nothing is said of its rates but that. shown: as in `say_partial`."""
    names = colours.labels(found.models)
    words = {
        model: f"the {said}" if said.startswith("first ") else said
        for model, said in found.partial.items()
        if shown is None or model in shown
    }
    lines = [
        f"{names[model]} is shown by a run of {said} that is not complete: what rates it has are of what it has judged "
        "so far, and Runs says how it goes on."
        if model in found.unfinished
        else f"{names[model]} is shown by a run of {said} only: its rates are of these."
        for model, said in words.items()
    ]
    return [*lines[:PARTIAL], *([f"… and {len(lines) - PARTIAL} more models."] if len(lines) > PARTIAL else [])]


def _say_imported(benchmark: stored.StoredBenchmark) -> None:
    """Which of a benchmark's models are shown by scores that were made elsewhere."""
    if benchmark.imported:
        names = colours.labels(list(benchmark.runs))
        said = "; ".join(f"{names[model]} ({benchmark.imported[model]})" for model in colours.order(benchmark.imported))
        st.caption(plain(hide(f"Imported, not computed here: {said}")))


def _say_trained(found: stored.StoredBenchmark) -> None:
    """Which of a benchmark's models were taught on its items."""
    if found.trained:
        names = colours.labels(found.models)
        said = "; ".join(f"{names[model]} ({found.trained[model]})" for model in colours.order(found.trained))
        st.caption(plain(hide(f"Trained on these items: {said}. Their results here say nothing of other items.")))


def with_editions(names: Iterable[str]) -> list[str]:
    """Names of benchmarks in their order, each with its perturbed editions right below it.

    >>> with_editions(["a~tense", "b", "a"])
    ['b', 'a', 'a~tense']
    """
    listed = list(names)
    first = [name for name in listed if EDITED not in name or name.partition(EDITED)[0] not in listed]
    below = {name: [n for n in listed if n not in first and n.partition(EDITED)[0] == name] for name in first}
    return [each for name in first for each in (name, *below[name])]


def in_list(name: str, n: int, *, has_run: bool = True) -> str:
    """A benchmark in the list, with what there is room for: how many items it has, unless it is an edition of the one
    above it, and that no run of it is here.

    >>> in_list("world", 4830), in_list("mine", 1, has_run=False), in_list("↳ world~character swap, seed 3", 200)
    ('world · 4,830 items', 'mine · 1 item, no run', '↳ world~character swap, seed 3')
    """
    more = f"{count(n, 'item')}{'' if has_run else ', no run'}"
    has_room = len(name) + len(more) <= ROOM and not name.startswith("↳")
    return f"{name} · {more}" if has_room or not has_run else name


def as_edition(name: str) -> str:
    """A benchmark's name in a list where its editions stand below it.

    >>> as_edition("world"), as_edition("world~character_swap@3")
    ('world', '↳ world~character swap, seed 3')
    """
    if EDITED not in name:
        return name
    edit, _, seed = name.partition("@")
    return f"↳ {edit.replace('_', ' ')}" + (f", seed {seed}" if seed.isdecimal() else f" @{seed}" if seed else "")


def choose_model(models: Sequence[str], label: str = "Model", key: str = "model", default: str = "") -> str:
    """One model, in the order of every list."""
    listed = colours.order(models)
    names = colours.labels(listed)
    first = default if default in listed else listed[0]
    found = st.selectbox(
        label,
        listed,
        key=address.option(key, listed, first, moves=key == "model"),
        index=address.index(key),
        format_func=names.__getitem__,
        persist_state="session",
    )
    return found or first


def choose_kind(kinds: Sequence[str], key: str = "kind", label: str = "Score kind") -> str:
    """One score kind of those that a model has."""
    found = st.selectbox(
        label, kinds, key=address.option(key, kinds, kinds[0]), index=address.index(key), persist_state="session",
        format_func=lambda k: f"{kind_name(k)} ({k})", help=kinds_help(kinds),
    )  # fmt: skip
    return found or kinds[0]
