"""Which model: those that may be opened, what is known of each, and the one that the reader chooses."""

from pathlib import Path

import streamlit as st

from model import OpenError, open_model
from model.hub.allowlist import ModelAllowlist, read_allowlist
from model.hub.checkpoint_summary import CheckpointSummary, summarize, summarize_allowed, summarize_folder
from model.hub.source import looks_like_id
from pages.models.model_cache import opened_models
from pages.models.model_downloads import fetch
from pages.models.model_table import render_introduction, render_models
from pages.shared.service import Service
from server.singleton import singleton
from views import streamlit_internals
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import Untranslated, say, say_error
from views.url_state import bound_settings

NONE = "none"
OWN = "own"  # a folder of the reader's own: no address holds its path
_FOLDER = "models_folder"  # in the session: its path
_DOWNLOAD = "models_download"  # in the session: the id whose download was asked for


@singleton
def allowed_models() -> ModelAllowlist:
    """As the setting was when this process started."""
    return read_allowlist()


def chosen_model() -> Service | None:
    """Let the reader choose, open what was chosen, and say why where that cannot be."""
    may = allowed_models()
    if not (may.any or may.listed):
        st.markdown(prose.block("models", "nothing-may-be-opened"))
        render_introduction()
        return None
    known = summarize_allowed(may)
    if may.any:
        typed, listed = st.columns([3, 2], gap="medium")
        with typed:
            _render_box()
        with listed:
            name = _choose_name(may, known)
    else:
        name = _choose_name(may, known)
    if name == NONE:
        st.caption(prose.block("models", "how-any" if may.any else "how-listed"))
    if known:
        render_models(known, open_=name == NONE)
    if name == NONE:
        render_introduction()
        return None
    return _open(may, name)


def _choose_name(may: ModelAllowlist, known: list[CheckpointSummary]) -> str:
    """The name of the model to open, by the setting `model`; never a path."""
    names: dict[str, str | Untranslated] = {NONE: say("models.none", "none yet")} | {
        model.name: Untranslated(model.name) for model in known
    }
    if st.session_state.get(_FOLDER):
        names[OWN] = say("models.own", "your folder {name}", name=Path(st.session_state[_FOLDER]).name)
    asked = bound_settings.stored_text("model")
    if asked and asked != OWN and asked not in names and may.source(asked) is not None:
        names[asked] = Untranslated(asked)
    return widgets.select(say("models.model", "Model"), names, "model", NONE)


def _render_box() -> None:
    """A box for a folder or an id, where any may be opened. What is typed stays out of the address."""

    def take() -> None:
        typed = st.session_state["models_box"].strip()
        folder = Path(typed).expanduser()
        if typed and (folder.is_dir() or not looks_like_id(typed)):
            st.session_state[_FOLDER] = str(folder)
            bound_settings.set_value("model", OWN)
        elif typed:
            bound_settings.set_value("model", typed)

    label = say("models.box", "A folder on this machine, or an id of the hub such as owner/name")
    st.text_input(label, key="models_box", on_change=take)


def _open(may: ModelAllowlist, name: str) -> Service | None:
    source = st.session_state.get(_FOLDER) if name == OWN and may.any else may.source(name)
    if source is None:
        st.warning(say("models.refused", "This server does not open that model; choose one of the list."))
        return None
    key = source if name == OWN else name
    found = opened_models().get(key, streamlit_internals.session_id())
    if found is not None:
        return found
    about = summarize_folder(name, Path(source)) if name == OWN else summarize(name, source)
    if not about.downloaded:
        if not may.any:
            st.warning(literal.markdown(say_error(about.problem)))
            return None
        if not (_download_confirmed(name) and _download(source)):
            return None
    elif about.problem is not None:
        st.warning(literal.markdown(say_error(about.problem)))
        return None
    return _open_new(key, source)


def _download_confirmed(name: str) -> bool:
    """Whether the reader has pressed *Download*; an address alone downloads nothing."""
    if st.session_state.get(_DOWNLOAD) == name:
        return True
    st.info(prose.block("models", "download", name=name))
    if st.button(say("models.download", "Download"), key="models_download_button"):
        st.session_state[_DOWNLOAD] = name
        return True
    return False


def _download(source: str) -> bool:
    """Bring a model here; False where that cannot be, and the reason is on the page."""
    try:
        fetch(source)
    except OpenError as error:
        del st.session_state[_DOWNLOAD]
        st.warning(literal.markdown(say_error(error)))
        return False
    del st.session_state[_DOWNLOAD]
    return True


def _open_new(key: str, source: str) -> Service | None:
    try:
        with st.spinner(say("models.opening", "Opening the model, and proving that its maps are its own")):
            return opened_models().open(
                key, streamlit_internals.session_id(), lambda: open_model(source, download=False)
            )
    except OpenError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
