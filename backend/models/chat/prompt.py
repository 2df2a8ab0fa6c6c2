"""What a chat model is asked, and where its answer begins and ends: read from its own chat template.

The template is rendered three times: as a question that waits for its answer, and as the whole conversation with a
marker for an answer. What stands between the question and the marker (LLaVA-1.5: "ASSISTANT:" and a space) leads the
answer; the first stop token behind the marker closes it. Nothing is guessed from a model's name.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from backend.errors import UsageError
from backend.kinds import Kind
from backend.models.hf import first_line
from backend.models.question import asked

#: Ours: VisualGPTScore asks LLaVA for P(text | image) without naming an instruction, and chat models need one.
INSTRUCTION = "Describe the image in one sentence."
#: The design's question; VQAScore's with other quotation marks.
QUESTION = Kind.VQA.info.template
MARKER = "FLIPSIDE"
#: What templates that tell the model the date are told (Mistral Small 3.1's), so that a score is the same tomorrow.
TODAY = date(2025, 1, 1)


@dataclass(frozen=True)
class Prompt:
    """text: what the processor is given. plain: what its tokenizer reads of that, the image still one placeholder."""

    text: str
    plain: str


class Dialogue:
    """One user turn with an image and a text, waiting for the answer.

    lead: what the answer begins with (a space, or nothing). ends: ids of what closes it, mostly one. source: where the
    prompt's form comes from, for the record. whole_prompt: the prompt's tokens see each other in both directions, so
    none of it can be read before the rest is known.
    """

    source = "chat template"
    whole_prompt = False
    #: With `{text}` where the caption goes.
    template_of_question = QUESTION
    #: What follows the answer where the user goes on.
    following = ""

    def __init__(self, spec: str, processor: Any, stops: Sequence[int]) -> None:
        self.spec = spec
        self.processor = processor
        self.tokenizer = processor.tokenizer
        self.stops = list(stops)
        self.lead, after = self.frame()
        self.ends = self.closing(after)

    def caption(self) -> Prompt:
        """The prompt whose answer is a caption."""
        return self.asks(INSTRUCTION)

    def question(self, text: str) -> Prompt:
        """The prompt whose answer is yes or no."""
        return self.asks(asked(self.template_of_question, text))

    def asks(self, words: str) -> Prompt:
        raise NotImplementedError

    def frame(self) -> tuple[str, str]:
        """What stands between the prompt and the answer, and what follows the answer."""
        return "", ""

    def closing(self, after: str) -> list[int]:
        """The special tokens behind the answer, up to the first stop token: most templates write one, Aya Vision's an
        end of response before its end of turn. Without a stop token, the first special one (an end of turn that the
        config does not list). Without any, what opens the next turn where generation stops at that (GLM's "<|user|>");
        else the tokenizer's end of sequence, at which training closed the answer."""
        added = self.tokenizer.added_tokens_decoder
        special = {*self.tokenizer.all_special_ids, *(i for i, token in added.items() if token.special), *self.stops}
        special.discard(self.tokenizer.unk_token_id)
        marks = [i for i in (self.ids([after])[0] if after else []) if i in special]
        stop = next((n for n, i in enumerate(marks) if i in self.stops), 0)
        later = [i for i in (self.ids([self.following])[0] if self.following else []) if i in special]
        found = marks[: stop + 1] or [i for i in later[:1] if i in self.stops] or self.stops[:1]
        if not found:
            raise UsageError(f"{self.spec}: neither its template nor its tokenizer names a token that ends an answer.")
        return found

    def answers(self, prompt: Prompt, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text as the answer to the prompt, without what closes it.

        A text is tokenised where it stands, behind the prompt, so that its first token is the one that the model would
        generate ("▁a" behind "ASSISTANT:", "a" behind a line break). Should a token cross the border, the text is
        tokenised by itself: the prompt's ids are the same for all texts.
        """
        before = self.ids([prompt.plain])[0]
        together = self.ids([prompt.plain + self.lead + text for text in texts])
        alone = self.ids([self.lead + text for text in texts])
        found = []
        for text, ids, own in zip(texts, together, alone, strict=True):
            answer = ids[len(before) :] if ids[: len(before)] == before else own
            found.append(answer if text else [])
        return found

    def ids(self, texts: Sequence[str], special: bool = False) -> list[list[int]]:
        if not texts:
            return []
        found = self.tokenizer(list(texts), add_special_tokens=special, return_attention_mask=False, verbose=False)
        return [list(row) for row in found["input_ids"]]

    def adds_special(self, prompt: Prompt) -> bool:
        """Whether the tokenizer still adds its BOS: not where the template has written it (as the library decides)."""
        bos = self.tokenizer.bos_token
        return not (bos is not None and prompt.text.startswith(bos))


class Templated(Dialogue):
    """Through the processor's chat template, or the tokenizer's where the processor has none."""

    def __init__(self, spec: str, processor: Any, stops: Sequence[int]) -> None:
        own = getattr(processor, "chat_template", None)
        self.template = dated(own) if own else dated(processor.tokenizer.chat_template)
        self.opening = ""
        super().__init__(spec, processor, stops)
        self.check_image()

    def asks(self, words: str) -> Prompt:
        text = self.render([_user(words)], waiting=True) + self.opening
        return Prompt(text, text)

    def check_image(self) -> None:
        with_image, without = ([_user(INSTRUCTION, image)] for image in (True, False))
        if self.render(with_image, waiting=True) == self.render(without, waiting=True):
            raise UsageError(
                f"{self.spec}: its chat template leaves out the image. Put the chat_template.jinja of its hub page "
                "into the folder."
            )

    def frame(self) -> tuple[str, str]:
        """Where the whole conversation does not go on as the waiting prompt does (LLaVA-OneVision's), the waiting
        prompt counts: answers are generated from it. More than spaces in between (an empty thought) is prompt."""
        waiting = self.render([_user(INSTRUCTION)], waiting=True)
        listed: Any = [{"type": "text", "text": MARKER}]
        for content in (listed, MARKER):
            turns: list[dict[str, Any]] = [_user(INSTRUCTION), {"role": "assistant", "content": content}]
            try:
                whole = self.render(turns, waiting=False)
            except UsageError:
                continue
            with suppress(UsageError):  # a template for a single turn
                self.following = self.render([*turns, _user("", image=False)], waiting=False).rpartition(MARKER)[2]
            before, found, after = whole.rpartition(MARKER)
            if found and "{'type'" not in before:  # a template for plain strings prints the list itself
                between = before[len(waiting) :] if before.startswith(waiting) else ""
                self.opening = between.rstrip(" ")
                return between[len(self.opening) :], after
        return "", ""

    def render(self, messages: list[dict[str, Any]], waiting: bool) -> str:
        more = {"chat_template": self.template} if isinstance(self.template, str) else {}
        try:
            text = self.processor.apply_chat_template(messages, add_generation_prompt=waiting, tokenize=False, **more)
        except Exception as error:  # jinja2's own errors, and whatever a template raises
            raise UsageError(f"{self.spec}: its chat template fails ({first_line(error)}).") from error
        return str(text)


class PaliGemma(Dialogue):
    """big_vision's tasks: "caption en" and "answer en {question}", ended by a line break; no turns, and the image and
    the prompt see each other in both directions. The processor itself puts in BOS and the line break."""

    source = "PaliGemma's tasks"
    whole_prompt = True

    def caption(self) -> Prompt:
        return self.asks("caption en")

    def question(self, text: str) -> Prompt:
        return self.asks("answer en " + asked(self.template_of_question, text))

    def asks(self, words: str) -> Prompt:
        image = self.processor.image_token
        return Prompt(f"{image}{words}", f"{image}{self.tokenizer.bos_token}{words}\n")

    def answers(self, prompt: Prompt, texts: Sequence[str]) -> list[list[int]]:
        """The suffix is tokenised by itself, as the processor does."""
        return self.ids(texts)

    def adds_special(self, prompt: Prompt) -> bool:
        return False


class Llava(Dialogue):
    """LLaVA-1.5 folders from before chat templates: the prompt of their model card."""

    source = "LLaVA-1.5's model card (the folder has no chat template)"

    def frame(self) -> tuple[str, str]:
        return " ", ""

    def asks(self, words: str) -> Prompt:
        text = f"USER: {self.processor.image_token}\n{words} ASSISTANT:"
        return Prompt(text, text)


#: model_type -> the prompts of models that have no chat template; looked up in the config, never in the name.
UNTEMPLATED: dict[tuple[str, str], type[Dialogue]] = {("llava", "llama"): Llava}


def dialogue(spec: str, processor: Any, config: Any, stops: Sequence[int]) -> Dialogue:
    """How to talk to a model with this config (the library's object)."""
    model_type = str(config.model_type)
    if model_type == "paligemma":
        return PaliGemma(spec, processor, stops)
    if getattr(processor, "chat_template", None) or getattr(processor.tokenizer, "chat_template", None):
        return Templated(spec, processor, stops)
    kind = UNTEMPLATED.get((model_type, str(config.get_text_config().model_type)))
    if kind is None:
        raise UsageError(
            f"{spec}: it has no chat template, and none is known for model_type {model_type!r}. Put the "
            "chat_template.jinja (or chat_template.json) of its hub page into the folder."
        )
    return kind(spec, processor, stops)


def dated(template: Any) -> Any:
    """A template whose `strftime_now` says TODAY in the formats it asks for; any other is given back as it is."""
    formats = re.findall(r"""strftime_now\(\s*(?:"([^"]*)"|'([^']*)')""", template) if isinstance(template, str) else []
    said = {one or other: TODAY.strftime(one or other) for one, other in formats}
    return f"{{%- set strftime_now = {json.dumps(said)}.get -%}}{template}" if said else template


def stop_tokens(module: Any, tokenizer: Any) -> list[int]:
    """Ids at which generation stops: the tokenizer's end first, then those of the generation config and the config."""
    known = getattr(module, "generation_config", None), module.config, module.config.get_text_config()
    found = [tokenizer.eos_token_id, *(getattr(place, "eos_token_id", None) for place in known)]
    flat = [i for ids in found for i in (ids if isinstance(ids, list | tuple) else [ids]) if isinstance(i, int)]
    return list(dict.fromkeys(flat))


def _user(words: str, image: bool = True) -> dict[str, Any]:
    content = [{"type": "image"}] * image + [{"type": "text", "text": words}]
    return {"role": "user", "content": content}
