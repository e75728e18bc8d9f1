"""What the server reaches inside Streamlit, where nothing public does it. Tests tell when Streamlit changes it."""

from pathlib import Path

from streamlit import file_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg as ForwardMsg
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed as is_host_allowed

# BackMsg and ForwardMsg: what comes and goes over a socket, where messages of developers are kept out, runs are told
# apart, and the script's place is taken out. is_host_allowed: whether `server.allowedHosts` has a name, which Streamlit
# asks when a socket opens and nowhere else.


def files() -> Path:
    """The folder of the page, the scripts, styles and fonts that come with Streamlit: only they have addresses."""
    return Path(file_util.get_static_dir())


def keep_file(content: bytes, mime: str, place: str, name: str) -> None:
    """Keep a file until another one takes its place; do nothing where no server runs.

    What a download button makes is forgotten with the run that made it, sooner than a browser can fetch it.
    """
    if runtime.exists():
        runtime.get_instance().media_file_mgr.add(content, mime, place, name, is_for_static_download=True)


def forget_upload(visit: str, file: str) -> None:
    """Forget an upload that no page has taken; nothing happens if one has. Streamlit has no limit for them."""
    runtime.get_instance().uploaded_file_mgr.remove_file(visit, file)


def is_here(visit: str) -> bool:
    """Whether a visit has its socket open; True where no server runs."""
    return not runtime.exists() or runtime.get_instance().is_active_session(visit)


def sessions_left() -> int:
    """Let go of sessions whose time is over: Streamlit itself looks at them only when somebody else leaves.

    Returns:
        How many are left, those among them that wait for their visitor to come back included.

    Raises:
        AttributeError, RuntimeError: this version of Streamlit keeps them elsewhere, or no server runs.
    """
    manager = runtime.get_instance()._session_mgr
    manager._session_storage._cache.expire()
    return len(manager.list_sessions())
