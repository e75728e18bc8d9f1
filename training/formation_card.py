"""The readable card of the study of heads that form."""

from collections.abc import Sequence

import numpy as np

from model.causal.sent_tokens import NORMAL, upper_limits
from model.lessons.head_formation import RAISING, FormationRun, FormationStudy, FormingHead
from model.lessons.network_comparison import BootstrapInterval

ROLE_COLUMNS = (
    "heads",
    "runs that have them at the end",
    "first head of each run formed between steps",
    "needed when they form",
    "the rest",
    "needed at the end",
    "the rest",
)
HEAD_COLUMNS = (
    "seed",
    "heads",
    "head",
    "formed between steps",
    "later steps",
    "change of the loss without it then",
    "needed",
    "at the end",
    "needed",
)
SENT_COLUMNS = (
    "seed",
    "head",
    "French token raised",
    "all heads of the layer",
    "limit by the other heads",
    "median rank",
    "English token raised",
    "median rank",
)


def formation_markdown(study: FormationStudy) -> str:
    """Format what `training.formation_study` measured."""
    runs, steps, falls = study.runs, study.steps, study.falls()
    seeds = [f"seed {run.seed}" for run in runs]
    losses = "\n".join(
        f"| {step:,} | " + " | ".join(f"{run.heldout[number]:.3f}" for run in runs) + " |"
        for number, step in enumerate(steps)
    )
    before, after = study.widest_gap()
    roles = "\n".join(_role(role, study) for role in runs[0].forms)
    heads = "\n".join(
        f"| {run.seed} | {role} | {head.kind} {head.layer + 1}.{head.head + 1} | {interval_text(head)} | "
        f"{head.later} | {_interval(head.change)} | {_yes(head.needed)} | {_interval(head.change_at_end)} | "
        f"{_yes(head.needed_at_end)} |"
        for run in runs
        for role, forming in run.forms.items()
        for head in forming
    )
    sent = "\n".join(row for run in runs for row in _sent_rows(run))
    return f"""# Heads that form

Written by `python -m training formation`. At {len(steps)} steps every head was measured over {study.sentences}
test sentences of the lengths of training, teacher-forced on their first translations, with the weights of that step,
not their average. Measured on {study.hardware}.
{_trainings(study)}

From one step to the next the held-out loss of the first run falls by {min(falls):.2f} to {max(falls):.2f} nats, as
equally as its stored steps allow. The widest gap is between step {before:,} and {after:,}:
{100 * (after - before) / steps[-1]:.0f} % of the training, in which nothing was measured.

A head has formed at the first of these steps from which on it has its label at every later one; it formed somewhere
between that step and the one before. *Later steps* counts those that confirm the label: a head that forms at the last
step has none. Labels are those of `model/attribution/head_labels.py` and say where attention goes; "{RAISING}" is
explained below. A head is needed if the 95 % interval of the mean change of the loss without it, over the sentences,
lies above 0.

| step | {" | ".join(f"held-out loss, {seed}" for seed in seeds)} |
| --- |{" --- |" * len(runs)}
{losses}

*The rest* are the heads without the label, of the same kinds of attention: at the steps at which those with it form,
and at the end.

{_header(ROLE_COLUMNS)}
{roles}

{_header(HEAD_COLUMNS)}
{heads}

## What cross-attention sends

What each head of cross-attention sends from an English token, as logits at the end of training, over
{study.links:,} links of a word alignment in these sentences, those of equal tokens left out
(`model/causal/sent_tokens.py`): the share of links at which it raises the aligned French token above the mean of all
tokens, and its own English token, with median ranks. Chance is 50 %, and half of the vocabulary. Values come from the
encoder's output, so these heads have no copying score. A head is named "{RAISING}" only if its share is above
the mean of the other heads by more than {NORMAL} of their standard deviations.{_unreachable(study)}

{_header(SENT_COLUMNS)}
{sent}
"""


def _unreachable(study: FormationStudy) -> str:
    """A sentence where no head could be named, as the others differ too much; empty where some could."""
    limits = [upper_limits(steps[-1].target_raised) for run in study.runs for steps in run.sent.values()]
    if any((limit < 1).any() for limit in limits):
        return ""
    return " Here the heads differ so\nmuch that this limit is over 100 % for each of them: none can be named."


def _header(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"


def interval_text(head: FormingHead) -> str:
    """The steps between which a head formed."""
    return f"{head.step:,}" if head.after is None else f"{head.after:,} and {head.step:,}"


def _trainings(study: FormationStudy) -> str:
    first, *others = (str(run.seed) for run in study.runs)
    if not others:
        return f"One training, seed {first}: how much another seed would change is not known."
    return (
        f"{len(study.runs)} trainings. The weights of seed {first} ship; those of seed {' and '.join(others)} do not, "
        "so their figures cannot be computed again from these files."
    )


def _role(role: str, study: FormationStudy) -> str:
    first = study.first_heads(role)
    cells = "; ".join("\u2013" if head is None else interval_text(head) for head in first)
    heads = [head for run in study.runs for head in run.forms[role]]
    counts = [
        _count(sum(head.needed for head in heads), len(heads)),
        _count(*study.rest_needed(role, at_end=False)),
        _count(sum(head.needed_at_end for head in heads), len(heads)),
        _count(*study.rest_needed(role, at_end=True)),
    ]
    found = _count(sum(head is not None for head in first), len(study.runs))
    return f"| {role} | {found} | {cells} | {' | '.join(counts)} |"


def _sent_rows(run: FormationRun) -> list[str]:
    rows = []
    for kind, steps in run.sent.items():
        sent = steps[-1]
        shares, limits = sent.target_raised, upper_limits(sent.target_raised)
        for layer, head in np.ndindex(shares.shape):
            limit = f"{100 * limits[layer, head]:.0f} %" if limits[layer, head] < 1 else "over 100 %"
            rows.append(
                f"| {run.seed} | {kind} {layer + 1}.{head + 1} | {100 * shares[layer, head]:.0f} % | "
                f"{100 * shares[layer].mean():.0f} % | {limit} | {sent.target_rank[layer, head]:,.0f} | "
                f"{100 * sent.source_raised[layer, head]:.0f} % | {sent.source_rank[layer, head]:,.0f} |"
            )
    return rows


def _count(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "\u2013"


def _interval(effect: BootstrapInterval) -> str:
    return f"{effect.value:+.4f} [{effect.low:+.4f}, {effect.high:+.4f}]"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
