"""The state of a page in its address, so that a link reopens it.

Streamlit's own binding writes the label of an option, counts and all; here the plain value is written. A page calls
`begin`, draws its widgets through `option`, `options`, `text` and `number`, and calls `end`. An unknown name or value
in an address is left out, and `end` says so: otherwise one reads one model's page for another's. What is known, and yet
cannot be followed here, a page says by `unused`.

A widget gets its value twice: as the state of its key, and as its own default (`index`, `value`). The state travels in
one message only, and a browser that loads the widget's code after the next run would show, and send back, the default.

A browser learns of a written address later than the session does. What is clicked in between arrives with the old
address, which must not be taken for a link, or the click is undone. So a session remembers which addresses it had.
"""

import re
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.frame.plain import plain

T = TypeVar("T")
_LINK, _DEFAULTS, _WRITTEN = "_address_link", "_address_defaults", "_address_written"
_CARRIED = "_address_carried"
_PLACES = "_address_places"
_PAGE, _VALUES, _HAD = "_address_page", "_address_values", "_address_had"
_ASIDE = "_address_aside"
_BOUNDS = "_address_bounds"
_MOVES = "_address_moves"  # keys whose default follows the data: no address that a page writes leaves them out
_UNKNOWN = "_address_unknown"
_UNUSED = "_address_unused"
_EMPTY = "_address_empty"  # whether the empty address has stood for the defaults of this page since it was come to
_UNSAID = "_address_unsaid"  # what this page would write into the empty address to which Back has led
_HERE, _LEFT = "_address_here", "_address_left"
#: The address of the last run; whether this run's is another page's; whether another page was there before this run.
_LAST, _OTHERS_PAGE, _HAS_COME = "_address_last", "_address_of_another_page", "_address_has_come"
#: What goes along from page to page; every other key belongs to the page that drew it.
SHARED = frozenset({"benchmark", "model", "kind"})
#: An address that was replaced less than so many seconds ago may still come from a browser that does not know it; a
#: browser says where it comes from Back or Forward.
LATE = 1.0
#: Letters of a text in an address, an item's id say, that are read; a browser's address has room for more.
LONGEST = 1000
#: Names in an address that are Streamlit's own, or the tour's.
OTHERS = frozenset({"embed", "embed_options", "tour"})
#: What mail programs and networks hang on to a link.
_ADDED = re.compile(r"utm_|\w*clid$|ref$")


def go(page: str, wanted: Mapping[str, str | list[str]]) -> None:
    """Switch to another page (a file, as `st.switch_page` takes it) with an address; Back finds this one as it is now.

    Streamlit first writes the other page's address behind this page's path, and a browser keeps that as a step of its
    own. It is what Back leads to, so it is remembered what stood there (see `arrive`).
    """
    state = st.session_state
    here = str(state.get(_HERE, ""))
    if here != PurePath(page).parent.name.replace("_", "-"):  # on one page there is no such step
        state[_LEFT] = {**state.get(_LEFT, {}), here: (_listed(wanted), _now())}
    st.switch_page(page, query_params=dict(wanted))


def arrive(page: str) -> None:
    """Before a page runs: where Back led to what `go` left behind, the page's own address is put in its place.
    page: its name in the browser's path, the first page's too."""
    state = st.session_state
    came_from, state[_HERE] = state.get(_HERE), page
    has_come = came_from != page
    if has_come:
        state.pop(_UNSAID, None)
    wanted, own = state.get(_LEFT, {}).get(page, (None, {}))
    if has_come and wanted and wanted == _now():
        st.query_params.from_dict(own)
    # A browser that takes two steps back at once says the second page with the first one's address, and at once after
    # that its own; and what a page writes as it opens is kept behind the path of the page before it.
    now, last = _now(), state.get(_LAST)
    state[_OTHERS_PAGE] = has_come and came_from is not None and is_step() and bool(now) and now == last
    state[_HAS_COME], state[_LAST] = has_come, now


def is_anothers() -> bool:
    """Whether the address of this run says what another page said, and so nothing here."""
    return bool(st.session_state.get(_OTHERS_PAGE, False))


def has_come() -> bool:
    """Whether another page was there before this run."""
    return bool(st.session_state.get(_HAS_COME, False))


def begin(keys: Sequence[str]) -> None:
    """Take over a link: where the address is not the one that was written last, its values replace all others.

    An empty address says nothing: what was chosen in this session stays, also on coming back from another page. Only
    where it stood for this page's defaults a while ago, and Back leads to it, it stands for them again.
    """
    state, now = st.session_state, _now()
    if state.get(_PAGE) != tuple(keys):
        _change_page(tuple(keys))
        state[_PAGE], state[_WRITTEN], state[_VALUES], state[_HAD] = tuple(keys), None, None, []
        state[_EMPTY] = False
    state[_DEFAULTS], state[_MOVES] = {}, set()
    says = (bool(now) and not is_anothers()) or (not now and state.get(_EMPTY, False) and is_step())
    if says and now != state.get(_WRITTEN) and not _is_late(now):
        for key in keys:
            state.pop(key, None)
        state[_LINK], state[_VALUES] = dict(now), None
        known = {*keys, *SHARED, *OTHERS, *state.get(_CARRIED, {})}
        state[_UNKNOWN] = [(key, "") for key in now if key not in known and not _ADDED.match(key)]
        _had(now)


def _change_page(keys: tuple[str, ...]) -> None:
    """Put the last page's values aside and this page's back: α, a subset or a metric means something else on each."""
    state = st.session_state
    asides = state.setdefault(_ASIDE, {})
    if before := state.get(_PAGE):
        asides[before] = {key: state[key] for key in before if key in state and key not in SHARED}
        for key in asides[before]:
            state.pop(key, None)
    for key, kept in asides.get(keys, {}).items():
        state[key] = kept


def is_step() -> bool:
    """Whether Back or Forward led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def stays_empty(wanted: Mapping[str, list[str]]) -> bool:
    """Whether the address is an empty one to which Back has led, and nothing has changed since: written again, it would
    be one more step, and Back would never leave this page. Runs that follow by themselves change nothing."""
    if _now():
        return False
    if is_step():
        st.session_state[_UNSAID] = dict(wanted)
    return bool(st.session_state.get(_UNSAID) == wanted)


def _is_late(now: dict[str, list[str]]) -> bool:
    """Whether an address is an earlier one that comes with a click, and no link or step back to it."""
    if is_step():
        return False
    state = st.session_state
    replaced = next((when for address, when in reversed(state[_HAD]) if address == now), None)
    if replaced is None:
        return False
    values = state.get(_VALUES)
    if values is None:  # the run that took it over did not reach its end
        return True
    changed = any(state.get(key) != value for key, value in values.items())
    return changed or time.monotonic() - replaced < LATE


def _had(address: dict[str, list[str]]) -> None:
    st.session_state[_HAD] = [*st.session_state[_HAD], (address, time.monotonic())][-20:]


def option(key: str, options: Sequence[T], default: T, moves: bool = False) -> str:
    """Before a widget with one of some options: puts its value in place. Returns the key. moves: whether another day's
    data may have another default, so that a link has to name this one (see `end`)."""

    def parse(said: list[str]) -> T:
        found = next((o for o in options if str(o) == said[0]), None)
        if found is None and said[0] != str(default):
            _unknown(key, said[0])
        return default if found is None else found

    if moves:
        st.session_state[_MOVES].add(key)
    return _place(key, options, default, parse)


def options(key: str, options: Sequence[T], spelt: Callable[[str], str] = str) -> str:
    """Before a widget with several of some options. spelt: how a link's word is spelt here."""
    found = _pending(key)
    if found is not None:
        words = {spelt(word): word for word in found}
        st.session_state[key] = [o for o in options if str(o) in words]
        for word in words.keys() - set(map(str, options)):
            _unknown(key, words[word])
    held = st.session_state.get(key)
    kept = [value for value in held if value in options] if isinstance(held, list | tuple) else []
    if kept != st.session_state.get(key):
        st.session_state[key] = kept
    _declare(key, [])
    return key


def text(key: str, default: str = "") -> str:
    """Before a text field."""
    found = _pending(key)
    if found is not None:
        st.session_state[key] = found[0][:LONGEST]
    if not isinstance(st.session_state.get(key), str):  # none yet, or another page's value of this name
        st.session_state[key] = default
    _declare(key, default)
    return key


def number(key: str, low: float, high: float, default: Any, of: Hashable = None) -> str:
    """Before a slider or a number field: a number, or a pair of them, inside bounds.

    Of a pair, the bounds are no choice: an end that stands at its bound follows it when the bounds change. of: what a
    choice is made for, a unit say; where that changes, the choice falls.
    """
    found = _pending(key)
    if found is not None:
        try:
            told = [float(said) for said in found]
            read = [min(max(value, low), high) for value in told]
        except ValueError:
            told = read = []
        if not isinstance(default, tuple):
            _out_of_bounds(key, found[0], told, low, high)
        if isinstance(default, tuple) and len(read) == 2 and read[0] <= read[1]:
            st.session_state[key] = (read[0], read[1])
        elif not isinstance(default, tuple) and len(read) == 1 and read[0] == read[0]:
            st.session_state[key] = type(default)(read[0])
    now = st.session_state.get(key, default)
    parts = now if isinstance(now, tuple) else (now,)
    same = isinstance(now, tuple) == isinstance(default, tuple) and all(isinstance(v, int | float) for v in parts)
    if same and isinstance(default, tuple):
        now = _followed(key, (low, high), now, of, is_new=found is not None)
        parts = now or parts
    st.session_state[key] = now if same and now is not None and all(low <= v <= high for v in parts) else default
    _declare(key, default)
    return key


def _followed(
    key: str, bounds: tuple[float, float], held: tuple[float, float], of: Hashable, *, is_new: bool
) -> tuple[float, float] | None:
    """A chosen range within bounds that may have changed since it was chosen; None where nothing is left of it.

    A slider gives its ends back but for the rounding of its steps, so that near a bound is at it."""
    kept = st.session_state.setdefault(_BOUNDS, {})
    place = (st.session_state[_PAGE], key)
    before, made_for = kept.get(place, (bounds, of))
    kept[place] = (bounds, of)
    if is_new:
        before, made_for = bounds, of
    if made_for != of:
        return None
    near = 1e-6 * (before[1] - before[0])
    low = bounds[0] if abs(held[0] - before[0]) <= near else max(held[0], bounds[0])
    high = bounds[1] if abs(held[1] - before[1]) <= near else min(held[1], bounds[1])
    return (low, high) if low <= high else None


def anew(key: str) -> str:
    """Before a widget whose options are worded anew as the page changes, by counts as a rule. Returns the key.

    A browser sends an option by the words it knows it by. Unless it is told the value anew, it keeps the words of a
    former run, which the run after the next one does not know, and the value is lost.
    """
    st.session_state[key] = st.session_state[key]
    return key


def index(key: str) -> int:
    """Where the value of a key stands among its options (see `option`): the `index` of a selectbox."""
    places: dict[str, int] = st.session_state.get(_PLACES, {})
    return places.get(key, 0)


def value(key: str) -> Any:
    """The value of a key: the `default` or `value` of its widget."""
    found = st.session_state[key]
    return list(found) if isinstance(found, list) else found


def _out_of_bounds(key: str, said: str, told: list[float], low: float, high: float) -> None:
    """Say what of a link's number is not followed."""
    if len(told) != 1 or told[0] != told[0]:
        _unknown(key, said)
    elif not low <= told[0] <= high:
        unused(
            f"The link asks for {key} = {said[:20]}, which goes from {low:g} to {high:g} here: it stands at "
            f"{min(max(told[0], low), high):g}."
        )


def asked(key: str) -> list[str]:
    """What a link that is being taken over says of a key; [] where it says nothing."""
    return list(st.session_state.get(_LINK, {}).get(key, []))


def drop(key: str) -> None:
    """What a link that is being taken over says of a key counts as read: the page says why it is not followed."""
    st.session_state.get(_LINK, {}).pop(key, None)


def page() -> tuple[str, ...]:
    """The keys of the page that began last, which tell it from all others; () before any."""
    found: tuple[str, ...] = st.session_state.get(_PAGE) or ()
    return found


def shown() -> dict[str, Any]:
    """What each key of the page has stood for since its last run that came to its end, its defaults among them."""
    return dict(st.session_state.get(_VALUES) or {})


def here() -> str:
    """Which page this is, by its name in the browser's path; "" outside a browser."""
    return str(st.session_state.get(_HERE, ""))


def imply(key: str, *said: str) -> None:
    """What a link means for a key that it does not name, or no longer (`drop`)."""
    st.session_state[_LINK].setdefault(key, list(said))


def count(key: str) -> int:
    """A count from 1 that a link names; 1 where it names none."""
    found = _pending(key)
    return max(1, int(found[0])) if found and found[0].isdecimal() and len(found[0]) < 7 else 1


def end() -> None:
    """Write what differs from the defaults, and with it those defaults that move with the data; called last.

    A link that says the same, and names defaults too, stays as it is: every other address is one more step back. So
    does an empty one to which Back has led.
    """
    st.session_state.pop(_LINK, None)
    for sentence in st.session_state.pop(_UNUSED, []):
        st.toast(plain(sentence), icon=":material/link_off:", duration="infinite")
    if unknown := st.session_state.pop(_UNKNOWN, []):
        asked = [f"{key} “{said[:60]}”" if said else f"“{key[:60]}”" for key, said in unknown[:4]]
        one = (
            "that is no choice on this page and was"
            if len(unknown) == 1
            else "these are no choices on this page and were"
        )
        said = f"The link asks for {', '.join(asked)}: {one} left out.{_instead([key for key, of in unknown if of])}"
        st.toast(plain(said), icon=":material/link_off:", duration="infinite")
    defaults = st.session_state[_DEFAULTS]
    wanted = {}
    for key, default in defaults.items():
        value = st.session_state.get(key, default)
        if value is not None and value != default:
            wanted[key] = _texts(value)
    wanted |= st.session_state.get(_CARRIED, {})
    now = _now()
    told = {key: said for key, said in now.items() if key not in defaults or said != _texts(defaults[key])}
    if is_anothers() or (wanted != told and stays_empty(wanted)):
        pass
    elif wanted != told:
        _had(now)
        # Written along and no reason to write: a page that opens without them would have one more step before it.
        moving = {key: defaults[key] for key in sorted(st.session_state.get(_MOVES, ())) if key in defaults}
        wanted = {key: _texts(default) for key, default in moving.items() if default is not None} | wanted
        st.query_params.from_dict(wanted)
        now = wanted
    elif not now:
        st.session_state[_EMPTY] = True
    st.session_state[_WRITTEN] = now
    st.session_state[_VALUES] = {key: st.session_state.get(key) for key in defaults}


def _instead(keys: Sequence[str]) -> str:
    """What stands where a link's values were left out, a sentence with a blank before it; "" where nothing does. keys:
    of the page."""
    state, found = st.session_state, []
    for key in dict.fromkeys(keys):
        value = state.get(key)
        words = [word for word in _texts(value) if word] if value is not None else []
        if words:
            shown = ", ".join(f"“{word[:60]}”" for word in words[:4])
            found.append(f"{key} {shown}{' …' if len(words) > 4 else ''}")
    return f" This page shows {', '.join(found[:4])}." if found else ""


def stop() -> NoReturn:
    """`end`, and nothing more is drawn: of a page that has nothing to show of what is chosen."""
    end()
    st.stop()


def _listed(said: Mapping[str, str | list[str]]) -> dict[str, list[str]]:
    return {key: _texts(value) for key, value in said.items()}


def _texts(value: Any) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list | tuple) else [str(value)]


def note(key: str, value: Any, default: Any) -> None:
    """A value that no widget of Streamlit's own holds."""
    st.session_state[key] = value
    _declare(key, default)


def replaced(key: str, value: str) -> None:
    """A value that changes while only a fragment runs, without a step of its own for Back: the browser puts it into the
    address by itself (pages/item/place.js), and the run after next takes that for no link."""
    state = st.session_state
    _had(dict(state.get(_WRITTEN) or _now()))
    state[key] = value
    state[_WRITTEN] = {**(state.get(_WRITTEN) or _now()), key: [value]}
    state[_VALUES] = {**(state.get(_VALUES) or {}), key: value}


def carry(more: dict[str, list[str]]) -> None:
    """What stays in the address beside the page's own state, on this page and run: the step of a guided visit."""
    st.session_state[_CARRIED] = more


def current() -> dict[str, list[str]]:
    """What the address says now, to be kept under a name."""
    return _now()


def named(*keys: str) -> dict[str, list[str]]:
    """What some of the page's keys say now, the defaults too, which the address itself leaves out: for a link that has
    to name what is spoken of wherever it is opened. Keys that say nothing, or that the page has not placed this time,
    are left out; ValueError for one that it never places.
    """
    if odd := set(keys) - set(st.session_state[_PAGE]):
        raise ValueError(f"address: {sorted(odd)[0]!r} is not among the keys that this page begins with")
    defaults = st.session_state[_DEFAULTS]
    values = {key: st.session_state.get(key, defaults[key]) for key in keys if key in defaults}
    return {key: texts for key, value in values.items() if value not in (None, "") and (texts := _texts(value))}


def chosen_among(keys: Sequence[str]) -> int:
    """How many of some keys differ from their defaults on this run, of those whose widgets have been drawn."""
    return len(changed_among(keys))


def changed_among(keys: Sequence[str]) -> list[str]:
    """Which of some keys differ from their defaults on this run, of those whose widgets have been drawn."""
    defaults = st.session_state.get(_DEFAULTS, {})
    return [key for key in keys if key in defaults and st.session_state.get(key, defaults[key]) != defaults[key]]


def link(state: dict[str, list[str]]) -> None:
    """Go to a kept address of this page; in a callback, before the page runs again."""
    st.query_params.from_dict(state)
    st.session_state[_WRITTEN], st.session_state[_HAD] = None, []


def _now() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def _declare(key: str, default: Any) -> None:
    """Note what a key's value is where the address does not say. ValueError for a key that `begin` was not given: a
    link would leave its old value."""
    if key not in st.session_state[_PAGE]:
        raise ValueError(f"address: {key!r} is not among the keys that this page begins with")
    st.session_state[_DEFAULTS][key] = default


def _unknown(key: str, said: str) -> None:
    st.session_state.setdefault(_UNKNOWN, []).append((key, said))


def unused(sentence: str) -> None:
    """A part of the link that is known, and yet not followed on this page: `end` says why. sentence: in full, once."""
    told: list[str] = st.session_state.setdefault(_UNUSED, [])
    if sentence not in told:
        told.append(sentence)


def _pending(key: str) -> list[str] | None:
    found: list[str] | None = st.session_state.get(_LINK, {}).pop(key, None)
    return found or None


def _place(key: str, options: Sequence[T], default: T, parse: Any) -> str:
    found = _pending(key)
    if found is not None:
        st.session_state[key] = parse(found)
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    _declare(key, default)
    listed = list(options)
    here = st.session_state[key]
    st.session_state.setdefault(_PLACES, {})[key] = listed.index(here) if here in listed else 0
    return key
