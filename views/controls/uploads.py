"""Uploaded files stay in memory, and only until they are read."""

from __future__ import annotations

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from views.streamlit_inside import UploadedFile, forget_upload


async def stopped(request: Request, error: Exception) -> Response:
    """Answer, for the record, a browser that left while it was sending: nothing is kept, and nothing is wrong."""
    return Response(status_code=499)  # by convention: the client closed the connection


HANDLERS = {ClientDisconnect: stopped}  # else the server's log would show each as an error


def take(file: UploadedFile) -> bytes:
    """The bytes of an uploaded file, which the server then forgets."""
    content = file.getvalue()
    forget_upload(file)
    return content
