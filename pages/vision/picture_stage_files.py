"""Files of a Vision Transformer on the stage: its picture as PNG and SVG, and the weights of CLS with their recipe."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model import VisionTrace
from model.tracing.picture_trace import PatchTrace
from pages.shared import files
from pages.shared.causes.saved_result import ResultFiles, build_archive
from pages.shared.saved_address import view_link
from pages.shared.service import Service
from pages.vision.other_picture import describe_source
from pages.vision.stated_answer import is_of_the_user
from pages.vision.vision_inputs import MapSettings
from views.components.picture_stage import HEADED, WORDS, stage_words
from views.export.matrices import HeadMap
from views.export.picture_stage_image import PictureStageImage, draw_picture_stage
from views.map_labels import MEAN
from views.text import terms
from views.text.catalogue import say

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
