"""The WebSocket between a browser and the app, whose messages a test can hold and release."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, WebSocketRoute

PATIENCE = 180  # seconds


class HeldLine:
    """The line between a tab and the app; messages of either direction can be held."""

    def __init__(self, tab: Page) -> None:
        self._tab = tab
        self._waiting: dict[bool, list[bytes]] = {True: [], False: []}  # from the app?
        self._stopped = {True: False, False: False}
        self._ends: dict[bool, Callable[[bytes], None]] = {}
        tab.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        app = browser.connect_to_server()
        ends = self._ends = {True: browser.send, False: app.send}
        for waiting in self._waiting.values():
            waiting.clear()  # of a page that was left
        app.on_message(lambda message: self._receive(ends, True, message))
        browser.on_message(lambda message: self._receive(ends, False, message))

    def _receive(self, ends: dict[bool, Callable[[bytes], None]], answers: bool, message: bytes) -> None:
        if ends is not self._ends:
            return
        self._waiting[answers].append(message)
        if not self._stopped[answers]:
            self.release(answers=answers)

    def hold(self, *, answers: bool) -> None:
        """Hold the app's messages, or the browser's."""
        self._stopped[answers] = True

    def release(self, *, answers: bool) -> None:
        """Send the held messages in order, and hold no more."""
        self._stopped[answers] = True  # while a message is on its way others come, which go behind it
        while self._waiting[answers]:
            self._ends[answers](self._waiting[answers].pop(0))
        self._stopped[answers] = False

    def lose(self, *, answers: bool) -> None:
        """Send none of the held messages, and hold no more."""
        self._waiting[answers].clear()
        self._stopped[answers] = False

    def wait_for(self, count: int, *, answers: bool, part: bytes = b"") -> None:
        """Wait until so many messages with `part` in them are held."""
        until = time.monotonic() + PATIENCE
        while sum(part in message for message in self._waiting[answers]) < count:
            assert time.monotonic() < until, f"{count} messages with {part!r} were expected"
            self._tab.wait_for_timeout(5)
