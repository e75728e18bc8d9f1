"""Vectors in the plane and in space: combine them, see what they span, take them as a basis."""

import streamlit as st

from model.lessons.vectors import Vectors
from pages.shared import checks, files
from pages.shared.code import same_in_pytorch
from pages.shared.experiment import experiment
from pages.shared.page_header import Request
from pages.shared.texts import caption, paragraph
from views.components.vector_view import AXES, NAMES, POINT, Placed, read, vector_view
from views.controls import widgets
from views.text.catalogue import Message, say
from views.url_state import bound_settings

SPACES = {
    "plane": Message("positions.space.plane", "Plane"),
    "space": Message("positions.space.space", "Space"),
}
DIMENSIONS = {"plane": 2, "space": 3}
FIRST = {  # where they stand until a reader moves one
    "plane": Placed(((2.0, 1.0), (-1.0, 2.0)), (3.0, 4.0)),
    "space": Placed(((2.0, -1.0, 0.0), (1.0, 3.0, 1.0), (-1.0, 0.0, 3.0)), (2.0, 2.0, 4.0)),
}
KEYS = {"plane": "vectors", "space": "vectors3"}  # in the address


def placed(space: str) -> Placed:
    """Where the vectors stand, as the address says where that can be."""
    return read(bound_settings.held(KEYS[space]), DIMENSIONS[space]) or FIRST[space]


def show(request: Request) -> None:
    """Vectors that can be moved; what is computed in the browser is computed again here when they come to rest."""
    space = widgets.pick(say("positions.space", "Vectors in"), SPACES, "space")
    now = placed(space)
    label = say("positions.vectors.label", "Vectors, what they span, and a point; the table beside it has all numbers.")
    vector_view(now, label, f"vectors_{space}", lambda moved: _keep(space, moved))
    found = Vectors(now.vectors, now.point)
    doubled = now.vectors[1] == tuple(2 * number for number in now.vectors[0]) and any(now.vectors[0])
    result = {"rank": found.rank, "count": now.dimensions, "size": abs(found.determinant), "distance": found.distance}
    experiment("positions-vectors", lambda: _double(space), result if doubled else None)
    texts = st.columns(2, gap="large")
    with texts[0]:
        paragraph("positions", "vectors")
    with texts[1]:
        paragraph("positions", "vectors-basis")
    difference = checks.said("vectors", found.difference())
    check = "vectors-check" if found.independent else "vectors-check-dependent"
    caption("positions", check, rank=found.rank, determinant=found.determinant, difference=difference)
    axes = AXES[: now.dimensions]
    header = [say("positions.vectors.name", "name"), *axes]
    rows = [
        [name, *row] for name, row in zip((*NAMES[: now.dimensions], POINT), (*now.vectors, now.point), strict=True)
    ]
    rows.append([say("positions.vectors.nearest", "nearest in the span"), *map(float, found.nearest)])
    if found.coordinates is not None:
        rows.append([say("positions.vectors.coordinates", "p in this basis"), *map(float, found.coordinates)])
    files.sheet(header, rows, f"vectors-{space}", say("positions.vectors.csv", "Vectors as CSV"))
    same_in_pytorch("positions", "vectors", vectors=now.vectors, point=now.point)


def _keep(space: str, moved: Placed) -> None:
    bound_settings.hold(KEYS[space], "" if moved == FIRST[space] else moved.written())


def _double(space: str) -> None:
    """The second becomes twice the first; where that would lie outside, twice what it begins with."""
    now = placed(space)
    first, *rest = now.vectors
    if not any(first) or max(map(abs, first)) > 5:
        first = FIRST[space].vectors[0]
    twice = tuple(2 * number for number in first)
    _keep(space, Placed((first, twice, *rest[1:]), now.point, now.turn))
