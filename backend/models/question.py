"""The question behind `vqa`, as a parameter of a spec: `hf:NAME#question=TEMPLATE`.

A template holds `{text}` once, where the caption goes. It is written as it stands, or by a name from TEMPLATES; `%20`
and the like stand for their letters as in web addresses (a space in a list that spaces separate; `%25` for a percent
sign before two hexadecimal digits). No torch in here.
"""

import re
from urllib.parse import unquote

from backend.errors import UsageError
from backend.kinds import Kind

#: name -> template, each from the paper named.
TEMPLATES = {
    "default": Kind.VQA.info.template,
    "vqascore": 'Does this figure show "{text}"? Please answer yes or no.',  # Lin et al. 2024, section 3
}
PLACE = "{text}"
MARK = "#question="
LONGEST = 1000


def question_of(spec: str, written: str) -> str:
    """The template that stands behind `#question=`, or "" for the default one, whose runs keep their ids.

    UsageError for an unknown name, and for a template without a place for the caption, or with several.

    >>> question_of("hf:x", "vqascore"), question_of("hf:x", "Is%20it {text}?"), question_of("hf:x", "default")
    ('Does this figure show "{text}"? Please answer yes or no.', 'Is it {text}?', '')
    """
    text = unquote(TEMPLATES.get(written.strip(), "") or written, errors="replace").strip()
    if PLACE not in text and re.fullmatch(r"[\w.-]*", text):
        names = ", ".join(TEMPLATES)
        raise UsageError(f"{spec}: there is no question {text!r}; write one that holds {PLACE}, or a name: {names}.")
    if text.count(PLACE) != 1:
        n = text.count(PLACE) or "nowhere"
        times = f"{n} times" if isinstance(n, int) else n
        raise UsageError(
            f"{spec}: its question {text[:200]!r} holds {PLACE} {times}; it has to stand there once, for the caption."
        )
    if len(text) > LONGEST or not text.isprintable():
        raise UsageError(f"{spec}: its question is one line of up to {LONGEST} printable letters.")
    return "" if text == TEMPLATES["default"] else text


def asked(template: str, text: str) -> str:
    """The question about a text.

    >>> asked("Is it {text}?", "a {text} in braces")
    'Is it a {text} in braces?'
    """
    before, _, after = template.partition(PLACE)
    return f"{before}{text}{after}"
