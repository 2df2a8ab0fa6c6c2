"""A store in this process (fsspec's memory filesystem), and one behind a server on the loopback (moto's S3)."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def memory_store() -> str:
    """An address under which nothing lies yet."""
    return f"memory://{uuid.uuid4().hex}"


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch, bucket: str = "flipside") -> Iterator[str]:
    """The address of an empty bucket; the variables that its packages read say where the server is."""
    import requests
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        requests.post(f"http://{host}:{port}/moto-api/reset", timeout=30)  # all servers of a process have one state
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir(bucket)
        yield f"s3://{bucket}"
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()


def put(store: str, folder: dict[str, bytes]) -> None:
    """Files of a folder, by their names in it."""
    from backend.stores import opening

    for name, data in folder.items():
        opening.write(f"{store}/{name}", data)
