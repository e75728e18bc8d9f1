"""Every character of a picture file is drawn by the first font that has it, at regular weight, or as a box."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFont

from views.export import drawing
from views.export.drawing import Drawing, TextLine

ROOT = Path(__file__).resolve().parents[3]
FRENCH = "àâçéèêëîïôûùüÿœæÀÉÇŒ «»’…–€"
SCRIPTS = {
    "Greek": "\u03b8\u03b1",
    "Cyrillic": "\u0436\u0434",
    "Korean": "\uac00\ub098",
    "Arabic": "\u0645\u0631\u062d",
    "Devanagari": "\u0928\u092e\u0938\u094d\u0924\u0947",
    "Khmer": "\u1780\u1781",
    "Tamil": "\u0b95\u0b99",
    "Telugu": "\u0c15\u0c16",
    "Thai": "\u0e2a\u0e27\u0e31",
}


@pytest.fixture
def no_fonts(monkeypatch):
    """Only the font of the pages is found."""
    page = drawing.find_fonts()[0]
    monkeypatch.setattr(drawing, "find_fonts", lambda: (page,))


def png(text: str, angle: float = 0) -> np.ndarray:
    picture = drawing.to_png(Drawing(200, 60, "t", (TextLine(20, 30, text, 20, "start", angle),)), 1)
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L"))


def test_french_is_drawn_by_the_font_of_the_pages():
    (run,) = drawing.font_runs(FRENCH)
    assert run.text == FRENCH and run.path.name.startswith("SourceSansVF-Upright")


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_that_the_font_of_the_pages_lacks(script: str):
    runs = drawing.font_runs(SCRIPTS[script])
    assert len(runs) == 1 and runs[0].path is not None
    png(SCRIPTS[script])


def test_no_text_of_this_program_has_a_box_in_any_language():
    files = [path for path in (Path(drawing.__file__).parents[2] / "assets" / "text").glob("*/*") if path.suffix != ""]
    characters = {char for path in files for char in path.read_text(encoding="utf-8") if char.isprintable()}
    assert "\uac01" in characters
    assert [run.text for run in drawing.font_runs("".join(sorted(characters))) if run.path is None] == []


def test_each_character_has_the_first_font_that_draws_it_and_marks_stay_with_their_letter():
    runs = drawing.font_runs("a\uac00 b\u0301")
    assert [run.text for run in runs] == ["a", "\uac00 ", "b\u0301"]
    assert runs[0].path == runs[2].path == drawing.find_fonts()[0] != runs[1].path


def test_the_font_of_the_pages_is_opened_at_regular_weight():
    """It is a variable font, which is opened at its lightest."""
    page = drawing.find_fonts()[0]
    regular, lightest = (
        np.asarray(font.getmask("I")).sum() for font in (drawing.open_font(page, 40), ImageFont.truetype(page, 40))
    )
    assert regular > 1.2 * lightest


@pytest.mark.usefixtures("no_fonts")
@pytest.mark.parametrize(("char", "width"), [("\uac00", 20), ("\u0e2a", 12), ("\U0001f642", 20)])
def test_a_character_that_no_font_has_is_a_box_and_the_foot_says_so(char: str, width: float):
    assert drawing.text_width(char, 20) == pytest.approx(width)
    picture = png(char)
    assert picture.shape == (60 + drawing.FOOT, max(200, picture.shape[1]))
    box = np.argwhere(picture[:60] < 200)
    assert box.min(axis=0)[1] >= 20 and box.max(axis=0)[1] <= 20 + width
    middle = picture[box.min(axis=0)[0] + 3 : box.max(axis=0)[0] - 3, box.min(axis=0)[1] + 3 : box.max(axis=0)[1] - 3]
    assert (middle == 255).all()  # empty inside
    assert (picture[60:] < 200).any()  # the line at the foot
    assert png("e").shape == (60, 200)


@pytest.mark.usefixtures("no_fonts")
def test_a_rotated_box_is_inside_the_picture():
    assert (png("e \uac00", -30) < 200).any()


def test_widths_are_those_of_the_drawn_text():
    whole = drawing.text_width("ab\uac00c", 30)
    assert whole == pytest.approx(sum(drawing.text_width(part, 30) for part in ("ab", "\uac00", "c")), abs=0.5)
    assert drawing.text_width("\uac00", 30) > 0.7 * 30


def test_without_any_font_text_is_drawn_by_pillow(monkeypatch):
    monkeypatch.setattr(drawing, "find_fonts", tuple)
    assert (png("abc") < 200).any() and drawing.text_width("abc", 10) > 5


def test_a_font_file_that_is_damaged_is_passed_over(tmp_path: Path, monkeypatch):
    (tmp_path / "bad.ttf").write_bytes(b"no font")
    good = drawing.find_fonts()[0]
    monkeypatch.setattr(drawing, "find_fonts", lambda: (tmp_path / "bad.ttf", good))
    assert [run.path for run in drawing.font_runs("ab")] == [good]


def test_packages_that_are_not_installed_are_passed_over(monkeypatch):
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)
    assert not any("site-packages" in str(path) for path in drawing.find_fonts.__wrapped__())


def test_pictures_are_drawn_without_streamlit():
    program = """
import sys
sys.modules["streamlit"] = None
from views.export import drawing
picture = drawing.Drawing(90, 30, "t", (drawing.TextLine(5, 15, "a \\uac00"),))
assert drawing.to_png(picture)[:4] == b"\\x89PNG" and drawing.find_fonts()
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
