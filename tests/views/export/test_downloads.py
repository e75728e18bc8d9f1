"""Files: their numbers and labels can be read back."""

import csv
import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views import kind_labels, map_labels, palette
from views.components.matrix_row import ALLOWED, RowMatrix
from views.export import downloads, drawing
from views.export.downloads import matrices_picture, matrix_panel

ROOT = Path(__file__).resolve().parents[3]
QUERIES, KEYS = ("\u2009Je", "\u2009=1+1", '"'), ("\u2009I", "\u2009")


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_csv_contains_every_digit():
    weights = np.random.default_rng(0).random((3, 2), dtype=np.float32)
    file = downloads.matrix_csv(weights, QUERIES, KEYS, kind_labels.KINDS["cross"])
    assert file.startswith(b"\xef\xbb\xbf")
    rows = read_csv(file)
    assert rows[0] == ["query \\ key", "1 I", "2 \u2423"]
    assert [row[0] for row in rows[1:]] == ["1 Je", "2 =1+1", '3 "']
    read = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_array_equal(read, weights)


def test_npz_opens_without_pickle():
    attention = np.random.default_rng(0).random((2, 3, 3, 2), dtype=np.float32)
    stored = np.load(io.BytesIO(downloads.attention_npz("cross", attention, QUERIES, KEYS)), allow_pickle=False)
    np.testing.assert_array_equal(stored["attention"], attention)
    assert stored["attention"].dtype == np.float32
    assert stored["query_tokens"].tolist() == ["Je", "=1+1", '"']
    assert stored["key_tokens"].tolist() == ["I", " "]
    assert str(stored["kind"]) == "cross"


def test_no_text_is_a_formula_and_numbers_are_not_changed():
    texts = ["=1", "\u2009+a", "-", "@x", "\t=1", "\r\n+1", "\uff1dSUM", "a=b", "'=1", "'a", "", "-2"]
    header, *rows = read_csv(downloads.table_csv(texts, [[text, -2, -0.5, None, True] for text in texts]))
    safe = ["'=1", "'\u2009+a", "'-", "'@x", "'\t=1", "'\r\n+1", "'\uff1dSUM", "a=b", "''=1", "'a", "", "'-2"]
    assert header == safe
    assert rows == [[text, "-2", "-0.5", "", "True"] for text in safe]


@given(st.text(st.sampled_from("'=+-@ \t\u2009\uff1da1"), max_size=6))
def test_a_cell_is_harmless_and_its_text_can_be_restored(text):
    cell = str(downloads.cell(text))
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d"))
    assert downloads.text_of_cell(cell) == text


REWRITTEN = (
    "5 a", "5 P", "12 pm", "3 May", "3 mai", "3 ao\u00fbt", "11 dic", "MAR1", "sept2", "May 3", "May-3", "3-May-2020",
    "1-2", "1/2", "6 1/2", "1.2.2020", "2020-01-02", "5:00", "5:00 pm", "1e5", "2E+3", "007", ".5", "1,000", "5 000",
    "(5)", "$5", "5 \u20ac", "TRUE", "false", "Faux", "#N/A", "3\uc6d4 2\uc77c", "\uc624\uc804 3\uc2dc",
    "12345678901234567890", "  3 May ", "MARCH1", "DEC2", "oct4", "4 Jul", "Jan-1", "3 Sept.", "3 May 2020 5:00",
    "10:30", "1E5", "1.5e-3", "12a", "5 A.M.", "1/2/3", "2020/1", "1 1/2", "00", "1.", "1,5", "1'000", "$1", "2 \u00a3",
    "VRAI", "#REF!", "\uff13 May", "\uff11/\uff12", "5\uc6d4",
)  # fmt: skip
KEPT = (
    "5 ants", "3 Mayor", "1 I", "2 want", "12", "0.5", "12.5 %", "9 .", "a (5)", "May", "I", "row 1, column 2",
    "1 \u20ac uro", "truest", "# of tokens", "10 marched", "3 decide", "layer 2", "", "e5", "6 U+00E9 1/2",
)  # fmt: skip


@pytest.mark.parametrize("text", REWRITTEN)
def test_a_text_that_spreadsheets_rewrite_is_escaped_and_read_back(text):
    ((heading,), (written,)) = read_csv(downloads.table_csv([text], [[text]]))
    assert heading == written == f"'{text}"
    assert downloads.text_of_cell(written) == text
    assert downloads.text_of_cell(str(downloads.cell(written))) == written


@pytest.mark.parametrize("text", KEPT)
def test_a_text_that_spreadsheets_leave_alone_is_written_as_it_is(text):
    assert downloads.cell(text) == text == downloads.text_of_cell(text)


def test_one_function_writes_every_csv_file():
    sources = (path for folder in ("views", "pages", "attention_atlas") for path in (ROOT / folder).rglob("*.py"))
    written = re.compile(r"csv\.writer|csv\.DictWriter|\.to_csv\([^)]|to_excel|openpyxl|xlsx|to_markdown|to_latex")
    assert {path.name for path in sources if written.search(path.read_text(encoding="utf-8"))} == {"downloads.py"}


def test_headings_of_a_map_stay_texts():
    tokens = ["I", "want", "May", "to", "a", "1/2", "=x", "TRUE"]
    header, *rows = read_csv(
        downloads.matrix_csv(np.zeros((8, 8), np.float32), tokens, tokens, kind_labels.KINDS["encoder"])
    )
    names = ["1 I", "2 want", "'3 May", "4 to", "'5 a", "'6 1/2", "7 =x", "8 TRUE"]
    assert header[1:] == names == [row[0] for row in rows]
    assert [downloads.text_of_cell(name) for name in names] == map_labels.numbered(tokens)


def test_positions_in_a_picture_are_named_and_not_numbered():
    rows = read_csv(
        downloads.matrix_csv(np.zeros((2, 3), np.float32), *map_labels.grid_names((2, 3)), kind_labels.GRID)
    )
    assert rows[0] == ["row of patches \\ column of patches", "column 1", "column 2", "column 3"]
    assert [row[0] for row in rows[1:]] == ["row 1", "row 2"]
    names = (kind_labels.CLS, *map_labels.patch_names((1, 2)))
    rows = read_csv(downloads.matrix_csv(np.zeros((3, 3), np.float32), names, names, kind_labels.VISION))
    assert rows[0] == ["query \\ key", "CLS", "row 1, column 1", "row 1, column 2"]
    assert [row[0] for row in rows[1:]] == rows[0][1:]


def test_arrays_are_stored_by_name():
    stored = np.load(io.BytesIO(downloads.arrays_npz({"rows": np.eye(2), "tokens": np.array(["<s>", "a"])})))
    np.testing.assert_array_equal(stored["rows"], np.eye(2))
    assert stored["tokens"].tolist() == ["<s>", "a"]


def test_an_archive_contains_no_times():
    files = {"a.txt": b"one", "b.npz": downloads.arrays_npz(x=np.eye(2))}
    content = downloads.archive(files)
    assert content == downloads.archive(dict(files))
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        assert {name: read.read(name) for name in read.namelist()} == files
        inner = zipfile.ZipFile(io.BytesIO(read.read("b.npz")))
        assert {entry.date_time[0] for entry in (*read.infolist(), *inner.infolist())} == {1980}


VALUES = np.array([[0.5, -0.5, 0], [-np.inf, 0.25, 0.5]], np.float32)


def named(name: str, values=VALUES, **options) -> RowMatrix:
    return RowMatrix(name, values, rows=("x", "<b>"), columns=("a", "b", "c"), **options)


def test_colours_are_those_of_the_page_and_masked_cells_grey():
    panel, scale = matrix_panel(named("scores")), palette.signed_scale("encoder", "light")
    assert panel.ends == ("\u22120.500", "0.500")
    assert tuple(panel.colours[0, 0]) == palette.to_rgb(scale[-1])
    assert tuple(panel.colours[0, 1]) == palette.to_rgb(scale[0])
    assert tuple(panel.colours[0, 2]) == palette.to_rgb(palette.BACKGROUND["light"])
    assert tuple(panel.colours[1, 0]) == palette.to_rgb(palette.MASKED["light"])
    weights = matrix_panel(named("weights", np.abs(VALUES), signed=False, top=1.0, kind="cross"))
    assert weights.ends == ("0", "1.00")
    assert panel.name == "scores, 2 \u00d7 3"
    mask = matrix_panel(named("mask", np.eye(2, 3), signed=False, words=("hidden", "may look")))
    assert tuple(mask.colours[0, 1]) == palette.to_rgb(palette.MASKED["light"])
    assert tuple(mask.colours[1, 1]) == palette.to_rgb(mask.scale[1])
    assert mask.ends == ("hidden", "may look")


def test_an_allowed_cell_has_the_shade_of_the_page_and_its_word_is_next_to_the_bar():
    mask = named("mask", np.ones((2, 3)), signed=False, words=("hidden from all", "may be looked at by everybody"))
    scale = [palette.to_rgb(colour) for colour in palette.scale("encoder", "light")]
    allowed, share = matrix_panel(mask).colours[0, 0], ALLOWED / 255 * (len(scale) - 1)
    below, above = np.array(scale[int(share)]), np.array(scale[int(share) + 1])
    assert ((allowed >= np.minimum(below, above)) & (allowed <= np.maximum(below, above))).all()
    plan = matrices_picture([mask, mask], "two")
    words = [item for item in plan.items if getattr(item, "text", "").startswith("may be")]
    names = [item for item in plan.items if getattr(item, "text", "").startswith("mask")]
    assert len(words) == 2 and names[1].x > words[0].x + drawing.text_width(words[0].text, 11)


def test_operators_are_between_the_matrices_and_text_is_escaped():
    plan = matrices_picture([named("A"), "\u00d7", named("B")], "<i>product</i>")
    svg = drawing.to_svg(plan)
    assert "<b>" not in svg and "&lt;b&gt;" in svg and "<i>" not in svg
    texts = {item.text: item.x for item in plan.items if isinstance(item, drawing.TextLine)}
    assert texts["A, 2 \u00d7 3"] < texts["\u00d7"] < texts["B, 2 \u00d7 3"]
    assert len([item for item in plan.items if isinstance(item, drawing.Box) and item.width > 15]) == 2 * 6
    assert drawing.to_png(plan, 1).startswith(b"\x89PNG")


def test_an_operator_moves_to_the_new_line_with_its_matrix():
    wide = RowMatrix("wide", np.ones((2, 100)))
    plan = matrices_picture([wide, wide, "=", wide], "a product")
    sign = next(item for item in plan.items if getattr(item, "text", "") == "=")
    names = [item for item in plan.items if getattr(item, "text", "").startswith("wide")]
    assert names[0].y == names[1].y < names[2].y < sign.y < plan.height
    assert sign.x < names[2].x


def test_a_matrix_that_does_not_fit_starts_a_new_line():
    plan = matrices_picture([named(str(number)) for number in range(12)], "many")
    names = [item for item in plan.items if isinstance(item, drawing.TextLine) and item.text.endswith("2 \u00d7 3")]
    assert len(names) == 12 and len({item.y for item in names}) > 1
    assert plan.width <= 1250
    assert all(item.x + getattr(item, "width", 0) <= plan.width for item in plan.items)
    assert all(item.y + getattr(item, "height", 0) <= plan.height for item in plan.items)


def test_a_large_matrix_is_one_image_without_labels():
    wide = RowMatrix("d", np.linspace(-1, 1, 128 * 256).reshape(128, 256))
    plan = matrices_picture([wide], "wide")
    (image,) = (item for item in plan.items if isinstance(item, drawing.Pixels))
    assert image.pixels.shape == (128, 256, 3)
    assert [item.text for item in plan.items if isinstance(item, drawing.TextLine)] == [
        "wide",
        "d, 128 \u00d7 256",
        "1.00",
        "\u22121.00",
    ]
    assert len(drawing.to_svg(plan)) < 200_000


@pytest.mark.parametrize("count", [12, 60, 197, 400])
def test_labels_do_not_lie_on_each_other(count):
    names = [f"row {number}" for number in range(count)]
    many = RowMatrix("many", np.ones((count, count)), rows=names, columns=names)
    lines = [item for item in matrices_picture([many], "all").items if isinstance(item, drawing.TextLine)]
    rows = [item for item in lines if item.text in names and item.anchor == "end"]
    gaps = np.diff([item.y for item in rows])
    assert (gaps >= 1.2 * rows[0].size).all() and rows[0].size >= 5
    assert len(rows) == count or count > 80
    assert rows[0].text == "row 0"
