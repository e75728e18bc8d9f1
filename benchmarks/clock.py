"""A clock inside the page: from a user's event to the frame that shows its result.

Nothing outside the page is timed: the event has a time stamp, the condition is checked in every frame, and the clock
stops one frame after it is true, when that frame is on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass
class Clock:
    """Times user actions on a page, and counts the bytes that the server sends meanwhile."""

    page: Page
    received: int = 0

    def __post_init__(self) -> None:
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._count))

    def _count(self, frame: bytes | str) -> None:
        self.received += len(frame)

    def time(self, event: str, act: Callable[[], None], done: str) -> float:
        """Milliseconds from the event to the answer on the screen.

        Args:
            event: the type of the user's event, such as "click"; the first one counts.
            act: causes it.
            done: JavaScript that is true once the result is drawn; `before` is the value stored by `remember`.
        """
        self.page.evaluate(
            f"""event => {{
                window.clock = new Promise((resolve) => addEventListener(event, ({{ timeStamp }}) => {{
                    const look = () => {{
                        if ({done}) requestAnimationFrame((shown) => resolve(shown - timeStamp))
                        else requestAnimationFrame(look)
                    }}
                    requestAnimationFrame(look)
                }}, {{ capture: true, once: true }}))
            }}""",
            event,
        )
        self.received = 0
        act()
        return self.page.evaluate("window.clock")

    def remember(self, expression: str) -> None:
        """Store a value of the page as `before`."""
        self.page.evaluate(f"window.before = {expression}")
