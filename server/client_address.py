"""Where a connection comes from, and how many sockets come from there."""

import ipaddress
import os
from collections import Counter
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server import uvicorn_socket
from server.http_errors import refuse
from server.limits import SocketLimits

TRUSTED_PROXIES = "ATLAS_TRUSTED_PROXIES"  # environment: addresses or networks of reverse proxies, with spaces between
SENTENCE = "Too many windows of this site are open at your address: close one and try again."

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SocketsByAddress:
    """Refuse a socket where its address has as many open already as it may have.

    Args:
        proxies: reverse proxies that are believed when they say for whom they ask; those of the environment if None.
    """

    def __init__(
        self, app: ASGIApp, limits: SocketLimits | None = None, proxies: Sequence[Network] | None = None
    ) -> None:
        self._app = app
        self._limit = (limits or SocketLimits()).an_address
        self._proxies = trusted_proxies() if proxies is None else tuple(proxies)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        peer = uvicorn_socket.peer(receive) or (scope.get("client") or ("",))[0]
        address = visitor(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._proxies)
        if self._open[address] >= self._limit:
            return await refuse(scope, receive, send, 429, SENTENCE)
        self._open[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def trusted_proxies(setting: str | None = None) -> tuple[Network, ...]:
    """What the setting, by default that of the environment, names.

    Raises:
        ValueError: something in it is neither an address nor a network; the message says what.
    """
    named = (os.environ.get(TRUSTED_PROXIES, "") if setting is None else setting).replace(",", " ").split()
    try:
        return tuple(ipaddress.ip_network(name) for name in named)
    except ValueError as error:
        raise ValueError(f"{TRUSTED_PROXIES}: {error}. Name addresses or networks such as 10.0.0.0/24.") from None


def visitor(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address that counts for a connection from `peer`.

    Args:
        forwarded: the values of its X-Forwarded-For headers. They count only where `peer` is one of the `proxies`, and
            then from the last one on: what a proxy adds stands behind what a visitor claims.

    Returns:
        An IPv4 address; of an IPv6 address the network, since every household has a whole one; else the text itself.
    """
    hops = [hop.strip() for header in forwarded for hop in header.split(",") if hop.strip()]
    address = _parsed(peer)
    while hops and address is not None and any(address in network for network in proxies):
        claimed = _parsed(hops.pop())
        if claimed is None:
            break  # no address: it counts as the proxy's own
        address = claimed
    if address is None:
        return peer
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in `text`; an IPv4 address that is written as one of IPv6 is one of IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
