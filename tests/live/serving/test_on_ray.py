"""On Ray Serve itself, by the verb: a cluster of this machine alone, real batches, a good end."""

import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from backend.live.remote.model import RemoteModel
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import score
from backend.paths import module_command
from tests.conftest import ROOT
from tests.live.serving.standing import TOKEN, client


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verb_serves_what_this_process_says_and_ends_in_good_order(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"FLIPSIDE_CACHE": str(tmp_path), "FLIPSIDE_BACKEND_TOKEN": TOKEN}
    words = ["serve", "--models", "fake:ok", "--port", str(port), "--memory", "1GB"]
    process = subprocess.Popen(
        module_command("backend", *words), env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    told: list[str] = []
    ready = threading.Event()

    def listen() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            told.append(line)
            if "models are offered" in line:
                ready.set()
        ready.set()

    listening = threading.Thread(target=listen)
    listening.start()
    try:
        assert ready.wait(200), told
        assert process.poll() is None, told
        asked = client(f"http://127.0.0.1:{port}")
        assert asked.state(read=60)["memory"]["budget"] == 10**9
        pool = Pool(loader=lambda spec: RemoteModel(asked, spec), check=lambda _: None)

        def one(k):
            images, texts = [Image.new("RGB", (9, 9), (k, 90, 200))], [f"a star and {k}", "b"]
            return score(pool, "fake:ok", images, texts, "noise:1"), score(Pool(), "fake:ok", images, texts, "noise:1")

        with ThreadPoolExecutor(8) as threads:
            for far, near in threads.map(one, range(16)):
                assert not far.problem
                assert all(np.array_equal(far.matrices[kind], near.matrices[kind]) for kind in near.matrices)
        assert "fake:slow is not offered by this backend" in score(pool, "fake:slow", [], ["a"], "").problem
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, told
    finally:
        process.kill()
        listening.join(20)
        if process.stdout is not None:
            process.stdout.close()
    assert told[-1].strip() == "stopped."
    assert TOKEN not in "".join(told)
