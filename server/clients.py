"""Find the address of a client, behind reverse proxies too, and limit its sockets."""

import ipaddress
import os
from collections import Counter
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server import connections
from server.http_errors import Refusal, refuse
from server.limits import SocketLimits

TRUSTED_PROXIES = "ATLAS_TRUSTED_PROXIES"  # environment: addresses or networks of reverse proxies, separated by spaces
TOO_MANY_SOCKETS = Refusal("Too many windows of this site are open at your address: close one and try again.")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SocketsByAddress:
    """Refuse a socket if its address has the maximum number open already.

    Args:
        proxies: reverse proxies whose X-Forwarded-For is trusted; those of the environment if None.
    """

    def __init__(
        self, app: ASGIApp, limits: SocketLimits | None = None, proxies: Sequence[Network] | None = None
    ) -> None:
        self._app = app
        self._limit = (limits or SocketLimits()).per_address
        self._proxies = trusted_proxies() if proxies is None else tuple(proxies)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        peer = connections.peer(receive) or (scope.get("client") or ("",))[0]
        address = client_address(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._proxies)
        if self._open[address] >= self._limit:
            return await refuse(scope, receive, send, 429, TOO_MANY_SOCKETS)
        self._open[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def trusted_proxies(setting: str | None = None) -> tuple[Network, ...]:
    """The proxies that a setting lists, by default that of the environment.

    Raises:
        ValueError: an item is neither an address nor a network; the message contains it.
    """
    names = (os.environ.get(TRUSTED_PROXIES, "") if setting is None else setting).replace(",", " ").split()
    try:
        return tuple(ipaddress.ip_network(name) for name in names)
    except ValueError as error:
        raise ValueError(f"{TRUSTED_PROXIES}: {error}. Name addresses or networks such as 10.0.0.0/24.") from None


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The client's address of a connection from `peer`.

    Args:
        forwarded: the values of its X-Forwarded-For headers. They count only if `peer` is one of the `proxies`, and
            are read from the last one: a proxy appends to what a client claims.

    Returns:
        An IPv4 address; the /64 network of an IPv6 address, since a home or an office has a whole one; else `peer`.
    """
    hops = [hop.strip() for header in forwarded for hop in header.split(",") if hop.strip()]
    address = _parsed(peer)
    while hops and address is not None and any(address in network for network in proxies):
        claimed = _parsed(hops.pop())
        if claimed is None:
            break  # not an address: the connection counts as the proxy's own
        address = claimed
    if address is None:
        return peer
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in `text`, or None; an IPv4-mapped IPv6 address becomes IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
