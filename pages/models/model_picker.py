"""Choose and open a model: those that may be opened, a summary of each, and the chosen one."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from model import OpenError, open_model
from model.hub.allowlist import ModelAllowlist, read_allowlist
from model.hub.checkpoint_summary import CheckpointSummary, summarize, summarize_allowed, summarize_folder
from model.hub.folder import CONFIG
from model.hub.opened_model import OpenedModel
from model.hub.own_checkpoints import EXPORTS, export_own
from model.hub.source import folder_of, looks_like_id, read_source
from pages.models import own_folder
from pages.models.model_cache import opened_models
from pages.shared import files
from pages.shared.service import Service
from pages.shared.texts import paragraph
from server.singleton import singleton
from server.temporary_files import temporary_files
from views import streamlit_internals
from views.controls import widgets
from views.text import literal, prose
from views.text.catalogue import Message, Untranslated, say, say_error
from views.text.numbers import grouped, percent, three_digits
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
            is_id = looks_like_id(typed)
        except OpenError:  # stated where it is opened
            typed, is_id = st.session_state["models_box"].strip(), False
        folder = Path(typed).expanduser()
        if typed and (folder.is_dir() or not is_id):
            own_folder.set_own_folder(str(folder) if folder.is_dir() else typed)
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
    try:
        read_source(source)
    except OpenError as error:
        st.warning(literal.markdown(say_error(error)))
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


# Downloads of this process: each runs once, with progress for every visitor who waits, who may leave and return.

POLL_SECONDS = 0.2  # seconds between two updates of the progress


@dataclass
class Download:
    """The state of a download."""

    # `received`, `total`: bytes; `total` is 0 until it is known
    received: int = 0
    total: int = 0
    error: OpenError | None = None  # why it failed

    def update(self, received: int, total: int) -> None:
        """Store the progress."""
        self.received, self.total = received, total


class Downloads:
    """Running downloads by source. Safe to use from several threads.

    Args:
        fetch: downloads the files of a source, and calls its second argument with bytes received and in all.
    """

    def __init__(self, fetch: Callable[[str, Callable[[int, int], None]], object]) -> None:
        self._fetch, self._lock = fetch, threading.Lock()
        self._running: dict[str, tuple[threading.Thread, Download]] = {}

    def follow(self, source: str, render: Callable[[Download], None]) -> None:
        """Wait until a source is downloaded; `render` is called repeatedly, in this thread.

        Raises:
            OpenError: it cannot be downloaded.
        """
        with self._lock:
            if source not in self._running:
                download = Download()
                thread = threading.Thread(target=self._run, args=(source, download), daemon=True)
                self._running[source] = thread, download
                thread.start()
            thread, download = self._running[source]
        while thread.is_alive():
            render(download)
            thread.join(POLL_SECONDS)
        if download.error is not None:
            raise download.error

    def _run(self, source: str, download: Download) -> None:
        try:
            self._fetch(source, download.update)
        except OpenError as error:
            download.error = error
        finally:
            with self._lock:
                del self._running[source]


@singleton
def downloads() -> Downloads:
    """Return the downloads of this process."""
    return Downloads(lambda source, update: folder_of(source, download=True, progress=update))


def fetch(source: str) -> None:
    """Download a source, with a progress bar.

    Raises:
        OpenError: it cannot be downloaded.
    """
    bar = st.progress(0.0, say("models.asking", "Asking the hub"))

    def render(download: Download) -> None:
        if download.total:
            size, share = three_digits(download.total / 1e6), download.received / download.total
            text = say("models.progress", "{share} of {size} MB", share=percent(share), size=size)
            bar.progress(min(1.0, share), text)

    try:
        downloads().follow(source, render)
    finally:
        bar.empty()


# A table of the models that may be opened.

KINDS = ("decoders", "masked", "pairs", "pictures")  # blocks of the page's text


def render_introduction() -> None:
    """Render which kinds of models can be opened and what the page shows of each; shown while no model is open."""
    st.header(say("models.can-be-opened", "What can be opened"), anchor=False)
    for column, kind in zip(st.columns(len(KINDS), gap="large"), KINDS, strict=True):
        with column:
            paragraph("models", kind)
    paragraph("models", "every-model")


def render_models(known: Sequence[CheckpointSummary], *, open_: bool) -> None:
    """Render type, sizes and whether each model fits; in a fold unless `open_`."""
    table = lambda: files.data_frame([_row(model) for model in known], _header())  # noqa: E731
    if open_:
        st.dataframe(table(), hide_index=True)
    else:
        files.folded_table(table, "models_table", hide_index=True)


def _header() -> list[str]:
    return [
        say("models.column.name", "model"),
        say("models.column.state", "can it be opened?"),
        say("models.column.type", "type"),
        say("models.column.layers", "layers"),
        say("models.column.heads", "heads a layer"),
        say("models.column.parameters", "parameters"),
        say("models.column.size", "size"),
    ]


def _row(model: CheckpointSummary) -> list[str]:
    state = say("models.fits", "yes") if model.problem is None else say_error(model.problem)
    return [
        model.name,
        state,
        model.type,
        " + ".join(map(str, model.layers)),
        str(model.heads or ""),
        grouped(model.parameters) if model.parameters else "",
        _size(model.bytes) if model.bytes else "",
    ]


def _size(count: int) -> str:
    return f"{three_digits(count / 1e9)} GB" if count >= 1e9 else f"{three_digits(count / 1e6)} MB"


# Our own networks as Hugging Face checkpoints: a button opens each, on every server.

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
