"""Vectors in the plane and in space: combine them, see what they span, take them as a basis."""

import streamlit as st

from model.lessons.vectors import Vectors
from pages.shared import checks, files
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check, paragraph
from views.components.vector_view import AXES, NAMES, POINT, VectorPlacement, parse, vector_view
from views.controls import widgets
from views.text.catalogue import Message, say
from views.url_state import bound_settings

SPACES = {
    "plane": Message("positions.space.plane", "Plane"),
    "space": Message("positions.space.space", "Space"),
    "pair": Message("positions.space.pair", "Two in space"),
}
SIZES = {"plane": (2, 2), "space": (3, 3), "pair": (3, 2)}  # dimensions, and vectors
INITIAL = {  # their places until a user moves one
    "plane": VectorPlacement(((2.0, 1.0), (-1.0, 2.0)), (3.0, 4.0)),
    "space": VectorPlacement(((2.0, -1.0, 0.0), (1.0, 3.0, 1.0), (-1.0, 0.0, 3.0)), (2.0, 2.0, 4.0)),
    "pair": VectorPlacement(((2.0, -1.0, 0.0), (1.0, 3.0, 1.0)), (3.0, 2.0, 1.0)),
}
ADDRESS_KEYS = {"plane": "vectors", "space": "vectors3", "pair": "vectors23"}  # in the address


def current_vectors(space: str) -> VectorPlacement:
    """Return the vectors of the address, or the initial ones where it has none that are valid."""
    return parse(bound_settings.stored_text(ADDRESS_KEYS[space]), *SIZES[space]) or INITIAL[space]


def render(request: Request) -> None:
    """Show vectors that can be dragged; after a drag their numbers are recomputed here."""
    space = widgets.pick(say("positions.space", "Vectors in"), SPACES, "space")
    vectors = current_vectors(space)
    label = say(
        "positions.vectors.label", "Vectors, what they span, and a point; the table next to it has all numbers."
    )
    vector_view(vectors, label, f"vectors_{space}", lambda moved: _store(space, moved))
    computed = Vectors(vectors.vectors, vectors.point)
    is_doubled = vectors.vectors[1] == tuple(2 * number for number in vectors.vectors[0]) and any(vectors.vectors[0])
    result = {
        "rank": computed.rank,
        "count": len(vectors.vectors),
        "size": abs(computed.determinant),
        "distance": computed.distance,
    }
    render_experiment("positions-vectors", lambda: _double_first(space), result if is_doubled else None)
    texts = st.columns(2, gap="large")
    with texts[0]:
        paragraph("positions", "vectors")
    with texts[1]:
        paragraph("positions", "vectors-basis")
    difference = checks.format_difference("vectors", computed.difference())
    check = "vectors-check" if computed.coordinates is not None else "vectors-check-dependent"
    check = "vectors-check-pair" if len(vectors.vectors) < vectors.dimensions else check
    fold_check("positions", check, rank=computed.rank, determinant=computed.determinant, difference=difference)
    axes = AXES[: vectors.dimensions]
    header = [say("positions.vectors.name", "name"), *axes]
    rows = [
        [name, *row]
        for name, row in zip((*NAMES[: len(vectors.vectors)], POINT), (*vectors.vectors, vectors.point), strict=True)
    ]
    rows.append([say("positions.vectors.nearest", "nearest in the span"), *map(float, computed.nearest)])
    filler = [""] * (vectors.dimensions - len(vectors.vectors))
    if computed.coordinates is not None:
        label = say("positions.vectors.coordinates", "p in this basis")
        rows.append([label, *map(float, computed.coordinates), *filler])
    if computed.relation:
        label = say("positions.vectors.relation", "coefficients of a sum of 0")
        rows.append([label, *map(float, computed.relation), *filler])
    files.csv_and_table(header, rows, f"vectors-{space}", say("positions.vectors.csv", "Vectors as CSV"))
    render_program("positions", "vectors", vectors=vectors.vectors, point=vectors.point)


def _store(space: str, moved: VectorPlacement) -> None:
    bound_settings.store_text(ADDRESS_KEYS[space], "" if moved == INITIAL[space] else moved.to_address())


def _double_first(space: str) -> None:
    """Set the second vector to twice the first, which is reset if its double would leave the drawing."""
    vectors = current_vectors(space)
    first, *rest = vectors.vectors
    if not any(first) or max(map(abs, first)) > 5:
        first = INITIAL[space].vectors[0]
    doubled = tuple(2 * number for number in first)
    _store(space, VectorPlacement((first, doubled, *rest[1:]), vectors.point, vectors.turn))
