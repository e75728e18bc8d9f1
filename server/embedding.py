"""The sites that may show this app in a frame: none, unless the operator lists them.

In a frame of another site a browser sends no cookie that is `SameSite=Lax`, and uploads need Streamlit's: they are
answered with 403 without it. So with a list, cookies are `SameSite=None; Secure; Partitioned`: each embedding site has
its own, and the app has to be served by HTTPS, or on this machine. That they travel with requests of other sites opens
nothing: Streamlit compares the cookie with a header that only its own page can set, and `server/host_check.py` refuses
other origins.
"""

import os
import re
from collections.abc import Sequence

EMBED = "ATLAS_EMBED"  # environment: origins of sites, separated by spaces or commas

_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_ORIGIN = re.compile(
    rf"https://{_LABEL}(?:\.{_LABEL})*(?::\d{{1,5}})?|http://(?:localhost|127\.0\.0\.1)(?::\d{{1,5}})?"
)
_SAME_SITE = re.compile(r";\s*(?:samesite=\w+|secure|partitioned)(?=;|$)", re.IGNORECASE)


def embedding_sites(setting: str | None = None) -> tuple[str, ...]:
    """The origins that a setting lists, by default that of the environment.

    Raises:
        ValueError: an item is not the origin of a site that is served by HTTPS; the message contains it.
    """
    listed = (os.environ.get(EMBED, "") if setting is None else setting).replace(",", " ").split()
    sites = tuple(dict.fromkeys(site.lower() for site in listed))
    for site in sites:
        port = site.rpartition(":")[2]
        if not _ORIGIN.fullmatch(site) or (port.isdigit() and not 0 < int(port) < 2**16):
            raise ValueError(
                f"{EMBED} contains {site!r}, which is not a site: write https:// and its name without a path, such as "
                "https://lms.example.edu, and spaces between several."
            )
    return sites


def frame_ancestors(sites: Sequence[str]) -> str:
    """The sources of the policy's `frame-ancestors`; with embedding sites the app may frame itself too."""
    return " ".join(("'self'", *sites)) if sites else "'none'"


def for_frames(cookie: str) -> str:
    """A Set-Cookie header whose cookie is sent in frames of other sites, for each of these another one."""
    return _SAME_SITE.sub("", cookie) + "; SameSite=None; Secure; Partitioned"
