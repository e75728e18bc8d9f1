"""The servers of the load benchmark: one, or several behind the proxy of deploy/."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.browser.app_server import AppServer
from tests.deploy.replicas import Site
from tests.processes import processor_seconds, resident_megabytes


class Servers(Protocol):
    """One or several servers.

    Attributes:
        url: which they ask.
        urls: of each server, without a proxy.
    """

    url: str
    urls: tuple[str, ...]

    def resident_of_each(self) -> list[float]:
        """Memory of each server in megabytes."""

    def processor_seconds(self) -> float:
        """Processor time of all servers together."""


class _One(AppServer):
    """A server that visitors reach directly."""

    @property
    def urls(self) -> tuple[str, ...]:
        return (self.url,)

    def resident_of_each(self) -> list[float]:
        return [self.resident_megabytes()]


class _Replicas:
    """Servers behind nginx, which sends each visitor to the same one; its own time and memory are not counted."""

    def __init__(self, site: Site) -> None:
        self._replicas = site.replicas
        self.url = site.url
        self.urls = tuple(replica.url for replica in site.replicas)

    def resident_of_each(self) -> list[float]:
        return [resident_megabytes(replica.pid) for replica in self._replicas]

    def processor_seconds(self) -> float:
        return sum(processor_seconds(replica.pid) for replica in self._replicas)


@contextmanager
def servers(replicas: int = 1) -> Iterator[Servers]:
    """One server without a proxy, or so many replicas behind one; nginx must be installed for these."""
    if replicas == 1:
        with _One() as server:
            yield server
    else:
        with tempfile.TemporaryDirectory() as folder, Site(Path(folder), replicas) as site:
            yield _Replicas(site)
