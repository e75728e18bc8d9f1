"""The program from the command line: results, error messages, two processes, and a killed one."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from attention_atlas import study
from model.runtime.checkpoint import read_json, sha256_of
from model.study.__main__ import main
from model.study.run import Shards
from tests.model.toy_language import toy_pairs
from tests.processes import free_port
from tests.training.programs import PATIENCE, ROOT, finish, run, start

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
    figures = read_json(out / "heads.json")
    assert (figures["inputs"], list(figures["kinds"])) == (2, ["cross"])
    assert figures["weights_sha256"] == sha256_of(ROOT / "assets/recurrent/lstm-dot/model.safetensors")
    assert "heads: 100%" in capsys.readouterr().err
    before = (out / "heads.parquet").read_bytes()
    assert main(words("lstm-dot", texts, "--out", out, "--inputs", 2)) == 0
    assert (out / "heads.parquet").read_bytes() == before


def test_errors_are_one_sentence(texts, tmp_path, capsys):
    for arguments, message in (
        (("nothing-here", texts), "There is no model nothing-here here"),
        (("lstm-dot", tmp_path / "missing"), "There is no file or folder"),
        (("lstm-dot", texts, "--kind", "encoder"), "no attention 'encoder'; choose from cross"),
        (("lstm-dot", texts, "--inputs", 0), "0 inputs leave nothing to measure"),
    ):
        assert main(words(*arguments, "--out", tmp_path / "out")) == 2
        printed = capsys.readouterr().err.strip()
        assert message in printed and "\n" not in printed and printed.startswith("model.study: ")
    assert not (tmp_path / "out").exists()


def test_the_package_has_the_same_program(texts, tmp_path):
    made = {}
    for module in ("model.study", "attention_atlas.study"):
        out = tmp_path / module
        run(*words("lstm-dot", texts, "--out", out, "--inputs", 1), program=module)
        made[module] = {path.name: path.read_bytes() for path in out.iterdir() if path.suffix == ".parquet"}
    assert made["model.study"] == made["attention_atlas.study"] and made["model.study"]


def test_the_program_of_the_package_names_itself_in_errors(texts, tmp_path, capsys):
    assert study.main(words("nothing-here", texts, "--out", tmp_path / "out")) == 2
    assert capsys.readouterr().err.startswith("attention_atlas.study: There is no model nothing-here here")


def study_on_two_hosts(texts: Path, out: Path) -> None:
    """One process on each; the second is killed at first, and the first ends with an error message."""
    for kill in (True, False):
        port = free_port("localhost")
        command = ("translator", texts, "--out", out, "--device", "cpu")
        first, second = (start(*command, program="model.study", host=(number, port)) for number in (0, 1))
        if kill:
            wait_for_shards(Shards.of(out, 40), 10, first)
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(second.pid)], capture_output=True, text=True)
            os.kill(int(children.stdout), signal.SIGKILL)
        printed = finish(first)
        finish(second)
        assert bool(first.returncode) == bool(second.returncode) == kill, printed
        assert ("model.study: Another process has ended; start all of them again." in printed) == kill
        assert (out / "heads.parquet").exists() != kill


def wait_for_shards(shards: Shards, count: int, program: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(shards) - len(shards.missing()) < count and program.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


@pytest.mark.nightly
def test_two_hosts_with_kills_give_the_numbers_of_one(tmp_path):
    texts, one, two, killed = (tmp_path / name for name in ("texts.txt", "one", "two", "killed"))
    texts.write_text("\n".join(LINES[:40]))
    run("translator", texts, "--out", one, "--device", "cpu", program="model.study")
    study_on_two_hosts(texts, two)
    program = start("translator", texts, "--out", killed, "--device", "cpu", program="model.study")
    shards = Shards.of(killed, 40)
    wait_for_shards(shards, 10, program)
    os.killpg(program.pid, signal.SIGKILL)
    finish(program)
    left = {path: path.stat().st_mtime_ns for path in shards.folder.glob("*.safetensors")}
    assert 10 <= len(left) < 40 and not (killed / "heads.parquet").exists(), "killed too late or too early"
    run("translator", texts, "--out", killed, "--device", "cpu", program="model.study")
    assert {path: path.stat().st_mtime_ns for path in left} == left
    assert read_table(two / "heads.parquet").equals(read_table(one / "heads.parquet"))
    assert read_table(killed / "heads.parquet").equals(read_table(one / "heads.parquet"))
