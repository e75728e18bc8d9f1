"""When heads form: the study over snapshots of training, and one sentence through every snapshot.

`python -m model.training formation` measures labels, copying scores and ablations at twelve steps over held-out
sentences and writes `FILE` next to the weights of the first seed. This module reads it, and runs a user's sentence with
the weights of each of these steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..attribution.intervention_result import token_losses
from ..decoding.search import greedy_batch
from ..networks.config import TransformerConfig
from ..networks.transformer import Transformer
from ..runtime.checkpoint import display_path, load_weights, read_measured
from ..runtime.device import choose_device
from ..runtime.progress import InSteps, Progress
from ..runtime.snapshot_weights import read_snapshot
from ..text.tokenizer import Tokenizer
from ..tracing.kinds import TRANSLATION
from ..tracing.trace import Prediction, Verification, record_trace
from .network_comparison import BootstrapInterval

FILE = "formation.json"
COMMAND = "formation"
# what a head can be: the labels of `model.attribution.head_labels` that count; "copying" is read from the weights
ROLES = {"alignment": ("aligned", "aligned, read"), "previous token": ("previous",), "end of sentence": ("end",)}
COPYING = "copying"


@dataclass(frozen=True)
class FormingHead:
    """A head that has a role at the end of training.

    Attributes:
        kind, layer, head: from 0.
        step: from which on it has the role at every later step that was measured.
        change: of the loss without it at that step, in nats per token, with its interval over sentences.
        change_at_end: the same at the last step.
        needed, needed_at_end: whether the interval is above 0.
    """

    kind: str
    layer: int
    head: int
    step: int
    change: BootstrapInterval
    change_at_end: BootstrapInterval
    needed: bool
    needed_at_end: bool


@dataclass(frozen=True, eq=False)
class FormationRun:
    """What was measured of one seed.

    Attributes:
        seed: of the run.
        heldout: -ln p per token on validation sentences at each of the steps.
        labels: kind -> `(step, layer, head)` labels over held-out sentences, as nested lists.
        copying: kind -> `(step, layer, head)` copying scores, of the kinds that have one.
        forms: role -> heads, in the order in which they form.
        curves: "step", "loss", "nll", "rate" and "gradient_norm" at the logged steps of training.
    """

    seed: int
    heldout: list[float]
    labels: dict[str, list[list[list[str]]]]
    copying: dict[str, np.ndarray]
    forms: dict[str, list[FormingHead]]
    curves: dict[str, list[float]]

    def counts(self, least_copying: float) -> dict[str, list[int]]:
        """Role -> number of heads that have it at each step."""
        steps = [self.roles(step, least_copying) for step in range(len(self.heldout))]
        return {
            role: [sum(role in own for kind in kinds.values() for layer in kind for own in layer) for kinds in steps]
            for role in (*ROLES, COPYING)
        }

    def roles(self, step: int, least_copying: float) -> dict[str, list[list[tuple[str, ...]]]]:
        """Kind -> `(layer, head)` roles that the heads have at the step with this index."""
        return {
            kind: [
                [
                    tuple(role for role, names in ROLES.items() if name in names)
                    + ((COPYING,) if self._copies(kind, step, layer, head, least_copying) else ())
                    for head, name in enumerate(row)
                ]
                for layer, row in enumerate(labels[step])
            ]
            for kind, labels in self.labels.items()
        }

    def _copies(self, kind: str, step: int, layer: int, head: int, least: float) -> bool:
        return kind in self.copying and bool(self.copying[kind][step, layer, head] >= least)


@dataclass(frozen=True, eq=False)
class FormationStudy:
    """The study of all seeds.

    Attributes:
        steps: of the snapshots, from 0 to the end of training.
        snapshots_sha256: step -> hash of the file with its weights, of the first seed.
        runs: of each seed; the first one's weights ship.
        sentences: number of held-out sentences.
        least_copying: score from which a head counts as copying.
        hardware: on which it was measured.
    """

    steps: tuple[int, ...]
    snapshots_sha256: dict[int, str]
    runs: tuple[FormationRun, ...]
    sentences: int
    least_copying: float
    hardware: str

    def first_steps(self, role: str) -> list[int | None]:
        """The step at which the first head with a role forms, of each run; None where none has it at the end."""
        return [run.forms[role][0].step if run.forms[role] else None for run in self.runs]


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
        tuple(_read_run(run, content["steps"]) for run in content["runs"]),
        *(facts[name] for name in ("sentences", "least_copying", "hardware")),
    )


def _read_run(run: dict, steps: Sequence[int]) -> FormationRun:
    first = run["heads"][0]
    return FormationRun(
        run["seed"],
        run["heldout_nll"],
        {kind: [heads[kind]["labels"] for heads in run["heads"]] for kind in first},
        {kind: np.array([heads[kind][COPYING] for heads in run["heads"]]) for kind in first if COPYING in first[kind]},
        {role: [_read_head(head, steps) for head in heads] for role, heads in run["forms"].items()},
        run["curves"],
    )


def _read_head(head: Mapping, steps: Sequence[int]) -> FormingHead:
    effects = [BootstrapInterval(**effect) for effect in head["effects"]]
    named = {name: head[name] for name in ("kind", "layer", "head", "step", "needed", "needed_at_end")}
    return FormingHead(change=effects[list(steps).index(head["step"])], change_at_end=effects[-1], **named)


@dataclass(frozen=True, eq=False)
class SentenceAtStep:
    """One sentence with the weights of one step.

    Attributes:
        step: of training.
        text: the greedy translation.
        finished: whether it ended with `</s>`.
        losses: `(T,)` -ln p of each token of the target, in nats.
        predictions: of each token of the target, with the five most probable ones.
        weights: kind -> `(layer, head, query, key)` float32, teacher-forced on the target.
        verification: of the worst kind.
        difference: of the logits with cached keys and values, as a share of the largest logit.
    """

    step: int
    text: str
    finished: bool
    losses: np.ndarray
    predictions: tuple[Prediction, ...]
    weights: dict[str, np.ndarray]
    verification: Verification
    difference: float


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
