"""A press in a fragment that waits behind a long run of the page is done, though another click replaces that run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, free_port, wait_until_healthy
from tests.browser.stored import reads, settled

pytestmark = pytest.mark.browser

#: The page's own part takes long and asks Streamlit nothing meanwhile, as numerical work does.
APP = """
from threading import Event
import streamlit as st

def draw():
    @st.fragment
    def part():
        st.button("Stop", on_click=lambda: st.session_state.update(stops=st.session_state.get("stops", 0) + 1))

    part()
    st.button("Other")
    Event().wait(2.5 if st.session_state.get("slow") else 0)
    st.session_state.slow = True
    st.write(f"stops: {st.session_state.get('stops', 0)}")

if __name__ == "__main__":
    draw()
else:
    from pages.shared.server import presses
    app = st.App(__file__)
    presses.keep()
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "app.py").write_text(APP)
    port, log = free_port(), tmp_path / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", str(tmp_path / "app.py"), "--server.headless=true",
               f"--server.port={port}", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def test_a_press_that_waits_is_done_once_though_another_click_replaces_the_run(page: Page, address: str) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append("frame")))

    def press(name: str) -> None:
        before = len(sent)
        page.get_by_role("button", name=name).click()
        reads(page, lambda: len(sent), lambda n: n > before)

    page.goto(address)
    said = page.get_by_text("stops:")
    expect(said).to_have_text("stops: 0")
    press("Other")  # a run of the whole page, which takes long
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")
    press("Stop")  # waits for its end
    press("Other")  # and is replaced
    expect(said).to_have_text("stops: 1", timeout=15_000)
    settled(page)
    expect(said).to_have_text("stops: 1")
