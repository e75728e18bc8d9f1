"""The positions that are added to the embeddings: what they look like, why they are sinusoids, what they do."""

from pages.positions import basis, effects, other_models, schemes, shift, table, vectors
from pages.shared.page_header import NOTHING, SENTENCE
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("table", Message("positions.part.table", "Table and curves"), table.table, reads=NOTHING),
    Part("wavelengths", Message("positions.part.wavelengths", "Wavelengths"), table.wavelengths, reads=NOTHING),
    Part("why-sinusoids", Message("positions.part.why-sinusoids", "Why sinusoids"), schemes.show, reads=SENTENCE),
    Part("similarity", Message("positions.part.similarity", "Similarity"), shift.similar, reads=NOTHING),
    Part("rotation", Message("positions.part.rotation", "Rotation"), shift.rotated, reads=NOTHING),
    Part("orthogonality", Message("positions.part.orthogonality", "Orthogonality"), basis.orthogonality, reads=NOTHING),
    Part("basis", Message("positions.part.basis", "A basis"), basis.basis, reads=NOTHING),
    Part("vectors", Message("positions.part.vectors", "Vectors"), vectors.show, reads=NOTHING),
    Part("other-models", Message("positions.part.other-models", "Other models"), other_models.show, reads=NOTHING),
    Part("trained-model", Message("positions.part.trained-model", "In the trained model"), effects.show),
)

show_parts("positions", PARTS, "facet")
