"""The client's address of a socket, and the limit of sockets per address."""

import asyncio

import pytest

from server.client_address import TOO_MANY_SOCKETS, SocketsByAddress, client_address, trusted_proxies
from server.limits import SocketLimits
from tests.coroutines import run_in_thread
from tests.server.asgi import RecordingApp, send_request, status, text

PROXIES = trusted_proxies("10.0.0.0/24, 2001:db8:1::5 192.0.2.1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.9", [], "192.0.2.9"),
        ("192.0.2.9", ["198.51.100.1"], "192.0.2.9"),  # the header counts from proxies only
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
def test_the_client_address_is_read_from_trusted_proxies(peer: str, forwarded: list[str], expected: str):
    assert client_address(peer, forwarded, PROXIES) == expected


def test_no_proxy_is_trusted_unless_it_is_named(monkeypatch):
    monkeypatch.delenv("ATLAS_TRUSTED_PROXIES", raising=False)
    assert trusted_proxies() == ()
    monkeypatch.setenv("ATLAS_TRUSTED_PROXIES", "127.0.0.1 10.1.0.0/16")
    assert [str(network) for network in trusted_proxies()] == ["127.0.0.1/32", "10.1.0.0/16"]


@pytest.mark.parametrize("setting", ["proxy", "10.0.0.1/8", "10.0.0.0/24;10.0.1.0/24"])
def test_a_setting_that_is_no_address_raises_an_error_with_its_name(setting: str):
    with pytest.raises(ValueError, match=r"ATLAS_TRUSTED_PROXIES: .*Name addresses or networks such as 10\.0\.0\.0/24"):
        trusted_proxies(setting)


def test_sockets_are_limited_per_address():
    async def run() -> None:
        leave = asyncio.Event()

        async def app(scope, receive, send):
            await send({"type": "websocket.accept"})
            await leave.wait()

        counted = SocketsByAddress(app, SocketLimits(per_address=3), PROXIES)

        def open_socket(peer: str, *forwarded: str) -> tuple[asyncio.Task, list]:
            sent = []

            async def send(message):
                sent.append(message)

            headers = [(b"x-forwarded-for", claim.encode()) for claim in forwarded]
            scope = {"type": "websocket", "path": "/_stcore/stream", "client": (peer, 1), "headers": headers}
            scope["extensions"] = {"websocket.http.response": {}}
            return asyncio.create_task(counted(scope, None, send)), sent

        visits = [open_socket("192.0.2.7", f"198.51.100.{number}") for number in range(4)]  # claims do not count
        visits += [open_socket("192.0.2.8"), open_socket("10.0.0.7", "192.0.2.7"), open_socket("10.0.0.7", "192.0.2.9")]
        await asyncio.sleep(0.01)
        assert [status(sent) for _, sent in visits] == [101, 101, 101, 429, 101, 429, 101]
        assert text(visits[3][1]) == TOO_MANY_SOCKETS.english + "\n"
        visits[0][0].cancel()  # however a socket ends, another one may open
        await asyncio.sleep(0.01)
        again = open_socket("192.0.2.7")
        await asyncio.sleep(0.01)
        assert status(again[1]) == 101
        leave.set()
        await asyncio.gather(*(task for task, _ in [*visits, again]), return_exceptions=True)
        assert not counted._open  # no address is stored after its last socket

    run_in_thread(run())


def test_requests_are_not_counted():
    counted = SocketsByAddress(RecordingApp(), SocketLimits(per_address=1), ())
    assert [status(send_request(counted)) for _ in range(3)] == [200] * 3
