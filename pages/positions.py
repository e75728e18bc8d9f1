"""The positions that are added to the embeddings: what they look like, why they are sinusoids, what they do."""

from __future__ import annotations

from pages.parts import position_basis, position_effects, position_schemes, position_shift, position_table
from pages.shared.parts import show_parts
from pages.shared.runs import framed
from views.html import bars

PARTS = {
    "Table and curves": position_table.table,
    "Wavelengths": position_table.waves,
    "Why sinusoids": position_schemes.show,
    "Similarity": position_shift.similar,
    "Rotation": position_shift.rotated,
    "Orthogonality": position_basis.orthogonal,
    "A basis": position_basis.basis,
    "In the trained model": position_effects.show,
}

framed()
show_parts("positions", PARTS, "facet", bars.STYLE)
