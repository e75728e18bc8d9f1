"""All parts of a site patched, and the translation that a run with one patched cell generates.

A tensor of the encoder is replaced before the first word, so that the whole translation is generated. A tensor of the
decoder was recorded at the positions of the translation that was fed to both runs: the beginning up to the target is
fed again, and the translation continues from there, with the patch at these positions.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from ..decoding.tapped_decoding import GeneratedTokens
from ..networks.tap import Chain, Intervention, Recorder
from ..runtime.progress import InSteps, Progress
from ..tracing.kinds import CROSS
from .activation_patching import ActivationPatching, Direction, patch_in_steps
from .causal_error import check_choice
from .embedding_noise import patch_noise_in_steps
from .experiments import MOST_TOKENS, Experiment
from .metrics import evaluate
from .own_networks import ResumableTranslator
from .patched_runs import Case, Patch, resume_cases
from .resumable import CausalNetwork, ResumableNetwork
from .sites import Alignment, find_site, make_grid, parts_of

K = TypeVar("K", bound=Hashable)


def patch_parts_in_steps(
    resumable: ResumableNetwork,
    experiment: Experiment,
    site: str,
    *,
    parts: Sequence[str] = (),
    direction: Direction = "denoising",
    by_position: bool | None = None,
    alignment: Alignment | None = None,
) -> InSteps[dict[str, ActivationPatching]]:
    """Patch a site in every part of the network that has it: part -> result.

    Args:
        parts: only these; by default all.
        alignment: of stacks whose positions correspond otherwise than each to itself.

    Raises:
        CausalError: as `patch_in_steps`.
    """

    def patch(part: str) -> InSteps[ActivationPatching]:
        return patch_in_steps(
            resumable,
            experiment.clean,
            experiment.corrupt,
            experiment.measured(None),
            site,
            part,
            direction=direction,
            labels=receiving_labels(experiment, direction),
            by_position=by_position,
            alignment=complete(resumable, experiment, direction, alignment),
        )

    known = parts_of(resumable, find_site(site))
    given = parts if isinstance(parts, list | tuple) else [parts]
    chosen = [part if isinstance(part, str) else check_choice("parts", part, known) for part in given]
    return (yield from patch_each_in_steps(chosen or known, patch))


def patch_noise_parts_in_steps(
    resumable: ResumableNetwork,
    experiment: Experiment,
    site: str,
    noisy: Mapping[str, Sequence[int]],
    *,
    samples: int,
    seed: int = 0,
) -> InSteps[dict[str, ActivationPatching]]:
    """Patch a site of noisy runs of the clean input in every part of the network that has it: part -> result.

    Args:
        noisy: stack -> positions that get noise; see `model.causal.embedding_noise`.

    Raises:
        CausalError: as `patch_noise_in_steps`.
    """

    def patch(part: str) -> InSteps[ActivationPatching]:
        return patch_noise_in_steps(
            resumable,
            experiment.clean,
            experiment.measured(None),
            noisy,
            site,
            part,
            samples=samples,
            seed=seed,
            labels=experiment.clean_labels,
        )

    return (yield from patch_each_in_steps(parts_of(resumable, find_site(site)), patch))


def patch_each_in_steps(
    parts: Sequence[K], patch: Callable[[K], InSteps[ActivationPatching]]
) -> InSteps[dict[K, ActivationPatching]]:
    """Run `patch` for each part, with the progress of all."""
    results: dict[K, ActivationPatching] = {}
    for number, part in enumerate(parts):
        steps = patch(part)
        while part not in results:
            try:
                step = next(steps)
                yield Progress(1000 * number + 1000 * step.done // step.total, 1000 * len(parts))
            except StopIteration as end:
                results[part] = end.value
    return results


@dataclass(frozen=True, eq=False)
class PatchedTranslation:
    """What a run with one patched cell generates."""

    ids: tuple[int, ...]  # of the translation, without `<s>`; `</s>` included if it was reached
    fed: int  # how many of them were fed, and not generated
    value: float  # the metric with this cell patched
    probabilities: tuple[float, ...]  # of the tokens, given those before them, in the patched run
    # `(layer, head, token, source)` float32, cross-attention where each token was chosen, in the patched run; no layers
    # where the network has none
    cross: np.ndarray


def run_cell(
    resumable: ResumableNetwork,
    experiment: Experiment,
    site: str,
    part: str,
    cell: Sequence[int],
    direction: Direction,
    *,
    alignment: Alignment | None = None,
    **options: Any,
) -> tuple[Case, Tensor, str]:
    """Run the network with one cell of a patching grid replaced.

    Args:
        cell: index of the cell in the grid.
        options: of `model.causal.sites.make_grid`.

    Returns:
        What is replaced, the last hidden states `(1, position, d_model)`, and the stack whose positions the grid has.
    """
    give, receive = runs_of(experiment, direction)
    grid = make_grid(
        resumable,
        find_site(site),
        part,
        receiving_labels(experiment, direction),
        alignment=complete(resumable, experiment, direction, alignment),
        aligned_only=resumable.lengths(give) != resumable.lengths(receive),
        **options,
    )
    case = grid.cases(resumable.record(give))[int(np.ravel_multi_index(tuple(cell), grid.shape))]
    stage = min(resumable.stage_of(patch.name) for patch in case)
    return case, resume_cases(resumable, resumable.record(receive), [case], stage), grid.stack


@torch.inference_mode()
def translate_patched_in_steps(
    resumable: ResumableTranslator,
    experiment: Experiment,
    site: str,
    part: str,
    cell: Sequence[int],
    *,
    place: int,
    direction: Direction = "denoising",
    by_position: bool | None = None,
    alignment: Alignment | None = None,
) -> InSteps[PatchedTranslation]:
    """Patch one cell of a grid and generate greedily; see the module.

    Args:
        cell: index of the cell in the grid of `patch_parts_in_steps`.
        place: of the target in the translation that was fed, from 0.

    Raises:
        CausalError: as `patch_in_steps`.
    """
    options: dict[str, Any] = {"by_position": by_position, "alignment": alignment}
    case, hidden, stack = run_cell(resumable, experiment, site, part, cell, direction, **options)
    value = float(evaluate(resumable, hidden, experiment.measured(None))[0])
    source, fed = runs_of(experiment, direction)[1]
    start = fed[:, : place + 1 if stack == "decoder" else 1]
    generated = yield from generate_in_steps(resumable, source, start, case)
    read = torch.cat([start[:, :1], resumable.network.ids(generated.ids[:-1])], dim=1)
    cross = record_cross(resumable, source, read, case)
    return PatchedTranslation(generated.ids, start.shape[1] - 1, value, generated.probabilities, cross)


@torch.inference_mode()
def generate_in_steps(
    resumable: ResumableTranslator, source: Tensor, start: Tensor, case: Case
) -> InSteps[GeneratedTokens]:
    """Translate greedily under a change, from a beginning `(1, T)` on.

    Every step runs the whole decoder: a patch belongs to positions, which a cache of keys and values would not revisit.
    """
    network, config = resumable.network, resumable.network.config
    tap = _tap_of(case)
    memory = network.encode(source, None, tap)
    of_decoder = tap if any(name.startswith("decoder.") for name in tap.changes) else None
    most = min(MOST_TOKENS, network.most_generated(source.shape[1]))
    probabilities = torch.zeros(0)
    ids, never = start, network.ids(config.never_generated)[0]
    while ids.shape[1] <= most:
        logits = network.project(network.decode(ids, memory, None, of_decoder)[0])  # (T, vocabulary)
        newest = logits[-1:].index_fill(-1, never, -torch.inf).argmax(dim=-1, keepdim=True)
        following = torch.cat([ids[:, 1:], newest], dim=1)[0]
        probabilities = logits.float().softmax(dim=-1).gather(-1, following[:, None])[:, 0]
        ids = torch.cat([ids, newest], dim=1)
        yield Progress(ids.shape[1] - 1, most)
        if int(newest) == config.eos_id:
            break
    return GeneratedTokens(tuple(ids[0, 1:].tolist()), tuple(probabilities.tolist()))


@torch.inference_mode()
def record_cross(resumable: ResumableTranslator, source: Tensor, read: Tensor, case: Case) -> np.ndarray:
    """Cross-attention under a change, `(layer, head, token, source)` float32.

    Args:
        source, read: ids of the source and of what the decoder reads, `(1, S)` and `(1, T)`.
    """
    names = CROSS.tap_names(resumable.network, "weights")
    recorder = Recorder(names)
    resumable.run((source, read), Chain(_tap_of(case), recorder))
    return torch.cat([recorder.tensors[name] for name in names]).float().cpu().numpy()


def _tap_of(case: Case) -> Intervention:
    """The tap that makes a change in a run that may be shorter or longer than when it was recorded."""
    changes: dict[str, list[Patch]] = {}
    for patch in case:
        changes.setdefault(patch.name, []).append(patch)
    return Intervention({name: _Put(patches) for name, patches in changes.items()})


class _Put:
    """Writes patches into a tensor of one run, which may be shorter or longer than when they were recorded."""

    def __init__(self, patches: Sequence[Patch]) -> None:
        self.patches = patches

    def __call__(self, tensor: Tensor) -> Tensor:
        changed = tensor.clone()
        for patch in self.patches:
            *head, places = patch.index  # of a `Grid`: positions, in attention after the head
            there = places < tensor.shape[-2]
            values = patch.values_of(0)[there].to(tensor.dtype)
            if patch.name.endswith(".weights"):  # keys that were not there yet were masked
                values = pad(values, (0, tensor.shape[-1] - values.shape[-1]))
            changed[(0, *head, places[there])] = values
        return changed


def runs_of(experiment: Experiment, direction: Direction) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """The inputs that give and that receive."""
    both = experiment.clean, experiment.corrupt
    return both if direction == "denoising" else (both[1], both[0])


def receiving_labels(experiment: Experiment, direction: Direction) -> Mapping[str, Sequence[str]]:
    """Stack -> labels of the positions of the run that receives."""
    return experiment.corrupt_labels if direction == "denoising" else experiment.clean_labels


def complete(
    resumable: CausalNetwork, experiment: Experiment, direction: Direction, alignment: Alignment | None
) -> Alignment | None:
    """An alignment with every position of the other stacks paired with itself; None stays None."""
    if alignment is None:
        return None
    lengths = resumable.lengths(runs_of(experiment, direction)[1])
    own = {stack: [(place, place) for place in range(length)] for stack, length in lengths.items()}
    return {**own, **alignment}
