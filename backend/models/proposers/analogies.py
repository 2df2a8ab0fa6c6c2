"""What a model is asked for when a caption is to be said in other words, and which answers count.

SVLC paper, 3.1.3: a few pairs of sentences of the same meaning, then the caption. The first pair is the paper's own
example; its others stand in a supplement that we have not, so they are ours. What the answer says is not checked: a
model that changes the meaning is not noticed, so editions made so name their model.
"""

import re

PAIRS = (
    ("A woman standing left to a sitting cat", "A cat sitting to the right of a standing woman"),
    ("Two brown dogs are chasing a ball on the beach.", "On the beach, a ball is being chased by two brown dogs."),
    ("A man in a red coat reads a newspaper.", "A newspaper is read by a man who wears a red coat."),
    ("There is a small white plate under the cup.", "The cup stands on a small white plate."),
)
INSTRUCTION = (
    "Say the same in other words, in one sentence. Keep every thing, colour, size, number, action and place. "
    "Answer with the sentence alone."
)
SENTENCE, SAME = "Sentence:", "Same meaning:"
#: Tokens of an answer at most.
LONGEST = 96

_REFUSAL = re.compile(
    r"\b(i'?m sorry|i am sorry|sorry,|i (can'?t|cannot|can not|won'?t|am unable)|as an ai|language model|"
    r"i (do not|don'?t) (have|know|understand)|please provide|unable to)",
    re.IGNORECASE,
)


def examples() -> str:
    """The pairs as text, for models that continue a text."""
    return "\n\n".join(f"{SENTENCE} {one}\n{SAME} {other}" for one, other in PAIRS)


def continued(caption: str) -> str:
    """What a model that continues texts is given."""
    return f"{INSTRUCTION}\n\n{examples()}\n\n{SENTENCE} {caption}\n{SAME}"


def conversation(caption: str) -> list[dict[str, str]]:
    """What a chat model is given: the pairs as turns, so that its next turn is the answer."""
    turns = [{"role": "system", "content": INSTRUCTION}]
    for one, other in PAIRS:
        turns += [{"role": "user", "content": one}, {"role": "assistant", "content": other}]
    return [*turns, {"role": "user", "content": caption}]


def proposal(caption: str, answer: str, chat: bool) -> tuple[str, str]:
    """(sentence, "") of an answer, or ("", why it is none). chat: the whole answer must be the sentence; otherwise it
    ends at the first line end, behind which such a model goes on with pairs of its own.

    >>> proposal("A dog on a mat.", ' "On a mat there is a dog." ', chat=True)
    ('On a mat there is a dog.', '')
    >>> proposal("A dog on a mat.", "I'm sorry, but I cannot help.", chat=True)
    ('', 'a refusal')
    """
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if not lines:
        return "", "an empty answer"
    if chat and len(lines) > 1:
        return "", "more than one line"
    text = lines[0].removeprefix(SAME).strip()
    if len(text) > 1 and (text[0], text[-1]) in (('"', '"'), ("“", "”"), ("'", "'"), ("`", "`")):
        text = text[1:-1].strip()
    text = " ".join(text.split())
    bare, own = _bare(text), _bare(caption)
    if _REFUSAL.search(text) and not _REFUSAL.search(caption):
        return "", "a refusal"
    if not bare:
        return "", "an empty answer"
    if bare == own:
        return "", "the caption itself"
    if SENTENCE in text or SAME in text or "\ufffd" in text:
        return "", "no sentence"
    words, given = len(bare.split()), len(own.split())
    if words < 2 or words < given / 3:
        return "", "too short to say the same"
    if words > 3 * given + 8:
        return "", "too long to say the same"
    if not text.isprintable():
        return "", "no sentence"
    return text, ""


def _bare(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s'-]", " ", text.casefold()).split())
