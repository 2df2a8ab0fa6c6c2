"""Connections that ask nothing: nobody else is kept out by them."""

import socket
from contextlib import ExitStack

from tests.live.serving.standing import client, standing


def connected(stack: ExitStack, address: str) -> socket.socket:
    host, _, port = address.removeprefix("http://").partition(":")
    return stack.enter_context(socket.create_connection((host, int(port)), timeout=20))


def is_hung_up(one: socket.socket) -> bool:
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True


def test_who_sends_no_headers_or_half_of_them_is_hung_up_on():
    with standing(headers_in=0.05) as (address, _), ExitStack() as stack:
        silent, half = connected(stack, address), connected(stack, address)
        half.sendall(b"GET /health HTTP/1.1\r\nX: ")
        assert is_hung_up(silent)
        assert is_hung_up(half)


def test_of_too_many_that_wait_the_oldest_goes_and_the_token_still_opens():
    with standing(headers_in=600, waiting=3, limit_concurrency=6) as (address, _), ExitStack() as stack:
        idle = [connected(stack, address) for _ in range(12)]
        assert all(is_hung_up(one) for one in idle[:9])
        assert client(address).state(read=20)["models"]


def test_a_connection_that_goes_on_after_an_answer_has_a_deadline_again():
    with standing(headers_in=0.05) as (address, _), ExitStack() as stack:
        one = connected(stack, address)
        one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        told = b""
        while more := one.recv(4096):
            told += more
        assert b" 200 " in told
        assert b"connection: close" in told.lower()
