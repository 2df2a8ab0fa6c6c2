"""Which benchmarks can be scored, perturbed or given predictions for: shipped, kept, recognised, or scored before."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import streamlit as st

from backend import benchmarks
from backend.benchmarks.items_folder.folder import own_names
from backend.benchmarks.items_folder.kept import is_kept
from backend.live.uploads import predicted
from backend.store import queries
from pages.runs import places as runs_places
from pages.shared.data import stored
from pages.shared.data.frames import lines_of

#: Items that are read to find captions for a preview.
READ = 400


@dataclass(frozen=True)
class Subject:
    """A benchmark. name: on the command line; label: for people; data: its folder, "" where none is needed."""

    name: str
    label: str
    data: str = ""

    @property
    def words(self) -> list[str]:
        """The words that name it on the command line, after its verb's own option."""
        return [self.name, *(["--data", self.data] if self.data else [])]


def subjects() -> list[Subject]:
    """All of them: the bundled world, kept ones, those in the data folders, then those of earlier runs."""
    found = [Subject("world", "world (bundled)"), *(Subject(name, name) for name in own_names())]
    places = runs_places.found()
    several = [place.name for place in places]
    for place in places:
        alone = several.count(place.name) == 1 and place.name != "world"
        found.append(Subject(place.name, place.name if alone else f"{place.name} in {place.where}", str(place.folder)))
    known = {(each.name, each.data) for each in found}
    for line in lines_of(queries.benchmarks(stored.store())):
        name, data = str(line.name), str(line.data_dir or "")
        if data and (name, data) not in known and not is_kept(name) and benchmarks.known(name):
            found.append(Subject(name, f"{name}, as it was scored before", data))
            known.add((name, data))
    return found


def stubs(listed: list[Subject]) -> list[Subject]:
    """What can be given predictions though its files are gated and not here: those of fetched results, by their item
    numbers. listed: what is offered with its files."""
    there = {each.name for each in listed}
    names = (name for name in predicted.by_number() if name not in there)
    return [Subject(name, f"{name}, by item number") for name in names]


def protocols(subject: Subject) -> set[str]:
    """How the items of a benchmark are judged, as far as that is known: by what was read of it here, else by what it is
    declared to be; empty where nothing tells."""
    read = {str(of) for line in lines_of(queries.benchmarks(stored.store())) if str(line.name) == subject.name
            for of in line.protocols.values()}  # fmt: skip
    if read or not benchmarks.known(subject.name):
        return read
    return set(map(str, benchmarks.declaration(subject.name).protocols.values()))


def choose(key: str, label: str = "Benchmark", by_number: bool = False) -> Subject:
    """One of them; the choice is kept by name, so that a new benchmark changes nothing. by_number: also those of which
    the item numbers alone are here (`stubs`)."""
    listed = subjects()
    found = {each.label: each for each in [*listed, *(stubs(listed) if by_number else [])]}
    if st.session_state.get(key) not in found:
        st.session_state[key] = next(iter(found))
    chosen = st.selectbox(
        label, list(found), key=key, persist_state="session",
        help="The bundled world, own data and perturbed editions, what is recognised in the data folders, and what has "
        "been scored before." + (" By item number: the captions and images themselves are not here." * by_number),
    )  # fmt: skip
    return found[chosen or next(iter(found))]


@st.cache_data(show_spinner="Reading some captions …", max_entries=32, ttl=600)
def captions(name: str, data: str, most: int = 60) -> list[str]:
    """The first different captions of a benchmark. Raises FlipsideError where its files cannot be read."""
    items = benchmarks.load_benchmark(name, Path(data) if data else None)
    found = dict.fromkeys(text for item in islice(items, READ) for text in item.texts)
    return list(islice(found, most))
