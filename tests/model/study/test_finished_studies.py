"""A finished study is found by the hash of the weights only."""

import numpy as np

from model.attribution.head_statistics import FILE, HeadStatistics, KindStatistics, Spread
from model.runtime.checkpoint import write_json
from model.study.finished_studies import SETTING, find_study


def write(folder, weights_sha256: str, inputs: int) -> None:
    spread = Spread(np.zeros((1, 2)), np.zeros((1, 2)))
    kinds = {"encoder": KindStatistics({"same": spread}, {"same": 0.5}, None, {"entropy": spread})}
    write_json(folder / FILE, HeadStatistics(weights_sha256, inputs, "texts", kinds, {}).to_dict())


def test_the_first_study_of_the_weights_is_used(tmp_path, monkeypatch):
    for number, name in enumerate(("abc", "def", "def")):
        write(tmp_path / str(number), name, number)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / FILE).write_text("{")
    named = ["damaged", "nowhere", "0", "1", "2"]
    setting = f"{tmp_path / named[0]}, {tmp_path / named[1]},\n" + ",".join(str(tmp_path / name) for name in named[2:])
    assert find_study("def", setting).inputs == 1
    assert find_study("abc", setting).inputs == 0
    assert find_study("ghi", setting) is None and find_study("", setting) is None and find_study("def", "") is None
    monkeypatch.setenv(SETTING, setting)
    assert find_study("def").inputs == 1
    monkeypatch.delenv(SETTING)
    assert find_study("def") is None
