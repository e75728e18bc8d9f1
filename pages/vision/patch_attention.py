"""Vision, attention maps: CLS in every head, any patch in one head, and every position."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from model import VisionTrace
from model.lessons.classification import read_cls
from model.tracing.picture_trace import PatchTrace
from pages.shared import files
from pages.shared.attention_viewer.explore import explore_picture
from pages.shared.causes.saved_result import ResultFiles, build_archive
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.provenance import view_link, view_picture
from pages.shared.service import Service
from pages.shared.tables import TableColumn, header_and_rows
from pages.shared.texts import paragraph
from pages.vision.other_picture import describe_source
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import is_of_the_user
from pages.vision.vision_inputs import (
    MapSettings,
    cls_maps,
    place_columns,
    read_map_settings,
    render_all_heads_file,
    render_check_line,
    render_choosable_maps,
    sends_all_maps,
)
from views import map_labels, map_weights
from views.components.attention_kinds import GridOfKinds, attention_kinds
from views.components.patch_picture import PicturePanel
from views.components.picture_stage import HEADED, WORDS, stage_words
from views.controls import sentence_input
from views.controls.picture_input import chosen_sample
from views.export import drawing
from views.export.downloads import HeadMap
from views.export.picture_stage_image import PictureStageImage, draw_picture_stage
from views.map_labels import MEAN
from views.text import terms
from views.text.catalogue import Message, say
from views.text.class_names import class_names
from views.url_state import bound_settings as address
from views.url_state.codecs import OneOf

FROM = Message("vision.from", "What it attends to")
TO = Message("vision.to", "What attends to it")


@fragment
def render_cls(service: Service, key: str, trace: PatchTrace) -> None:
    """Show one head large, with a slider through the layers, and every head below; the browser draws any selection."""
    settings = read_map_settings(trace, "head")
    cls = map_weights.with_means(trace.attention[:, :, :1])  # (layers + 1, heads + 1, 1, 1 + patch)
    sheet = cls[:, :, 0, 1:]  # (layers + 1, heads + 1, patch)
    top = float(sheet[:-1, :-1].max())
    title = say("vision.cls.title", "CLS as the query, {place}", place="{map}")
    large_map = settings.head_map(
        sheet[settings.place], title.format(map=settings.label), top if settings.shared else None
    )
    tops = np.full(sheet.shape[:2], top)
    read: np.ndarray | None = None
    classes: Sequence[str] = ()
    if isinstance(trace, VisionTrace):  # of an opened model only attention is known
        read, classes = service.lesson(("cls read", key), read_cls, trace), class_names(trace.classes)
    panels, weights = [PicturePanel("", "cls")], trace.attention[:, :, :1]
    may_be_none = is_of_the_user(trace)
    render_choosable_maps(settings, panels, title, "cls_picture", weights, tops, True, read, classes, may_be_none)
    choices, chosen = settings.subset("layer", "head", "scale", "opacity")
    grid = GridOfKinds(cls_maps(trace, settings.picture), choices, chosen, elsewhere=tuple(chosen), with_detail=False)
    attention_kinds(grid, key="cls_grid", on_choose=sentence_input.store_selection)
    _render_cls_experiment(sheet, settings)
    paragraph("vision", "overview")
    render_check_line(trace)
    layer, head = settings.id.split("-")
    if sends_all_maps(weights):  # then the stage is shown
        render_stage_files(service, trace, settings, large_map, cls[:, settings.place[1], 0], read, classes)
    name, what = f"vision-layer-{layer}-head-{head}", say("vision.map", "Map")
    files.map_files(large_map, name, lambda: settings.draw(large_map), what)
    render_all_heads_file(trace)
    (rows, columns), corner = map_labels.grid_names(trace.grid), large_map.maps.kind.corner
    files.folded_table(lambda: files.data_frame(large_map.weights, columns, rows, corner))
    render_vision_program(service, "cls", **_map_values(settings))


def _map_values(settings: MapSettings) -> dict[str, object]:
    """Return layer and head of the large map as values of a program; a mean by its name."""
    return {name: settings.chosen[name] for name in ("layer", "head")}


def _render_cls_experiment(sheet: np.ndarray, settings: MapSettings) -> None:
    """Compare the spread of CLS in the first and the last layer; `sheet` is `(layers + 1, heads + 1, patch)`."""
    first, last = (float(sheet[place, -1].max()) for place in (0, -2))
    result = {"first": first, "last": last, "layer": len(sheet) - 1, "even": 1 / (1 + sheet.shape[2])}
    is_selected = settings.place == (0, sheet.shape[1] - 1)
    render_experiment(
        "vision-cls", partial(sentence_input.choose_head, "1", map_labels.MEAN), result if is_selected else None
    )


@fragment
def render_any_patch(service: Service, key: str, trace: PatchTrace) -> None:
    """Show one patch. The browser draws any patch and head; this section reruns for the numbers and files."""
    settings = read_map_settings(trace, "map")
    row, column = settings.patch
    matrix = map_weights.single_map(trace.attention, *settings.place)  # (1 + patch, 1 + patch)
    top = float(matrix[1:, 1:].max()) if settings.shared else None
    panels = PicturePanel(FROM(), "from"), PicturePanel(TO(), "to")
    title = say("vision.attention", "Attention, {place}", place="{map}")
    render_choosable_maps(settings, panels, title, "any", trace.attention, _largest_weights(trace.attention))
    paragraph("vision", "any-patch")
    own, result = matrix[1 + row * trace.grid[1] + column, 1:], None
    if (row, column) == (0, 0):
        at = np.unravel_index(int(own.argmax()), trace.grid)
        result = {"weight": float(own.max()), "row": int(at[0]) + 1, "column": int(at[1]) + 1, "own": float(own[0])}
    render_experiment("vision-any-patch", partial(sentence_input.choose_patch, 0, 0), result)
    render_check_line(trace)
    chosen, place = 1 + row * trace.grid[1] + column, {"row": row + 1, "column": column + 1, "place": settings.label}
    from_title = say("vision.from.title", "what the patch in row {row}, column {column} attends to, {place}", **place)
    to_title = say("vision.to.title", "what attends to the patch in row {row}, column {column}, {place}", **place)
    from_it, to_it = (
        settings.head_map(matrix[chosen, 1:], from_title, top),
        settings.head_map(matrix[1:, chosen], to_title, top),
    )
    columns = [TableColumn(FROM(), from_it.weights.ravel()), TableColumn(TO(), to_it.weights.ravel())]
    header, rows = header_and_rows([*place_columns(trace.grid), *columns])
    name = f"patch-{row + 1}-{column + 1}-{settings.id}"
    with st.container(horizontal=True):
        for direction, side, head_map in ((FROM(), "from", from_it), (TO(), "to", to_it)):
            make = lambda head_map=head_map: drawing.to_png(settings.draw(head_map))  # noqa: E731
            files.download(say("files.png.of", "{what} as PNG", what=direction), make, f"{side}-{name}.png")
        files.csv(header, rows, name)
    files.folded_table(lambda: files.data_frame(rows, header), hide_index=True)
    render_all_heads_file(trace)
    render_vision_program(service, "any-patch", row=row + 1, column=column + 1, **_map_values(settings))


def _largest_weights(attention: np.ndarray) -> np.ndarray:
    """Return the largest weight between patches of each head and of the means, `(layers + 1, heads + 1)`."""
    layers, heads = attention.shape[:2]
    largest = np.zeros((layers + 1, heads + 1))
    for place in np.ndindex(largest.shape):
        largest[place] = map_weights.single_map(attention[..., 1:, 1:], *place).max()
    return largest


@fragment
def render_full_maps(service: Service, key: str, trace: PatchTrace) -> None:
    """Show every position of the sequence in the attention viewer."""
    paragraph("vision", "full-maps", positions=1 + trace.grid[0] * trace.grid[1])
    # weight on CLS as the key, of the patches as queries, mean over the heads of a layer
    on_cls = trace.attention[:, :, 1:, 0].mean(axis=(1, 2))
    result = {"first": float(on_cls[0]), "last": float(on_cls[-1]), "layer": len(on_cls)}
    result |= {"even": 1 / trace.attention.shape[-1]}
    hidden = address.pending_value("marks", OneOf(("shown", "hidden")), "shown") == "hidden"
    render_experiment("vision-full-maps", {"marks": "hidden"}, result if hidden else None)
    explore_picture(*view_picture(key, trace, service.model.weights_sha256, chosen_sample()))
    render_vision_program(service, "full-maps")


# Files of a Vision Transformer on the stage: its picture as PNG and SVG, and the weights of CLS with their recipe.

NAME = "vision-stage"


def render_stage_files(
    service: Service,
    trace: PatchTrace,
    settings: MapSettings,
    head_map: HeadMap,
    rows: np.ndarray,
    read: np.ndarray | None,
    classes: Sequence[str],
) -> None:
    """Render a fold with pictures of what the stage shows; nothing is computed before it is opened.

    Args:
        head_map: the map over the picture.
        rows: `(layer + 1, 1 + patch)` weights of CLS as the query for the chosen head; the last are their mean.
        read: `(layer, class)` what is read from CLS after each layer; None where only attention is known.
        classes: their names.
    """
    fold = st.expander(say("stage.save", "Save the stage"), on_change="rerun", key="vision_stage_files")
    if not fold.open:
        return
    is_captioned = fold.toggle(say("vision.stage.caption", "Caption"), value=True, key="vision_stage_caption")
    notes = ("note",) if read is None else ("note", "noteRead")
    best = [] if read is None else [(classes[row.argmax()], float(row.max())) for row in read]
    opacity, outlined = (int(settings.chosen[key]) / 100 for key in ("opacity", "kept"))
    may_be_none = read is not None and is_of_the_user(trace)
    words, name = stage_words(may_be_none), HEADED if may_be_none else WORDS["layer"]
    layers = [words["mean"]() if id == MEAN else name(layer=id) for id in settings.layers]
    caption = [words[note]() for note in notes] if is_captioned else []
    pictured = settings.picture, opacity, outlined, rows, settings.place[0]
    stage = PictureStageImage(head_map, *pictured, layers, best, caption)
    with fold, st.container(horizontal=True):
        files.pictures(lambda: draw_picture_stage(stage), f"vision-stage-layer-{settings.id.replace('-', '-head-')}")
        patches = "trace" if isinstance(trace, VisionTrace) else "patch_trace(trace)"
        opening = () if isinstance(trace, VisionTrace) else ("from model.hub.opened_pictures import patch_trace", "")
        lines = (*opening, f"arrays = {{'cls': {patches}.attention[:, :, 0]}}  # (layer, head, CLS and patches)")
        result, source = _collect_numbers(trace), describe_source(service).with_method(lines)
        link, zip_label = view_link(source.page), say("circuits.zip", "With recipe and link as ZIP")
        files.download(zip_label, lambda: build_archive(result, source, link), f"{NAME}.zip")


def _collect_numbers(trace: PatchTrace) -> ResultFiles:
    """The weights of CLS as the query in every head; row and column of a patch are empty for CLS itself."""
    cls = trace.attention[:, :, 0]

    def rows() -> list[list[object]]:
        numbers = (np.indices(trace.grid).reshape(2, -1).T + 1).tolist()
        places: list[tuple[object, ...]] = [("", ""), *map(tuple, numbers)]
        return [
            [layer + 1, head + 1, *places[key], float(weight)] for (layer, head, key), weight in np.ndenumerate(cls)
        ]

    header = [terms.LAYER(), terms.HEAD(), terms.ROW(), terms.COLUMN(), terms.WEIGHT()]
    check = {"attention": float(trace.verify().max_difference)}
    return ResultFiles(NAME, header, rows, lambda: {"cls": cls}, check, ("", ""))
