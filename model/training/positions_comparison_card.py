"""The readable card of a comparison of networks that differ in their positions."""


def comparison_markdown(result: dict) -> str:
    """Format what `model.training.positions_study` measured."""
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
        f"`{of['weights_sha256']}`"
        for name, of in networks.items()
    )
    return f"""# Positions compared

Written by `python -m model.training positions-study`. Networks of equal sizes, data, batches and recipe, trained on
pairs of at most {facts["longest_tokens"]} tokens a side:

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
{_seeds(groups)}
## Shuffled positions

Increase of -ln p per token over {facts["shuffled_sentences"]} test sentences when the tokens of a sentence exchange
their positions at random, in one stack or in both. The tokens stay in their places, and so does the decoder's mask.

| network | encoder | decoder | both |
| --- | --- | --- | --- |
{shuffled}
"""


def _interval(figure: dict, digits: int) -> str:
    return f"{figure['value']:.{digits}f} [{figure['low']:.{digits}f}, {figure['high']:.{digits}f}]"


def _cell(group: dict, name: str, figure: str, digits: int, fewest: int) -> str:
    value = group["networks"][name][figure]
    if value is not None:
        return _interval(value, digits)
    few = figure == "bleu" and group["pairs"] < fewest and group["networks"][name]["loss"] is not None
    return "not claimed" if few else "\u2013"


def _seeds(groups: list[dict]) -> str:
    """The means over seeds; empty if no kind has several."""
    rows = [
        f"| {group['shortest']} to {group['longest']} | {kind} | {values['loss']['seeds']} | "
        f"{_interval(values['loss'], 3)} | {_interval(values['bleu'], 1) if 'bleu' in values else ''} |"
        for group in groups
        for kind, values in group["seeds"].items()
        if "loss" in values
    ]
    if not rows:
        return ""
    lines = "\n".join(rows)
    return f"""
## Over seeds

Means over seeds; brackets have the 95 % interval of the mean by Student's t.

| English tokens | positions | seeds | loss | BLEU |
| --- | --- | --- | --- | --- |
{lines}
"""
