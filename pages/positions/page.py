"""The positions that are added to the embeddings: what they look like, why they are sinusoids, what they do."""

from __future__ import annotations

from pages.positions import basis, effects, schemes, shift, table
from pages.shared.parts import show_parts
from views.html import bars

PARTS = {
    "Table and curves": table.table,
    "Wavelengths": table.waves,
    "Why sinusoids": schemes.show,
    "Similarity": shift.similar,
    "Rotation": shift.rotated,
    "Orthogonality": basis.orthogonal,
    "A basis": basis.basis,
    "In the trained model": effects.show,
}

show_parts("positions", PARTS, "facet", bars.STYLE)
