"""The section of a picture classifier's card on pictures of other things, from what `unlike_study` measured."""

from pathlib import Path

from model.attribution.training_distance import FILE
from model.runtime.checkpoint import CheckpointError, read_json


def unlike_section(folder: Path, weights_sha256: str) -> str:
    """Markdown from the figures in `folder`; empty where there are none for these weights."""
    try:
        figures = read_json(folder / FILE)
    except CheckpointError:
        return ""
    if figures.get("weights_sha256") != weights_sha256:
        return ""
    held_back = figures["held_back"]
    rows = [("validation pictures, of its classes", figures["validation"]), ("drawn samples", figures["samples"])]
    rows += list(figures["reported"].items())
    rows += [(f"{name}, by which the score was chosen", counts) for name, counts in figures["chosen_by"].items()]
    marked = "\n".join(f"| {name} | {counts['pictures']:,} | {_share(counts)} |" for name, counts in rows)
    names = [name for name in next(iter(figures["compared"].values()))]
    compared = "\n".join(
        f"| {score} | "
        + " | ".join(f"{100 * counts[name]['found'] / counts[name]['pictures']:.1f} %" for name in names)
        + " |"
        for score, counts in figures["compared"].items()
    )
    return f"""## Pictures unlike the training pictures

It answers every picture with one of its classes, so the app marks pictures whose vectors are far from those of the
{figures["trained"]:,} training pictures: the Mahalanobis distance of CLS and of the mean of the patches to the nearest
class (`model/attribution/training_distance.py`) is above {figures["threshold"]:.2f}, as it is for {held_back["found"]}
of the {held_back["pictures"]:,} pictures held back. Shares that are marked, with 95 % intervals (Wilson):

| pictures | number | marked |
| --- | --- | --- |
{marked}

A picture without a mark may still show none of the classes. Scores that were compared, each with the threshold
above which {100 * figures["allowed"]:.0f} % of the pictures held back lie:

| score | {" | ".join(names)} |
| --- |{" --- |" * len(names)}
{compared}

Measured on {figures["facts"]["hardware"]}.

"""


def _share(counts: dict) -> str:
    low, high = (100 * counts[end] for end in ("low", "high"))
    return f"{100 * counts['found'] / counts['pictures']:.1f} % ({low:.1f} to {high:.1f} %)"
