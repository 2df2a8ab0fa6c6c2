"""Another site, another port and another name in a real browser: none of them reaches the dashboard."""

import contextlib
import os
import socket
import subprocess
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import FLAGS, ROOT, chromium, free_port, wait_until_healthy
from tests.browser.stored import open_page

pytestmark = pytest.mark.browser

#: What a page of another origin learns when it opens the dashboard's websocket.
KNOCK = """(address) => new Promise((done) => {
    const socket = new WebSocket(address, ["streamlit"]);
    socket.onopen = () => done("open");
    socket.onclose = () => done("closed");
})"""


@pytest.fixture(scope="module")
def dashboard(shipped):
    return shipped


@pytest.fixture
def other_site():
    """Serve a page of another origin: other_site(html) gives its address."""
    running = []

    class Site(BaseHTTPRequestHandler):
        def __init__(self, html, *arguments):
            self.html = html
            super().__init__(*arguments)

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(self.html.encode())

        def log_message(self, *_):
            pass

    def start(html):
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, html))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture
def elsewhere(playwright):
    """A browser for which every name is this machine, as after DNS rebinding; what it meets is no fault of a page."""
    opened = playwright.chromium.launch(
        executable_path=chromium(), args=[*FLAGS, "--host-resolver-rules=MAP * 127.0.0.1"]
    )
    yield opened.new_page()
    opened.close()


def stream(dashboard):
    return dashboard.address.replace("http", "ws") + "/_stcore/stream"


def test_another_site_cannot_frame_a_page(dashboard, other_site, elsewhere):
    elsewhere.goto(other_site(f"<iframe src='{dashboard.address}/runs'></iframe>"), wait_until="load")
    elsewhere.wait_for_function("document.querySelector('iframe').contentDocument === null")
    frame = elsewhere.frames[1]
    expect(frame.locator("[data-testid=stApp]")).to_have_count(0)
    assert frame.url.startswith("chrome-error://")


def test_the_owner_lets_one_site_frame_it(serve, other_site, elsewhere):
    # The site's address is known only once it runs, so it frames whatever its own address names.
    site = other_site("<script>document.write(`<iframe src='${location.hash.slice(1)}'></iframe>`)</script>")
    dashboard = serve(FLIPSIDE_FRAME_ANCESTORS=site)
    elsewhere.goto(f"{site}/#{dashboard.address}/teach")
    expect(elsewhere.frame_locator("iframe").locator(".fs-header h1")).to_be_visible(timeout=60_000)


def test_another_origin_s_page_cannot_open_the_websocket(dashboard, other_site, elsewhere, visitor):
    elsewhere.goto(other_site("<p>another site</p>"))
    assert elsewhere.evaluate(KNOCK, stream(dashboard)) == "closed"
    own = visitor()
    open_page(own, dashboard, "teach")
    assert own.evaluate(KNOCK, stream(dashboard)) == "open"


def test_a_name_that_was_bound_to_this_machine_shows_nothing(dashboard, elsewhere):
    port = dashboard.address.rsplit(":", 1)[1]
    answer = elsewhere.goto(f"http://evil.example:{port}/")
    assert answer.status == 403
    expect(elsewhere.locator("body")).to_contain_text("FLIPSIDE_HOSTS")
    assert elsewhere.evaluate(KNOCK, f"ws://evil.example:{port}/_stcore/stream") == "closed"


def test_a_name_that_the_owner_gave_shows_the_page(serve, elsewhere):
    dashboard = serve(FLIPSIDE_HOSTS="flip.example")
    port = dashboard.address.rsplit(":", 1)[1]
    elsewhere.goto(f"http://flip.example:{port}/teach")
    expect(elsewhere.locator(".fs-header h1")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize(
    "command", [["scripts/run.sh", "PORT"], ["streamlit", "run", "app.py", "--server.port", "PORT"]]
)
def test_it_listens_on_this_machine_only_however_it_is_started(tmp_path, visitor, command):
    """A server on all interfaces would answer at 127.0.0.2, too."""
    port, log = free_port(), tmp_path / "log"
    words = [word.replace("PORT", str(port)) for word in command]
    if words[0] == "streamlit":
        words = [".venv/bin/python", "-m", *words, "--server.headless", "true"]
    environment = {**os.environ, "FLIPSIDE_CACHE": str(tmp_path / "cache"), "CI": "1"}
    with log.open("wb") as output:
        process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        address = f"http://localhost:{port}"
        wait_until_healthy(address, process, log)
        with contextlib.closing(socket.socket()) as probe:
            assert probe.connect_ex(("127.0.0.2", port)) != 0
        page = visitor()
        page.goto(f"{address}/teach")
        expect(page.locator(".fs-header h1")).to_be_visible(timeout=60_000)
        page.goto("about:blank")  # what the page still loads would miss the server
    finally:
        process.terminate()
        process.wait(timeout=20)
