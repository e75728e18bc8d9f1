"""Uploaded files stay in memory, and only until they are read."""

from __future__ import annotations

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile


def keep_in_memory() -> None:
    """Never move an upload to a temporary file; the server's limit bounds what it can take instead."""
    MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20 + 1


async def stopped(request: Request, error: Exception) -> Response:
    """Answer, for the record, a browser that left while it was sending: nothing is kept, and nothing is wrong."""
    return Response(status_code=499)  # by convention: the client closed the connection


HANDLERS = {ClientDisconnect: stopped}  # else the server's log would show each as an error


def take(file: UploadedFile) -> bytes:
    """The bytes of an uploaded file, which the server then forgets: Streamlit would keep it until the visit ends."""
    content = file.getvalue()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    return content
