"""The page *Positions*: position encodings, why they are sinusoids, and what the trained model does without them."""

from pages.positions import basis, compared, effects, other_models, schemes, shift, table, vectors
from pages.shared.page_header import NOTHING, SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection("table", Message("positions.part.table", "Table and curves"), table.render_table, reads=NOTHING),
    PageSection(
        "wavelengths", Message("positions.part.wavelengths", "Wavelengths"), table.render_wavelengths, reads=NOTHING
    ),
    PageSection(
        "why-sinusoids", Message("positions.part.why-sinusoids", "Why sinusoids"), schemes.render, reads=SENTENCE
    ),
    PageSection(
        "similarity", Message("positions.part.similarity", "Similarity"), shift.render_similarity, reads=NOTHING
    ),
    PageSection("rotation", Message("positions.part.rotation", "Rotation"), shift.render_rotation, reads=NOTHING),
    PageSection(
        "orthogonality",
        Message("positions.part.orthogonality", "Orthogonality"),
        basis.render_orthogonality,
        reads=NOTHING,
    ),
    PageSection("basis", Message("positions.part.basis", "A basis"), basis.render_basis, reads=NOTHING),
    PageSection("vectors", Message("positions.part.vectors", "Vectors"), vectors.render, reads=NOTHING),
    PageSection(
        "other-models", Message("positions.part.other-models", "Other models"), other_models.render, reads=NOTHING
    ),
    PageSection("trained-model", Message("positions.part.trained-model", "In the trained model"), effects.render),
    PageSection("compared", Message("positions.part.compared", "Compared"), compared.render),
)

render_sections("positions", PARTS, "facet")
