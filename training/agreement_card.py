"""The section of a translator's card on the agreement of attribution methods with leave-one-out."""

from pathlib import Path

from model.attribution.agreement import METHODS, read_measured_agreement

WAYS = {"delete": "word deleted", "mask": "word masked"}


def agreement_section(folder: Path, weights_sha256: str) -> str:
    """Markdown from `agreement.json` in `folder`; empty where there is none for these weights."""
    many = read_measured_agreement(weights_sha256, folder)
    if many is None:
        return ""
    header = " | ".join(f"{what}, {way}" for way in WAYS.values() for what in ("rank correlation", "same top word"))
    rows = "\n".join(
        f"| {method} | " + " | ".join(agreement_cells(many["ways"][way][method]) for way in WAYS) + " |"
        for method in METHODS
    )
    return f"""## Attribution compared with leave-one-out

Over {many["sentences"]} held-out sentences with {many["target_words"]:,} target words, translated by the model:
Spearman's rank correlation of a method's scores with the drops of ln p when a source word is left out, and the share
of target words for which both have the same top word. Means over sentences ± their standard errors.
{agreement_verdict([many["ways"][way] for way in WAYS])}
{_completeness(many)}
| method | {header} |
| --- | --- | --- | --- | --- |
{rows}

"""


def _completeness(many: dict) -> str:
    """State how nearly complete integrated gradients were; empty where that was not measured."""
    if (integrated := many.get("integrated")) is None:
        return ""
    mean, most = (f"{100 * integrated[name]:.1f} %" for name in ("missing", "most_missing"))
    return (
        f"Integrated gradients have {integrated['points']} points; over a sentence their sums miss {mean} of the rise "
        f"of ln p on average,\n{most} at most.\n"
    )


def agreement_cells(figures: dict) -> str:
    """Two cells of a table: rank correlation and top-1 agreement, with their standard errors."""
    top = figures["top"]
    rank = f"{figures['mean']:.3f} ± {figures['standard_error']:.3f}"
    return f"{rank} | {100 * top['mean']:.1f} ± {100 * top['standard_error']:.1f} %"


def agreement_verdict(ways: list[dict]) -> str:
    """Name the method that leads by both measures and ways by more than two standard errors, or say there is none.

    Args:
        ways: of each way to leave something out, method -> figures of `summarize_agreement`.
    """
    leaders = set()
    for by_rank in ways:
        for figures in (by_rank, {method: by_rank[method]["top"] for method in by_rank}):
            leader = max(figures, key=lambda method: figures[method]["mean"])
            lead = figures[leader]["to_rival"]
            leaders.add(leader if lead["mean"] > 2 * lead["standard_error"] else "")
    if len(leaders) == 1 and "" not in leaders:
        return f"{leaders.pop()} agrees best by both measures."
    return "No method leads by both measures by more than twice the standard error, so none agrees best."
