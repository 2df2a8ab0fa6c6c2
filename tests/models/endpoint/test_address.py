"""Which addresses are understood, and which of them a browser user may name."""

import doctest
from typing import Any

import pytest

from backend.errors import UsageError
from backend.live.scoring import pool
from backend.models import kinds_of
from backend.models.endpoint import address, answers, client
from backend.models.endpoint.answers import Shown, yes_odds
from backend.models.spec import parse


@pytest.mark.parametrize("module", [address, answers, client])
def test_examples_in_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("http://127.0.0.1:8000/v1", "names no model; write endpoint:"),
        ("http://127.0.0.1:8000/v1#", "names no model"),
        ("ftp://host/v1#m", "no http or https address"),
        ("127.0.0.1:8000#m", "no http or https address"),
        ("http://#m", "no http or https address"),
        ("http://host:port/v1#m", "no web address"),
        ("http://[::1/v1#m", "no web address"),
        ("http://host/v1?x=1#m", "no http or https address"),
    ],
)
def test_what_is_no_address(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        kinds_of(f"endpoint:{name}")


def test_a_key_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="keep keys out of addresses") as caught:
        kinds_of("endpoint:https://me:sk-secret@host/v1#m")
    assert "sk-secret" not in str(caught.value)


def test_a_models_name_may_hold_slashes() -> None:
    spec = parse("endpoint:https://host/v1/#org/model:free")
    assert str(spec) == "endpoint:https://host/v1/#org/model:free"
    assert address.parse(spec.name) == address.Address("https://host/v1", "org/model:free")


PUBLIC = ["93.184.215.14"]


@pytest.mark.parametrize(
    ("base", "resolved", "says"),
    [
        ("http://api.example.org/v1", PUBLIC, "only public https servers"),
        ("https://api.example.org:8443/v1", PUBLIC, "only public https servers"),
        ("https://127.0.0.1/v1", ["127.0.0.1"], "no public address"),
        ("https://localhost/v1", ["::1"], "no public address"),
        ("https://metadata/v1", ["169.254.169.254"], "no public address"),
        ("https://inside.example.org/v1", ["10.1.2.3"], "no public address"),
        ("https://inside.example.org/v1", ["192.168.0.7"], "no public address"),
        ("https://two.example.org/v1", [*PUBLIC, "172.16.0.1"], "no public address"),
        ("https://six.example.org/v1", ["fd00::1"], "no public address"),
        ("https://six.example.org/v1", ["fe80::1%eth0"], "no public address"),
        ("https://mapped.example.org/v1", ["::ffff:169.254.169.254"], "no public address"),
        ("https://nat.example.org/v1", ["64:ff9b::7f00:1"], "no public address"),
        ("https://tunnel.example.org/v1", ["2002:7f00:1::"], "no public address"),
        ("https://shared.example.org/v1", ["100.64.0.1"], "no public address"),
        ("https://zero.example.org/v1", ["0.0.0.0"], "no public address"),  # noqa: S104
        ("https://none.example.org/v1", [], "no public address"),
    ],
)
def test_a_browser_user_reaches_no_private_network(
    base: str, resolved: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (address.KEY, address.ALLOWED):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match=says):
        address.refuse_from_browser(f"{base}#m", lambda _host, _port: resolved)
    monkeypatch.setenv(address.ALLOWED, f"https://other/v1 {base}/")
    address.refuse_from_browser(f"{base}#m", lambda _host, _port: resolved)
    with pytest.raises(UsageError):
        address.refuse_from_browser(f"{base}/../admin#m", lambda _host, _port: resolved)


def test_a_browser_user_reaches_public_servers_while_there_is_no_key_to_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(address.KEY, raising=False)
    address.refuse_from_browser("https://api.example.org/v1#m", lambda _host, _port: PUBLIC)
    monkeypatch.setenv(address.KEY, "sk-secret")
    with pytest.raises(UsageError, match="a key that must not go to any server"):
        address.refuse_from_browser("https://api.example.org/v1#m", lambda _host, _port: PUBLIC)


def test_an_unknown_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(address.KEY, raising=False)

    def fail(host: str, port: int) -> list[str]:
        raise OSError

    with pytest.raises(UsageError, match="no host of that name"):
        address.refuse_from_browser("https://nowhere.invalid/v1#m", fail)


def test_the_dashboards_pool_asks_before_it_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pool.VARIABLE, raising=False)
    spec = "endpoint:http://127.0.0.1:9/v1#m"
    asked: list[str] = []
    models = pool.Pool(loader=lambda s: asked.append(s))  # type: ignore[arg-type,func-returns-value]
    for attempt in (lambda: pool.kinds(spec), lambda: models.use(spec).__enter__()):
        with pytest.raises(UsageError, match="only public https servers"):
            attempt()
    with pytest.raises(UsageError, match="only public https servers"):
        models.use(f" {spec}").__enter__()
    assert asked == []
    monkeypatch.setenv(pool.VARIABLE, f"bundled:clip {spec}")
    assert pool.kinds(spec) == {"gen", "prior", "vqa", "verdict"}
    with models.use(spec):
        assert asked == [spec]


def test_odds_near_certainty() -> None:
    """A float32 log-probability of 0.0 for "Yes" does not mean infinite odds; the other tokens tell."""
    assert yes_odds(Shown({"Yes": 1.0, "No": 1e-9}, 1e-9)).value == pytest.approx(17.33, abs=0.01)  # 25 bits at most
    assert yes_odds(Shown({"Yes": 1.0, "No": 1e-6}, 1e-6)).value == pytest.approx(13.8155, abs=1e-3)
    assert yes_odds(Shown({"Yes": 1.0}, 1.0)).value == pytest.approx(17.33, abs=0.01)
    low = yes_odds(Shown({"No": 1.0, "Yes": 1e-12}, 1e-12))
    assert low.value == pytest.approx(-27.631, abs=1e-3)
    assert not low.bound
    assert yes_odds(Shown({"No": 1.0}, 1.0)).bound
    assert yes_odds(Shown({"No": 0.6, "Maybe": 0.3}, 0.3)).value == pytest.approx(-2.1972, abs=1e-3)
