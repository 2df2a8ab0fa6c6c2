"""Models of a hub on the loopback that drops, is slow, gates, and moves its branches."""

import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import folders, hub
from backend.models.spec import parse

OLD, NEW = "a" * 40, "b" * 40
REPO = "org/tiny"


class Hub(BaseHTTPRequestHandler):
    """commits: commit -> file -> bytes; refs: name -> commit. drops: how many downloads of weights break off half-way;
    seconds: a pause before every block; gated, down: how it refuses. asked: (method, path, range) of all requests."""

    protocol_version = "HTTP/1.1"
    commits: dict
    refs: dict
    drops, seconds, gated, down, asked = 0, 0.0, False, False, []

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        cls = type(self)
        cls.asked.append((self.command, self.path, self.headers.get("Range", "")))
        path = self.path.partition("?")[0]
        if cls.down:
            self.close_connection = True
            self.connection.close()
            return
        if found := re.fullmatch(rf"/api/models/{REPO}(?:/revision/(.+))?", path):
            commit = self.commit(found[1] or "main")
            if commit is None:
                self.refuse(404, "RevisionNotFound")
                return
            files = cls.commits[commit]
            siblings = [{"rfilename": n, "size": len(b), "blobId": oid(b)} for n, b in files.items()]
            told = {"id": REPO, "modelId": REPO, "sha": commit, "siblings": siblings}
            self.send(json.dumps(told).encode(), body=body)
            return
        if found := re.fullmatch(rf"/api/models/{REPO}/tree/([^/]+)/?", path):
            files = cls.commits[self.commit(found[1])]
            tree = [{"type": "file", "path": n, "size": len(b), "oid": oid(b)} for n, b in files.items()]
            self.send(json.dumps(tree).encode(), body=body)
            return
        found = re.fullmatch(rf"/{REPO}/resolve/([^/]+)/(.+)", path)
        commit = self.commit(found[1]) if found else None
        if commit is None or found[2] not in cls.commits[commit]:
            self.refuse(404, "EntryNotFound" if commit else "RepoNotFound")
        elif cls.gated:
            self.refuse(403, "GatedRepo")
        else:
            self.file(found[2], cls.commits[commit][found[2]], commit, body=body)

    def commit(self, name: str) -> str | None:
        name = name.replace("%2F", "/")
        return name if name in type(self).commits else type(self).refs.get(name)

    def refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send(self, data: bytes, *, body: bool, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def file(self, name: str, data: bytes, commit: str, *, body: bool) -> None:
        first = int(re.match(r"bytes=(\d+)-", self.headers["Range"])[1]) if self.headers.get("Range") else 0
        self.send_response(206 if first else 200)
        self.send_header("ETag", f'"{oid(data)}"')
        self.send_header("X-Repo-Commit", commit)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data) - first))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if not body:
            return
        drop = name == "model.safetensors" and type(self).drops > 0
        type(self).drops -= drop
        end = first + (len(data) - first) // 2 if drop else len(data)
        for at in range(first, end, 1 << 16):
            time.sleep(type(self).seconds)
            self.wfile.write(data[at : min(end, at + (1 << 16))])
        if drop:
            self.wfile.flush()
            self.close_connection = True
            self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


def oid(data: bytes) -> str:
    """How git calls a file, about: 40 hex digits of what is in it."""
    return hashlib.sha256(data).hexdigest()[:40]


def files(word: str) -> dict[str, bytes]:
    """A model's files; what is in them is not looked at."""
    settings = {
        "config.json": {"architectures": ["X"], "word": word},
        "tokenizer.json": {},
        "tokenizer_config.json": {},
    }
    weights = hashlib.sha256(word.encode()).digest() * 40_000
    return {name: json.dumps(said).encode() for name, said in settings.items()} | {"model.safetensors": weights}


@pytest.fixture
def server(monkeypatch, tmp_path):
    """The hub; the library asks it, and keeps its cache in this test's folder."""
    from huggingface_hub import constants

    class Mine(Hub):
        pass

    Mine.commits = {OLD: files("old"), NEW: files("new")}
    Mine.refs = {"main": OLD, "v1": OLD, "refs/pr/1": NEW}
    Mine.asked = []
    running = ThreadingHTTPServer(("127.0.0.1", 0), Mine)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{running.server_address[1]}"
    template = address + "/{repo_id}/resolve/{revision}/{filename}"
    settings = {"ENDPOINT": address, "HF_HUB_OFFLINE": False, "HF_HUB_CACHE": str(tmp_path / "hub"),
                "HUGGINGFACE_CO_URL_TEMPLATE": template, "DOWNLOAD_CHUNK_SIZE": 1 << 16}  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setattr(constants, name, value)
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", address)
    monkeypatch.setattr(hub, "LOOK", 0.02)
    yield Mine
    running.shutdown()
    running.server_close()


def resolve(name: str) -> Path:
    return folders.resolve(parse(f"hf:{name}"))


def test_a_revision_is_fetched_and_its_commit_known(server):
    assert hub.commit_of(resolve(f"{REPO}@v1")) == {"name": REPO, "commit": OLD}
    assert hub.commit_of(resolve(f"{REPO}@{NEW}")) == {"name": REPO, "commit": NEW}
    assert hub.commit_of(resolve(f"{REPO}@refs/pr/1")) == {"name": REPO, "commit": NEW}
    assert hub.commit_of(resolve(REPO)) == {"name": REPO, "commit": OLD}
    assert json.loads((resolve(f"{REPO}@{NEW}") / "config.json").read_text())["word"] == "new"


def test_what_is_in_the_cache_needs_no_hub(server):
    folder = resolve(f"{REPO}@v1")
    server.down, server.asked[:] = True, []
    assert resolve(f"{REPO}@v1") == folder
    assert resolve(f"{REPO}@{OLD}") == folder
    assert server.asked == []
    with pytest.raises(FlipsideError, match="not in the local cache, and the Hugging Face hub cannot be reached"):
        resolve(f"{REPO}@{NEW}")


def test_a_download_that_breaks_off_goes_on_where_it_was(server, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)  # between the library's own attempts
    server.drops = 2
    folder = resolve(REPO)
    assert (folder / "model.safetensors").read_bytes() == server.commits[OLD]["model.safetensors"]
    ranges = [of for method, path, of in server.asked if method == "GET" and path.endswith("model.safetensors")]
    assert ranges[0] == ""
    assert len(ranges) >= 2
    assert all(of.startswith("bytes=") for of in ranges[1:])


def test_of_a_download_that_was_given_up_whole_files_are_kept(server, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)
    server.drops = 10**6
    with pytest.raises(FlipsideError, match="files that have come whole are kept"):
        resolve(REPO)
    server.drops, server.asked[:] = 0, []
    assert (resolve(REPO) / "model.safetensors").read_bytes() == server.commits[OLD]["model.safetensors"]
    fetched = [path for method, path, _ in server.asked if method == "GET" and "/resolve/" in path]
    assert [path.rpartition("/")[2] for path in fetched] == ["model.safetensors"]


def test_a_slow_download_tells_how_far_it_is(server, monkeypatch, capsys):
    monkeypatch.setenv(hub.VARIABLE, "json")
    server.seconds = 0.15
    resolve(REPO)
    told = [json.loads(line)["progress"] for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    total = sum(map(len, server.commits[OLD].values()))
    assert told[-1]["done"] == told[-1]["total"] == total
    assert any(0 < each["done"] < total for each in told)
    assert told[0]["title"] == f"fetching {REPO}"
    server.asked[:] = []
    resolve(REPO)
    assert capsys.readouterr().err == ""


def test_gated_missing_and_wrong_ones_are_told_apart(server):
    with pytest.raises(UsageError, match=r"org/tiny is on the Hugging Face hub, but has no revision 'v9'"):
        resolve(f"{REPO}@v9")
    server.gated = True
    with pytest.raises(UsageError, match=r"org/tiny is gated.*hf auth login"):
        resolve(REPO)
    with pytest.raises(UsageError, match="names no revision behind the @"):
        resolve(f"{REPO}@")
    with pytest.raises(UsageError, match="shows no model 'org/none'"):
        resolve("org/none@v1")


def test_a_folder_of_ones_own_has_no_commit(tmp_path):
    assert hub.commit_of(tmp_path) == {}
    assert hub.commit_of(None) == {}


@pytest.mark.long
def test_a_runs_record_has_the_commit(server, clip, flipside, flipside_cache, tmp_path):
    server.commits[OLD] = {path.name: path.read_bytes() for path in Path(clip[0]).iterdir() if path.is_file()}
    lines = [f"{k}.jpg\tone {k}\tthe one {k}\tnot {k}" for k in range(3)]
    head = "filename\tcaption\tsecond positive\tnegative_caption"
    (tmp_path / "Generic_VISLA.tsv").write_text("\n".join([head, *lines]) + "\n")
    done = flipside(
        "run", "--model", f"hf:{REPO}@v1", "--benchmark", "visla", "--data", tmp_path, "--kinds", "t2t", "--json"
    )
    assert done.code == 0, done.err
    record = json.loads((flipside_cache / "runs" / done.json["run"] / "run.json").read_text())
    assert record["model"]["spec"] == f"hf:{REPO}@v1"
    assert record["model"]["hub"] == {"name": REPO, "commit": OLD}
    assert OLD in flipside("runs", done.json["run"]).out
