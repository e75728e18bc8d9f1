"""Agreement over held-out sentences: the figures by hand."""

import json
import math

import pytest

from model.attribution.agreement import FILE, METHODS, MethodAgreement
from model.translator import SHIPPED
from training.agreement_study import AGREEMENT, summarize_agreement


def sentence_agreement(*values: float | None, tops: tuple[float, ...] = (0, 0, 0, 0, 0)) -> MethodAgreement:
    """A sentence of one target word with these correlations and top-1 agreements."""
    correlations, top_matches = (
        {method: (value,) for method, value in zip(METHODS, (*each, 0.0), strict=True)} for each in (values, tops)
    )
    return MethodAgreement(3, correlations, (True,), top_matches)


def test_means_errors_and_shares_by_hand():
    summary = summarize_agreement(
        [
            sentence_agreement(0.0, 0.5, -1.0, 0.0, 0.9, tops=(1, 0, 0, 0, 0)),
            sentence_agreement(0.0, 0.7, 1.0, 0.0, 0.9, tops=(1, 0, 0, 0, 1)),
            sentence_agreement(0.0, 0.9, None, 0.0, 0.9, tops=(1, 0, 0, 0, 1)),  # left out of the correlations
            sentence_agreement(0.3, 0.9, 0.0, 0.0, 0.9, tops=(1, 0, 0, 0, 1)),
        ]
    )
    assert tuple(summary) == METHODS
    first, second, third, _, last, _ = (summary[method] for method in METHODS)
    assert first["mean"] == pytest.approx(0.1) and first["standard_error"] == pytest.approx(0.1)
    assert second["mean"] == pytest.approx(0.7)
    assert second["standard_error"] == pytest.approx(0.2 / math.sqrt(3))
    assert [figures["best"] for figures in summary.values()] == pytest.approx([0, 1 / 6, 1 / 3, 0, 1 / 2, 0])
    # the leader against the second best: 0.4, 0.2, 0; everyone else against the leader
    assert last["to_rival"]["other"] == METHODS[1] and third["to_rival"]["other"] == METHODS[4]
    assert last["to_rival"]["mean"] == pytest.approx(0.2)
    assert last["to_rival"]["standard_error"] == pytest.approx(0.2 / math.sqrt(3))
    assert second["to_rival"]["mean"] == pytest.approx(-0.2)
    # the same of the top-1 agreement, over all four sentences
    assert (first["top"]["mean"], last["top"]["mean"]) == (1, 0.75)
    assert first["top"]["to_rival"] == {"other": METHODS[4], "mean": 0.25, "standard_error": 0.25}
    assert first["top"]["best"] == pytest.approx((1 + 3 / 2) / 4)


def figures_of(rank: dict[str, float], top: dict[str, float], error: float) -> dict:
    """Figures of one way, with these leads of the leaders over the next."""

    def table(means: dict[str, float]) -> dict[str, dict]:
        leader, rival = sorted(means, key=means.__getitem__)[:-3:-1]
        return {
            method: {
                "mean": mean,
                "standard_error": error,
                "to_rival": {
                    "other": rival if method == leader else leader,
                    "mean": mean - means[rival if method == leader else leader],
                    "standard_error": error,
                },
            }
            for method, mean in means.items()
        }

    by_rank, by_top = table(rank), table(top)
    return {method: by_rank[method] | {"top": by_top[method]} for method in METHODS}


LEADS = {method: place / 10 for place, method in enumerate((METHODS[5], *METHODS[:5]))}
REVERSED = dict(zip(METHODS, reversed(LEADS.values()), strict=True))


@pytest.mark.parametrize(
    ("delete", "mask", "verdict"),
    [
        (figures_of(LEADS, LEADS, 0.01), figures_of(LEADS, LEADS, 0.01), "Gradient relevance agrees best by both"),
        (figures_of(LEADS, REVERSED, 0.01), figures_of(LEADS, REVERSED, 0.01), "none agrees best"),
        (figures_of(LEADS, LEADS, 0.01), figures_of(LEADS, LEADS, 0.06), "none agrees best"),
        (figures_of(LEADS, LEADS, 0.01), figures_of(REVERSED, REVERSED, 0.01), "none agrees best"),
    ],
)
def test_the_card_names_a_best_method_only_where_both_measures_do(tmp_path, delete, mask, verdict):
    content = {"weights_sha256": "abc", "sentences": 9, "target_words": 1234, "ways": {"delete": delete, "mask": mask}}
    (tmp_path / FILE).write_text(json.dumps(content))
    text = AGREEMENT.block(tmp_path, {"weights_sha256": "abc"})
    assert verdict in text and "9 held-out sentences with 1,234 target words" in text
    assert f"| {METHODS[4]} | 0.500 ± " in text
    assert AGREEMENT.block(tmp_path, {"weights_sha256": "other weights"}) == ""


def test_the_shipped_card_has_the_shipped_figures():
    card = json.loads((SHIPPED / "card.json").read_text())
    section = AGREEMENT.block(SHIPPED, card)
    assert section.count("\n| ") == 1 + 1 + len(METHODS)
    assert section in (SHIPPED / "card.md").read_text()


def test_too_few_sentences_are_refused():
    with pytest.raises(ValueError, match="Fewer than two inputs"):
        summarize_agreement([sentence_agreement(0, 0, 0, 0, 0), sentence_agreement(0, 0, 0, None, 0)])
