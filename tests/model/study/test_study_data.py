"""Inputs of a study: every form, in a fixed order, and one-sentence errors."""

import gzip
import io

import pyarrow as pa
import pytest
from PIL import Image
from pyarrow.parquet import write_table

from model.study import study_data
from model.study.study_data import StudyError, check_packages, read_inputs, spread_evenly


def contents(inputs) -> list:
    return [(inputs[place].content, inputs[place].second) for place in range(len(inputs))]


def picture(colour: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (3, 2), colour).save(written, "PNG")
    return written.getvalue()


def test_lines_of_text_without_the_blank_ones(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufeffOne day.\r\n\n  Zwölf\tTage. \n".encode())
    inputs = read_inputs(tmp_path / "a.txt")
    assert (inputs.form, contents(inputs)) == ("texts", [("One day.", None), ("Zwölf\tTage.", None)])
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((tmp_path / "a.txt").read_bytes()))
    assert read_inputs(tmp_path / "a.txt.gz").sha256() == inputs.sha256()


def test_pairs(tmp_path):
    (tmp_path / "a.tsv").write_text("A cat.\tUn chat.\tmore\nA dog.\tUn chien.\n", encoding="utf-8")
    inputs = read_inputs(tmp_path / "a.tsv")
    assert (inputs.form, contents(inputs)) == ("pairs", [("A cat.", "Un chat."), ("A dog.", "Un chien.")])


@pytest.mark.parametrize(
    "columns, form", [({"text": ["a", "b"]}, "texts"), ({"text": ["a", "b"], "second": ["c", "d"]}, "pairs")]
)
def test_a_table_of_texts(tmp_path, columns, form):
    write_table(pa.table(columns | {"other": [1, 2]}), tmp_path / "a.parquet")
    inputs = read_inputs(tmp_path / "a.parquet")
    assert (inputs.form, contents(inputs)) == (form, list(zip("ab", columns.get("second", (None, None)), strict=True)))


def test_folders_of_pictures_are_their_classes(tmp_path):
    for name, colour in (("b/one.png", "red"), ("a/two.PNG", "blue")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(picture(colour))
    (tmp_path / "a" / "notes.txt").write_text("no picture")
    inputs = read_inputs(tmp_path)
    assert [(inputs[place].name, inputs[place].label) for place in (0, 1)] == [("two.PNG", "a"), ("one.png", "b")]
    assert inputs[0].picture().getpixel((0, 0)) == (0, 0, 255)


def test_tables_of_pictures_in_a_folder(tmp_path):
    for number, colour in enumerate(("red", "blue")):
        row = {"image": [{"bytes": picture(colour), "path": None}], "label": [number]}
        write_table(pa.table(row), tmp_path / f"{number}.parquet")
    inputs = read_inputs(tmp_path)
    assert (inputs.form, len(inputs), inputs[1].label) == ("pictures", 2, 1)
    assert inputs[1].picture().getpixel((0, 0)) == (0, 0, 255)


def test_some_of_many_are_spread_evenly_over_all(tmp_path):
    assert spread_evenly(9, 3).tolist() == [0, 4, 8]
    assert spread_evenly(2, 5).tolist() == [0, 1]
    (tmp_path / "a.txt").write_text("\n".join("abcde"))
    whole = read_inputs(tmp_path / "a.txt")
    assert contents(whole.part(2)) == [("a", None), ("e", None)]
    assert whole.part(None) is whole and whole.part(2).sha256() != whole.sha256()


def test_unreadable_inputs_have_one_sentence_errors(tmp_path):
    files = {
        "empty.txt": (b" \n\n", "holds no texts"),
        "latin.txt": ("é".encode("latin-1"), "is not UTF-8 .byte 1.; convert the file"),
        "half.tsv": (b"alone\n", "line 1: no tab"),
        "bad.parquet": (b"PAR1", "cannot be read as a table"),
        "bad.gz": (b"no", "cannot be read"),
    }
    for name, (content, message) in files.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(StudyError, match=message):
            read_inputs(tmp_path / name)
    write_table(pa.table({"words": ["a"]}), tmp_path / "other.parquet")
    with pytest.raises(StudyError, match="no column called text or image, but words"):
        read_inputs(tmp_path / "other.parquet")
    with pytest.raises(StudyError, match="There is no file or folder"):
        read_inputs(tmp_path / "missing")
    (tmp_path / "none").mkdir()
    with pytest.raises(StudyError, match="neither pictures nor .parquet files"):
        read_inputs(tmp_path / "none")


def test_a_broken_item_is_reported_when_it_is_read(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(StudyError, match="not a picture that can be read"):
        read_inputs(tmp_path)[0].picture()
    write_table(pa.table({"text": ["a", None]}), tmp_path / "t.parquet")
    with pytest.raises(StudyError, match="no text in row 2 of t.parquet"):
        read_inputs(tmp_path / "t.parquet")[1]


def test_a_study_without_pyarrow_says_what_to_install(monkeypatch):
    check_packages()
    monkeypatch.setattr(study_data, "find_spec", lambda name: None if name == "pyarrow" else object())
    with pytest.raises(StudyError, match="pyarrow, which is not installed; run: pip install pyarrow"):
        check_packages()
