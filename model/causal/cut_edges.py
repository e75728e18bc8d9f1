"""Runs with edges of path patching cut, the answers that they give and the translations that they generate.

A cut edge is one along which the other run's value arrives: the receiver's input is computed with the sender's output
of the other run, and with everything else as it is in the cut run (edge ablation, as in Wang et al. 2022 for one edge
and Conmy et al. 2023, "Towards Automated Circuit Discovery for Mechanistic Interpretability", section 3, for several).
Receivers are computed in the network's order, so that a cut edge changes what later senders send.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..runtime.progress import InSteps, Progress
from .causal_error import check_whole
from .experiments import Experiment
from .metrics import evaluate
from .own_networks import ResumableTranslator
from .patched_runs import Case, Patch
from .patched_translation import generate_in_steps
from .path_edges import LOGITS, FrozenRuns, PathEdge, PathNode
from .resumable import ResumableNetwork


@dataclass(frozen=True, eq=False)
class CutPass:
    """One pass of the network over the clean input with edges cut."""

    value: float  # the metric
    hidden: Tensor  # hidden states, `(1, output, d_model)`
    case: Case  # the inputs of heads that are replaced
    cuts_logits: bool  # whether an edge to the logits is cut


@torch.inference_mode()
def cut_pass_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, edges: Sequence[PathEdge]
) -> InSteps[CutPass]:
    """Cut edges of the clean run, and measure.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    runs = FrozenRuns(resumable, experiment)
    cuts: dict[tuple[str, int], list[PathNode]] = {}
    for edge in edges:
        cuts.setdefault(runs.input_of(edge), []).append(edge.sender)
    case: Case = ()
    current, total = runs.clean, 2 * len(cuts) + 1
    ordered = sorted((key for key in cuts if key[0] != LOGITS), key=lambda key: runs.order.index(key[0]))
    for number, (name, head) in enumerate(ordered):
        arriving = runs.sent(current, cuts[name, head], {name}).tensors[name][:, head]
        positions = torch.arange(arriving.shape[1], device=arriving.device)
        case = (*case, Patch(name, arriving, (head, positions)))
        current = runs.changed(case)
        yield Progress(number + 1, total)
    hidden = current.hidden
    if (LOGITS, 0) in cuts:
        hidden = runs.sent(current, cuts[LOGITS, 0], set()).hidden
    value = float(evaluate(resumable, hidden, experiment.measured(None))[0])
    return CutPass(value, hidden, case, (LOGITS, 0) in cuts)


@dataclass(frozen=True, eq=False)
class CutAnswer:
    """What a network answers with edges cut: the metric, and `(column,)` float64 probabilities of the answers."""

    value: float
    probabilities: np.ndarray


@torch.inference_mode()
def cut_answer_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, edges: Sequence[PathEdge], position: int = -1
) -> InSteps[CutAnswer]:
    """Cut edges of the clean run of a network that gives one answer, and read the answer at an output position.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    done = yield from cut_pass_in_steps(resumable, experiment, edges)
    logits = resumable.logits(done.hidden[:1, position])[0]
    return CutAnswer(done.value, logits.double().softmax(dim=-1).cpu().numpy())


@dataclass(frozen=True, eq=False)
class CutRun:
    """A run with edges cut."""

    value: float  # the metric
    ids: tuple[int, ...]  # of the translation that it generates, without `<s>`; `</s>` included if it was reached
    fed: int  # how many of them were fed, and not generated
    # of the tokens, given those before them; none where the translation ends with the target
    probabilities: tuple[float, ...] = ()


@torch.inference_mode()
def cut_edges_in_steps(
    resumable: ResumableTranslator, experiment: Experiment, edges: Sequence[PathEdge], place: int
) -> InSteps[CutRun]:
    """Cut edges of the clean run, measure, and translate greedily.

    Edges within the encoder and to keys and values of cross-attention act from the first word on. Others act at the
    positions that were fed: then the beginning up to the target is fed again.

    Args:
        place: of the target in the translation that was fed, from 0.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    source, fed = experiment.clean
    check_whole("place", place, 0, fed.shape[1] - 1)
    done = yield from cut_pass_in_steps(resumable, experiment, edges)
    from_start = not done.cuts_logits and all(_is_of_source(patch.name) for patch in done.case)
    start = fed[:, : 1 if from_start else place + 1]
    if done.cuts_logits:
        logits = resumable.logits(done.hidden[:, place]).clone()
        chances = logits.float().softmax(dim=-1)[0]
        logits[:, list(resumable.network.config.never_generated)] = -torch.inf
        newest = logits.argmax(dim=-1, keepdim=True)
        if int(newest) == resumable.network.config.eos_id:
            return CutRun(done.value, (*start[0, 1:].tolist(), int(newest)), start.shape[1] - 1)
        start = torch.cat([start, newest], dim=1)
    generated = yield from generate_in_steps(resumable, source, start, done.case)
    probabilities = list(generated.probabilities)
    if done.cuts_logits:  # the target was chosen by the logits with the cut edges
        probabilities[place] = float(chances[generated.ids[place]])
    return CutRun(done.value, generated.ids, 0 if from_start else place, tuple(probabilities))


def _is_of_source(name: str) -> bool:
    """Whether the positions of a translator's tensor are those of the source."""
    return name.startswith("encoder.") or name.endswith((".cross.keys", ".cross.values"))
