"""The page *Circuits*: what causes a word of the translation."""

from pages.circuits import lens, logit_parts, noise, patching, paths, states
from pages.shared.page_header import SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection(
        "patching",
        Message("circuits.part.patching", "Patching"),
        patching.render,
        ("patching", "patching-limits"),
        SENTENCE,
    ),
    PageSection("paths", Message("circuits.part.paths", "Paths"), paths.render, ("paths", "paths-limits"), SENTENCE),
    PageSection("noise", Message("circuits.part.noise", "Noise"), noise.render, ("noise", "noise-limits")),
    PageSection("lens", Message("circuits.part.lens", "Lens"), lens.render, ("lens",)),
    PageSection("logit", Message("circuits.part.logit", "Logit attribution"), logit_parts.render, ("logit",)),
    PageSection(
        "states",
        Message("circuits.part.states", "Recurrent networks"),
        states.render,
        ("states", "states-limits"),
        SENTENCE,
    ),
)

render_sections("circuits", PARTS, "part")
