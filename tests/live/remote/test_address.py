"""Which backend the owner's environment names, and what is refused of it."""

import pytest

from backend.errors import UsageError
from backend.live.remote import address

TOKEN = "0123456789abcdef" * 2
GIVEN = {address.ADDRESS: "http://127.0.0.1:8700/", address.TOKEN: TOKEN}


def test_nothing_is_set_and_models_are_asked_here():
    assert address.configured({}) is None
    assert address.configured({address.ADDRESS: " ", address.TOKEN: "x"}) is None


def test_what_the_environment_says():
    found = address.configured({**GIVEN, address.LIMIT: "5MB", address.TIMEOUT: "7.5"})
    assert found is not None
    assert (found.base, found.token, found.limit, found.read) == ("http://127.0.0.1:8700", TOKEN, 5_000_000, 7.5)
    assert found.is_near
    assert TOKEN not in repr(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({address.ADDRESS: "http://10.0.0.7:8700"}, "without TLS .* FLIPSIDE_BACKEND_PLAIN=1"),
        ({address.ADDRESS: "http://localhost.example:8700"}, "without TLS"),
        ({address.ADDRESS: "127.0.0.1:8700"}, "expected an address such as"),
        ({address.ADDRESS: "ftp://127.0.0.1"}, "expected an address such as"),
        ({address.ADDRESS: "http://127.0.0.1:x"}, "expected an address such as"),
        ({address.ADDRESS: "http://127.0.0.1:8700/?a=b"}, "expected no more than an address such as"),
        ({address.ADDRESS: f"http://me:{TOKEN}@127.0.0.1:8700"}, "the token goes into FLIPSIDE_BACKEND_TOKEN"),
        ({address.TOKEN: ""}, "TOKEN is not set"),
        ({address.TOKEN: "short"}, "TOKEN cannot be used"),
        ({address.TOKEN: "0123456789abcdef 0123456789"}, "TOKEN cannot be used"),
        ({address.TOKEN: "0123456789abcdé0123456789"}, "TOKEN cannot be used"),
        ({address.LIMIT: "a lot"}, "expected a size such as"),
        ({address.LIMIT: "0.1MB"}, "expected a size from 1MB"),
        ({address.TIMEOUT: "0"}, "expected a number of seconds"),
        ({address.TIMEOUT: "nan"}, "expected a number of seconds"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_without_the_token(given, said):
    with pytest.raises(UsageError, match=said) as caught:
        address.configured({**GIVEN, **given})
    assert TOKEN not in str(caught.value)
    assert "short" not in str(caught.value)


def test_another_machine_by_https_or_where_the_owner_says_that_nobody_listens():
    far = address.configured({**GIVEN, address.ADDRESS: "https://gpu.example/flipside"})
    assert far is not None
    assert not far.is_near
    plain = {**GIVEN, address.ADDRESS: "http://10.0.0.7:8700", address.PLAIN: "1"}
    assert address.configured(plain) is not None
