"""The section of a picture classifier's card on its maps, from what `model.training.map_study` measured."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..runtime.checkpoint import CheckpointError, read_json

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
    methods = [(f"strongest patch of {method}", cell(_percent, "pointing", method)) for method in study["pointing"]]
    methods.append(("any patch", cell(_percent, "drawn_chance")))
    explanations = "\n".join(f"| {name} | {share} |" for name, share in methods)
    earlier = ""
    if before:
        other = before["patches"] != study["patches"]
        read = f", which read pictures of {before['patches']} patches, not of {study['patches']}" if other else ""
        earlier = f" In brackets: the network that was here before it{read}."
    right = cell(_percent, "drawn_right")
    even, hardware = _percent(STRONGEST / study["patches"]), study["facts"]["hardware"]
    return f"""## What the maps are like

Means over heads and {study["pictures"]} validation pictures, measured on {hardware}.{earlier}
Entropy is that of what a patch attends to, as a share of the largest possible; even attention would give
{STRONGEST} patches {even}.

| layer | entropy | attention distance | of what CLS gives, to its {STRONGEST} strongest patches |
| --- | --- | --- | --- |
{layers}

In {study["drawn"]} drawings whose shapes are known (`tools/samples/variants.py`), each explained for the answer that it
gets, which is right in {right}; a patch lies on the object if at least {100 * COVERED:.0f} % of it does.

| | on the object |
| --- | --- |
{explanations}

"""


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
