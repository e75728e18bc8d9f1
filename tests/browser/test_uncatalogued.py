"""The search for texts outside the catalogue reports them, wherever they are on a page, and nothing else."""

from __future__ import annotations

import html

import pytest
from playwright.sync_api import Page

from tests.browser.uncatalogued import uncatalogued
from tests.views.figures.test_heatmap import make_matrix
from views.figures.heatmap import matrix
from views.text.catalogue import PSEUDO, say, using_language
from views.text.literal import CODE, TOKEN, tokens_on

UNCALLED = "\u27e6Message(id='id', english='text')\u27e7"  # in brackets, for it is in the place of a value


def report_texts(page: Page, content: str, script: str = "") -> list[str]:
    """Return the reported texts without elements; `script` runs first, where `at` is the element around `content`."""
    page.set_content(f'<section data-testid="stMain"><div id="at">{content}</div></section>')
    page.evaluate(f"() => {{ const at = document.getElementById('at'); {script} }}")
    return [finding.split(": ", 1)[1] for finding in uncatalogued(page)]


@pytest.mark.parametrize(
    "content",
    [
        "\u27e6All of it\u27e7",
        "\u27e6some <b>bold</b>\u27e7 12.5 % \u2192 <i>\u27e6\u27e6one\u27e7 in another\u27e7</i>",
        "<p>\u27e6</p><p>a paragraph</p><table><tr><td>of a table</td></tr></table><p>\u27e7</p>",
        f'<b{TOKEN} title="U+0020">chat <i>noir</i></b>',
        "<style>p {color: red}</style><script>let word</script><template>unseen</template>",
        '<span class="katex">softmax</span>',
        f"<pre><code{CODE}>view size</code></pre>",
        '<input value="what the reader typed" aria-label="\u27e6Sentence\u27e7">',
        '<span data-testid="stIconMaterial">keyboard_arrow_right</span><div class="modebar" title="Zoom">Zoom</div>',
    ],
)
def test_catalogued_and_marked_texts_are_not_reported(page: Page, content: str):
    assert report_texts(page, content) == []


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("plain", "plain"),
        ("\u27e6said\u27e7 and more", "and more"),
        ('<div hidden aria-live="polite">read out</div>', "read out"),
        ('<svg><text>drawn</text><title>of a drawing</title></svg>', "drawn"),
        ('<details><summary>\u27e6Fold\u27e7</summary>folded</details>', "folded"),
        *((f'<p {name}="told">\u27e6a\u27e7</p>', "told") for name in ("title", "aria-label", "aria-valuetext")),
        ('<img alt="told">', "told"),
        (f"<p>{html.escape(UNCALLED)}</p>", UNCALLED),
        ('<input placeholder="told">', "told"),
        ('<input role="combobox" value="chosen">', "chosen"),
        ('<canvas aria-label="map">', "map"),
        (f'<div{TOKEN} aria-label="a label is said">chat</div>', "a label is said"),
        ('<div data-testid="stSidebar" aria-label="Sidebar">past</div>', "past"),
        ('<div data-testid="stElementContainer">\u27e6opened</div>after', "1 brackets are not closed"),
        ('<div data-testid="stElementContainer">\u27e6opened</div>after', "after"),
    ],
)  # fmt: skip
def test_uncatalogued_texts_are_reported(page: Page, content: str, left: str):
    assert left in report_texts(page, content)


def test_components_are_read_inside_and_under_the_pointer(page: Page):
    component = """
        const root = at.attachShadow({ mode: "open" })
        root.innerHTML = '<b>inside</b><div class="field" style="width: 9px; height: 9px"></div><div class="tip"></div>'
        const tip = root.querySelector(".tip")
        const field = root.querySelector(".field")
        field.onpointermove = (event) => { tip.textContent = event.clientX > 0 ? "pointed at" : "" }
        field.onpointerleave = () => { tip.textContent = "" }
    """
    assert report_texts(page, "", component) == ["inside", "pointed at"]


def chart(layout: str = "{}", **trace: str) -> str:
    fields = ", ".join(f"{name}: {value}" for name, value in trace.items())
    return f"at.className = 'js-plotly-plot'; at.layout = {layout}; at._fullData = [{{{fields}}}]"


@pytest.mark.parametrize(
    ("trace", "left"),
    [
        ({"hovertemplate": '"\u27e6weight\u27e7 %{z:.3g}<extra></extra>"', "name": '"trace 0"'}, []),
        ({"hovertemplate": '"weight %{z}<extra></extra>"'}, ["weight"]),
        ({"hovertemplate": '"%{y}"', "name": '"curve"', "y": "[1]"}, ["curve"]),
        ({"hovertemplate": '"%{text}<extra></extra>"', "text": '["\u27e6said\u27e7", "not said"]'}, ["not said"]),
        ({"hovertemplate": '"%{customdata[1]}<extra></extra>"', "customdata": '[[0.5, "group"]]'}, ["group"]),
        ({"hovertemplate": '"%{x}<extra></extra>"', "x": '["chat"]'}, ["chat"]),
        ({"hoverinfo": '"skip"', "name": '"trace 0"'}, []),
    ],
)
def test_charts_are_read_under_the_pointer(page: Page, trace: dict[str, str], left: list[str]):
    assert report_texts(page, "", chart(**trace)) == left


def test_axes_of_tokens_are_those_that_the_figure_names(page: Page):
    ticks = '<svg><g class="xtick"><text>chat</text></g><g class="y2tick"><text>said nowhere</text></g></svg>'
    hover = {"hovertemplate": '"%{x}<extra></extra>"', "x": '["chat"]'}
    assert report_texts(page, ticks, chart("{meta: {said: {xaxis: 'token'}}}", **hover)) == ["said nowhere"]
    assert tokens_on("xaxis") == {"said": {"xaxis": "token"}}


def test_a_heatmap_names_its_axes():
    labels = {"rows": tuple("abc"), "columns": tuple("abcd")}
    assert matrix(make_matrix(**labels), "light").layout.meta == tokens_on("xaxis", "yaxis")


def test_brackets_are_those_of_the_catalogue(page: Page):
    with using_language(PSEUDO):
        assert report_texts(page, f"<p>{say('test.given', 'A text')}</p>") == []
