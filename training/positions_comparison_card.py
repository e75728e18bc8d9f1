"""The readable card of a comparison of networks that differ in their positions."""

from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import Extremes, PositionComparison, read_comparison


def comparison_markdown(result: dict) -> str:
    """Format what `training.positions_study` measured."""
    facts, networks, groups = result["facts"], result["networks"], result["groups"]
    names = list(networks)
    head = f"| English tokens | pairs | {' | '.join(names)} |\n| --- | --- |{' --- |' * len(names)}"

    def table(figure: str, digits: int) -> str:
        rows = []
        for group in groups:
            cells = [_cell(group, name, figure, digits, facts["fewest_pairs"]) for name in names]
            rows.append(f"| {group['shortest']} to {group['longest']} | {group['pairs']:,} | {' | '.join(cells)} |")
        return "\n".join([head, *rows])

    shuffled = "\n".join(
        f"| {name} | " + " | ".join(_interval(by_stack[where], 3) for where in ("encoder", "decoder", "both")) + " |"
        for name, by_stack in result["shuffled"].items()
    )
    hashes = "\n".join(
        f"- {name}: {of['kind']}, seed {of['seed']}, {of['positions']} positions, weights SHA-256 "
        f"`{of['weights_sha256']}`{'' if name in result['shown'].values() else ', which do not ship'}"
        for name, of in networks.items()
    )
    study = read_comparison(result)
    return f"""# Positions compared

Written by `python -m training positions-study`. Networks of equal sizes, but for the rows of the learned table,
data, batches and recipe, trained on pairs of at most {facts["longest_tokens"]} tokens a side:

{hashes}

Up to {facts["longest_tokens"]} English tokens the sentences are test sentences whose translations are as short; above,
all pairs of the file, none of which was trained on. Brackets have the central 95 % over {facts["resamples"]:,}
resamples of the sentences, the same for all networks. A dash: the network has no positions for such sentences. Measured
on {facts["hardware"]}.

## Loss

-ln p per token of all translations, in nats.

{table("loss", 3)}

## BLEU

Greedy, against all translations; not claimed for fewer than {facts["fewest_pairs"]} pairs.

{table("bleu", 1)}
{_seeds(study)}
{_orders(study)}
## Shuffled positions

Increase of -ln p per token over the first translations of {facts["shuffled_sentences"]} test sentences when
the tokens of a sentence exchange their positions at random, in one stack or in both. The tokens stay in their places,
and so does the decoder's mask.

| network | encoder | decoder | both |
| --- | --- | --- | --- |
{shuffled}

In both stacks: {_order(study.shuffled_extremes("both"))}
"""


def _interval(figure: dict, digits: int) -> str:
    return f"{figure['value']:.{digits}f} [{figure['low']:.{digits}f}, {figure['high']:.{digits}f}]"


def _cell(group: dict, name: str, figure: str, digits: int, fewest: int) -> str:
    value = group["networks"][name][figure]
    if value is not None:
        return _interval(value, digits)
    few = figure == "bleu" and group["pairs"] < fewest and group["networks"][name]["loss"] is not None
    return "not claimed" if few else "\u2013"


def _seeds(study: PositionComparison) -> str:
    """The means over seeds of kinds with several, and which kinds were trained once."""
    rows = []
    for group in study.lengths:
        for kind, loss in group.loss_over_seeds.items():
            bleu = group.bleu_over_seeds.get(kind)
            cells = [_band(loss.mean, 3), f"{group.loss_apart[kind]:.3f}" if kind in group.loss_apart else "\u2013"]
            cells += [_band(bleu.mean, 1) if bleu else "\u2013"]
            cells += [f"{group.bleu_apart[kind]:.1f}" if kind in group.bleu_apart else "\u2013"]
            rows.append(f"| {group.shortest} to {group.longest} | {kind} | {loss.seeds} | {' | '.join(cells)} |")
    once = ""
    if study.trained_once:
        once = f"""
Trained once: {", ".join(study.trained_once)}. How much another seed would change their figures is not known.
"""
    if not rows:
        return f"\n## Over seeds\n{once}"
    lines = "\n".join(rows)
    return f"""
## Over seeds

Means over seeds; brackets have the 95 % interval of the mean by Student's t. *Apart*: the largest difference between
two seeds.
{once}
| English tokens | positions | seeds | loss | apart | BLEU | apart |
| --- | --- | --- | --- | --- | --- | --- |
{lines}
"""


def _orders(study: PositionComparison) -> str:
    """Which kinds have the lowest and the highest loss by length, where this is a finding."""
    lines = []
    for group in study.lengths:
        extremes = study.loss_extremes(group)
        if extremes is not None:
            lines.append(f"- {group.shortest} to {group.longest} tokens: {_order(extremes)}")
    rule = "No kind has several seeds, so no order is stated."
    if study.loss_apart is not None:
        several = ", ".join(kind for kind in study.kinds if study.seeds[kind] > 1)
        rule = f"Seeds of one kind, of {several}, differ by up to {study.loss_apart:.3f} nats at one of these lengths"
        rule += f", and by up to {study.bleu_apart:.1f} BLEU" if study.bleu_apart is not None else ""
        rule += ": at every length, an order within that of the same measure is no finding."
    return f"## Lowest and highest loss\n\n{rule}\n\n" + "\n".join(lines) + "\n"


def _order(extremes: Extremes) -> str:
    low, high = min(extremes.values.values()), max(extremes.values.values())
    if not extremes.lowest:
        why = "no kind has several seeds" if extremes.apart is None else f"seeds differ by {extremes.apart:.3f}"
        return f"from {low:.3f} to {high:.3f}; no order, as {why}."
    lowest, highest = (
        ", ".join(f"{kind} {extremes.values[kind]:.3f}" for kind in kinds)
        for kinds in (extremes.lowest, extremes.highest)
    )
    return f"lowest {lowest}; highest {highest}."


def _band(band: BootstrapInterval, digits: int) -> str:
    return f"{band.value:.{digits}f} [{band.low:.{digits}f}, {band.high:.{digits}f}]"
