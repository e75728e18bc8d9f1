"""Compressed files are unpacked up to a limit, in little memory, whatever they claim to contain."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from model.data.corpus import CorpusError, read_pairs
from model.runtime import unpacking
from model.runtime.unpacking import UnpackedSizeError, unpack_within_limit
from model.study import study_data
from model.study.study_data import StudyError, read_inputs

ZEROS = 30_000_000  # bytes, which take 30 kB packed


@pytest.fixture(scope="module")
def packed() -> bytes:
    return gzip.compress(bytes(ZEROS), 1)


@pytest.fixture(autouse=True)
def limit(monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "LARGEST_UNPACKED", 3_000_000)
    monkeypatch.setattr(study_data, "LARGEST_UNPACKED", 3_000_000)


def refused(read, path: Path, error: type[Exception]) -> str:
    """The sentence with which a file is refused, in little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(error) as caught:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return str(caught.value)


@pytest.mark.parametrize("name", ["texts.txt.gz", "texts.gz", "pairs.tsv.gz"])
@pytest.mark.parametrize("times", [1, 3])  # also where several compressed files follow one another
def test_a_gz_that_unpacks_to_much_more_is_refused_in_a_sentence(tmp_path, packed, name, times):
    path = tmp_path / name
    path.write_bytes(packed * times)
    sentence = f"{path} unpacks to more than 3 MB; unpack it yourself, and give the unpacked file."
    assert refused(read_inputs, path, StudyError) == sentence
    if name.endswith(".tsv.gz"):
        assert refused(read_pairs, path, CorpusError) == sentence


@pytest.mark.parametrize("claimed", [None, 100])
def test_a_zip_that_unpacks_to_much_more_is_refused_in_a_sentence(tmp_path, claimed):
    path = tmp_path / "pairs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("fra.txt", bytes(ZEROS))
    if claimed is not None:  # the archive states another size than it has
        content = path.read_bytes()
        path.write_bytes(content.replace(ZEROS.to_bytes(4, "little"), claimed.to_bytes(4, "little")))
        with pytest.raises(CorpusError, match="is damaged or not what its name says"):
            read_pairs(path)
        return
    sentence = f"{path} unpacks to more than 3 MB; unpack it yourself, and give the unpacked file."
    assert refused(read_inputs, path, StudyError) == refused(read_pairs, path, CorpusError) == sentence


def test_what_is_within_the_limit_is_read_whole(tmp_path):
    content = b"One day.\n" * 300_000
    assert unpack_within_limit(io.BytesIO(content), "x") == content
    assert unpack_within_limit(io.BytesIO(bytes(3_000_000)), "x") == bytes(3_000_000)
    with pytest.raises(UnpackedSizeError):
        unpack_within_limit(io.BytesIO(bytes(3_000_001)), "x")
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    assert len(read_inputs(tmp_path / "a.gz")) == 300_000


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-9], lambda packed: packed[:40] + b"\xff" * 20 + packed[60:]]
)
def test_a_damaged_gz_is_refused_in_a_sentence(tmp_path, damage):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(damage(gzip.compress(b"".join(b"%d\n" % number for number in range(1000)))))
    with pytest.raises(StudyError, match=r"a.txt.gz cannot be read \(.+\); give another file of texts.$"):
        read_inputs(path)


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_table_that_unpacks_to_much_more_is_refused_or_takes_little_memory(tmp_path, dictionary):
    path = tmp_path / "a.parquet"
    texts = ["a" * 40_000] * 1000  # 40 MB
    write_table(pa.table({"text": texts}), path, compression="zstd", use_dictionary=dictionary)
    assert path.stat().st_size < 100_000
    before = pa.total_allocated_bytes()
    if not dictionary:
        with pytest.raises(StudyError, match=r"a.parquet unpacks to 0\.0 GB, 50 times its size and more; write"):
            read_inputs(path)
    else:
        inputs = read_inputs(path)
        assert len(inputs) == 1000 and inputs[999].content == texts[0]
        assert pa.total_allocated_bytes() - before < 5_000_000


def test_a_text_of_millions_of_characters_is_no_input(tmp_path):
    (tmp_path / "a.txt").write_text("short\n" + "x" * 1_000_001)
    inputs = read_inputs(tmp_path / "a.txt")
    assert inputs[0].content == "short"
    with pytest.raises(StudyError, match=r"^A text of more than 1,000,000 characters is not read; split it"):
        inputs[1]
