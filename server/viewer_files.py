"""Serve the built files of the browser side. Their names have a hash, so that browsers store them for ever."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

FOREVER = "public, max-age=31536000, immutable"


def viewer_route(prefix: str, answer: Callable[[str], tuple[str, bool] | None]) -> Route:
    """The route of all files below `prefix`.

    Args:
        answer: the content of a file, and whether browsers may store it; None if there is no such file.
    """

    async def serve(request: Request) -> Response:
        found = answer(request.path_params["file"])
        if found is None:
            return PlainTextResponse("There is no such file here.\n", 404)
        content, stored = found
        headers = {"Cache-Control": FOREVER if stored else "no-store"}
        return Response(content, media_type="text/javascript", headers=headers)

    return Route(f"{prefix}{{file}}", serve)
