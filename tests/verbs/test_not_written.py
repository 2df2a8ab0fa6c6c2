"""Files that cannot be written, because a limit or the disk ends: each verb says what to do next."""

import resource
import signal

import pytest

ARGS = ("export", "--model", "bundled:clip", "--benchmark", "world", "--what")


@pytest.fixture
def short_files():
    """No file may be longer than 100 KB; Python asks for the error instead of the signal."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def begin():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))

    yield begin
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, kept)


@pytest.mark.slow
@pytest.mark.usefixtures("flipside_cache")
def test_a_file_longer_than_the_shell_allows(flipside, tmp_path, short_files):
    assert flipside(*ARGS, "items", "--out", str(tmp_path / "first.csv")).code == 0  # the database is there
    short_files()
    said = "a file would be longer than your shell or this disk allows. Raise the limit (ulimit -f), or choose another"
    for what, name in (("scores", "a.csv"), ("scores", "a.parquet"), ("bundle", "a.zip")):
        answer = flipside(*ARGS, what, "--out", str(tmp_path / name))
        assert (answer.code, "IO Error" in answer.err) == (1, False)
        assert f"{tmp_path / name}: {said} place." in answer.err
        assert not (tmp_path / name).exists()
    answer = flipside(*ARGS, "scores", "--out", "-")
    assert (answer.code, answer.out) == (1, "")
    assert "TMPDIR names another folder" in answer.err
