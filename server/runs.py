"""Every run that a browser asks for takes place, and looks at what it was told before the next one takes its place.

Streamlit ends a run as soon as another one is asked for, and one that has not begun by then never does: what its
message said, such as what was typed on the page that is left, would be lost.

A browser whose server has gone connects to another one by itself, and may ask for a part of its page first: Streamlit
knows no such part there, and would answer nothing to whatever is done in it.
"""

import asyncio
import contextlib

from server.streamlit_inside import BackMsg, ForwardMsg

PATIENCE = 1.0  # seconds; a run that has not begun after that may be replaced
DRAWN = frozenset({"delta", "ref_hash", "script_finished"})  # a run looks at its message before it draws anything


class Runs:
    """The runs that one socket asks for: each waits until the run of a page before it has begun to draw.

    Args:
        patience: the longest that a message is held back, in seconds.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._asked = False  # for any run
        self._begun = False  # the run asked for last; what comes before that is of an older one
        self._drawn = asyncio.Event()
        self._drawn.set()

    async def admit(self, message: BackMsg) -> bool:
        """Wait until the app may see `message`. True if it was changed: what is asked for first is a whole page."""
        if message.WhichOneof("type") != "rerun_script":
            return False
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._drawn.wait(), self._patience)
        asked = message.rerun_script
        first_part = bool(asked.fragment_id) and not self._asked
        if first_part:
            asked.fragment_id = ""
        self._asked = True
        if not asked.fragment_id:  # a run of a part of the page replaces no other
            self._begun = False
            self._drawn.clear()
        return first_part

    def told(self, content: bytes | None) -> None:
        """See in what the app has sent how far the run has come."""
        if content and not self._drawn.is_set():
            kind = ForwardMsg.FromString(content).WhichOneof("type")
            self._begun = self._begun or kind == "new_session"
            if self._begun and kind in DRAWN:
                self._drawn.set()
