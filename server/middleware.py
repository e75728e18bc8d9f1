"""The middleware that every request and every WebSocket passes through before it reaches Streamlit."""

from collections.abc import Collection, Mapping

from starlette.middleware import Middleware

from server.addresses import HostCheck, KnownAddresses
from server.base_path import InsertBasePath, RemoveBasePath
from server.clients import SocketsByAddress
from server.connections import ConnectionLimits
from server.headers import SecurityHeaders
from server.http_errors import RefusalLanguage, RequestLanguage
from server.static_files import CompressedStaticFiles
from server.uploads import UploadLimit
from server.websocket_messages import InstallationRedaction, MessageFilter


def middleware_stack(
    script: str,
    version: str,
    pages: Collection[str],
    extra_paths: Collection[str],
    moved: Mapping[str, str],
    *of_pages: Middleware,
    language: RequestLanguage | None = None,
) -> list[Middleware]:
    """The middleware of the app, the outermost first.

    Args:
        script, version: see `InstallationRedaction`.
        pages, extra_paths, moved: see `KnownAddresses`.
        of_pages: middleware of the pages; runs after the host check.
        language: see `RefusalLanguage`; refusals are in English if None.
    """
    own_paths = [path.partition("{")[0] for path in extra_paths]
    return [
        Middleware(RemoveBasePath, root_paths=[path for path in extra_paths if "{" not in path]),
        *([Middleware(RefusalLanguage, language=language)] if language else []),
        Middleware(ConnectionLimits),
        Middleware(SecurityHeaders),
        Middleware(HostCheck),
        Middleware(CompressedStaticFiles),
        *of_pages,
        Middleware(KnownAddresses, pages=pages, extra_paths=extra_paths, moved=moved),
        Middleware(SocketsByAddress),
        Middleware(MessageFilter),
        Middleware(UploadLimit),
        Middleware(InstallationRedaction, script=script, version=version),
        Middleware(InsertBasePath, own_paths=own_paths),
    ]
