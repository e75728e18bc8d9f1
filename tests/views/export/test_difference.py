"""The difference figure: right cells, right signs, right colours, files that read back equal."""

import csv
import io

import numpy as np
import pytest

from views import palette
from views.export import downloads, drawing
from views.export.difference import ComparedMap, ComparedMaps, MapPair, difference_panel, difference_picture
from views.kind_labels import KINDS
from views.viewer.attention_maps import KindMaps, MapAxis

OPEN = np.zeros((2, 3), dtype=bool)
FIRST = ComparedMap("A", np.array([[0.5, 0.25, 0.25], [1, 0, 0]], np.float32), ("x", "y"), ("a", "<b>", "c"), OPEN)
AFTER = np.array([[0.25, 0.75], [0.5, 0.5], [0, 1]], np.float32)
SECOND = ComparedMap("B", AFTER, ("w", "x", "y"), ("a", "c"), np.zeros((3, 2), dtype=bool))


def pair(queries=((0, 1), (1, 2)), keys=((0, 2), (0, 1))) -> MapPair:
    return MapPair(FIRST, SECOND, KINDS["cross"], "layer 1, head 2", queries, keys)


def test_the_difference_is_second_minus_first_for_shared_tokens():
    compared = pair()
    assert compared.difference.weights.tolist() == [[0, 0.25], [-1, 1]]
    assert (compared.difference.queries, compared.difference.keys) == (("x", "y"), ("a", "c"))
    assert (compared.largest, compared.top, compared.difference.name) == (1, 1, "B minus A")
    assert compared.title == "Cross-attention, layer 1, head 2"


@pytest.mark.parametrize("axis", ["queries", "keys"])
def test_without_a_shared_token_there_is_no_difference(axis):
    compared = pair(**{axis: ((), ())})
    assert compared.difference is None and compared.largest == 0 and compared.rows()[1] == []
    assert "difference" not in compared.arrays()
    assert "minus" not in drawing.to_svg(difference_picture(compared))


def test_files_read_back_equal():
    compared = pair()
    read = np.load(io.BytesIO(downloads.arrays_npz(compared.arrays())))
    np.testing.assert_array_equal(read["first"], FIRST.weights)
    np.testing.assert_array_equal(read["second"], SECOND.weights)
    np.testing.assert_array_equal(read["difference"], compared.difference.weights)
    np.testing.assert_array_equal(
        read["second"][np.ix_(read["shared_queries"][1], read["shared_keys"][1])]
        - read["first"][np.ix_(read["shared_queries"][0], read["shared_keys"][0])],
        read["difference"],
    )
    assert read["first_keys"].tolist() == ["a", "<b>", "c"] and str(read["kind"]) == "cross"
    lines = list(csv.reader(io.StringIO(downloads.table_csv(*compared.rows()).decode("utf-8-sig"))))
    assert lines[0] == ["query", "key", "A", "B", "difference"]
    assert lines[2] == ["1 x", "3 c", "0.25", "0.5", "0.25"] and len(lines) == 5


@pytest.mark.parametrize("rows", [[["a", 1.0], ["b", 2.0]], []])
def test_notes_of_a_table_are_a_last_column_of_its_first_row(rows):
    written = downloads.table_csv(["key", "weight"], rows, ("=You forced it.", "Twice."))
    header, first, *others = csv.reader(io.StringIO(written.decode("utf-8-sig")))
    assert header == ["key", "weight", "note"] and first[2] == "'=You forced it. Twice."
    assert [first[0], *(line[0] for line in others)] == [row[0] for row in rows or [[""]]]
    assert all(line[2] == "" for line in others)


def test_colours_show_the_sign_and_zero_is_white():
    hidden = np.array([[False, False], [False, True]])
    side = ComparedMap("d", np.array([[-0.5, 0], [0.5, 0.5]], np.float32), ("x", "y"), ("a", "b"), hidden)
    scale = palette.signed_scale(palette.DIFFERENCE, "light")
    panel = difference_panel(side, palette.DIFFERENCE, 0.5)
    expected = [[scale[0], palette.BACKGROUND["light"]], [scale[-1], palette.MASKED["light"]]]
    assert panel.colours.tolist() == [[list(palette.to_rgb(colour)) for colour in row] for row in expected]
    assert panel.ends == ("\u22120.500", "0.500")
    unchanged = ComparedMap("d", np.zeros((2, 2), np.float32), ("x", "y"), ("a", "b"), hidden & False)
    nothing = difference_panel(unchanged, palette.DIFFERENCE, 0.0)  # nothing changed at all
    assert np.unique(nothing.colours.reshape(4, 3), axis=0).tolist() == [
        list(palette.to_rgb(palette.BACKGROUND["light"]))
    ]
    assert nothing.ends == ("0", "0")
    plain = difference_panel(ComparedMap("w", np.abs(side.weights), ("x", "y"), ("a", "b"), hidden), "cross", 0.5)
    assert tuple(plain.colours[0, 0]) == palette.to_rgb(palette.scale("cross", "light")[-1])
    assert plain.ends == ("0", "0.500")


def test_the_picture_shows_three_maps_and_escapes_text():
    plan = difference_picture(pair())
    svg = drawing.to_svg(plan)
    assert "&lt;b&gt;" in svg and "<b>" not in svg
    for name in ("A", "B", "B minus A"):
        assert f">{name}</text>" in svg
    boxes = [item for item in plan.items if isinstance(item, drawing.Box) and item.width > 15]
    assert len(boxes) == 6 + 6 + 4
    assert all(item.x + getattr(item, "width", 0) <= plan.width for item in plan.items)
    assert drawing.to_png(plan, 1).startswith(b"\x89PNG")


def maps(weights: list, numbers: tuple[int, ...] = (0, 3)) -> KindMaps:
    """Two layers of one head, between two tokens."""
    axis = MapAxis(("x", "y"))
    return KindMaps(KINDS["decoder"], np.array(weights, np.float32)[:, None], axis, axis, numbers)


def test_maps_of_a_layer_and_means_are_compared_with_what_is_masked():
    before, after = maps([[[1, 0], [0.5, 0.5]]] * 2), maps([[[1, 0], [0, 1]], [[0, 1], [0.5, 0.5]]])
    causal, asked = np.tri(2, dtype=bool), []

    def allowed(layer: int, head: int) -> np.ndarray:
        asked.append((layer, head))
        return causal

    compared = ComparedMaps(before, after, ("A", "B"), allowed=(allowed, allowed))
    pair = compared.at((1, 0))
    assert asked == [(3, 0), (3, 0)]  # by its number in the network
    assert pair.title == "Masked decoder self-attention, layer 4, head 1"
    assert pair.first.hidden.tolist() == [[False, True], [False, False]]
    assert not pair.second.hidden.any()  # a weight on a masked key is shown
    assert pair.difference.weights.tolist() == [[-1, 1], [0, 0]]
    mean = compared.at((None, 0))
    assert mean.second.weights.tolist() == [[0.5, 0.5], [0.25, 0.75]] and mean.place == "head 1, mean over layers"
    assert compared.cells == 3 * 3 * 2 * 4
    assert not ComparedMaps(before, after, ("A", "B")).at((0, 0)).first.hidden.any()
