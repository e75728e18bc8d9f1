"""When heads form: the study over snapshots of training, and one sentence through every snapshot.

`python -m training formation` measures labels, what heads of cross-attention send, and ablations at twelve steps
over held-out sentences and writes `FILE` next to the weights of the first seed. This module reads it, and runs a user's
sentence with the weights of each of these steps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..attribution.intervention_result import token_losses
from ..causal.sent_tokens import SentTokens, above_the_others
from ..decoding.search import greedy_batch
from ..networks.config import TransformerConfig
from ..networks.transformer import Transformer
from ..runtime.checkpoint import display_path, load_weights, read_measured, read_snapshot
from ..runtime.device import choose_device
from ..runtime.progress import InSteps, Progress
from ..text.tokenizer import Tokenizer
from ..tracing.kinds import TRANSLATION
from ..tracing.trace import Prediction, Verification, record_trace
from .network_comparison import BootstrapInterval

FILE = "formation.json"
COMMAND = "formation"
# what a head can be: the labels of `model.attribution.head_labels` that count, which say where its attention goes
ROLES = {"alignment": ("aligned", "aligned, read"), "previous token": ("previous",), "end of sentence": ("end",)}
RAISING = "raises the aligned token"  # more often than the other heads of its kind: `model.causal.sent_tokens`
SENT = "sent"  # in the file, of a kind whose values come from the other stack

Place = tuple[str, int, int]  # kind of attention, layer and head from 0


@dataclass(frozen=True)
class FormingHead:
    """A head that has a role at the end of training."""

    # `kind`, `layer`, `head`: from 0
    kind: str
    layer: int
    head: int
    after: int | None  # last measured step before `step`; None if `step` is the first one. It formed between both.
    step: int  # from which on it has the role at every later step that was measured
    later: int  # number of these later steps; with 0 nothing confirms that it keeps the role
    # of the loss without it at that step, in nats per token, with its interval over sentences
    change: BootstrapInterval
    change_at_end: BootstrapInterval  # the same at the last step
    # `needed`, `needed_at_end`: whether the interval is above 0
    needed: bool
    needed_at_end: bool


@dataclass(frozen=True, eq=False)
class FormationRun:
    """What was measured of one seed."""

    seed: int  # of the run
    heldout: list[float]  # -ln p per token on validation sentences at each of the steps
    # kind -> `(step, layer, head)` labels over held-out sentences, as nested lists
    labels: dict[str, list[list[list[str]]]]
    # kind -> `(step, layer, head)` bool, whether the loss without a head is larger; see `FormingHead`
    needed: dict[str, np.ndarray]
    # kind -> what its heads send at each step, of the kinds whose values come from the other stack
    sent: dict[str, list[SentTokens]]
    forms: dict[str, list[FormingHead]]  # role -> heads, in the order in which they form
    curves: dict[str, list[float]]  # "step", "loss", "nll", "rate" and "gradient_norm" at the logged steps of training

    def counts(self) -> dict[str, list[int]]:
        """Role -> number of heads that have it at each step."""
        steps = [self.roles(step) for step in range(len(self.heldout))]
        return {
            role: [sum(role in own for kind in kinds.values() for layer in kind for own in layer) for kinds in steps]
            for role in (*ROLES, RAISING)
        }

    def roles(self, step: int) -> dict[str, list[list[tuple[str, ...]]]]:
        """Kind -> `(layer, head)` roles that the heads have at the step with this index."""
        result = {}
        for kind, labels in self.labels.items():
            raising = above_the_others(self.sent[kind][step].target_raised) if kind in self.sent else None
            result[kind] = [
                [
                    tuple(role for role, names in ROLES.items() if name in names)
                    + ((RAISING,) if raising is not None and raising[layer, head] else ())
                    for head, name in enumerate(row)
                ]
                for layer, row in enumerate(labels[step])
            ]
        return result

    def rest_needed(self, role: str, steps: Collection[int]) -> tuple[int, int]:
        """How many heads without a role, of the kinds of attention of those with it, are needed, and of how many.

        Args:
            role: that other heads have at the end.
            steps: indices of steps; a head counts once at each.
        """
        group = {(head.kind, head.layer, head.head) for head in self.forms[role]}
        rest = [
            bool(self.needed[kind][step, layer, head])
            for kind in {kind for kind, _, _ in group}
            for layer, head in np.ndindex(self.needed[kind].shape[1:])
            if (kind, layer, head) not in group
            for step in steps
        ]
        return sum(rest), len(rest)


@dataclass(frozen=True, eq=False)
class FormationStudy:
    """The study of all seeds."""

    steps: tuple[int, ...]  # of the snapshots, from 0 to the end of training
    snapshots_sha256: dict[int, str]  # step -> hash of the file with its weights, of the first seed
    runs: tuple[FormationRun, ...]  # of each seed; the first one's weights ship, and no others
    sentences: int  # number of held-out sentences
    links: int  # number of links between their tokens, those of equal tokens left out; see `model.causal.sent_tokens`
    hardware: str  # on which it was measured

    def first_heads(self, role: str) -> list[FormingHead | None]:
        """The first head that forms with a role, of each run; None where none has it at the end."""
        return [run.forms[role][0] if run.forms[role] else None for run in self.runs]

    def falls(self) -> list[float]:
        """Falls of the first run's held-out loss from each step to the next."""
        return [before - after for before, after in pairwise(self.runs[0].heldout)]

    def widest_gap(self) -> tuple[int, int]:
        """The two successive steps that are furthest apart."""
        return max(pairwise(self.steps), key=lambda gap: gap[1] - gap[0])

    def rest_needed(self, role: str, at_end: bool) -> tuple[int, int]:
        """`FormationRun.rest_needed` over all runs: at the end, or at the steps at which the heads of a role form."""
        last = len(self.steps) - 1
        counts = [
            run.rest_needed(role, {last} if at_end else {self.steps.index(head.step) for head in run.forms[role]})
            for run in self.runs
        ]
        return sum(needed for needed, _ in counts), sum(total for _, total in counts)


def load_formation(folder: str | Path, weights_sha256: str) -> FormationStudy:
    """Read the study of the network in use.

    Args:
        folder: of its weights.
        weights_sha256: of these.

    Raises:
        CheckpointError: missing or damaged, or measured on other weights; the message states what to do.
    """
    return read_measured(folder, FILE, weights_sha256, COMMAND, _read)


def _read(content: dict) -> FormationStudy:
    facts = content["facts"]
    return FormationStudy(
        tuple(content["steps"]),
        {int(name.removeprefix("step-")): sha256 for name, sha256 in content["snapshots_sha256"].items()},
        tuple(_read_run(run, content["steps"], facts["links"]) for run in content["runs"]),
        *(facts[name] for name in ("sentences", "links", "hardware")),
    )


def _read_run(run: dict, steps: Sequence[int], links: int) -> FormationRun:
    first = run["heads"][0]
    return FormationRun(
        run["seed"],
        run["heldout_nll"],
        {kind: [heads[kind]["labels"] for heads in run["heads"]] for kind in first},
        {kind: np.array([_are_needed(heads[kind]["effects"]) for heads in run["heads"]]) for kind in first},
        {
            kind: [SentTokens(links, **_arrays(heads[kind][SENT])) for heads in run["heads"]]
            for kind in first
            if SENT in first[kind]
        },
        {role: [_read_head(head, steps) for head in heads] for role, heads in run["forms"].items()},
        run["curves"],
    )


def _are_needed(effects: list[list[dict]]) -> list[list[bool]]:
    return [[effect["low"] > 0 for effect in layer] for layer in effects]


def _arrays(tables: Mapping[str, list]) -> dict[str, np.ndarray]:
    return {name: np.array(table) for name, table in tables.items()}


def _read_head(head: Mapping, steps: Sequence[int]) -> FormingHead:
    effects = [BootstrapInterval(**effect) for effect in head["effects"]]
    named: dict[str, Any] = {name: head[name] for name in ("kind", "layer", "head", "step", "needed", "needed_at_end")}
    place = list(steps).index(head["step"])
    after = steps[place - 1] if place else None
    of_step: dict[str, Any] = {"after": after, "later": len(steps) - 1 - place, "change": effects[place]}
    return FormingHead(change_at_end=effects[-1], **of_step, **named)


@dataclass(frozen=True, eq=False)
class SentenceAtStep:
    """One sentence with the weights of one step."""

    step: int  # of training
    text: str  # the greedy translation
    finished: bool  # whether it ended with `</s>`
    losses: np.ndarray  # `(T,)` -ln p of each token of the target, in nats
    predictions: tuple[Prediction, ...]  # of each token of the target, with the five most probable ones
    weights: dict[str, np.ndarray]  # kind -> `(layer, head, query, key)` float32, teacher-forced on the target
    verification: Verification  # of the worst kind
    difference: float  # of the logits with cached keys and values, as a share of the largest logit


@torch.inference_mode()
def follow_training_in_steps(
    config: TransformerConfig,
    tokenizer: Tokenizer,
    folder: Path,
    hashes: Mapping[int, str],
    source_ids: Sequence[int],
    next_ids: Sequence[int],
    device: str = "auto",
) -> InSteps[list[SentenceAtStep]]:
    """Run one sentence with the weights of each step; a step of training is a part.

    The weights stay in half precision on the disk; those of one step are in memory at a time.

    Args:
        folder: of the run.
        hashes: step -> hash of the file with its weights.
        source_ids: of the encoder, ending with `</s>`.
        next_ids: that the decoder should produce at every step of training.

    Raises:
        CheckpointError: the weights of a step are missing or damaged.
    """
    result = []
    for number, (step, sha256) in enumerate(sorted(hashes.items())):
        network = Transformer(config)
        load_weights(network, read_snapshot(folder, step, sha256), display_path(folder))
        network = network.eval().requires_grad_(False).to(choose_device(device))
        result.append(_at_step(network, tokenizer, step, source_ids, next_ids))
        yield Progress(number + 1, len(hashes))
    return result


def _at_step(
    network: Transformer, tokenizer: Tokenizer, step: int, source_ids: Sequence[int], next_ids: Sequence[int]
) -> SentenceAtStep:
    limit = min(2 * len(source_ids) + 10, network.config.max_positions)  # weights of the first steps never end
    generated = greedy_batch(network, [list(source_ids)], limit)[0]
    trace = record_trace(network, tokenizer, source_ids, [network.config.bos_id, *next_ids[:-1]], next_ids)
    return SentenceAtStep(
        step,
        tokenizer.decode(generated),
        generated[-1] == network.config.eos_id,
        token_losses(trace).astype(np.float32),
        tuple(trace.predictions()),
        {kind.name: trace.attention(kind.name) for kind in TRANSLATION},
        trace.verify(),
        _cached_difference(network, source_ids, next_ids, trace.logits),
    )


def _cached_difference(
    network: Transformer, source_ids: Sequence[int], next_ids: Sequence[int], logits: np.ndarray
) -> float:
    """Largest difference of the logits of decoding with a cache, as a share of the largest logit.

    Args:
        logits: `(T, vocabulary)`, of one pass over the whole target.
    """
    decoder = network.begin_decoding(network.ids(source_ids))
    read = [network.config.bos_id, *next_ids[:-1]]
    stepwise = torch.cat([decoder.step(network.ids([token])[0]) for token in read])  # (T, vocabulary)
    whole = torch.as_tensor(logits, device=stepwise.device)
    return float((stepwise - whole).abs().max() / whole.abs().max())
