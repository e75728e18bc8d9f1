"""Let the user choose a picture: a sample, a file, the clipboard, or a photo from the camera.

The name of a sample is in the URL. A user's own picture is only in the memory of the visit, so a link to it opens a
sample for any other user.
"""

import functools
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

import streamlit as st

from ..components.picture_strip import Tile, picture_strip, thumbnail
from ..streamlit_internals import UploadedFile, forget_upload
from ..text import literal
from ..text.catalogue import Message, say
from ..url_state import bound_settings
from . import samples
from .pictures import MAX_BYTES, REDUCED, Picture, PictureError, read_picture

SETTING = "picture"  # always in the URL: another sample makes another history entry
OWN = "own"
NO_LINK = Message(
    "picture.no-link",
    "A link cannot carry an uploaded picture, so here is a sample: upload the picture again to see it.",
)
# The upload box accepts any file: a file is refused for its content, whatever its name, with our own message.
LABEL = Message("picture.upload", "Your own picture: PNG, JPEG, WebP, GIF, BMP or TIFF")
MOST_PICTURES = 4  # that are uploaded together: the server stores no more files that no page has read yet
SEVERAL = Message("picture.several", "Your own pictures, {most} at most: PNG, JPEG, WebP, GIF, BMP or TIFF")
TOO_MANY = Message("picture.too-many", "{count} pictures are more than the {most} that are read: choose fewer.")

_REDUCED_NAME = re.compile(r"reduced-from-([1-9][0-9]{0,5})x([1-9][0-9]{0,5})\.jpg")
OWN_PICTURE = "own_picture"  # in the session
MORE_PICTURES = "more_own_pictures"  # in the session: those that were uploaded together with it
OWN_PICTURES = OWN_PICTURE, MORE_PICTURES
_OWN_THUMBNAIL = "own_thumbnail"
_CHOSEN = "chosen_picture"
_PROBLEMS = "picture_problems"
LONGEST_NAME = 60  # characters of a file's name in a message
_ROUND = "picture_round"  # number of pictures read: each round has new, empty upload boxes
_CAMERA = "picture_camera"


def picture_input(slot: AbstractContextManager) -> Picture:
    """Draw the choice of pictures and return the selected one; if there is none at all, end the page here.

    A file that is no picture leaves the previous picture selected and shows one sentence about why; of several files
    those that can be read are taken.

    Args:
        slot: is held while a file is read, since a large picture briefly takes hundreds of megabytes.
    """
    return _choose_pictures(slot, several=False)[0]


def pictures_input(slot: AbstractContextManager) -> list[Picture]:
    """Draw `picture_input` for a page that takes several pictures: the files that were uploaded together, in order."""
    return _choose_pictures(slot, several=True)


def _choose_pictures(slot: AbstractContextManager, several: bool) -> list[Picture]:
    names, problems = samples.usable()
    selected = _resolve_selection(names)
    choice, box = st.columns([3, 2], gap="medium")
    with choice:
        clear = _problem_clearer() if _PROBLEMS in st.session_state else None
        label = say("picture.strip", "Picture")
        picture_strip(label, _picture_tiles(names), selected, "picture_strip", on_choose=_choose, on_refuse=clear)
        refused = [problem() for problem in st.session_state.get(_PROBLEMS, ())]
        for message in (*problems, *refused):
            st.warning(literal.with_code(message))
    with box:
        _render_upload_boxes(slot, several)
    if not selected:
        bound_settings.stop()
    pictures = [st.session_state[OWN_PICTURE] if selected == OWN else samples.picture(selected)]
    if several and selected == OWN:
        pictures += st.session_state.get(MORE_PICTURES, ())
    with choice:
        for number, picture in enumerate(pictures, 1):
            name = f"{number}. " if len(pictures) > 1 else ""
            st.caption(literal.markdown(name + describe(picture)))
    return pictures


def chosen_sample() -> str:
    """The name of the sample that is shown; "" for a user's own picture."""
    selected = st.session_state.get(_CHOSEN)
    return selected if selected in samples.NAMES else ""


def shows_own_picture() -> bool:
    """Whether the page shows a user's own picture."""
    return st.session_state.get(_CHOSEN) == OWN


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
    """The picture to show, one of `names` or `OWN`, also stored for the URL. Empty if there is none."""
    state = st.session_state
    selected = bound_settings.stored_text(SETTING)
    if selected == OWN and OWN_PICTURE not in state:
        state[_PROBLEMS] = (NO_LINK,)
    usable = (*names, OWN) if OWN_PICTURE in state else names
    if selected not in usable:
        selected = next(iter(usable), "")
    state[_CHOSEN] = selected
    bound_settings.store_text(SETTING, selected)
    return selected


def _problem_clearer() -> Callable[[], None]:
    """A callback that removes the message shown now, but not one about a picture that was read since."""
    current = st.session_state.get(_ROUND)
    return lambda: st.session_state.pop(_PROBLEMS, None) if st.session_state.get(_ROUND) == current else None


def _choose(name: str) -> None:
    bound_settings.store_text(SETTING, name)
    st.session_state.pop(_PROBLEMS, None)


def _picture_tiles(names: tuple[str, ...]) -> list[Tile]:
    tiles = [Tile(s.id, s(), _sample_thumbnail(s.id)) for s in samples.SAMPLES if s.id in names]
    own = st.session_state.get(OWN_PICTURE)
    return [*tiles, Tile(OWN, say("picture.own.label", "Yours"), st.session_state[_OWN_THUMBNAIL])] if own else tiles


@functools.cache
def _sample_thumbnail(name: str) -> str:
    return thumbnail(samples.picture(name).image)


def _render_upload_boxes(slot: AbstractContextManager, several: bool) -> None:
    """Draw the boxes for a file and for the camera; callbacks read their files before the page is drawn again."""
    number = st.session_state.setdefault(_ROUND, 0)
    file_key, photo_key = f"picture_file_{number}", f"picture_photo_{number}"
    if several:
        file_key = f"pictures_files_{number}"
    st.file_uploader(
        SEVERAL(most=MOST_PICTURES) if several else LABEL(),
        accept_multiple_files=several,
        max_upload_size=MAX_BYTES // 2**20,
        key=file_key,
        label_visibility="collapsed",
        on_change=_take_upload,
        args=(file_key, slot),
    )
    formats = say("picture.formats", "PNG, JPEG, WebP, GIF, BMP, TIFF")
    storage = say(
        "picture.upload.help",
        "It stays in this app's memory for your visit: nothing is written to disk or sent elsewhere. For the camera, "
        "the browser asks for permission first.",
    )
    with st.container(horizontal=True, gap="small"):
        camera = st.toggle(say("picture.camera", "Use the camera"), key=_CAMERA)
        st.caption(formats, help=storage, width="content")
    if camera:
        st.camera_input(
            say("picture.photo", "Take a photo"),
            key=photo_key,
            on_change=_take_upload,
            args=(photo_key, slot),
            label_visibility="collapsed",
        )


def _with_reduction(picture: Picture, file_name: str) -> Picture:
    """Note that the browser reduced the picture, as its script states in the name of the file."""
    if (match := _REDUCED_NAME.fullmatch(file_name)) is None:
        return picture
    note = partial(REDUCED, width=int(match[1]), height=int(match[2]))
    return replace(picture, notes=(note, *picture.notes))


def _take_upload(key: str, slot: AbstractContextManager) -> None:
    """Read what was uploaded, one file or several, and release it on the server."""
    uploaded = st.session_state.get(key)
    given = uploaded if isinstance(uploaded, list) else [uploaded]
    files = [file for file in given if isinstance(file, UploadedFile)]
    if not files:
        return
    contents = [(file.name, file.getvalue()) for file in files]
    for file in files:
        forget_upload(file)
    st.session_state[_ROUND] += 1  # boxes with new keys are empty and show nothing about the previous file
    st.session_state[_CAMERA] = False  # switches the camera off
    if len(contents) > MOST_PICTURES:
        st.session_state[_PROBLEMS] = (partial(TOO_MANY, count=len(contents), most=MOST_PICTURES),)
        return
    with slot:
        pictures, refused = _read_each(contents)
        if pictures:
            st.session_state[_OWN_THUMBNAIL] = thumbnail(pictures[0].image)
            st.session_state[OWN_PICTURE], st.session_state[MORE_PICTURES] = pictures[0], tuple(pictures[1:])
            _choose(OWN)
    if refused:
        st.session_state[_PROBLEMS] = refused


def _read_each(contents: list[tuple[str, bytes]]) -> tuple[list[Picture], tuple[Callable[[], str], ...]]:
    """The pictures that can be read, and why each of the others cannot, by its name where there are several files."""
    pictures: list[Picture] = []
    refused: list[Callable[[], str]] = []
    for name, content in contents:
        try:
            pictures.append(_with_reduction(read_picture(content), name).compressed())
        except PictureError as error:
            refused.append(error.message if len(contents) == 1 else partial(_name_refused, name, error.message))
    return pictures, tuple(refused)


def _name_refused(name: str, problem: Callable[[], str]) -> str:
    shown = literal.fit(literal.visible(name.replace("`", "'")), LONGEST_NAME)
    return say("picture.refused", "`{name}` is left out. {problem}", name=shown, problem=problem())
