"""Chat models through their processor and `forward`, the whole conversation at once."""

import importlib
import re
from datetime import datetime
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")

CAPTION = "Describe the image in one sentence."
SHOWN = "Does this figure show '{text}'? Please answer yes or no."


class ChatVlm(Reference):
    """`processor(text=conversation, images=image)`; the answer is whatever follows the prompt's tokens. PaliGemma has
    no conversation: prefix and suffix, as its processor takes them for training."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.processor = transformers.AutoProcessor.from_pretrained(self.folder, local_files_only=True)
        self.shown = getattr(model, "question", "") or SHOWN
        self.prefix_lm = self.module.config.model_type == "paligemma"

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        if self.prefix_lm:
            batch = self.processor(text="<image>caption en", images=image, suffix=text, return_tensors="pt")
            n = int((batch["token_type_ids"] == 0).sum())
        else:
            opened, answer = self.conversation(CAPTION, text)
            n = self.batch(opened, image)["input_ids"].shape[1]
            batch = self.batch(opened + answer, image)
        return token_logprobs(self.logits(batch)[n - 1 : -1], batch["input_ids"][0, n:])

    def vqa(self, image: Image.Image, text: str) -> float:
        asked = self.shown.replace("{text}", text)
        if self.prefix_lm:
            batch = self.processor(text=f"<image>answer en {asked}", images=image, return_tensors="pt")
            yes = self.processor.tokenizer("Yes", add_special_tokens=False)["input_ids"][0]
        else:
            opened, answer = self.conversation(asked, "Yes")
            batch = self.batch(opened, image)
            yes = int(self.batch(opened + answer, image)["input_ids"][0, batch["input_ids"].shape[1]])
        chances = torch.softmax(self.logits(batch)[-1].double(), dim=-1)
        return float(chances[yes].log() - torch.cat([chances[:yes], chances[yes + 1 :]]).sum().log())

    def conversation(self, words: str, answer: str) -> tuple[str, str]:
        """The prompt, and the answer with the token that ends it. A template whose conversation does not go on as its
        prompt does is taken at its prompt's word; one that ends no answer gets the tokenizer's end."""
        prompt = self.render(words)
        listed: Any = [{"type": "text", "text": answer}]
        whole = self.render(words, listed)
        if str(listed) in whole:  # a template for plain strings
            listed = answer
            whole = self.render(words, listed)
        rest = whole[len(prompt) :] if whole.startswith(prompt) else whole[whole.rfind(answer) :]
        before = rest[: rest.find(answer)]
        if before.strip(" "):  # an empty thought
            prompt, rest = prompt + before.rstrip(" "), rest[len(before.rstrip(" ")) :]
        rest = rest.rstrip() if answer else rest.strip()
        tokenizer = self.processor.tokenizer
        stops = np.ravel(self.module.generation_config.eos_token_id or [])
        ends = [*tokenizer.all_special_tokens, *tokenizer.convert_ids_to_tokens([int(i) for i in stops])]
        if not rest.endswith(tuple(ends)):
            more = self.render(words, listed, again=True)[len(prompt) :]
            behind = more[more.find(answer) + len(answer) :].lstrip()
            end = next((end for end in ends[len(tokenizer.all_special_tokens) :] if behind.startswith(end)), None)
            rest = rest[: rest.find(answer) + len(answer)] + (end or str(tokenizer.eos_token))
        return prompt, rest

    def render(self, words: str, answer: Any = None, again: bool = False) -> str:
        content = [{"type": "image"}, {"type": "text", "text": words}]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if answer is not None:
            messages.append({"role": "assistant", "content": answer})
        if again:
            messages.append({"role": "user", "content": [{"type": "text", "text": "And?"}]})
        template = getattr(self.processor, "chat_template", None) or self.processor.tokenizer.chat_template
        if template is None:  # LLaVA-1.5's model card
            return f"USER: <image>\n{words} ASSISTANT:" + ("" if answer is None else f" {answer[0]['text']}")
        today = datetime(2025, 1, 1)  # the day that docs/methods.md tells templates
        template = re.sub(r"strftime_now\((['\"])(.*?)\1\)", lambda found: repr(f"{today:{found[2]}}"), template)
        return str(
            self.processor.apply_chat_template(
                messages, chat_template=template, add_generation_prompt=answer is None, tokenize=False
            )
        )

    def batch(self, text: str, image: Image.Image) -> Any:
        bos = self.processor.tokenizer.bos_token
        more = {"add_special_tokens": False} if bos is not None and text.startswith(bos) else {}
        return self.processor(text=[text], images=[[image]], return_tensors="pt", **more)

    def logits(self, batch: Any) -> torch.Tensor:
        inputs = {name: value for name, value in self.inputs(batch).items() if name != "labels"}
        with torch.inference_mode():
            return torch.as_tensor(self.module(**inputs).logits[0])
