"""The section of a picture classifier's card on its maps, from what `training.map_study` measured."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from model.attribution.faithfulness import CENTRE
from model.runtime.checkpoint import CheckpointError, read_json

FILE = "maps.json"
STRONGEST = 4  # patches whose share of CLS attention is counted
COVERED = 0.5  # least share of a patch on the object for it to count as on the object


def map_section(folder: Path, weights_sha256: str) -> str:
    """Markdown from `maps.json` in `folder`; empty where there is none for these weights."""
    try:
        study = read_json(folder / FILE)
    except CheckpointError:
        return ""
    if study.get("weights_sha256") != weights_sha256:
        return ""
    before = study.get("before")

    def cell(formatted: Callable[[float], str], *keys: str | int) -> str:
        """A figure, and in brackets that of the earlier network where it has it."""
        value: Any = study
        earlier: Any = before
        for key in keys:
            value = value[key]
            known = earlier and (key in earlier if isinstance(earlier, dict) else int(key) < len(earlier))
            earlier = earlier[key] if known else None
        return formatted(value) + (f" ({formatted(earlier)})" if earlier is not None else "")

    layers = "\n".join(
        f"| {layer + 1} | {cell('{:.3f}'.format, 'entropy', layer)} | "
        f"{cell('{:.1f} pixels'.format, 'distance', layer)} | {cell(_percent, 'strongest', layer)} |"
        for layer in range(len(study["entropy"]))
    )
    groups: list[tuple[str, ...]] = [(), ("off_centre",)] if "off_centre" in study else [()]
    explanations = "\n".join(
        f"| {_patch_of(name)} | "
        + " | ".join(_pointing(study, name, group, cell(_percent, *group, "pointing", name)) for group in groups)
        + " |"
        for name in study["pointing"]
    )
    explanations += "\n| any patch | " + " | ".join(cell(_percent, *group, "drawn_chance") for group in groups) + " |"
    aside = beside = ""
    if "off_centre" in study:
        right_aside = cell(_percent, "off_centre", "drawn_right")
        aside = f"""
In {study["off_centre"]["drawn"]} further ones, of which {right_aside} are answered right, the object is smaller
and to one side, so that no patch in the middle shows it."""
        beside = " object to one side |"
    compared = ""
    if CENTRE in study["pointing"]:
        compared = f"""

The patch in the middle does not depend on the network: a method that does not find the object more often only shows
that the object is in the middle. After a method: how much more often it finds the object, in percentage
points, with the 95 % band of the paired difference over the drawings.
{_conclude(study)}
Variants of one drawing are alike, so these bands are somewhat too narrow."""
    earlier = ""
    if before:
        earlier = " In brackets: the network that was shipped before."
        if before["patches"] != study["patches"]:
            sizes = f"{before['patches']} patches, not of {study['patches']}"
            earlier = f""" In brackets: the network that was shipped before, which
read pictures of {sizes}: the first table is of pictures of two sizes and compares no networks."""
    right = cell(_percent, "drawn_right")
    even, hardware = _percent(STRONGEST / study["patches"]), study["facts"]["hardware"]
    if before and before["patches"] != study["patches"]:
        even += f" ({_percent(STRONGEST / before['patches'])})"
    return f"""## The maps in numbers

Means over heads and {study["pictures"]} validation pictures, measured on {hardware}.{earlier}
Entropy is that of the attention of a patch, as a share of the largest possible; uniform attention would give
{STRONGEST} patches {even}.

| layer | entropy | attention distance | share of CLS attention on its {STRONGEST} strongest patches |
| --- | --- | --- | --- |
{layers}

In {study["drawn"]} drawings whose shapes are known (`tools/samples/variants.py`), each explained for the answer that it
gets, which is right in {right}; a patch lies on the object if at least {100 * COVERED:.0f} % of it does.{aside}

| | on the object |{beside}
| --- | --- |{" --- |" if beside else ""}
{explanations}{compared}

"""


def _patch_of(name: str) -> str:
    return "patch in the middle" if name == CENTRE else f"strongest patch of {name}"


def _pointing(study: dict, name: str, group: tuple[str, ...], share: str) -> str:
    """A share, and what a method has more than the middle patch."""
    figures = study[group[0]] if group else study
    if name not in figures.get("pointing_over_centre", {}):
        return share
    gain = figures["pointing_over_centre"][name]
    low, high = (f"{100 * gain[end]:+.1f}" for end in ("low", "high"))
    return f"{share}; {100 * gain['mean']:+.1f} ({low} to {high})"


def _conclude(study: dict) -> str:
    """State which methods beat the middle patch on the drawings with the object around the middle."""
    better = [name for name, gain in study["pointing_over_centre"].items() if gain["low"] > 0]
    if better:
        return f"Where the object is around the middle, it is above 0 with the whole band for: {', '.join(better)}."
    return "Where the object is around the middle, it is above 0 with the whole band for no method."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
