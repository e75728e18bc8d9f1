"""Which models may be opened: decided when the program starts, never by a request."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from .source import looks_like_id

SETTING = "ATLAS_MODELS"
ANY = "any"


@dataclass(frozen=True)
class AllowedModel:
    """A model that may be opened.

    Attributes:
        name: what an address and the reader call it: an id of the hub, or the last part of a folder's path.
        source: the id with its commit, or the folder.
    """

    name: str
    source: str


@dataclass(frozen=True)
class ModelAllowlist:
    """What may be opened.

    Attributes:
        listed: named by the operator; their names all differ.
        any: on one's own machine: any folder, and any id.
    """

    listed: tuple[AllowedModel, ...]
    any: bool

    def source(self, name: str) -> str | None:
        """What a name stands for; None where it may not be opened, whatever exists. A path is no name."""
        for model in self.listed:
            if model.name == name:
                return model.source
        return name if self.any and looks_like_id(name) else None


def read_allowlist(setting: str | None = None) -> ModelAllowlist:
    """What the setting `ATLAS_MODELS` says: nothing, "any", or folders and ids with commas or line ends between them.

    Args:
        setting: its text; None reads the environment.
    """
    text = os.environ.get(SETTING, "") if setting is None else setting
    if text.strip().lower() == ANY:
        return ModelAllowlist((), True)
    found: dict[str, AllowedModel] = {}
    for source in filter(None, (part.strip() for part in re.split(r"[,\n]", text))):
        name = source.partition("@")[0] if looks_like_id(source) and not Path(source).is_dir() else Path(source).name
        found.setdefault(name, AllowedModel(name, source))
    return ModelAllowlist(tuple(found.values()), False)
