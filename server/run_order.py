"""Delay each rerun message until the run before it has read its own, so that no message is lost.

Streamlit ends a run as soon as another one is requested, and one that has not started by then never does: the values
in its message, such as text typed on the page that is left, would be lost.

A browser that reconnects to another server may request a fragment first. Streamlit does not know that fragment there
and would not answer user actions in it, so the first run of a socket is made a run of the whole page.

A run of a fragment waits until the run before it ends, so a button in a fragment could not end a long computation.
What a button to cancel sends is made a run of the whole page, which ends the others.

A browser that has requested another page goes on with the one that it leaves until the answer arrives. A click there,
or a choice that a component sends after a pause, requests a run of the page that was left. A fragment of it is run by
Streamlit after the new page, but announced with the page that was left: the browser clears the new page and receives
nothing more. Such messages are dropped.
"""

import asyncio
import contextlib
from collections import deque

from server.streamlit_internals import BackMsg, ClientState, ForwardMsg

PATIENCE = 1.0  # seconds; a run that has not started after that may be replaced
# Pages that are remembered as left, and characters of Streamlit's ids: a client may request any number of any length.
MOST_LEFT, LONGEST_ID = 10, 64
CANCEL = "-cancel_"  # in Streamlit's ids of the buttons of `pages/shared/causes/asking.py`
RENDERED = frozenset({"delta", "ref_hash", "script_finished"})  # a run reads its message before it renders


class RunOrder:
    """The order of the runs that one socket requests: each waits until the page's run before it renders.

    A run of a fragment replaces no other run. But a run of another page ends the fragments of the page before, so it
    waits for them too.

    Args:
        patience: the longest that a message is delayed, in seconds.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._any_requested = False
        self._left: deque[str] = deque(maxlen=MOST_LEFT)  # pages that the browser has left for another one
        self._page = _Run()  # the last requested run of a page
        self._fragment = _Run()  # the last requested run of a fragment of that page
        self._page.rendering.set()
        self._fragment.rendering.set()

    def is_late(self, message: BackMsg) -> bool:
        """Whether `message` is of a page that the browser has left.

        A message of a whole page may also come from a link to that page. It does not if it repeats the query of Back or
        Forward, which was requested last: `web/src/page/history.ts` makes each one unique, and a link does not send it.
        """
        rerun, last = message.rerun_script, self._page
        if rerun.page_script_hash == last.page or rerun.page_script_hash not in self._left:
            return False
        return bool(rerun.fragment_id) or (last.is_history_navigation and rerun.query_string == last.query)

    async def admit(self, message: BackMsg) -> bool:
        """Wait until the app may receive `message`; whether it was changed from a fragment to the whole page."""
        if message.WhichOneof("type") != "rerun_script":
            return False
        rerun = message.rerun_script
        await self._wait(rerun.page_script_hash)
        widen = bool(rerun.fragment_id) and (not self._any_requested or _is_cancelled(rerun))
        if widen:
            rerun.fragment_id = ""
        self._any_requested = True
        run = _Run(rerun)
        if run.fragment:
            self._fragment = run
        else:
            if 0 < len(self._page.page) <= LONGEST_ID and self._page.page != run.page:
                self._left.append(self._page.page)
            self._page = run
            self._fragment.rendering.set()  # the page's message repeats the values of the fragment's
        return widen

    async def _wait(self, page: str) -> None:
        """Wait until the page's run before renders, and its fragment's run if another `page` is requested."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._page.rendering.wait()
                if page != self._fragment.page:
                    await self._fragment.rendering.wait()

    def observe(self, content: bytes | None) -> None:
        """Update the progress of the runs from a message that the app sends."""
        pending = [run for run in (self._page, self._fragment) if not run.rendering.is_set()]
        if content and pending:
            message = ForwardMsg.FromString(content)
            for run in pending:
                run.observe(message)


def _is_cancelled(request: ClientState) -> bool:
    """Whether the user has pressed a button that cancels a computation."""
    return any(CANCEL in state.id and state.trigger_value for state in request.widget_states.widgets)


class _Run:
    """A requested run.

    Args:
        request: the browser's message; by default of no page.

    Attributes:
        page, fragment: Streamlit's ids of what is to run; no fragment for the whole page. The first message of a visit
            has no id of its page, which is that of the app's answer.
        query, is_history_navigation: of the request.
        rendering: set once it renders, and so has read its message.
    """

    def __init__(self, request: ClientState | None = None) -> None:
        request = request or ClientState()
        self.page, self.fragment = request.page_script_hash, request.fragment_id
        self.query, self.is_history_navigation = request.query_string, request.is_history_navigation
        self.rendering = asyncio.Event()
        self._named = bool(self.page)
        self._started = False  # messages before that are of an older run
        self._placed = not self.fragment  # before a fragment runs, Streamlit renders its container

    def observe(self, message: ForwardMsg) -> None:
        """Update the progress from a message of the app."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            fragments = message.metadata.run.fragment_ids
            self._started = self._started or (self.fragment in fragments if self.fragment else not fragments)
        elif self._started and kind == "navigation" and not self._named:
            self.page = message.navigation.page_script_hash
        elif self._started and kind in RENDERED:
            if self._placed or kind == "script_finished":
                self.rendering.set()
            self._placed = True
