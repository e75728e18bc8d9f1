"""The readable card of the study of heads that form."""


def formation_markdown(result: dict) -> str:
    """Format what `model.training.formation_study` measured."""
    facts, runs, steps = result["facts"], result["runs"], result["steps"]
    seeds = [f"seed {run['seed']}" for run in runs]
    losses = "\n".join(
        f"| {step:,} | " + " | ".join(f"{run['heldout_nll'][number]:.3f}" for run in runs) + " |"
        for number, step in enumerate(steps)
    )
    roles = "\n".join(_role(role, runs) for role in runs[0]["forms"])
    heads = "\n".join(
        f"| {run['seed']} | {role} | {head['kind']} {head['layer'] + 1}.{head['head'] + 1} | {head['step']:,} | "
        f"{_interval(head['effects'][steps.index(head['step'])])} | {_yes(head['needed'])} | "
        f"{_interval(head['effects'][-1])} | {_yes(head['needed_at_end'])} |"
        for run in runs
        for role, forming in run["forms"].items()
        for head in forming
    )
    return f"""# Heads that form

Written by `python -m model.training formation`. At {len(steps)} steps, between which the held-out loss of the first run
falls by nearly equal amounts, every head was measured over {facts["sentences"]} test sentences of the lengths of
training, teacher-forced on their first translations, with the weights of that step, not their average. Measured on
{facts["hardware"]}.

A head has formed at the first step from which on it has its label at every later one. Labels are those of
`model/attribution/head_labels.py`; a copying head has a copying score of at least {facts["least_copying"]:g}
(`model/causal/composition.py`). It is needed if the 95 % interval of the mean change of the loss without it, over the
sentences, lies above 0.

| step | {" | ".join(f"held-out loss, {seed}" for seed in seeds)} |
| --- |{" --- |" * len(runs)}
{losses}

| heads | runs that have them at the end | first step of each run |
| --- | --- | --- |
{roles}

| seed | heads | head | forms at step | change of the loss without it then | needed | at the end | needed |
| --- | --- | --- | --- | --- | --- | --- | --- |
{heads}
"""


def _role(role: str, runs: list[dict]) -> str:
    first = [run["forms"][role][0]["step"] if run["forms"][role] else None for run in runs]
    cells = ", ".join("\u2013" if step is None else f"{step:,}" for step in first)
    return f"| {role} | {sum(step is not None for step in first)} of {len(runs)} | {cells} |"


def _interval(effect: dict) -> str:
    return f"{effect['value']:+.4f} [{effect['low']:+.4f}, {effect['high']:+.4f}]"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
