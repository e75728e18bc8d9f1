"""All uses of Streamlit's internals in views, where no public API does the same. Tests fail if Streamlit changes it."""

from pathlib import Path

import streamlit as st
from starlette.formparsers import MultiPartParser
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile


def is_history_navigation() -> bool:
    """Whether the browser requested this run because it went back or forward; the URL alone does not show it."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def session_id() -> str:
    """The id of this visit; empty outside a run."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def reported_widget_id(name: str) -> str | None:
    """The id of the widget called `name` that the browser reported before this run has drawn it; None if it did not.

    A browser whose server has gone reconnects to another one, which knows nothing of the visit. Streamlit sends nothing
    there until the user does something, so that its first message contains what was set by that.
    """
    context = get_script_run_ctx()
    states = context.session_state.get_widget_states() if context else ()
    return next((state.id for state in states if user_key_from_element_id(state.id) == name), None)


def is_drawn(id: str) -> bool:
    """Whether this run has drawn a widget with this id; with other limits or options a widget has another id."""
    context = get_script_run_ctx()
    return context is not None and id in context.shared.widget_ids_this_run


def forget_upload(file: UploadedFile) -> None:
    """Release an uploaded file on the server: Streamlit would store it until the visit ends."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def keep_uploads_in_memory() -> None:
    """Never write an upload to a temporary file; the server's upload limit bounds its memory.

    Streamlit reads uploads with Starlette's parser, whose limit can only be set on its class.
    """
    MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20 + 1


def font_file() -> Path | None:
    """The font of the pages, which is shipped with Streamlit, for pictures in files."""
    return next(Path(st.__file__).parent.glob("static/static/media/SourceSansVF-Upright*.woff2"), None)


def chart_script() -> str:
    """Path of the script that draws charts, relative to the site; empty if there is none."""
    static = Path(st.__file__).parent / "static"
    script = next(static.glob("static/js/PlotlyChart.*.js"), None)
    return script.relative_to(static).as_posix() if script else ""
