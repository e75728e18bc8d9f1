"""The view "Maps" for maps too large to send: the overview in blocks, the chosen map exact."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.shared.provenance import Provenance
from pages.shared.texts import paragraph
from server.result_cache import ResultCache, compute_lock
from server.singleton import singleton
from views.components import controls
from views.components.attention_grid import Sheet, attention_grid, block_sheet, sheet_of
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.map_labels import describe
from views.map_weights import Scale, reduce_to_blocks
from views.text import terms
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.viewer_controls import chosen_kind, prepare


def render(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice]
) -> tuple[KindMaps, KindMaps, dict[str, str], Scale]:
    """Render the overview left and the chosen map right; every choice reruns the fragment.

    Arguments as of `overview.render`.

    Returns:
        The maps of the chosen kind, the same prepared as chosen, the chosen options, and the colour scale.
    """
    with st.container(horizontal=True, gap="medium"):
        chosen = {choice.key: choice.pick() for choice in choices}
        whole = chosen_kind(maps, chosen)
        chosen["layer"], chosen["head"] = sentence_input.head(whole.layer_ids, whole.head_ids)
        scale = sentence_input.scale_choice("own" if whole.kind.places else "shared", log=False).pick()
    shown = prepare(whole, chosen)
    overview, detail = st.columns([3, 2], gap="large")
    with overview:
        choose = lambda row, column: sentence_input.choose_head(shown.layer_ids[row], shown.head_ids[column])  # noqa: E731
        blocks = _in_blocks(shown, provenance, scale, (chosen["layer"], chosen["head"]))
        attention_grid(blocks, key="large-grid", on_select=choose)
        paragraph("attention_viewer", "overview")
    with detail:
        _render_detail(shown, chosen, None if scale == "own" else float(blocks.weights.max()))
    return whole, shown, chosen, scale


def cached_blocks(shown: KindMaps, provenance: Provenance) -> tuple[np.ndarray, int]:
    """`views.map_weights.reduce_to_blocks` of the maps, computed once."""
    preparation = shown.kind.name, shown.units, shown.special_hidden
    key = (provenance.weights_sha256, *provenance.key, *preparation)
    return _overviews().get_or_compute(key, lambda: reduce_to_blocks(shown.weights), compute_lock())


def sheet(shown: KindMaps, provenance: Provenance, scale: Scale, ids: tuple[str, str]) -> Sheet:
    """Return the overview, in blocks if it is large; `ids` of layer and head state the selected map."""
    if controls.fits(shown.weight_count):
        return sheet_of(shown, scale, shown.indices(*ids))
    return _in_blocks(shown, provenance, scale, ids)


def _in_blocks(shown: KindMaps, provenance: Provenance, scale: Scale, ids: tuple[str, str]) -> Sheet:
    return block_sheet(shown, *cached_blocks(shown, provenance), scale, shown.indices(*ids))


def _render_detail(shown: KindMaps, chosen: dict[str, str], top: float | None) -> None:
    """Render the chosen map with every weight exact."""
    layer, head, kind = chosen["layer"], chosen["head"], shown.kind
    weights = shown.mean(*shown.place(layer, head))
    values = np.where(shown.masked, -np.inf, weights)
    top = float(weights.max()) if top is None else top
    named = kind.heading(describe(layer, head)), values, kind.name, shown.queries.names, shown.keys.names
    masked = "0", terms.MASKED()
    axes, read, languages = (kind.query_axis, kind.key_axis), shown.queries.labels, kind.languages
    matrix = RowMatrix(*named, *axes, False, top, masked, read=read, attends=True, languages=languages)
    attention_map([matrix], "large-map", places=kind.places)


@singleton
def _overviews() -> ResultCache:
    """Return the cache of this process."""
    return ResultCache(6)
