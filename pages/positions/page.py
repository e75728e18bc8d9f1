"""The positions that are added to the embeddings: what they look like, why they are sinusoids, what they do."""

from __future__ import annotations

from pages.positions import basis, effects, schemes, shift, table
from pages.shared.parts import Part, show_parts
from views.html import bars
from views.text.catalogue import Message

PARTS = (
    Part("table", Message("positions.part.table", "Table and curves"), table.table),
    Part("wavelengths", Message("positions.part.wavelengths", "Wavelengths"), table.wavelengths),
    Part("why-sinusoids", Message("positions.part.why-sinusoids", "Why sinusoids"), schemes.show),
    Part("similarity", Message("positions.part.similarity", "Similarity"), shift.similar),
    Part("rotation", Message("positions.part.rotation", "Rotation"), shift.rotated),
    Part("orthogonality", Message("positions.part.orthogonality", "Orthogonality"), basis.orthogonality),
    Part("basis", Message("positions.part.basis", "A basis"), basis.basis),
    Part("trained-model", Message("positions.part.trained-model", "In the trained model"), effects.show),
)

show_parts("positions", PARTS, "facet", bars.STYLE)
