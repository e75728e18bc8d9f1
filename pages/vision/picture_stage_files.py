"""Files of a Vision Transformer on the stage: its picture as PNG and SVG, with a caption or without."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.shared import files
from pages.vision.vision_inputs import MapSettings
from views.components.picture_stage import WORDS
from views.export.matrices import HeadMap
from views.export.picture_stage_image import PictureStageImage, draw_picture_stage
from views.map_labels import MEAN
from views.text.catalogue import say


def render_stage_files(
    settings: MapSettings, head_map: HeadMap, rows: np.ndarray, read: np.ndarray | None, classes: Sequence[str]
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
    layers = [WORDS["mean"]() if id == MEAN else WORDS["layer"](layer=id) for id in settings.layers]
    caption = [WORDS[name]() for name in notes] if is_captioned else []
    pictured = settings.picture, opacity, outlined, rows, settings.place[0]
    stage = PictureStageImage(head_map, *pictured, layers, best, caption)
    with fold, st.container(horizontal=True):
        files.pictures(lambda: draw_picture_stage(stage), f"vision-stage-layer-{settings.id.replace('-', '-head-')}")
