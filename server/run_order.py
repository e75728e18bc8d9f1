"""Every run that a browser asks for takes place, and looks at what it was told before the next one takes its place.

Streamlit ends a run as soon as another one is asked for, and one that has not begun by then never does: what its
message said, such as what was typed on the page that is left, would be lost.

A browser whose server has gone connects to another one by itself, and may ask for a part of its page first: Streamlit
knows no such part there, and would answer nothing to whatever is done in it.
"""

import asyncio
import contextlib

from server.streamlit_internals import BackMsg, ForwardMsg

PATIENCE = 1.0  # seconds; a run that has not begun after that may be replaced
DRAWN = frozenset({"delta", "ref_hash", "script_finished"})  # a run looks at its message before it draws anything


class Runs:
    """The runs that one socket asks for: each waits until the run of a page before it has begun to draw.

    A run of a part of a page replaces no other; but a run of another page makes an end of the parts of the one before,
    so it waits for them too.

    Args:
        patience: the longest that a message is held back, in seconds.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._asked = False  # for any run
        self._page = _Run()  # of a page, asked for last
        self._part = _Run()  # of a part of that page, asked for last
        self._page.drawn.set()
        self._part.drawn.set()

    async def admit(self, message: BackMsg) -> bool:
        """Wait until the app may see `message`. True if it was changed: what is asked for first is a whole page."""
        if message.WhichOneof("type") != "rerun_script":
            return False
        asked = message.rerun_script
        await self._wait(asked.page_script_hash)
        first_part = bool(asked.fragment_id) and not self._asked
        if first_part:
            asked.fragment_id = ""
        self._asked = True
        run = _Run(asked.page_script_hash, asked.fragment_id)
        if run.part:
            self._part = run
        else:
            self._page = run
            self._part.drawn.set()  # what was set there is said again
        return first_part

    async def _wait(self, page: str) -> None:
        """Until what was asked for before has begun to draw; of a part only where another `page` is asked for."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._page.drawn.wait()
                if page != self._part.page:
                    await self._part.drawn.wait()

    def told(self, content: bytes | None) -> None:
        """See in what the app has sent how far the runs have come."""
        waiting = [run for run in (self._page, self._part) if not run.drawn.is_set()]
        if content and waiting:
            message = ForwardMsg.FromString(content)
            for run in waiting:
                run.told(message)


class _Run:
    """A run that was asked for.

    Args:
        page, part: Streamlit's names for what is to run; no part for the whole page.

    Attributes:
        drawn: it has begun to draw, and so has looked at what it was told.
    """

    def __init__(self, page: str = "", part: str = "") -> None:
        self.page, self.part = page, part
        self.drawn = asyncio.Event()
        self._begun = False  # what comes before that is of an older run
        self._placed = not part  # before a part runs, Streamlit draws a place for it

    def told(self, message: ForwardMsg) -> None:
        """See how far it has come."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            parts = message.metadata.run.fragment_ids
            self._begun = self._begun or (self.part in parts if self.part else not parts)
        elif self._begun and kind in DRAWN:
            if self._placed or kind == "script_finished":
                self.drawn.set()
            self._placed = True
