"""What views reach inside Streamlit, where nothing public does the same. Tests tell when Streamlit changes it."""

from pathlib import Path

import streamlit as st
from starlette.formparsers import MultiPartParser
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile


def is_history_navigation() -> bool:
    """Whether the browser asks for this run because it went back or forward: the address alone does not tell."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def session_id() -> str:
    """Names this visit among all others, for as long as it lasts; empty where none runs."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def reported_widget_id(name: str) -> str | None:
    """The id of what the browser says the control called `name` shows, before it is drawn; None if it says nothing.

    A browser whose server has gone connects to another one by itself, which knows nothing of the visit. Streamlit has
    it say nothing there until the reader does something, so that its first message holds what was set by that.
    """
    context = get_script_run_ctx()
    said = context.session_state.get_widget_states() if context else ()
    return next((state.id for state in said if user_key_from_element_id(state.id) == name), None)


def is_drawn(id: str) -> bool:
    """Whether this run has drawn a control with this id: with other limits or options it has another one."""
    return id in get_script_run_ctx().shared.widget_ids_this_run


def forget_upload(file: UploadedFile) -> None:
    """Have the server forget an uploaded file: Streamlit would keep it until the visit ends."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def keep_uploads_in_memory() -> None:
    """Never move an upload to a temporary file; the server's limit bounds what it can take instead.

    Streamlit reads uploads with Starlette's parser, whose own limit can be set nowhere else.
    """
    MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20 + 1


def font_file() -> Path | None:
    """The font of the pages, which comes with Streamlit, so that pictures in files have it too."""
    return next(Path(st.__file__).parent.glob("static/static/media/SourceSansVF-Upright*.woff2"), None)


def chart_script() -> str:
    """The script that draws charts, below the site's address; empty where it cannot be found."""
    static = Path(st.__file__).parent / "static"
    found = next(static.glob("static/js/PlotlyChart.*.js"), None)
    return found.relative_to(static).as_posix() if found else ""
