from backend.durable import sync_dir, write_synced


def test_what_was_written_is_there(tmp_path):
    write_synced(tmp_path / "a", b"bytes")
    sync_dir(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"bytes"
