"""The servers stay below the memory limit of compose.yaml with the visitors that README promises, and lose nobody.

No container is needed: the resident memory of each server is sampled and compared with the limit. Every visitor types a
sentence and uploads a picture of its own, and goes on as `benchmarks.load_visitor` does.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.load import PATIENCE, Wave, describe, problems, run_wave
from tests.deploy.image import ROOT

pytestmark = pytest.mark.deploy

# visitors, replicas, seconds of their visit, megabytes of all replicas together that they may take
WAVES = [(50, 1, 75.0, 1000.0), (200, 2, 120.0, 2400.0)]


def compose_limit() -> float:
    """The memory of a replica in compose.yaml, in megabytes of a million bytes."""
    compose = (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
    (megabytes,) = re.findall(r"&app\n(?:.*\n)*?  mem_limit: (\d+)m", compose)
    return int(megabytes) * 2**20 / 1e6


@pytest.mark.parametrize(("visitors", "replicas", "seconds", "most"), WAVES)
def test_visitors_with_own_pictures_fit_into_the_shipped_limit(
    visitors: int, replicas: int, seconds: float, most: float, capsys: pytest.CaptureFixture
):
    # in a thread, since the browser of the tests before has an event loop in this one
    with ThreadPoolExecutor(1) as thread:
        wave: Wave = thread.submit(
            run_wave, visitors, seconds, replicas=replicas, first=("sentence", "upload")
        ).result()
    with capsys.disabled():
        print("\n" + describe(wave))
    assert max(wave.highest_of_each) < compose_limit(), wave.highest_of_each
    assert wave.highest < most
    assert not problems(wave)
    assert len(wave.logs) == visitors
    for log in wave.logs:
        assert {"open", "sentence", "upload"} <= {done.action for done in log.done}
    assert wave.recovery is not None and wave.recovery <= PATIENCE
