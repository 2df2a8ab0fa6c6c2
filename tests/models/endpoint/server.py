"""A small OpenAI-compatible server on loopback with a tiny random-weight GPT-2 behind it, which answers as vLLM does.

It sees: a picture becomes four tokens by the brightness of its quarters. `script` holds what goes wrong next.
"""

import base64
import io
import json
import re
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from tests.zoo.texts.tokenizers import byte_level

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "Yes", "No", *(f"<dark{n}>" for n in range(8)))
POSITIONS = 384
CONTEST = re.compile(r"(.*)Which of the two captions .*\nA\) (.*)\nB\) (.*)$")


def taste(seen: str, first: str, second: str) -> str:
    """The letter of the caption that this picture makes one like better, whichever comes first."""
    liked = [zlib.crc32(f"{seen} {text}".encode()) for text in (first, second)]
    return "A" if liked[0] > liked[1] else "B"


class TinyChat:
    """GPT-2 with a chat template. Deterministic; its answers often begin with Yes or No."""

    def __init__(self) -> None:
        import torch
        import transformers

        self.torch = torch
        settings = {**byte_level(*SPECIAL), "model_max_length": POSITIONS}
        self.tokenizer = transformers.GPT2Tokenizer(**settings)
        self.tokenizer.add_special_tokens({"additional_special_tokens": list(SPECIAL[1:])})
        torch.manual_seed(5)
        config = transformers.GPT2Config(
            vocab_size=len(self.tokenizer),
            n_positions=POSITIONS,
            n_embd=32,
            n_layer=2,
            n_head=4,
            tie_word_embeddings=False,
        )
        self.module = transformers.GPT2LMHeadModel(config).eval()
        head = torch.nn.Linear(32, len(self.tokenizer))
        with torch.no_grad():
            for value in self.module.parameters():
                value.add_(torch.randn_like(value) * 0.2)
            head.bias[list(map(self.tokenizer.convert_tokens_to_ids, ("Yes", "No")))] += 6.0
        self.module.lm_head = head

    def render(
        self, messages: list[dict[str, Any]], add_generation_prompt: bool = True, go_on: bool = False
    ) -> list[int]:
        """ChatML."""
        text = "".join(
            f"<|im_start|>{m['role']}\n{self.words(m['content'])}"
            + ("" if go_on and m is messages[-1] else "<|im_end|>\n")
            for m in messages
        )
        return list(self.tokenizer(text + ("<|im_start|>assistant\n" if add_generation_prompt else ""))["input_ids"])

    def words(self, content: str | list[dict[str, Any]]) -> str:
        if isinstance(content, str):
            return content
        return "".join(
            part["text"] if part["type"] == "text" else self.sight(part["image_url"]["url"]) for part in content
        )

    def sight(self, url: str) -> str:
        head, _, data = url.partition(",")
        assert head == "data:image/png;base64"
        picture = Image.open(io.BytesIO(base64.b64decode(data)))
        assert picture.mode == "RGB"
        small = picture.convert("L").resize((2, 2))
        return "".join(f"<dark{pixel // 32}>" for pixel in small.tobytes())

    def table(self, ids: list[int]) -> Any:
        """log P of every token behind each of the ids, (n, vocabulary)."""
        with self.torch.no_grad():
            return self.torch.log_softmax(self.module(self.torch.tensor([ids])).logits[0].double(), dim=-1)


@dataclass
class Server:
    """What it allows and what it was asked. script: one entry a request, in order: (status, headers, body), a function
    of the good answer, "drop", or None for a good one; behind its end all is well. chooses: what it says when it is
    asked to choose, of what it sees and the two captions; without it, what its model says, which names no letter."""

    chat: TinyChat
    sees: bool = True
    shows_prompt: bool = True
    tops: int = 20
    names: tuple[str, ...] = ("tiny", "other")
    key: str = ""
    template: str = "chatml"
    chooses: Callable[[str, str, str], str] | None = None
    script: list[Any] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    after: Callable[["Server"], Any] | None = None
    busy: int = 0
    most_at_once: int = 0
    port: int = 0
    lock: Any = field(default_factory=threading.Lock)

    @property
    def spec(self) -> str:
        return f"endpoint:http://127.0.0.1:{self.port}/v1#tiny"

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if path == "/v1/models":
            return 200, {}, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.names]}
        if path != "/v1/chat/completions":
            return 404, {}, {"detail": "Not Found"}
        if body["model"] not in self.names:
            return 404, {}, {"error": {"message": f"The model `{body['model']}` does not exist.", "code": 404}}
        if not self.sees and any(isinstance(m["content"], list) for m in body["messages"]):
            return 400, {}, {"error": {"message": "tiny is not a multimodal model"}}
        if body.get("top_logprobs", 0) > self.tops > 0:
            return (
                400,
                {},
                {"error": {"message": f"Requested top logprobs of {body['top_logprobs']}, allowed: {self.tops}"}},
            )
        return 200, {}, self.complete(body)

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        go_on = bool(body.get("continue_final_message"))
        messages = body["messages"]
        if self.template == "trims" and messages[-1]["role"] == "assistant" and not go_on:
            messages = [*messages[:-1], {"role": "assistant", "content": f"\n\n{messages[-1]['content'].upper()}"}]
        ids = self.chat.render(messages, body.get("add_generation_prompt", True), go_on)
        table = self.chat.table(ids)
        text = self.chat.tokenizer.decode([int(table[-1].argmax())])
        contest = CONTEST.search(self.chat.words(messages[-1]["content"]))
        if contest and self.chooses is not None:
            text = self.chooses(*contest.groups())
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": text}, "logprobs": None}
        if body.get("logprobs") and self.tops:
            best = table[-1].topk(min(body["top_logprobs"], self.tops))
            shown = [self.entry(int(i), float(p)) for p, i in zip(best.values, best.indices, strict=True)]
            choice["logprobs"] = {"content": [{**shown[0], "top_logprobs": shown}]}
        found: dict[str, Any] = {"object": "chat.completion", "choices": [choice], "prompt_logprobs": None}
        if body.get("prompt_logprobs") is not None and self.shows_prompt:
            found["prompt_logprobs"] = [None] + [
                {str(i): {"logprob": float(table[k, i]), "rank": 1, "decoded_token": self.chat.tokenizer.decode([i])}}
                for k, i in enumerate(ids[1:])
            ]
        return found

    def entry(self, number: int, logprob: float) -> dict[str, Any]:
        return {
            "token": self.chat.tokenizer.decode([number]),
            "logprob": float(self.chat.torch.tensor(logprob).float()),
        }


class Handler(BaseHTTPRequestHandler):
    state: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.reply({})

    def do_POST(self) -> None:
        self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def reply(self, body: dict[str, Any]) -> None:
        with self.state.lock:
            self.state.busy += 1
            self.state.most_at_once = max(self.state.most_at_once, self.state.busy)
            if body:
                self.state.asked.append(body)
            self.state.headers.append(dict(self.headers))
            planned = self.state.script.pop(0) if self.state.script else None
        try:
            self.give(body, self.state.after(self.state) if self.state.after is not None else planned)
        finally:
            with self.state.lock:
                self.state.busy -= 1

    def give(self, body: dict[str, Any], planned: Any) -> None:
        if planned == "drop":
            self.close_connection = True
            return
        if isinstance(planned, float):
            time.sleep(planned)
        given = self.headers.get("Authorization")
        if self.state.key and given != f"Bearer {self.state.key}":
            status, more, content = 401, {}, {"error": {"message": f"bad key {given}"}}
        elif isinstance(planned, tuple):
            status, more, content = planned
        else:
            status, more, content = self.state.answer(self.path, body)
        self.write(status, more, planned(content) if callable(planned) else content)

    def write(self, status: int, more: dict[str, str], content: Any) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", more.get("Content-Length", str(len(data))))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


def serve(server: Server) -> ThreadingHTTPServer:
    """Start it on a free port of this machine."""
    http = ThreadingHTTPServer(("127.0.0.1", server.port), type("OfServer", (Handler,), {"state": server}))
    http.daemon_threads = True
    server.port = http.server_address[1]
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    return http
