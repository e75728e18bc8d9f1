"""The picture under study: one of the samples, a file, what was pasted, or a photo from the camera.

The name of a sample is in the address bar. A person's own picture is in the memory of the visit and nowhere else, so
an address that asks for it opens a sample for anybody else.
"""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager

import streamlit as st

from ..components.picture_strip import Tile, picture_strip, thumbnail
from ..streamlit_internals import UploadedFile, forget_upload
from ..text import literal
from ..text.catalogue import Message, say
from ..url_state import bound_settings
from . import samples
from .pictures import MAX_BYTES, Picture, PictureError, read_picture

SETTING = "picture"  # in the address bar, always: another sample makes another entry in the history
OWN = "own"
NO_LINK = Message(
    "picture.no-link",
    "A link cannot carry an uploaded picture, so here is a sample: upload the picture again to see it.",
)
# The box takes any file: what is no such picture is refused for what it holds, whatever its name, in our own words.
LABEL = Message("picture.upload", "Your own picture: PNG, JPEG, WebP, GIF, BMP or TIFF")

_OWN = "own_picture"
_CHOSEN = "chosen_picture"
_PROBLEM = "picture_problem"
_ROUND = "picture_round"  # counts the pictures taken, so that each finds an empty box
_CAMERA = "picture_camera"


def picture_input(turn: AbstractContextManager) -> Picture:
    """Show the choice of pictures and return the one chosen; where there is none at all, the page ends here.

    A file that is no picture leaves the picture before it in place, with one sentence that says why.

    Args:
        turn: is held while a file is read: a large picture takes hundreds of megabytes for a moment.
    """
    names, troubles = samples.usable()
    chosen = _resolve_selection(names)
    choice, box = st.columns([3, 2], gap="medium")
    with choice:
        forget = _problem_clearer() if _PROBLEM in st.session_state else None
        label = say("picture.strip", "Picture")
        picture_strip(label, _picture_tiles(names), chosen, "picture_strip", on_choose=_choose, on_refuse=forget)
        problem = st.session_state.get(_PROBLEM)
        for trouble in (*troubles, *([problem()] if problem else [])):
            st.warning(literal.with_code(trouble))
    with box:
        _render_upload_boxes(turn)
    if not chosen:
        bound_settings.stop()
    picture = st.session_state[_OWN] if chosen == OWN else samples.picture(chosen)
    with choice:
        st.caption(literal.markdown(describe(picture)))
    return picture


def chosen_sample() -> str:
    """The name of the sample that is shown; "" for a person's own picture."""
    chosen = st.session_state.get(_CHOSEN)
    return chosen if chosen in samples.NAMES else ""


def describe(picture: Picture) -> str:
    """Where the picture comes from and what was done to it, in a sentence or two."""
    width, height = picture.size
    origin = say(
        "picture.origin",
        "{title}: {format}, {width} \u00d7 {height} pixels.",
        title=picture.title(),
        format=picture.format,
        width=width,
        height=height,
    )
    return " ".join((origin, *(note() for note in picture.notes)))


def _resolve_selection(names: tuple[str, ...]) -> str:
    """Which picture is shown, one of `names` or `OWN`; the address bar says the same. Empty: there is none."""
    state = st.session_state
    asked = bound_settings.stored_text(SETTING)
    if asked == OWN and _OWN not in state:
        state[_PROBLEM] = NO_LINK
    usable = (*names, OWN) if _OWN in state else names
    if asked not in usable:
        asked = next(iter(usable), "")
    state[_CHOSEN] = asked
    bound_settings.store_text(SETTING, asked)
    return asked


def _problem_clearer() -> Callable[[], None]:
    """What drops the sentence that is shown now, and not one about a picture that came meanwhile."""
    shown = st.session_state.get(_ROUND)
    return lambda: st.session_state.pop(_PROBLEM, None) if st.session_state.get(_ROUND) == shown else None


def _choose(name: str) -> None:
    bound_settings.store_text(SETTING, name)
    st.session_state.pop(_PROBLEM, None)


def _picture_tiles(names: tuple[str, ...]) -> list[Tile]:
    tiles = [Tile(s.id, s(), _sample_thumbnail(s.id)) for s in samples.SAMPLES if s.id in names]
    own = st.session_state.get(_OWN)
    return [*tiles, Tile(OWN, say("picture.own.label", "Yours"), thumbnail(own.image))] if own else tiles


@functools.cache
def _sample_thumbnail(name: str) -> str:
    return thumbnail(samples.picture(name).image)


def _render_upload_boxes(turn: AbstractContextManager) -> None:
    """The boxes for a file and for the camera; what they got is read before the page is drawn again."""
    place = st.session_state.setdefault(_ROUND, 0)
    file_key, photo_key = f"picture_file_{place}", f"picture_photo_{place}"
    st.file_uploader(
        LABEL(),
        max_upload_size=MAX_BYTES // 2**20,
        key=file_key,
        label_visibility="collapsed",
        on_change=_take_upload,
        args=(file_key, turn),
    )
    formats, kept = (
        say("picture.formats", "PNG, JPEG, WebP, GIF, BMP, TIFF"),
        say(
            "picture.upload.help",
            "It stays in this app's memory for your visit: nothing is written to disk or sent elsewhere.",
        ),
    )
    permission = say("picture.camera.help", "The browser asks for permission first.")
    with st.container(horizontal=True, gap="small"):
        camera = st.toggle(say("picture.camera", "Use the camera"), key=_CAMERA, help=permission)
        st.caption(formats, help=kept, width="content")
    if camera:
        st.camera_input(
            say("picture.photo", "Take a photo"),
            key=photo_key,
            on_change=_take_upload,
            args=(photo_key, turn),
            label_visibility="collapsed",
        )


def _take_upload(key: str, turn: AbstractContextManager) -> None:
    """Read what a person gave; the server then forgets the file."""
    file = st.session_state.get(key)
    if not isinstance(file, UploadedFile):
        return
    content = file.getvalue()
    forget_upload(file)
    st.session_state[_ROUND] += 1  # boxes with new keys are empty, and say nothing about the file before
    st.session_state[_CAMERA] = False  # the camera's light goes off
    try:
        with turn:
            st.session_state[_OWN] = read_picture(content)
    except PictureError as error:
        st.session_state[_PROBLEM] = error.said
    else:
        _choose(OWN)
