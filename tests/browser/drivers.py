"""Drive Debian's Firefox by WebDriver BiDi, and WebKitGTK by WebDriver, without a library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.processes import free_port

PATIENCE = 180  # seconds; when a test gives up
Made = TypeVar("Made")
POINT = """const {left, top, width, height} = shown.getBoundingClientRect();
return [Math.round(left + width / 2), Math.round(top + height / 2)];"""
# Finds the first element that a selector matches, in the page or in any component, and scrolls to it.
FIND = """const roots = [document];
for (const root of roots) {
    roots.push(...[...root.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean));
}
const shown = roots.map((root) => root.querySelector(selector)).find(Boolean);
shown?.scrollIntoView({block: "center"});
"""


class Driver(ABC):
    """A browser with one page."""

    @abstractmethod
    def open(self, url: str) -> None:
        """Go to an address."""

    @abstractmethod
    def run(self, body: str) -> Any:
        """Return what the body of a function returns in the page: a value of JSON."""

    @abstractmethod
    def act(self, actions: list[dict]) -> None:
        """Perform actions of pointer or keys, as WebDriver describes them."""

    def wait(self, body: str) -> Any:
        """Wait until the body of a function returns a true value; return it."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(body)):
            assert time.monotonic() < end, body
            time.sleep(0.05)
        return value

    def text(self, selector: str) -> str:
        """Return the text of an element as soon as it is there."""
        return self.wait(f"const selector = {json.dumps(selector)};{FIND}return shown?.textContent")

    def click(self, selector: str) -> None:
        """Click the middle of an element as soon as it is there."""
        x, y = self.wait(f"const selector = {json.dumps(selector)};{FIND}if (!shown) return null;{POINT}")
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.act([{"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": x, "y": y}, *press]}])

    def type(self, text: str) -> None:
        """Press keys one after another."""
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.act([{"type": "key", "id": "keys", "actions": keys}])


class Firefox(Driver):
    """Firefox without a window."""

    def __init__(self, line: ClientConnection) -> None:
        self._line, self._count = line, 0
        self._call("session.new", capabilities={})
        self._page = self._call("browsingContext.getTree")["contexts"][0]["context"]
        self._call("browsingContext.setViewport", context=self._page, viewport={"width": 1366, "height": 768})

    def _call(self, method: str, **params: object) -> Any:
        self._count += 1
        self._line.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while (answer := json.loads(self._line.recv(PATIENCE))).get("id") != self._count:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, url: str) -> None:
        self._call("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def run(self, body: str) -> Any:
        expression = f"JSON.stringify((() => {{{body}}})() ?? null)"
        answer = self._call(
            "script.evaluate", expression=expression, target={"context": self._page}, awaitPromise=False
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def act(self, actions: list[dict]) -> None:
        self._call("input.performActions", context=self._page, actions=actions)


class WebKit(Driver):
    """WebKitGTK in a window of Xvfb."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = f"/session/{self._call('POST', '/session', capabilities={})['sessionId']}"
        self._call("POST", f"{self._session}/window/rect", width=1366, height=900)

    def _call(self, method: str, path: str, **content: object) -> Any:
        body = json.dumps(content).encode() if method == "POST" else None
        request = urllib.request.Request(self._url + path, body, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def open(self, url: str) -> None:
        self._call("POST", f"{self._session}/url", url=url)

    def run(self, body: str) -> Any:
        return self._call("POST", f"{self._session}/execute/sync", script=body, args=[])

    def act(self, actions: list[dict]) -> None:
        self._call("POST", f"{self._session}/actions", actions=actions)

    def close(self) -> None:
        """End the session and its browser."""
        self._call("DELETE", self._session)


@contextmanager
def firefox(folder: Path) -> Iterator[Driver]:
    """Start Firefox with its profile in `folder`."""
    port = free_port("localhost")
    options = ["--headless", f"--remote-debugging-port={port}", "--profile", str(folder), "--no-remote", "about:blank"]
    with _started([_program("firefox-esr"), *options]):
        line = _once_there(lambda: connect(f"ws://127.0.0.1:{port}/session", max_size=None))
        with line:
            yield Firefox(line)


@contextmanager
def webkit(folder: Path) -> Iterator[Driver]:
    """Start WebKitGTK on a display of its own; `folder` is its home."""
    display, port = f":{free_port('localhost') % 10_000 + 100}", free_port("localhost")
    # Its sandbox needs namespaces, which containers refuse.
    variables = {"DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    environment = os.environ | variables | {"HOME": str(folder), "GDK_BACKEND": "x11"}
    with ExitStack() as stack:
        stack.enter_context(_started([_program("Xvfb"), display, "-screen", "0", "1400x1000x24"]))
        stack.enter_context(_started([_program("WebKitWebDriver"), f"--port={port}"], environment))
        driver = _once_there(lambda: WebKit(f"http://127.0.0.1:{port}"))
        stack.callback(driver.close)
        yield driver


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed: tests/browser/install_others.sh does that, as root on Debian")
    return path


@contextmanager
def _started(command: list[str], environment: dict[str, str] | None = None) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet) as process:
        try:
            yield
        finally:
            process.terminate()


def _once_there(make: Callable[[], Made]) -> Made:
    """Try until the program that was started answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return make()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.2)
