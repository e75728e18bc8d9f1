"""A small part of the campaign, nightly; `make fuzz` runs all of it."""

from __future__ import annotations

import pytest

from tests.fuzz import campaign
from views import navigation

SEED = 1
PATIENCE = 5 * campaign.SECONDS  # a machine that runs tests may be busy


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize(
    ("kind", "cases", "count", "outcomes"),
    [
        ("sentence", lambda: campaign.sentences(SEED, translate_every=60), 120, {"translated", "accepted", "refused"}),
        ("picture", lambda: campaign.pictures(SEED, classify_every=25), 150, {"classified", "read", "refused"}),
        ("checkpoint", lambda: campaign.checkpoints(SEED), 15, {"opened", "refused"}),
        ("page", lambda: campaign.pages(SEED), len(navigation.PAGES), {"shown"}),
    ],
)
def test_a_part_of_the_campaign(kind, cases, count, outcomes):
    result = campaign.run(kind, cases(), SEED, count, most_seconds=PATIENCE)
    assert result.failures == {}
    assert result.cases == count
    assert outcomes <= result.outcomes.keys()


@pytest.mark.nightly
def test_a_case_that_fails_or_takes_too_long_is_reported_and_the_rest_goes_on():
    def cases():
        yield campaign.Case("first", lambda: "fine")
        yield campaign.Case("second", lambda: 1 // 0)
        while True:
            yield campaign.Case("slow", lambda: sum(range(300_000)) and "fine")

    reported = []
    result = campaign.run("any", cases(), 0, 3, lambda number, reason: reported.append(number), most_seconds=1e-3)
    assert reported == [1, 2] == list(result.failures)
    assert "ZeroDivisionError" in result.failures[1] and "second" in result.failures[1]
    assert result.failures[2].startswith("took ") and result.outcomes == {"fine": 2, "failed": 1}
