"""Models that may be opened: decided when the program starts, never by a request."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from .source import looks_like_id

SETTING = "ATLAS_MODELS"
ANY = "any"


@dataclass(frozen=True)
class AllowedModel:
    """A model that may be opened."""

    name: str  # shown to users and used in addresses: an id of the hub, or the last part of a folder's path
    source: str  # the id with its commit, or the folder


@dataclass(frozen=True)
class ModelAllowlist:
    """Models that may be opened."""

    listed: tuple[AllowedModel, ...]  # models that the operator named; their names all differ
    any: bool  # True on the user's own machine, where any folder and any id may be opened

    def source(self, name: str) -> str | None:
        """The source of a name; None where it may not be opened, even if it exists. A path is not a name."""
        for model in self.listed:
            if model.name == name:
                return model.source
        return name if self.any and looks_like_id(name) else None


def read_allowlist(setting: str | None = None) -> ModelAllowlist:
    """Parse the setting `ATLAS_MODELS`: empty, "any", or folders and ids separated by commas or line ends.

    Args:
        setting: its text; None reads the environment variable.
    """
    text = os.environ.get(SETTING, "") if setting is None else setting
    if text.strip().lower() == ANY:
        return ModelAllowlist((), True)
    models: dict[str, AllowedModel] = {}
    for source in filter(None, (part.strip() for part in re.split(r"[,\n]", text))):
        name = source.partition("@")[0] if looks_like_id(source) and not Path(source).is_dir() else Path(source).name
        models.setdefault(name, AllowedModel(name, source))
    return ModelAllowlist(tuple(models.values()), False)
