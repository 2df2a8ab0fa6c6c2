"""Through a proxy with TLS before the backend, as docs/clusters.md asks for one."""

import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from backend.live.remote.client import UnreachableError
from backend.live.remote.model import RemoteModel
from backend.models import load
from tests.live.serving.standing import client, standing


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody else knows, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert, private = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return cert, private


@contextlib.contextmanager
def proxy(cert: Path, key: Path, behind: str) -> Iterator[str]:
    """Takes connections with TLS and hands on what comes, byte by byte."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    listener = socket.create_server(("127.0.0.1", 0))
    host, _, port = behind.removeprefix("http://").partition(":")

    def pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def take() -> None:
        while True:
            try:
                taken, _ = listener.accept()
            except OSError:
                return
            with contextlib.suppress(OSError):
                inside = context.wrap_socket(taken, server_side=True)
                outside = socket.create_connection((host, int(port)))
                for pair in ((inside, outside), (outside, inside)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=take, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def test_scores_come_through_tls_and_a_certificate_that_nobody_vouches_for_is_a_sentence(tmp_path, monkeypatch):
    cert, key = certificate(tmp_path)
    with standing() as (behind, _), proxy(cert, key, behind) as address:
        with pytest.raises(UnreachableError, match="its certificate is not trusted"):
            RemoteModel(client(address), "fake:ok")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(cert))
        found = RemoteModel(client(address), "fake:ok").encode_texts(["a red star"])
        assert np.array_equal(found, load("fake:ok").encode_texts(["a red star"]))
        with pytest.raises(UnreachableError, match=r"broke off|speaks no https|RemoteDisconnected"):
            client(address.replace("https", "http")).state()
        with pytest.raises(UnreachableError, match="speaks no https"):
            client(behind.replace("http", "https")).state()
