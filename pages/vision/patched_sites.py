"""What of a picture's run is patched: CLS by layer, every head, and single patches at one layer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from model.causal.activation_patching import ActivationPatching
from model.tracing.picture_trace import PatchTrace
from pages.shared.causes.lens_tables import layer_name
from pages.shared.causes.patched_cells import PATCHES, PatchedCells
from pages.shared.texts import block
from views.controls import widgets
from views.text.catalogue import Untranslated, say

PART = "vision"
STREAM_OF_CLS = f"residual-{PART}"  # id of its map; after the last layer it is all that the answer is read from
SITES: dict[str, list[int] | None] = {"residual": [0], "head_output": None}  # site -> its positions; CLS is 0


@dataclass(frozen=True)
class PatchedSites:
    """The cells of a picture."""

    grid: tuple[int, int]  # rows and columns of patches
    patches: tuple[int, ...]  # positions of the patches
    layer: int | None  # whose single patches are cells, 0 for the embedded input; None for none

    @property
    def arguments(self) -> dict[str, dict[str, Any]]:
        """Name of an array in files -> arguments of `patch` or `patch_noise`."""
        named: dict[str, dict[str, Any]] = {
            f"{site}_{PART}": {"site": site, "part": PART, "positions": positions} for site, positions in SITES.items()
        }
        if self.layer is not None:
            single = {"layers": [self.layer], "positions": list(self.patches)}
            named[f"residual_{PATCHES}"] = {"site": "residual", "part": PART} | single
        return named

    def key(self, name: str) -> tuple:
        """Identifies the cells of an array."""
        return (name, *self.arguments[name].get("layers", ()))

    def measure(
        self, patch: Callable[[tuple, Mapping[str, Any]], ActivationPatching], names: Mapping[str, str]
    ) -> PatchedCells:
        """Measure all cells.

        Args:
            patch: measures the cells with such a key and such arguments.
            names: part -> its name on screen.
        """
        results = {name: patch(self.key(name), options) for name, options in self.arguments.items()}
        single = results.pop(f"residual_{PATCHES}", None)
        by_site = {(each.site, each.part): each for each in results.values()}
        return PatchedCells(by_site, names, None if single is None else (single, self.grid), (STREAM_OF_CLS,))


def choose_sites(trace: PatchTrace) -> PatchedSites:
    """Render the choice of the layer whose single patches are patched."""
    layers: dict[str, str | Untranslated] = {"none": say("vision.causes.no-patches", "none")}
    layers |= {str(layer): layer_name(layer) for layer in range(len(trace.attention))}  # later, only CLS is read
    help = " ".join(block("vision_causes", "patches-help").split())
    label = say("vision.causes.patches", "Single patches at")
    chosen = widgets.select(label, layers, "patchlayer", width=170, help=help)
    return PatchedSites(trace.grid, tuple(trace.places[1:]), None if chosen == "none" else int(chosen))
