"""The program as people start it: its results, its sentences, two processes, and a kill in the middle."""

import os
import signal
import time

import pytest
from pyarrow.parquet import read_table

from model.runtime.checkpoint import read_json, sha256_of
from model.study.__main__ import main
from model.study.shards import Shards
from tests.model.toy_language import toy_pairs
from tests.model.training.programs import PATIENCE, ROOT, finish, run, start

LINES = [english for english, _ in toy_pairs()]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(LINES[:3]))
    return path


def words(*arguments: object) -> list[str]:
    return [str(word) for word in (*arguments, "--device", "cpu")]


def test_a_study_of_a_network_that_ships(texts, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(words("lstm-dot", texts, "--out", out, "--inputs", 2)) == 0
    found = read_json(out / "heads.json")
    assert (found["inputs"], list(found["kinds"])) == (2, ["cross"])
    assert found["weights_sha256"] == sha256_of(ROOT / "assets/recurrent/lstm-dot/model.safetensors")
    assert "heads: 100%" in capsys.readouterr().err
    before = (out / "heads.parquet").read_bytes()
    assert main(words("lstm-dot", texts, "--out", out, "--inputs", 2)) == 0
    assert (out / "heads.parquet").read_bytes() == before


def test_errors_are_one_sentence(texts, tmp_path, capsys):
    for arguments, said in (
        (("nothing-here", texts), "There is no model nothing-here here"),
        (("lstm-dot", tmp_path / "missing"), "There is no file or folder"),
        (("lstm-dot", texts, "--kind", "encoder"), "no attention 'encoder'; choose from cross"),
        (("lstm-dot", texts, "--inputs", 0), "0 inputs leave nothing to measure"),
    ):
        assert main(words(*arguments, "--out", tmp_path / "out")) == 2
        printed = capsys.readouterr().err.strip()
        assert said in printed and "\n" not in printed and printed.startswith("model.study: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_two_processes_and_a_killed_one_give_the_numbers_of_one(tmp_path):
    texts, one, two, killed = (tmp_path / name for name in ("texts.txt", "one", "two", "killed"))
    texts.write_text("\n".join(LINES[:40]))
    run("translator", texts, "--out", one, "--device", "cpu", program="model.study")
    run("translator", texts, "--out", two, "--device", "cpu", program="model.study", processes=2)
    program = start("translator", texts, "--out", killed, "--device", "cpu", program="model.study")
    deadline, shards = time.monotonic() + PATIENCE, Shards.of(killed, 40)
    while len(shards.missing()) > 30 and program.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(program.pid, signal.SIGKILL)
    finish(program)
    left = {path: path.stat().st_mtime_ns for path in shards.folder.glob("*.safetensors")}
    assert 10 <= len(left) < 40 and not (killed / "heads.parquet").exists(), "killed too late or too early"
    run("translator", texts, "--out", killed, "--device", "cpu", program="model.study")
    assert {path: path.stat().st_mtime_ns for path in left} == left
    assert read_table(two / "heads.parquet").equals(read_table(one / "heads.parquet"))
    assert read_table(killed / "heads.parquet").equals(read_table(one / "heads.parquet"))
