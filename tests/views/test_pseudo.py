"""In the pseudo-language every text of views is in brackets: a text without is not translated."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.payloads import read_payload
from tests.views.brackets import outside, untranslated_in_figure, untranslated_in_html
from tests.views.components import test_attention_grid as grids
from tests.views.components import test_attention_lines as lines
from tests.views.components import test_head_list as heads_as_listed
from tests.views.components import test_html_export as pages
from tests.views.components import test_patch_picture as pictures
from tests.views.components import test_step_view as step_views
from tests.views.export import test_difference as differences
from tests.views.export import test_overview_image as overviews
from tests.views.export import test_picture as maps_as_pictures
from tests.views.html import test_generated_tokens as cards
from tests.views.svg import test_beam as beams
from tests.views.svg import test_recurrent_architecture as before
from views import kind_labels, map_labels, patch_grid
from views.components import (
    attention_grid,
    attention_lines,
    component,
    head_list,
    html_export,
    linked_heatmaps,
    matrix_row,
    one_patch,
    one_weight,
    patch_picture,
    vector_view,
)
from views.components import picture_strip as strip_of_pictures
from views.components import step_view as numbers_that_follow
from views.controls import picture_input, samples, whole_numbers
from views.controls.pictures import PictureError, read_picture
from views.export import difference, downloads, over_picture, overview_image
from views.export.drawing import TextLine
from views.figures import line_chart as curves
from views.figures import occlusion, patch_positions, saturation
from views.html import bars, class_bars, decoding_steps, filters, generated_tokens
from views.svg import architecture, beam, recurrent_architecture, unrolled
from views.text import waiting
from views.text.catalogue import PSEUDO, say, using_language
from views.viewer.attention_maps import KindMaps

SOURCE = Path(__file__).resolve().parents[2] / "web" / "src"
RANDOM = np.random.default_rng(0)
TOKENS = ("I", "want", "<b>")
SQUARE = np.eye(3, dtype=np.float32)


@pytest.fixture(autouse=True)
def pseudo():
    with using_language(PSEUDO):
        yield


def page_text(name: str) -> str:
    """A text that a page passes in, translated by the page."""
    return say("test.given", name)


def test_outside_returns_text_without_brackets():
    assert outside("⟦Layer⟧ 1: ⟦a ⟦b⟧ c⟧ 0.5") == ""
    assert outside("⟦Layer⟧ head") == "head"
    assert outside("12.5 % \u2192 3") == ""
    assert untranslated_in_html('<p title="a">⟦b⟧</p><i data-said="token">c</i>') == ["a"]


def header(module, content) -> dict:
    return read(module.payload(content, "light"))


def read(content: bytes) -> dict:
    return read_payload(content)[0]


def head_row(often: str) -> head_list.HeadRow:
    return head_list.HeadRow(
        "id", page_text("encoder 1.1"), "encoder", "1", "1", 0.5, "0.5", page_text("previous"), often, SQUARE
    )


def payloads() -> dict[str, dict]:
    rows = heads_as_listed.make_head_list(
        [head_row(page_text("diffuse"))], tuple(map(page_text, "abcd")), page_text("heads")
    )
    matrix = matrix_row.RowMatrix(page_text("scores"), SQUARE)
    return {
        "grid": header(attention_grid, grids.sheet(4)),
        "lines": header(attention_lines, lines.lines(4, 5)),
        "list": header(head_list, rows),
        "maps": {"words": component.translated(linked_heatmaps.WORDS)},
        "matrices": header(matrix_row, [matrix, "+", matrix]),
        "picture": header(patch_picture, pictures.make_picture()),
        "patch": {"words": component.translated(one_patch.WORDS)},
        "weight": {"words": component.translated(one_weight.WORDS)},
        "strip": {"words": component.translated(strip_of_pictures.WORDS)},
        "steps": header(numbers_that_follow, step_views.view()),
        "vectors": read(vector_view.payload(3, page_text("vectors"), "light")),
    }


@pytest.mark.parametrize(
    "name", ["grid", "lines", "list", "maps", "matrices", "patch", "picture", "strip", "steps", "vectors", "weight"]
)
def test_payloads_of_components(name: str):
    content = payloads()[name]
    assert [text for text in content.get("words", {}).values() if outside(text) or not text.strip()] == []
    for item in content.get("items", ()):
        for key in ("row_title", "column_title"):
            assert outside(item.get(key, "")) == ""
        assert outside(" ".join(item.get("masked", ()))) == ""
    assert [content[key] for key in ("queryAxis", "keyAxis") if outside(content.get(key, ""))] == []


def scripts_of(name: str) -> list[Path]:
    """The sources of a component, or of a part that several use."""
    return [path for form in (f"*/{name}.ts", f"views/{name}/*.ts") for path in SOURCE.glob(form)]


def test_every_text_that_a_script_uses_is_in_its_payload():
    scripts = {
        "grid": ("attention_grid", "controls", "choosing"),
        "lines": ("attention_lines", "controls", "choosing"),
        "list": ("head_list", "controls", "choosing"),
        "maps": ("attention_map", "controls", "choosing"),
        "matrices": ("matrix_row",),
        "patch": ("one_patch",),
        "picture": ("patch_picture", "controls", "choosing"),
        "steps": ("step_view",),
        "strip": ("picture_strip",),
        "vectors": ("vector_view",),
        "weight": ("one_weight", "controls", "choosing"),
    }
    contents = payloads()
    for name, files in scripts.items():
        text = "\n".join(path.read_text(encoding="utf-8") for file in files for path in scripts_of(file))
        used = set(re.findall(r"\bwords\.(\w+)", text))
        assert used == set(contents[name].get("words", {})), name


def test_offline_pages():
    for part in (attention_grid.snapshot(grids.sheet(4)), attention_lines.snapshot(lines.lines(4, 5))):
        facts = [(page_text("Input"), page_text("x"))]
        page = html_export.to_html(page_text("Title"), [page_text("How to read it.")], facts, part).decode()
        assert f'<html lang="{PSEUDO}">' in page and outside(part.numbers) == ""
        body = page[page.index("<body>") : page.index("<template")]
        assert (
            untranslated_in_html(body) == [] and outside(page[page.index("<title>") + 7 : page.index("</title>")]) == ""
        )
    assert '<html lang="en">' in english_page()


def english_page() -> str:
    with using_language("en"):
        return pages.save_page(attention_grid.snapshot(grids.sheet(4))).decode()


@pytest.mark.parametrize(
    "html",
    [
        lambda: class_bars.bars(("tench", "church"), (0.2, 0.8)),
        lambda: class_bars.before_and_after(("tench", "church"), (0.2, 0.8), (0.5, 0.5), page_text("shuffled")),
        lambda: bars.strip_cell(np.ones(3), 1, "encoder", "light", page_text("Row")).html,
        lambda: bars.table(
            [page_text("a"), page_text("b")], [(page_text("a"), 0.5), (page_text("b"), 7)], page_text("Table")
        ),
        lambda: bars.bar_cell(0.5, 1).html + decoding_steps.meter_cell(0.5, 1).html,
        lambda: decoding_steps.token_strip(["<s>", "Je"], "veux", ["une"]) + decoding_steps.weighted_tokens(
            TOKENS, (0.5, 0.3, 0.2)
        ),
        lambda: decoding_steps.aligned_tokens([(page_text("reads"), TOKENS)], page_text("shifted"), "fr"),
        lambda: decoding_steps.token_cell("a").html + decoding_steps.differing_cell("a").html,
        lambda: (
            generated_tokens.sentence("Je veux", "fr")
            + generated_tokens.label(page_text("Translation"))
            + generated_tokens.chips(TOKENS, "encoder")
        ),
        lambda: generated_tokens.cards(
            [cards.Produced("la", 0.25, (cards.Candidate("le", 0.6), cards.Candidate("la", 0.25)))]
        ),
        lambda: beam.beam(beams.COLUMNS, page_text("A beam")),
        lambda: filters.filters(np.ones((2, 2, 2, 3)), np.array([0.5, 0.25])),
        lambda: architecture.architecture(
            architecture.TransformerSizes(8000, 256, 8, 32, 1024, 4, 1),
            {page: page_text(page) for page, _ in architecture.DESTINATIONS.values()},
        ),
        *(
            lambda sizes=sizes: recurrent_architecture.recurrent_architecture(
                sizes, {page: page_text(page) for page, _ in recurrent_architecture.DESTINATIONS.values()}
            )
            for sizes in (before.RNN, before.VECTOR, before.ADDITIVE, before.DOT)
        ),
        lambda: unrolled.unrolled(
            [unrolled.SublayerRow("decoder", page_text("decoder"), "target", "decoder", [1, 2])],
            {"source": ("I",), "target": ("<s>", "Je")}, [], [("source", 0)], page_text("unrolled"),
        ),
    ],
)  # fmt: skip
def test_html_and_drawings(html):
    assert untranslated_in_html(html()) == []


def occlusion_curves():
    curve = occlusion.OcclusionCurve(page_text("Attention"), np.linspace(1, 0, 5), 0.5)
    return occlusion.curves(np.linspace(0, 1, 5), [curve], curve, curve, np.ones((2, 5)), "covered", "light")


@pytest.mark.parametrize(
    "figure",
    [
        lambda: curves.histogram(RANDOM.normal(size=50), 0.5, "light", page_text("cosine")),
        occlusion_curves,
        lambda: patch_positions.similarity(RANDOM.normal(size=(4, 4)), (2, 2), "light"),
        lambda: patch_positions.distances(np.ones((2, 3)), 1.5, "light"),
    ],
)
def test_charts(figure):
    assert untranslated_in_figure(figure()) == []


def test_charts_of_formulas_contain_no_other_text():
    figure = saturation.histogram(np.arange(4.0), np.ones(3), np.ones(3), "light")
    assert {left.replace(" ", "") for left in untranslated_in_figure(figure)} <= {"q\u00b7k", "q\u00b7k/\u221adk"}


def texts(drawing, data=()) -> list[str]:
    return [item.text for item in drawing.items if isinstance(item, TextLine) and item.text not in data]


@pytest.mark.parametrize("scale", ["shared", "own", "log"])
def test_pictures(scale: str):
    maps = overviews.make_overview(100, "decoder", scale)
    drawings = [overview_image.layout(maps), downloads.map_drawing(maps_as_pictures.head())]
    pixels = np.zeros((4, 4, 3), np.uint8)
    grid = KindMaps.of_one_map(kind_labels.GRID, np.eye(2, dtype=np.float32), (("r", "r"), ("c", "c")))
    over = downloads.HeadMap(grid, (0, 0), caption=page_text("mean"))
    drawings += [over_picture.over_picture(over, pixels, 0.5, 0.5), difference.difference_picture(differences.pair())]
    drawings += [downloads.matrices_picture([matrix_row.RowMatrix(page_text("Q"), SQUARE)], page_text("Matrices"))]
    known = {*maps.maps.layer_ids, *maps.maps.head_ids, *maps_as_pictures.head().maps.queries.labels}
    pair = differences.pair()
    known |= {token.strip() for side in (pair.first, pair.second) for token in (*side.queries, *side.keys)}
    known |= {token.strip() for token in known} | {pair.first.name, pair.second.name}
    for drawing in drawings:
        assert [text for text in texts(drawing, known) if outside(text)] == []


def test_files():
    first = (
        downloads.matrix_csv(SQUARE, ("a", "b", "c"), ("a", "b", "c"), kind_labels.KINDS["cross"])
        .decode()
        .split(",")[0]
    )
    assert outside(first) == ""
    names, _ = differences.pair().rows()
    assert [outside(name) for name in (*names[:2], names[-1])] == ["", "", ""]


def test_kinds_maps_and_places():
    for kind in (
        *kind_labels.KINDS.values(),
        *(kind.of_words for kind in kind_labels.KINDS.values()),
        kind_labels.ANY_ATTENTION.of_words,
        kind_labels.VISION,
        kind_labels.GRID,
        kind_labels.PATCHES,
    ):
        texts = (
            kind.title,
            kind.headline,
            kind.query_axis,
            kind.key_axis,
            kind.corner,
            kind.heading(page_text("layer 1")),
        )
        assert [text for text in texts if outside(text)] == []
    texts = [map_labels.describe(layer, head) for layer in ("1", map_labels.MEAN) for head in ("1", map_labels.MEAN)]
    texts += [
        *map_labels.patch_names((1, 2)),
        *sum(map_labels.grid_names((1, 1)), ()),
        *patch_grid.value_names(1),
    ]
    assert [text for text in texts if outside(text)] == []


def test_refusals_and_descriptions(monkeypatch):
    for content in (b"", b"no picture", bytes(9 * 2**20), b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(PictureError) as refused:
            read_picture(content)
        assert outside(refused.value.message()) == ""
    for sample in samples.SAMPLES:
        assert outside(sample()) == "" and outside(picture_input.describe(samples.picture(sample.id))) == ""
    for typed in ("", "x", "1 2 3", "99"):
        with pytest.raises(ValueError) as wrong:
            whole_numbers.parse(typed, page_text("lengths"), (1, 2), (1, 9))
        assert outside(str(wrong.value)) == ""
    notices = []
    monkeypatch.setattr(waiting, "_notice", notices.append)
    for count in (1, 2):
        waiting.queue_notice(count)
    assert len(notices) == 2 and not any(map(outside, notices))
