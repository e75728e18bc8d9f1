"""Files: what is read back is what was shown."""

import csv
import io
import zipfile

import numpy as np

from views import downloads

QUERIES, KEYS = ("\u2009Je", "\u2009=1+1", '"'), ("\u2009I", ",")


def test_csv_holds_every_digit():
    weights = np.random.default_rng(0).random((3, 2), dtype=np.float32)
    file = downloads.matrix_csv(weights, QUERIES, KEYS)
    assert file.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(file.decode("utf-8-sig"))))
    assert rows[0] == ["query \\ key", "1 I", "2 ,"]
    assert [row[0] for row in rows[1:]] == ["1 Je", "2 =1+1", '3 "']
    read = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_array_equal(read, weights)


def test_npz_opens_without_pickle():
    attention = np.random.default_rng(0).random((2, 3, 3, 2), dtype=np.float32)
    stored = np.load(io.BytesIO(downloads.attention_npz("cross", attention, QUERIES, KEYS)), allow_pickle=False)
    np.testing.assert_array_equal(stored["attention"], attention)
    assert stored["attention"].dtype == np.float32
    assert tuple(stored["query_tokens"]) == QUERIES
    assert tuple(stored["key_tokens"]) == KEYS
    assert str(stored["kind"]) == "cross"


def test_no_cell_starts_a_formula():
    assert [downloads.safe_cell(text) for text in ("=1", "\u2009+a", "-", "@x", "a=b")] == [
        "'=1",
        "'+a",
        "'-",
        "'@x",
        "a=b",
    ]


def test_arrays_are_stored_by_name():
    stored = np.load(io.BytesIO(downloads.arrays_npz({"rows": np.eye(2), "tokens": np.array(["<s>", "a"])})))
    np.testing.assert_array_equal(stored["rows"], np.eye(2))
    assert stored["tokens"].tolist() == ["<s>", "a"]


def test_an_archive_names_no_time():
    files = {"a.txt": b"one", "b.npz": downloads.arrays_npz(x=np.eye(2))}
    content = downloads.archive(files)
    assert content == downloads.archive(dict(files))
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        assert {name: read.read(name) for name in read.namelist()} == files
        inner = zipfile.ZipFile(io.BytesIO(read.read("b.npz")))
        assert {entry.date_time[0] for entry in (*read.infolist(), *inner.infolist())} == {1980}
