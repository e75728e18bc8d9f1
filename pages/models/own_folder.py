"""The user's own folder on *Any model*: kept through a reload of its tab, and never in an address."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from server.singleton import singleton
from views.components.tab_memory import tab_memory
from views.text.catalogue import say

KEPT_SECONDS = 1800.0  # after the last run of a page that used it
MOST_FOLDERS = 1000
_FOLDER = "models_folder"  # in the session: its path
_TOKEN = "models_folder_token"  # in the session: the token that stands for it in the browser
_ANSWERED = "models_folder_answered"  # in the session: whether the browser has sent what it has


class FolderTokens:
    """Random tokens that stand for folders. Safe to use from several threads.

    Args:
        clock: gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._folders: OrderedDict[str, tuple[str, float]] = OrderedDict()  # the least recently used first

    def issue(self, folder: str) -> str:
        """Return a new token for a folder."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._folders[token] = folder, self._clock()
            while len(self._folders) > MOST_FOLDERS:
                self._folders.popitem(last=False)
        return token

    def folder(self, token: str) -> str | None:
        """Return the folder of a token, which counts as a use; None after `KEPT_SECONDS` without one."""
        with self._lock:
            now = self._clock()
            while self._folders and now - next(iter(self._folders.values()))[1] > KEPT_SECONDS:
                self._folders.popitem(last=False)
            if token not in self._folders:
                return None
            folder, _ = self._folders[token]
            self._folders[token] = folder, now
            self._folders.move_to_end(token)
            return folder


@singleton
def folder_tokens() -> FolderTokens:
    """Return the tokens of this process."""
    return FolderTokens()


def own_folder() -> str | None:
    """Return the path of the folder that this visit has typed, or that its tab had before a reload."""
    return st.session_state.get(_FOLDER)


def set_own_folder(folder: str) -> None:
    """Set the folder that the user has typed, or another text that names no model of the hub."""
    st.session_state[_FOLDER] = folder
    st.session_state[_TOKEN] = folder_tokens().issue(folder)


def keep_own_folder() -> None:
    """Give the tab the token of its folder, or ask the tab for one; call it in every run of the page."""
    token = st.session_state.get(_TOKEN, "")
    if token and folder_tokens().folder(token) is None:  # forgotten meanwhile: this visit still has the folder
        token = st.session_state[_TOKEN] = folder_tokens().issue(st.session_state[_FOLDER])
    tab_memory("models_tab", token, st.session_state.get(_ANSWERED, False), _recall)


def label() -> str:
    """The folder's entry in the list of models."""
    folder = own_folder()
    if folder is None:
        return say("models.own.none", "your folder")
    return say("models.own", "your folder {name}", name=Path(folder).name)


def render_missing() -> None:
    """Render that this tab has no folder, or nothing while the browser has not answered."""
    if st.session_state.get(_ANSWERED):
        st.warning(
            say(
                "models.own.missing",
                "This link is of a folder that was open in another tab, or over 30 minutes ago; a link cannot open "
                "a folder, so type its path again.",
            )
        )


def _recall(token: str) -> None:
    st.session_state[_ANSWERED] = True
    folder = folder_tokens().folder(token) if token else None
    if folder is not None and own_folder() is None:
        st.session_state[_FOLDER], st.session_state[_TOKEN] = folder, token
