"""What every request and every socket goes through, one after the other, before Streamlit sees it."""

from collections.abc import Collection, Mapping

from starlette.middleware import Middleware

from server.addresses import KnownAddresses
from server.client_address import SocketsByAddress
from server.headers import SafetyHeaders
from server.host_check import OwnSite
from server.path_redaction import UnnamedPlace
from server.static_files import CompressedScripts
from server.upload_limit import FewUploads
from server.websocket_messages import ReadersMessages


def door(
    script: str, pages: Collection[str], beside: Collection[str], moved: Mapping[str, str], *pages_own: Middleware
) -> list[Middleware]:
    """The middleware of the app, the outermost first.

    Args:
        script: the app's file, whose place is told to nobody.
        pages, beside, moved: see `KnownAddresses`.
        pages_own: what the pages bring of their own; it sees requests for this server only.
    """
    return [
        Middleware(SafetyHeaders),
        Middleware(OwnSite),
        Middleware(CompressedScripts),
        *pages_own,
        Middleware(KnownAddresses, pages=pages, beside=beside, moved=moved),
        Middleware(SocketsByAddress),
        Middleware(ReadersMessages),
        Middleware(FewUploads),
        Middleware(UnnamedPlace, script=script),
    ]
