"""What is on the Try-it page: images, captions and how they are judged, in the session and in the address.

All of it is kept under names that belong to no widget. A widget here gets its value as its *default*, under a key that
changes when the page itself changes the value: a value that is set through a widget's own key travels in one message
only, and a browser that loads the widget's code after the next run shows, and sends back, an empty one instead.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st
from PIL import Image

from backend.errors import FlipsideError
from backend.images import WORLD_SCHEME, open_image
from backend.live.scoring.examples import BY_NAME, EXAMPLES, Example
from backend.live.uploads import uploads
from pages.shared.frame.address import has_come, is_anothers, is_step, stays_empty
from pages.shared.frame.header import trouble
from pages.try_it.bench import hand

MAX_IMAGES: Final = 8
#: An image that this session holds, and nobody else: `local:<hash of its pixels>`.
LOCAL: Final = "local:"
#: What stands in the address for such an image: that there was one. Whoever opens the link is asked for it.
OWN: Final = "own"
#: What the page opens with, which its address does not say.
OPENS_WITH: Final = {"example": [EXAMPLES[0].name]}


@dataclass(frozen=True)
class Picture:
    """One image on the page. address: a `world:` code, an `upload:` hash, or "" for an upload that is not shared;
    entry: what the session knows it by."""

    image: Image.Image
    key: str
    address: str
    name: str
    entry: str = ""


def begin() -> None:
    """Fill a new session from the address, or with the first example; later, take over a link that was followed.

    A browser may send an address that this page has replaced meanwhile: those written lately are no links, unless Back
    or Forward has led there.
    """
    state, address = st.session_state, st.query_params
    now = {} if is_anothers() else {name: address.get_all(name) for name in address}
    if "try_text" in state:
        if has_come() and not is_step():
            state.try_empty = False
        known = state.try_written[:1] if is_step() else state.try_written
        if now in known or (not now and not _opens_anew()):
            return
    example = BY_NAME.get(address.get("example", ""), EXAMPLES[0])
    linked, texts = address.get_all("i"), address.get_all("t")
    images = linked[:MAX_IMAGES]
    if not images and not texts:  # an example's pictures are never set under other captions, nor the other way round
        images, texts = list(example.images), list(example.texts)
    state.try_decoded = state.get("try_decoded", {})
    state.try_written = [now]
    state.try_link = state.get("try_link", 0) + 1
    state.try_mode = address.get("mode", "")
    state.try_version = state.get("try_version", 0)
    _replace(images, "\n".join(texts), address.get("as", example.layout))
    state.try_left_out = max(0, len(linked) - MAX_IMAGES)
    if (asked := address.get("example", "")) and asked not in BY_NAME and not linked and not address.get_all("t"):
        state.try_problems = [
            f"The link asks for the example “{asked[:60]}”, which is not known here: {example.name} is shown."
        ]
    hand.link(address.get_all("now"), address.get_all("cover"))


def _opens_anew() -> bool:
    """Whether an empty address is one to which Back has led, and stood for what the page opens with, which is no longer
    there."""
    state = st.session_state
    return is_step() and state.get("try_empty", False) and state.try_written[:1] != [OPENS_WITH]


def choose(example: Example) -> None:
    """Put an example on the page (a button's callback)."""
    _replace(list(example.images), "\n".join(example.texts), example.layout)


def clear() -> None:
    """An empty page for the user's own images and captions (a button's callback)."""
    _replace([], "", st.session_state.try_as)


def _replace(images: list[str], text: str, layout: str) -> None:
    state = st.session_state
    state.try_images, state.try_text, state.try_as, state.try_problems = images, text, layout, []
    state.try_left_out = 0  # images of a link beyond those that this page takes
    state.try_version += 1
    hand.forget()


def lines() -> list[str]:
    """The captions as typed, those lines that hold anything."""
    return [line for line in st.session_state.try_text.splitlines() if line.strip()]


def retype(lines: Sequence[str], layout: str = "") -> None:
    """Put other captions on the page. layout: how they are judged from now on, "" as before."""
    state = st.session_state
    state.try_text = "\n".join(lines)
    state.try_as = layout or state.try_as
    state.try_version += 1


def add(files: Sequence[tuple[bytes, str]]) -> None:
    """Put uploaded or pasted files on the page: in place of an example's images, else after those that are there."""
    state = st.session_state
    state.try_problems = []
    example = _example()
    kept = [] if example else [each for each in state.try_images if each != OWN]
    for n, (data, name) in enumerate(files):
        if len(kept) == MAX_IMAGES:
            state.try_problems.append(
                f"This page takes {MAX_IMAGES} images, so {_were(len(files) - n)} left out; remove others first, "
                "or drop them under “Rank images”."
            )
            break
        try:
            upload = uploads.decode(data, name)
        except FlipsideError as error:
            state.try_problems.append(str(error))
            continue
        entry = LOCAL + upload.key
        if entry in kept or uploads.SCHEME + upload.key in kept:
            state.try_problems.append(f"“{uploads.shorten(name)}” is on the page already.")
            continue
        state.try_decoded[entry] = upload
        kept.append(entry)
    if kept and kept != state.try_images:
        state.try_images, state.try_left_out = kept, 0
        state.try_again = True  # the whole page at once, not first its bench
        hand.forget()
        if example and tuple(lines()) == example.texts:  # its captions say nothing of another picture
            retype([])
    _forget()


def remove(entry: str) -> None:
    """Take one image off the page (a button's callback)."""
    state = st.session_state
    state.try_images = [each for each in state.try_images if each != entry]
    state.try_problems, state.try_left_out = [], 0
    _forget()


def _forget() -> None:
    """Only what is on the page stays in memory."""
    state = st.session_state
    on_page = {_local(entry) for entry in state.try_images}
    state.try_decoded = {entry: upload for entry, upload in state.try_decoded.items() if entry in on_page}


def _local(entry: str) -> str:
    return entry.replace(uploads.SCHEME, LOCAL, 1) if entry.startswith(uploads.SCHEME) else entry


def _example() -> Example | None:
    """The example whose pictures are on the page."""
    return next((each for each in EXAMPLES if tuple(st.session_state.try_images) == each.images), None)


def pictures(say: Callable[[str], None] = trouble) -> list[Picture]:
    """The images on the page. say: names one that cannot be shown, in one sentence."""
    return [found for entry in st.session_state.try_images if (found := _picture(entry, say))]


def notes() -> list[str]:
    """What was changed in the uploads that are on the page."""
    kept = [st.session_state.try_decoded.get(entry) for entry in st.session_state.try_images]
    return [f"{uploads.shorten(each.name)}: {', '.join(each.notes)}." for each in kept if each and each.notes]


def _were(n: int) -> str:
    """
    >>> _were(1), _were(3)
    ('one of them was', '3 of them were')
    """
    return "one of them was" if n == 1 else f"{n} of them were"


def _picture(entry: str, say: Callable[[str], None]) -> Picture | None:
    if entry == OWN:
        say(
            "A picture that was dropped here is not part of the address, so a reload or a link is without it: drop it "
            "again. “Share these images” (under “Judge, save, share”) makes a picture part of it."
        )
        return None
    if not entry.startswith((WORLD_SCHEME, uploads.SCHEME, LOCAL)):
        say("The address names a picture that is not part of the bundled world; upload it instead.")
        return None
    mine = st.session_state.try_decoded.get(_local(entry))
    try:
        if entry.startswith(LOCAL):
            return Picture(mine.image, mine.key, "", uploads.shorten(mine.name), entry) if mine else None
        if entry.startswith(uploads.SCHEME):
            upload = mine or uploads.load(entry)
            return Picture(upload.image, upload.key, entry, uploads.shorten(upload.name), entry)
        return Picture(open_image(entry), entry, entry, "scene of the bundled world", entry)
    except FlipsideError as error:
        say(str(error))
        return None


def share(shown: Sequence[Picture]) -> None:
    """Keep the uploads under their content hash, so that the address reopens them (a button's callback)."""
    saved = {
        picture.entry: uploads.save(uploads.Upload(picture.name, picture.image, picture.key))
        for picture in shown
        if not picture.address
    }
    st.session_state.try_images = [saved.get(entry, entry) for entry in st.session_state.try_images]


def unshare(shown: Sequence[Picture]) -> None:
    """Delete the kept copies of what is on the page; those that this session uploaded stay on it."""
    state = st.session_state
    for picture in shown:
        if picture.address.startswith(uploads.SCHEME):
            uploads.delete(picture.address)
    state.try_images = [_local(entry) if _local(entry) in state.try_decoded else entry for entry in state.try_images]


def write_address(shown: Sequence[Picture], texts: Sequence[str], layout: str) -> None:
    """Put the page's state into its address; an unchanged example is written by its name. What is edited or covered
    stands beside it."""
    images = tuple(picture.address or OWN for picture in shown) or (OWN,) * st.session_state.try_images.count(OWN)
    edits = hand.as_address(texts)
    for example in EXAMPLES:
        if (images, tuple(texts), layout) == (example.images, example.texts, example.layout):
            put({"example": example.name, **edits})
            return
    put({"i": list(images), "t": list(texts), "as": layout, **edits})


def put(wanted: dict[str, str | list[str]]) -> None:
    """Write the address; what is empty is left out."""
    filled = {name: [value] if isinstance(value, str) else value for name, value in wanted.items() if value}
    state = st.session_state
    state.try_written = [filled, *(each for each in state.try_written if each != filled)][:20]
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    if not now and filled == OPENS_WITH:  # said, it would be a step of its own, which Back takes for nothing
        state.try_empty = True
    elif filled != now and not is_anothers() and not stays_empty(filled):
        st.query_params.from_dict(filled)
