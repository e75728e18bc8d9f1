"""The view "Maps": all maps of one kind, and the chosen one in detail."""

from collections.abc import Callable, Sequence

from pages.shared import files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export
from pages.shared.attention_viewer.opening import ANY_HEAD, Opening
from pages.shared.provenance import Provenance
from pages.shared.saved_address import view_link
from pages.shared.texts import paragraph
from views.components import controls
from views.components.attention_grid import snapshot
from views.components.attention_kinds import attention_kinds
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export import drawing, weight_files
from views.export.matrices import HeadMap, map_drawing
from views.map_weights import Scale
from views.text.catalogue import say
from views.viewer import viewer_controls
from views.viewer.attention_maps import AttentionMaps, KindMaps


def render_overview(
    maps: AttentionMaps, provenance: Provenance, choices: Sequence[Choice], opening: Opening = ANY_HEAD
) -> KindMaps:
    """Render the overview left and the detail right, which the browser draws; below, downloads of the chosen map.

    Args:
        maps: of tokens.
        choices: among kinds, units and special tokens.
        opening: the head to open with.

    Returns:
        The chosen maps, prepared as chosen.
    """
    if not controls.fits(maps.weight_count):
        whole, shown, chosen, scale = downsampled.render(maps, provenance, choices)
    else:
        content = viewer_controls.grid_of_kinds(maps, [*choices], opening.selected)
        attention_kinds(content, key="grid", on_choose=sentence_input.store_selection)
        paragraph("attention_viewer", "overview")
        chosen = dict(content.chosen)
        whole = viewer_controls.chosen_kind(maps, chosen)
        shown, scale = viewer_controls.prepare(whole, chosen), viewer_controls.scale_choice(whole).in_component()
    _render_overview_files(whole, shown, provenance, (chosen["layer"], chosen["head"]), scale)
    return shown


def _render_overview_files(
    whole: KindMaps, shown: KindMaps, provenance: Provenance, ids: tuple[str, str], scale: Scale
) -> None:
    """Render downloads of the map whose layer and head have these ids, and of the whole view."""
    name, (layer, head) = shown.kind.name, ids
    head_map = HeadMap(shown, shown.place(layer, head), scale)
    files.map_files(head_map, name=f"{name}-layer-{layer}-head-{head}")
    files.download(say("viewer.npz", "All heads as NPZ"), lambda: weight_files.maps_npz(shown), f"{name}.npz")
    table = say("viewer.map.csv.about", "the open map, {place}: a row a query, a column a key.", place=head_map.where)
    picture = say("viewer.map.svg.about", "the same as a picture.")
    makers: dict[str, tuple[Callable[[], bytes | str], str]] = {
        "map.csv": (head_map.to_csv, table),
        "map.svg": (lambda: drawing.to_svg(map_drawing(head_map)), picture),
    }
    settings = {"look": "maps", "layer": layer, "head": head, "scale": scale}
    sheet = lambda: snapshot(downsampled.sheet(shown, provenance, scale, ids))  # noqa: E731
    origin = provenance, provenance.recipe(whole, shown)
    link = view_link(provenance.page)
    render_export(SavedView(shown, *origin, settings, link, scale, "file-of-maps", sheet, makers))
