"""Choose and open a model: those that may be opened, a summary of each, and the chosen one."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from model import OpenError, open_model
from model.hub.allowlist import ModelAllowlist, read_allowlist
from model.hub.checkpoint_summary import CheckpointSummary, summarize, summarize_allowed, summarize_folder
from model.hub.opened_model import OpenedModel
from model.hub.source import looks_like_id, read_source
from pages.models import own_folder
from pages.models.model_cache import opened_models
from pages.models.model_downloads import fetch
from pages.models.model_table import render_introduction, render_models
from pages.models.our_models import OURS, our_checkpoint, render_buttons
from pages.shared.service import Service
from server.singleton import singleton
from views import streamlit_internals
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import Untranslated, say, say_error
from views.url_state import bound_settings

NONE = "none"
OWN = "own"  # a folder of the user: its path is never in the address
_DOWNLOAD = "models_download"  # in the session: the id whose download was confirmed


@singleton
def allowed_models() -> ModelAllowlist:
    """Return the allowlist, as set when this process started."""
    return read_allowlist()


def chosen_model() -> Service[OpenedModel] | None:
    """Let the user choose a model and open it; if that is impossible, render the reason and return None."""
    may = allowed_models()
    known = summarize_allowed(may)
    if may.any:
        own_folder.keep_own_folder()
        typed, listed = st.columns([3, 2], gap="medium")
        with typed:
            _render_box()
        with listed:
            name = _choose_name(may, known)
    else:
        name = _choose_name(may, known)
    if name == NONE:
        how = "how-any" if may.any else "how-listed" if may.listed else "how-ours"
        st.caption(prose.block("models", how))
        render_buttons()
    if known:
        render_models(known, open_=name == NONE)
    if name == NONE:
        render_introduction()
        return None
    return _open(may, name)


def _choose_name(may: ModelAllowlist, known: list[CheckpointSummary]) -> str:
    """Return the name of the model to open, by the setting `model`; never a path."""
    names: dict[str, str | Untranslated] = {NONE: say("models.none", "none yet")}
    names |= {name: label() for name, label in OURS.items()}
    names |= {model.name: Untranslated(model.name) for model in known}
    requested = bound_settings.stored_text("model")
    if may.any and (own_folder.own_folder() or requested == OWN):
        names[OWN] = own_folder.label()
    if requested and requested != OWN and requested not in names and may.source(requested) is not None:
        names[requested] = Untranslated(requested)
    return widgets.select(say("models.model", "Model"), names, "model", NONE)


def _render_box() -> None:
    """Render a box for a folder or an id, where any model may be opened. The text stays out of the address."""

    def apply() -> None:
        try:
            typed = str(read_source(st.session_state["models_box"]))
        except OpenError:  # stated where it is opened
            typed = st.session_state["models_box"].strip()
        folder = Path(typed).expanduser()
        if typed and (folder.is_dir() or not looks_like_id(typed)):
            own_folder.set_own_folder(folder)
            bound_settings.set_value("model", OWN)
        elif typed:
            bound_settings.set_value("model", typed)

    label = say("models.box", "A folder on this machine, or an id of the hub such as owner/name")
    st.text_input(label, key="models_box", on_change=apply)


def _open(may: ModelAllowlist, name: str) -> Service[OpenedModel] | None:
    if name in OURS:
        return _open_ours(name)
    source = own_folder.own_folder() if name == OWN and may.any else may.source(name)
    if source is None and name == OWN and may.any:
        own_folder.render_missing()
        return None
    if source is None:
        st.warning(say("models.refused", "This server does not open that model; choose one of the list."))
        return None
    key = source if name == OWN else name
    service = opened_models().get(key, streamlit_internals.session_id())
    if service is not None:
        return service
    summary = summarize_folder(name, Path(source)) if name == OWN else summarize(name, source)
    if not summary.downloaded:
        if not may.any:
            assert summary.problem is not None
            st.warning(literal.markdown(say_error(summary.problem)))
            return None
        if not (_download_confirmed(name) and _download(source)):
            return None
    elif summary.problem is not None:
        st.warning(literal.markdown(say_error(summary.problem)))
        return None
    return _open_new(key, lambda: source)


def _download_confirmed(name: str) -> bool:
    """Return whether the user has pressed *Download*; an address alone downloads nothing."""
    if st.session_state.get(_DOWNLOAD) == name:
        return True
    st.info(prose.block("models", "download", name=name))
    if st.button(say("models.download", "Download"), key="models_download_button"):
        st.session_state[_DOWNLOAD] = name
        return True
    return False


def _download(source: str) -> bool:
    """Download a model; if that fails, render the reason and return False."""
    try:
        fetch(source)
    except OpenError as error:
        del st.session_state[_DOWNLOAD]
        st.warning(literal.markdown(say_error(error)))
        return False
    del st.session_state[_DOWNLOAD]
    return True


def _open_ours(name: str) -> Service[OpenedModel] | None:
    service = opened_models().get(name, streamlit_internals.session_id())
    return service or _open_new(name, lambda: str(our_checkpoint(name)))


def _open_new(key: str, source: Callable[[], str]) -> Service[OpenedModel] | None:
    try:
        with st.spinner(say("models.opening", "Opening the model, and checking that the maps are exactly its own")):
            return opened_models().open(
                key, streamlit_internals.session_id(), lambda: open_model(source(), download=False)
            )
    except OpenError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
