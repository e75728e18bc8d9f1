"""Progress notices during long work."""

import pytest

from views.text import waiting


class Said:
    """Collects what is shown instead of drawing it."""

    def __init__(self, words, log):
        self.words, self.log = words, log

    def __enter__(self):
        self.log.append(self.words)

    def __exit__(self, *_):
        self.log.append(f"gone: {self.words}")


@pytest.fixture
def log(monkeypatch):
    log = []
    monkeypatch.setattr(waiting, "_notice", lambda words: Said(words, log))
    return log


def work(seconds: float, parts: int, of: int) -> None:
    """Do `parts` of `of` equal parts of some work."""
    now = [0.0]
    with waiting.progress(lambda: now[0]) as tell:
        for done in range(1, parts + 1):
            now[0] += seconds
            tell(done, of)


def test_short_work_shows_no_notice(log):
    work(0.1, parts=3, of=4)
    assert log == []


def test_long_work_shows_its_progress_at_intervals(log):
    work(0.11, parts=10, of=10)
    first, second, third = (f"This input is long: {share} % of the work is done." for share in (40, 60, 80))
    assert log == [first, f"gone: {first}", second, f"gone: {second}", third, f"gone: {third}"]
