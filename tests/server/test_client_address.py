"""Where a socket comes from, and how many may come from there."""

import asyncio

import pytest

from server.client_address import SENTENCE, SocketsByAddress, trusted_proxies, visitor
from server.limits import SocketLimits
from tests.elsewhere import run_elsewhere
from tests.server.asgi import Inside, ask, status, text

PROXIES = trusted_proxies("10.0.0.0/24, 2001:db8:1::5 192.0.2.1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("192.0.2.9", [], "192.0.2.9"),
        ("192.0.2.9", ["198.51.100.1"], "192.0.2.9"),  # who is no proxy may claim what it likes
        ("127.0.0.1", ["198.51.100.1"], "127.0.0.1"),
        ("10.0.0.7", [], "10.0.0.7"),
        ("10.0.0.7", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.7", ["203.0.113.5, 198.51.100.1"], "198.51.100.1"),  # the first one is the visitor's own claim
        ("10.0.0.7", ["203.0.113.5", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.7", ["198.51.100.1, 10.0.0.8"], "198.51.100.1"),  # two proxies, one behind the other
        ("10.0.0.7", ["10.0.0.9"], "10.0.0.9"),
        ("10.0.0.7", ["nonsense"], "10.0.0.7"),
        ("10.0.0.7", ["198.51.100.1, "], "198.51.100.1"),
        ("::ffff:10.0.0.7", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("2001:db8:1::5", ["2001:db8:2:3:4:5:6:7"], "2001:db8:2:3::/64"),
        ("2001:db8:2:3::1", [], "2001:db8:2:3::/64"),
        ("", [], ""),
        ("testclient", ["198.51.100.1"], "testclient"),
    ],
)
def test_the_address_that_counts(peer: str, forwarded: list[str], found: str):
    assert visitor(peer, forwarded, PROXIES) == found


def test_no_proxy_is_trusted_unless_it_is_named(monkeypatch):
    monkeypatch.delenv("ATLAS_TRUSTED_PROXIES", raising=False)
    assert trusted_proxies() == ()
    monkeypatch.setenv("ATLAS_TRUSTED_PROXIES", "127.0.0.1 10.1.0.0/16")
    assert [str(network) for network in trusted_proxies()] == ["127.0.0.1/32", "10.1.0.0/16"]


@pytest.mark.parametrize("setting", ["proxy", "10.0.0.1/8", "10.0.0.0/24;10.0.1.0/24"])
def test_a_setting_that_names_no_address_is_refused_with_its_name(setting: str):
    with pytest.raises(ValueError, match=r"ATLAS_TRUSTED_PROXIES: .*Name addresses or networks such as 10\.0\.0\.0/24"):
        trusted_proxies(setting)


def test_an_address_has_so_many_sockets_and_others_have_their_own():
    async def run() -> None:
        leave = asyncio.Event()

        async def inside(scope, receive, send):
            await send({"type": "websocket.accept"})
            await leave.wait()

        counted = SocketsByAddress(inside, SocketLimits(an_address=3), PROXIES)

        def opened(peer: str, *forwarded: str) -> tuple[asyncio.Task, list]:
            sent = []

            async def send(message):
                sent.append(message)

            headers = [(b"x-forwarded-for", claim.encode()) for claim in forwarded]
            scope = {"type": "websocket", "path": "/_stcore/stream", "client": (peer, 1), "headers": headers}
            scope["extensions"] = {"websocket.http.response": {}}
            return asyncio.create_task(counted(scope, None, send)), sent

        visits = [opened("192.0.2.7", f"198.51.100.{number}") for number in range(4)]  # claims do not count
        visits += [opened("192.0.2.8"), opened("10.0.0.7", "192.0.2.7"), opened("10.0.0.7", "192.0.2.9")]
        await asyncio.sleep(0.01)
        assert [status(sent) for _, sent in visits] == [101, 101, 101, 429, 101, 429, 101]
        assert text(visits[3][1]) == SENTENCE + "\n"
        visits[0][0].cancel()  # however a visit ends, its place is free again
        await asyncio.sleep(0.01)
        again = opened("192.0.2.7")
        await asyncio.sleep(0.01)
        assert status(again[1]) == 101
        leave.set()
        await asyncio.gather(*(task for task, _ in [*visits, again]), return_exceptions=True)
        assert not counted._open  # nothing is remembered of who has gone

    run_elsewhere(run())


def test_requests_are_not_counted():
    counted = SocketsByAddress(Inside(), SocketLimits(an_address=1), ())
    assert [status(ask(counted)) for _ in range(3)] == [200] * 3
