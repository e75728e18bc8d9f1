"""What a saved file states about where it comes from: the address that shows its view again, and versions."""

import platform
from importlib.metadata import version
from urllib.parse import parse_qs, urlencode, urlsplit

from server.base_path import base_path
from views import navigation
from views.controls import picture_input
from views.url_state import bound_settings
from views.version import VERSION

COMPUTED_BY = ("torch", "numpy")
OWN_FOLDER = {"model": ["own"]}  # in the address of a view of a folder that only its visit has


def view_link(page: str) -> str:
    """Return path and query of the address that shows this view, with the sentence or the sample's name."""
    address = bound_settings.view_query()
    if address.get(picture_input.SETTING) == picture_input.OWN:  # only this visit has the picture
        del address[picture_input.SETTING]
    return f"{base_path()}/{page}?{urlencode(sorted(address.items()), doseq=True)}"


def is_of_own_folder(link: str) -> bool:
    """Whether an address shows a model in a folder that only its visit has."""
    return OWN_FOLDER.items() <= parse_qs(urlsplit(link).query).items()


def used_versions(opened: bool) -> dict[str, str]:
    """Return the versions of what computed a result, by name; `opened` if an opened model did."""
    return {
        navigation.NAME: VERSION,
        "python": platform.python_version(),
        **{name: version(name) for name in COMPUTED_BY},
        **({"transformers": version("transformers")} if opened else {}),
    }
