"""Streamlit's internals that the server uses where there is no public API. Tests fail when Streamlit changes them."""

import time
from pathlib import Path
from typing import Any

from streamlit import file_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg
from streamlit.proto.ClientState_pb2 import ClientState as ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg as ForwardMsg
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed as is_host_allowed

# BackMsg and ForwardMsg: the messages of a socket, which are filtered, ordered and stripped of the script's path.
# ClientState: what a BackMsg that requests a run contains.
# is_host_allowed: whether `server.allowedHosts` contains a name; Streamlit checks it only when a socket opens.


def static_folder() -> Path:
    """The folder of Streamlit's own page, scripts, styles and fonts."""
    return Path(file_util.get_static_dir())


def store_file(content: bytes, mime: str, slot: str, name: str) -> None:
    """Store a file in a slot until another one replaces it; do nothing if no server runs.

    Streamlit drops a download button's file with its run, sooner than a browser can fetch it.
    """
    if runtime.exists():
        runtime.get_instance().media_file_mgr.add(content, mime, slot, name, is_for_static_download=True)


def forget_upload(session: str, file: str) -> None:
    """Drop an upload that no page has read; do nothing if one has. Streamlit has no limit for them."""
    manager: Any = runtime.get_instance().uploaded_file_mgr  # its type lacks the method
    manager.remove_file(session, file)


def is_connected(session: str) -> bool:
    """Whether a session has its socket open; True if no server runs."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def rerun(session: str) -> None:
    """Run a visit's page again with its settings, as when its user acts; do nothing if it is not connected."""
    if not runtime.exists() or not is_connected(session):
        return
    instance: Any = runtime.get_instance()
    visit = instance._session_mgr.get_active_session_info(session).session
    instance._get_async_objs().eventloop.call_soon_threadsafe(lambda: visit.request_rerun(visit._client_state))


def wait_for_runs(session: str, seconds: float) -> None:
    """Wait until a visit has no run that waits or executes, at most for `seconds`.

    What a socket brings is read in order, so the runs asked for before a file are known when the file is made.
    """
    if not runtime.exists() or not is_connected(session):
        return
    instance: Any = runtime.get_instance()
    visit = instance._session_mgr.get_active_session_info(session).session
    end = time.monotonic() + seconds
    while visit._scriptrunner is not None and time.monotonic() < end:
        time.sleep(0.02)


def expire_sessions() -> int:
    """Drop expired sessions; Streamlit does so only when another visitor disconnects.

    Returns:
        The number of sessions that are left, including disconnected ones that may reconnect.

    Raises:
        AttributeError, RuntimeError: this version of Streamlit stores them elsewhere, or no server runs.
    """
    manager: Any = runtime.get_instance()._session_mgr
    manager._session_storage._cache.expire()
    return len(manager.list_sessions())
