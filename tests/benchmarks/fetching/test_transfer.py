"""Downloading from a server that drops, changes, lies and hangs."""

import errno
import json
import os
import re
from collections import namedtuple

import pytest

from backend.benchmarks.fetching import part as parts
from backend.benchmarks.fetching import transfer
from backend.benchmarks.fetching.trouble import StoppedError
from tests.benchmarks.fetching.conftest import BODY
from tests.benchmarks.fetching.server import Served

HALF = len(BODY) // 2


def test_a_whole_file(server, file, get, there, tmp_path):
    seen = []
    outcome = get(file(), tick=lambda f, done, total: seen.append((f.path, done, total)))
    assert (outcome.state, outcome.verified, outcome.size, outcome.reason) == ("fetched", "sha256", len(BODY), "")
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY
    assert there() == {"data.json"}
    assert seen[-1] == ("data.json", len(BODY), len(BODY))
    assert [done for _, done, _ in seen] == sorted({done for _, done, _ in seen})
    headers = server.asked[0][1]
    assert headers["Accept-Encoding"] == "identity"
    assert headers["Authorization"] is None


def test_a_cut_connection_goes_on_where_it_was(server, file, get, tmp_path):
    server.files["/data.json"].cuts = [HALF, 1000]
    outcome = get(file())
    assert outcome.state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY
    assert server.ranges() == [None, f"bytes={HALF}-", f"bytes={HALF + 1000}-"]
    assert server.asked[1][1]["If-Range"] == '"one"'


def test_a_later_command_goes_on_too(server, file, get, there, tmp_path):
    server.files["/data.json"].cuts = [HALF, 0, 0]
    outcome = get(file())
    assert outcome.state == "failed"
    assert f"{HALF:,} bytes are kept" in outcome.reason
    assert there() == {"data.json.part", "data.json.part.json"}
    server.asked.clear()
    assert get(file()).state == "fetched"
    assert server.ranges() == [f"bytes={HALF}-"]
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY
    assert there() == {"data.json"}


def _begun(get, server, file, **changed):
    """Half of the file, kept by a command before."""
    server.files["/data.json"].cuts = [HALF, 0, 0]
    assert get(file(**changed)).state == "failed"
    server.asked.clear()


def test_a_part_that_is_whole_asks_for_nothing(server, file, get, tmp_path):
    _begun(get, server, file)
    (tmp_path / "to" / "data.json.part").write_bytes(BODY)
    assert get(file()).state == "fetched"
    assert server.asked == []


def test_a_server_that_ignores_the_range_sends_it_all(server, file, get, tmp_path):
    _begun(get, server, file)
    server.files["/data.json"].ranges = False
    assert get(file()).state == "fetched"
    assert server.ranges() == [f"bytes={HALF}-"]
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY


@pytest.mark.parametrize("known", [BODY, None])
def test_another_version_is_fetched_from_its_beginning(server, file, get, tmp_path, known):
    """The ETag is another by now: half of the old one and half of the new one would be neither."""
    _begun(get, server, file, body=known)
    changed = BODY.replace(b"0000001", b"XXXXXXX")
    server.files["/data.json"] = Served(changed if known is None else BODY, etag='"two"')
    assert get(file(body=known)).state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == (changed if known is None else BODY)


def test_a_weak_etag_is_no_validator_but_a_date_is(server, file, get):
    server.files["/data.json"].etag = 'W/"one"'
    server.files["/data.json"].modified = "Sat, 21 Nov 2026 00:00:00 GMT"
    server.files["/data.json"].cuts = [HALF]
    assert get(file(body=None)).state == "fetched"
    assert server.asked[1][1]["If-Range"] == "Sat, 21 Nov 2026 00:00:00 GMT"


def test_without_validator_and_checksum_nothing_is_continued(server, file, get):
    server.files["/data.json"].etag = ""
    server.files["/data.json"].cuts = [HALF]
    assert get(file(body=None)).state == "fetched"
    assert server.ranges() == [None, None]


def test_without_validator_the_checksum_tells(server, file, get, tmp_path):
    """The server has another file and no ETag: the pieces do not fit, so that it is fetched once more, whole."""
    server.files["/data.json"].etag = ""
    _begun(get, server, file)
    (tmp_path / "to" / "data.json.part").write_bytes(b"x" * HALF)
    assert get(file()).state == "fetched"
    assert server.ranges() == [f"bytes={HALF}-", None]
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY


def test_a_wrong_continuation_is_not_taken(server, file, get, tmp_path):
    _begun(get, server, file)
    server.files["/data.json"].range_start = HALF - 1
    outcome = get(file())
    assert server.ranges() == [f"bytes={HALF}-", None]
    assert outcome.state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY


def test_a_part_beyond_the_end_is_fetched_anew(server, file, get, tmp_path):
    _begun(get, server, file, body=None)
    server.files["/data.json"].body = shorter = b'{"a": 1}'
    assert get(file(body=None)).state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == shorter


@pytest.mark.parametrize("note", ["", "{}", "[1]", '{"address": 3}', "\xff"])
def test_a_damaged_note_begins_anew(server, file, get, tmp_path, note):
    _begun(get, server, file)
    (tmp_path / "to" / "data.json.part.json").write_bytes(note.encode("latin-1"))
    assert get(file()).state == "fetched"
    assert server.ranges() == [None]


def test_a_part_of_another_address_is_not_continued(server, file, get, tmp_path):
    _begun(get, server, file)
    server.files["/other.json"] = Served(BODY)
    assert get(file(url=f"{server.base}/other.json")).state == "fetched"
    assert server.ranges() == [None]


@pytest.mark.parametrize("known", [{}, {"sha256": None, "md5": "0" * 32}, {"sha256": None, "size": 5}])
def test_a_wrong_file_is_thrown_away(server, file, get, there, known):
    wrong = file(body=BODY[:-1] + b"]", **({"size": len(BODY)} | known))
    outcome = get(wrong)
    assert outcome.state == "failed"
    assert (outcome.size, outcome.sha256) == (None, None)
    assert any(part in outcome.reason for part in ("its sha256 is", "its md5 is", "another file"))
    assert there() == set()


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_refusal_is_not_asked_again(server, file, get, there, status):
    server.files["/data.json"].statuses = [status]
    outcome = get(file())
    assert f"HTTP {status}" in outcome.reason
    assert outcome.state == "failed"
    assert len(server.asked) == 1
    assert there() == set()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is(server, file, get, status):
    server.files["/data.json"].statuses = [status, status]
    server.files["/data.json"].retry_after = "0"
    assert get(file()).state == "fetched"
    assert len(server.asked) == 3


def test_it_ends_after_some_tries(server, file, get):
    server.files["/data.json"].statuses = [500] * 9
    outcome = get(file())
    assert "HTTP 500, 3 times in a row" in outcome.reason
    assert len(server.asked) == 3


def test_a_long_pause_is_not_waited_for(server, file, get):
    server.files["/data.json"].statuses = [503]
    server.files["/data.json"].retry_after = "86400"
    assert "wait for 86,400 s" in get(file()).reason


def test_progress_makes_up_for_failures(server, file, get, monkeypatch):
    """A long file over a bad line: more breaks than tries, but something came each time."""
    monkeypatch.setattr(transfer, "WORTH", 1000)
    server.files["/data.json"].cuts = [1000] * 12
    assert get(file()).state == "fetched"
    assert len(server.asked) == 13


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><p>Sign in</p>", BODY])
def test_a_web_page_is_no_file(server, file, get, there, body):
    server.files["/data.json"] = Served(body, kind="text/html; charset=utf-8")
    outcome = get(file(body=None))
    assert "a web page came instead of data.json" in outcome.reason
    assert there() == set()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"\n<HTML><p>quota</p>", "a web page came"),
        (b'{"a": 1', "not whole JSON"),
        (b"", "it is empty"),
        (b'{"a": "\xff"}', "not whole JSON"),
    ],
)
def test_without_a_checksum_it_is_read_through(server, file, get, there, body, says):
    server.files["/data.json"] = Served(body)
    outcome = get(file(body=None))
    assert (outcome.state, outcome.verified) == ("failed", "none")
    assert says in outcome.reason
    assert there() == set()


def test_without_a_checksum_it_says_so(server, file, get, tmp_path):
    outcome = get(file(body=None))
    assert (outcome.state, outcome.verified) == ("fetched", "size")
    assert "no checksum is known" in outcome.reason
    receipt = json.loads((tmp_path / "to" / "flipside-fetch.json").read_text())["files"]["data.json"]
    assert receipt["sha256"] == outcome.sha256 == file().sha256
    assert receipt["address"] == f"{server.base}/data.json"


def test_a_server_that_announces_no_size(server, file, get):
    server.files["/data.json"].claims = -1
    outcome = get(file(body=None))
    assert (outcome.state, outcome.verified) == ("fetched", "none")


def test_an_announced_size_that_is_not_its_own_is_not_fetched(server, file, get):
    server.files["/data.json"].body = BODY + b" "
    assert "another file" in get(file()).reason


@pytest.mark.parametrize(("size", "at_most"), [(1000, None), (None, 1000)])
def test_too_long_a_body_is_stopped(server, file, get, there, size, at_most):
    server.files["/data.json"].claims = -1
    outcome = get(file(size=size, at_most=at_most))
    assert "more than 1,000 bytes came" in outcome.reason
    assert there() == set()


def test_more_than_can_be_is_not_begun(server, file, get, there):
    assert "more than the 1,000" in get(file(body=None, at_most=1000)).reason
    assert there() == set()


@pytest.mark.slow
def test_a_hung_server_is_left(server, file, get):
    server.files["/data.json"].cuts = [HALF, 0, 0]
    server.files["/data.json"].stops = True
    outcome = get(file())
    assert "nothing more came after" in outcome.reason
    assert f"{HALF:,} bytes are kept" in outcome.reason


@pytest.mark.slow
def test_a_server_that_drips_is_left(server, file, get):
    """Failed before: a byte now and then was no silence, so that it was waited for without end."""
    served = server.files["/data.json"]
    served.cuts, served.stops, served.drips = [HALF, 0, 0], True, True
    outcome = get(file())
    assert re.search(r"only \d+ bytes came in [12] s, 3 times in a row; [\d,]+ bytes are kept", outcome.reason)
    assert [path for path, _ in server.asked] == ["/data.json"] * 3


def test_a_slow_server_is_waited_for(server, file, get):
    server.files["/data.json"].pause = 0.3
    assert get(file()).state == "fetched"


def test_no_server_at_all_stops_at_the_first_file(file, get):
    first, second = file("a.json", url="http://127.0.0.1:9/a"), file("b.json", url="http://127.0.0.1:9/b")
    outcomes = get(first, second)
    assert "cannot be reached" in outcomes[0].reason
    assert outcomes[1].reason == "not tried: 127.0.0.1:9 does not answer"


def test_a_redirect_to_a_host_that_does_not_answer_leaves_the_first_one_alone(server, file, get):
    for name in ("/one", "/two"):
        server.files[name] = Served(b"", statuses=[302] * 20, location="http://127.0.0.1:9/x")
    outcomes = get(
        file("a.json", url=f"{server.base}/one"),
        file("b.json", url=f"{server.base}/data.json"),
        file("c.json", url=f"{server.base}/two"),
    )
    assert "/one: sends on to 127.0.0.1:9: it cannot be reached" in outcomes[0].reason
    assert outcomes[1].state == "fetched"
    assert "/two sends on to 127.0.0.1:9, which does not answer; not tried again" in outcomes[2].reason
    assert [path for path, _ in server.asked].count("/two") == 1


def test_redirects_are_followed_with_their_range(server, file, get, tmp_path):
    server.files["/here"] = Served(b"", statuses=[302, 307], location="/data.json")
    server.files["/data.json"].cuts = [HALF]
    assert get(file(url=f"{server.base}/here")).state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY
    assert server.ranges() == [None, None, f"bytes={HALF}-", f"bytes={HALF}-"]


@pytest.mark.parametrize(
    "there_", ["http://example.org/x?token=s3cret", "ftp://example.org/x", "file:///etc/passwd", "http://[bad"]
)
def test_redirects_that_are_not_https_are_refused(server, file, get, there_):
    server.files["/here"] = Served(b"", statuses=[302], location=there_)
    outcome = get(file(url=f"{server.base}/here"))
    assert "only https addresses are followed" in outcome.reason or "an address that is none" in outcome.reason
    assert "s3cret" not in outcome.reason


def test_redirects_without_end(server, file, get):
    server.files["/here"] = Served(b"", statuses=[302] * 20, location="/here")
    assert "from address to address" in get(file(url=f"{server.base}/here")).reason


def test_a_disk_that_is_too_small_is_seen_before(server, file, get, there, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(transfer.shutil, "disk_usage", lambda _: usage(10, 9, len(BODY) - 1))
    outcomes = get(file(), file("other.json"))
    assert f"needs {len(BODY):,} more bytes and {len(BODY) - 1:,} are free" in outcomes[0].reason
    assert outcomes[1].reason == "not tried: the disk is full"
    assert there() == set()


def test_a_disk_that_is_full_meanwhile_keeps_what_came(server, file, get, monkeypatch, tmp_path):
    real = parts.Part.appending

    class Full:
        def __init__(self, out):
            self.out, self.left = out, HALF

        def write(self, block):
            if self.left < len(block):
                self.out.write(block[: self.left])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.left -= len(block)
            self.out.write(block)

    from contextlib import contextmanager

    @contextmanager
    def appending(self):
        with real(self) as out:
            yield Full(out)

    with monkeypatch.context() as patch:
        patch.setattr(parts.Part, "appending", appending)
        outcome = get(file())
    assert f"the disk is full; {HALF:,} bytes are kept" in outcome.reason
    assert get(file()).state == "fetched"
    assert (tmp_path / "to" / "data.json").read_bytes() == BODY
    assert server.ranges()[-1] == f"bytes={HALF}-"


def test_ctrl_c_keeps_the_part(server, file, get, there):
    def stop(f, done, total):
        raise KeyboardInterrupt

    with pytest.raises(StoppedError) as stopped:
        get(file(), file("other.json"), tick=stop)
    assert [outcome.file for outcome in stopped.value.outcomes] == ["data.json"]
    assert there() == {"data.json.part", "data.json.part.json"}
    server.asked.clear()
    assert get(file()).state == "fetched"
    assert server.ranges()[0] is not None


def test_passwords_of_netrc_stay_here(server, file, get, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password s3cret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert get(file()).state == "fetched"
    assert server.asked[0][1]["Authorization"] is None
