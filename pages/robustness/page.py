"""Robustness: which verdicts hang on letters and words rather than on what they mean?"""

import streamlit as st

from backend.errors import FlipsideError
from pages.robustness import data, edits, finer, flips, sensitive, sets, style
from pages.shared.data import asked_orders, stored
from pages.shared.drawing import colours, explore
from pages.shared.drawing.numbers import count
from pages.shared.frame import absent, address, alpha, namesakes
from pages.shared.frame.header import chart_caption, empty, page_header, trouble
from pages.shared.frame.sidebar import say_partial

KEYS = (
    "tab", "benchmark", "judged", "part", "measure", "cell", "flip", "page", "set_a", "set_b", "texts", "part_a",
    "part_b", "edit", "seed", "caption",
)  # fmt: skip
#: Tab -> (its name in the address, what draws it). "brittle" is what addresses have always called the second.
TABS = {
    "Drops and flips": ("flips", flips.draw),
    "Sensitive and near misses": ("brittle", sensitive.draw),
    "Granularity": ("granularity", sets.draw),
    "Original against fine-grained": ("finer", finer.draw),
    "What the edits do": ("edits", edits.draw),
}


def choose_benchmark(known: dict[str, stored.StoredBenchmark]) -> stored.StoredBenchmark:
    """The benchmark in the sidebar. An edition that another page had chosen stands for its origin."""
    names = list(known)
    namesakes.follow(known)
    held, linked = str(st.session_state.get("benchmark", "")), address.asked("benchmark")
    if held not in known and held.partition("~")[0] in known:
        st.session_state["benchmark"] = held.partition("~")[0]
    if linked and linked[0] not in known and (origin := linked[0].partition("~")[0]) in known:
        if linked[0] not in {*stored.chosen(), *data.all_editions()["name"]}:
            address.unused(
                f"The link asks for the edition “{linked[0][:60]}”, which is not here: {origin} stands on this page, "
                "with the editions that are."
            )
        address.drop("benchmark")
        address.imply("benchmark", origin)
    absent.note(names)
    with st.sidebar:
        name = st.selectbox(
            "Benchmark", names, key=address.option("benchmark", names, names[0], moves=True),
            index=address.index("benchmark"), persist_state="session",
            format_func=lambda n: f"{n} · {count(sum(known[n].subsets.values()), 'item')}",
            help="Whose captions were edited. Benchmarks with perturbed editions stand first.",
        )  # fmt: skip
        of = known[name or names[0]]
        say_partial(of, set(data.pairs(of.hash)["model"]))
    absent.draw(name or names[0])
    namesakes.draw(name or names[0])
    return known[name or names[0]]


explore.apply()
style.apply()
page_header(
    "Robustness",
    "Which verdicts hang on the wording rather than on the meaning?",
    "Where an edit keeps the meaning, a verdict that flips is a fault; where it destroys it, one that stays.",
)
address.begin(KEYS)
alpha.unused("what edits flip is judged as scored")
try:
    families = data.families()
    if not families:
        empty(
            "Nothing has been computed yet",
            "Score a model on a benchmark, for example: python -m backend run --model bundled:clip --benchmark world "
            "--kinds itc. Then come back here to edit its captions.",
        )
        st.stop()
    benchmark = choose_benchmark(families)
    names = [name for name, _ in TABS.values()]
    titles = dict(zip(names, TABS, strict=True))
    st.session_state["robustness-tabs"] = titles[st.session_state[address.option("tab", names, names[0])]]
    if left := data.left_out(benchmark.hash):
        said = [asked_orders.edits_left_out(colours.label(each.model), each) for each in left]
        chart_caption(" ".join([*said, asked_orders.WHY_UNLIKE]))
    tabs = st.tabs(
        list(TABS), key="robustness-tabs",
        on_change=lambda: st.session_state.update(tab=TABS[st.session_state["robustness-tabs"]][0]),
    )  # fmt: skip
    for tab, (_, draw) in zip(tabs, TABS.values(), strict=True):
        with tab:
            if tab.open:
                draw(benchmark)
except FlipsideError as error:
    trouble(str(error))
address.end()
flips.open_chosen()
