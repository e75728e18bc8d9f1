"""Our own networks as Hugging Face checkpoints: a button opens each, on every server."""

import atexit
import shutil
import tempfile
from pathlib import Path

import streamlit as st

from model.hub.errors import raised_as
from model.hub.own_checkpoints import EXPORTS, export_own
from server.singleton import singleton
from views.text.catalogue import Message
from views.url_state import bound_settings

OURS = {
    "atlas-translator": Message("models.ours.translator", "Our translator (a Marian checkpoint)"),
    "atlas-gpt2": Message("models.ours.gpt2", "Our decoder-only network (a GPT-2 checkpoint)"),
    "atlas-vit": Message("models.ours.vit", "Our Vision Transformer (a ViT checkpoint)"),
}
assert set(OURS) == set(EXPORTS)


@singleton
def our_checkpoint(name: str) -> Path:
    """The folder of one of `OURS`, which this process writes once and removes when it ends.

    Raises:
        OpenError: it cannot be written.
    """
    with raised_as("This machine has no temporary folder that can be written ({reason}); make room there."):
        root = Path(tempfile.mkdtemp(prefix="attention-atlas-"))  # readable by this user alone
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return export_own(name, root)


def render_buttons() -> None:
    """Render a button for each network: one click opens something."""
    with st.container(horizontal=True):
        for name, label in OURS.items():
            st.button(label(), key=f"open_{name}", on_click=bound_settings.set_value, args=("model", name))
