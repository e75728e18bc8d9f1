"""Our own networks as Hugging Face checkpoints: a button opens each, on every server."""

from pathlib import Path

import streamlit as st

from model import OpenError
from model.hub.folder import CONFIG
from model.hub.own_checkpoints import EXPORTS, export_own
from server.temporary_files import temporary_files
from views.text.catalogue import Message
from views.url_state import bound_settings

OURS = {
    "atlas-translator": Message("models.ours.translator", "Our translator (a Marian checkpoint)"),
    "atlas-gpt2": Message("models.ours.gpt2", "Our decoder-only network (a GPT-2 checkpoint)"),
    "atlas-vit": Message("models.ours.vit", "Our Vision Transformer (a ViT checkpoint)"),
}
assert set(OURS) == set(EXPORTS)


def our_checkpoint(name: str) -> Path:
    """The folder of one of `OURS`, which this process writes once, and again if somebody has removed it.

    Raises:
        OpenError: it cannot be written.
    """
    try:
        root = temporary_files().folder()
    except OSError as error:
        raise OpenError(
            "This machine has no temporary folder that can be written ({reason}); make room there.",
            reason=error.strerror or type(error).__name__,
        ) from None
    folder = root / name
    return folder if (folder / CONFIG).is_file() else export_own(name, root)


def render_buttons() -> None:
    """Render a button for each network: one click opens something."""
    with st.container(horizontal=True):
        for name, label in OURS.items():
            st.button(label(), key=f"open_{name}", on_click=bound_settings.set_value, args=("model", name))
