"""Positions in a ViT: similarity of its position vectors, and the mean attention distance of its heads."""

import numpy as np
import plotly.graph_objects as go

from .. import map_labels, palette
from ..text import terms
from ..text.catalogue import say


def similarity_sheet(similarity: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """The grid of grids as one array with a gap of one cell between maps.

    Args:
        similarity: `(patch, patch)`.

    Returns:
        `(rows * (rows + 1) - 1, columns * (columns + 1) - 1, 5)` float32: similarity, then row and column of the patch
        whose map this is, then of the patch it is compared with, all counted from 1. NaN in the gaps.
    """
    rows, columns = grid
    place = np.indices(grid).reshape(2, -1).T.astype(np.float32) + 1  # (patch, 2)
    cells = np.empty((len(place), len(place), 5), dtype=np.float32)
    cells[..., 0], cells[..., 1:3], cells[..., 3:] = similarity, place[:, None], place[None]
    sheet = np.full((rows, rows + 1, columns, columns + 1, 5), np.nan, dtype=np.float32)
    sheet[:, :rows, :, :columns] = cells.reshape(rows, columns, rows, columns, 5).swapaxes(1, 2)
    return sheet.reshape(rows * (rows + 1), columns * (columns + 1), 5)[:-1, :-1]


def similarity(values: np.ndarray, grid: tuple[int, int], theme: palette.Theme) -> go.Figure:
    """A map for each patch, at the patch's position: the similarity of its position vector to every other.

    Args:
        values: `(patch, patch)` cosines.
    """
    sheet = similarity_sheet(values, grid)
    others = values[~np.eye(len(values), dtype=bool)]
    ink = {"color": palette.INK[theme]}
    bar = {"orientation": "h", "y": 0, "yanchor": "top", "thickness": 8, "outlinewidth": 0}
    bar |= {"len": 0.7, "nticks": 5, "tickfont": ink}
    heatmap = go.Heatmap(
        z=sheet[..., 0],
        customdata=np.nan_to_num(sheet[..., 1:]).astype(np.uint8),
        zmin=float(others.min()),
        zmax=float(others.max()),  # without the similarity of a patch to itself, which is 1
        colorscale=palette.scale("vision", theme),
        colorbar=bar | {"title": {"text": terms.COSINE(), "side": "right", "font": ink}},
        hovertemplate=(
            say("similarity.hover", "patch in {one}<br>and in {other}", one=_place(0), other=_place(2))
            + "<br><b>%{z:.7g}</b><extra></extra>"
        ),
        hoverongaps=False,
    )
    bare = {"visible": False, "constrain": "domain", "fixedrange": True}
    layout = {
        "xaxis": bare,
        "yaxis": {"autorange": "reversed", "scaleanchor": "x", **bare},
        "height": 470,
        "margin": {"l": 0, "r": 0, "t": 4, "b": 8},
    }
    return go.Figure(heatmap, layout)


def _place(first: int) -> str:
    """Template for row and column of a patch, which are in the figure's `customdata` from index `first` on."""
    return map_labels.ROW_AND_COLUMN(row=f"%{{customdata[{first}]}}", column=f"%{{customdata[{first + 1}]}}")


def distances(pixels: np.ndarray, uniform: float, theme: palette.Theme) -> go.Figure:
    """The mean attention distance of every head: a group of dots per layer, in it the heads side by side, in order.

    Args:
        pixels: `(layer, head)` mean distances.
        uniform: the distance of uniform attention.
    """
    layers, heads = pixels.shape
    ink = {"color": palette.INK[theme]}
    offset = (np.arange(heads) - (heads - 1) / 2) * 0.7 / max(heads, 2)
    layer, head = np.indices(pixels.shape) + 1
    dots = go.Scatter(
        x=(layer + offset).ravel().astype(np.float32),
        y=pixels.ravel().astype(np.float32),
        customdata=np.stack([layer.ravel(), head.ravel()], axis=1).astype(np.uint8),
        mode="markers",
        marker={"color": palette.HUES["vision"], "size": 9, "line": {"color": palette.INK[theme], "width": 0.5}},
        hovertemplate=(
            map_labels.LAYER_AND_HEAD(layer="%{customdata[0]}", head="%{customdata[1]}")
            + "<br>"
            + say("distances.hover", "<b>{distance}</b> pixels", distance="%{y:.7g}")
            + "<extra></extra>"
        ),
        showlegend=False,
    )
    across = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": uniform, "y1": uniform}
    quiet = {"zeroline": False, "tickfont": ink, "automargin": True, "fixedrange": True}
    layers_title = say("distances.layers", "layer; within a layer head 1 to {heads}", heads=heads)
    top = 1.12 * max(float(pixels.max()), uniform)
    layout = {
        "shapes": [{**across, "line": {"color": palette.INK[theme], "width": 1, "dash": "dash"}}],
        "xaxis": {
            "title": {"text": layers_title, "font": ink},
            "tickvals": list(range(1, layers + 1)),
            "range": [0.5, layers + 0.5],
            "showgrid": False,
            **quiet,
        },
        "yaxis": {
            "title": {"text": say("distances.axis", "mean distance, pixels"), "font": ink},
            "range": [0, top],
            **quiet,
        },
        "height": 470,
        "margin": {"l": 8, "r": 8, "t": 4, "b": 8},
    }
    return go.Figure(dots, layout)
