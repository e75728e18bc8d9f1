"""Activation patching of recurrent networks: states of cells and context vectors, step by step.

A recurrent network has steps in time in place of layers; a cell of the grid is one step. What is replaced:

    hidden_state     h_t of one direction of the encoder, or of the decoder; the next step and attention read it
    cell_state       c_t of an LSTM, of which h_t is computed
    state            both: all that a step passes on to the next
    context_vector   what attention gives the decoder at a step

Vig et al. 2020 and Meng et al. 2022 describe the method, Hochreiter and Schmidhuber 1997 the cell. The result is that
of `model.causal.activation_patching`.

What it cannot show: h_t and c_t carry the same thing, so that replacing one of them leaves it in the other; and an
encoder that reads both ways has two paths from a token to the decoder.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from ..networks.recurrent import RecurrentNetwork
from ..networks.tap import Chain, Intervention, Recorder, Tap
from ..runtime.progress import InSteps, Progress, as_one_call
from .activation_patching import ActivationPatching, Direction, PatchingCheck, check_direction, number_positions
from .causal_error import CausalError
from .experiments import MOST_TOKENS, Experiment
from .metrics import Metric, evaluate, output_logits
from .patched_runs import Case, Patch, Replace, resume_cases, run_cases_in_steps
from .patched_translation import PatchedTranslation, complete, patch_each_in_steps, receiving_labels, runs_of
from .result_tables import Table, TableAxis
from .resumable import CausalNetwork, Inputs, RecordedRun
from .sites import Alignment, align_positions, check_alignment

RECURRENT_SITES = {
    "hidden_state": ("hidden",),
    "cell_state": ("cell",),
    "state": ("hidden", "cell"),
    "context_vector": ("cross.outputs",),
}


class RecurrentCausalNetwork(CausalNetwork):
    """A recurrent network; inputs are the ids of source `(row, S)` and of target `(row, T)`. Every run is whole."""

    def __init__(self, network: RecurrentNetwork) -> None:
        self.network: RecurrentNetwork = network
        self.stacks = {"encoder": 1, "decoder": 1}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        source, target = inputs
        return self.network.hidden(source, target, tap)

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        return self.run(tuple(part[rows] for part in run.inputs), tap)

    def stage_of(self, name: str) -> tuple[int, int]:
        return 0, 0

    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        logits = self.network.project(hidden)
        return logits if columns is None else logits[..., list(columns)]

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return {"encoder": inputs[0].shape[1], "decoder": inputs[1].shape[1]}

    @property
    def columns(self) -> int:
        return self.network.config.vocabulary_size

    @property
    def sites(self) -> dict[str, list[str]]:
        """The sites that the network has -> their parts."""
        alone = ["hidden_state"] + ["cell_state", "state"] * (self.network.config.cell == "lstm")
        names = alone + ["context_vector"] * (self.network.config.alignment != "none")
        return {name: self.parts(name) for name in names}

    def parts(self, site: str) -> list[str]:
        """The parts that have a site: `encoder_forwards`, `encoder_backwards`, `decoder`.

        Raises:
            CausalError: there is no such site, or none in this network.
        """
        if site not in RECURRENT_SITES:
            known = ", ".join(RECURRENT_SITES)
            raise CausalError("There is no site {name!r}; choose one of {known}.", name=site, known=known)
        if site == "context_vector":
            if self.network.config.alignment == "none":
                raise CausalError("This network has no attention, so its decoder has no context vectors.")
            return ["decoder"]
        if site in ("cell_state", "state") and self.network.config.cell != "lstm":
            raise CausalError("Only an LSTM has cell states; choose hidden_state.")
        return [*(f"encoder_{direction}" for direction in self.network.encoder.directions), "decoder"]


@torch.inference_mode()
def patch_recurrent_in_steps(
    network: RecurrentCausalNetwork,
    clean: Inputs,
    corrupt: Inputs,
    metric: Metric,
    site: str = "hidden_state",
    part: str | None = None,
    *,
    direction: Direction = "denoising",
    labels: Mapping[str, Sequence[str]] | None = None,
    positions: Sequence[int] | None = None,
    alignment: Alignment | None = None,
) -> InSteps[ActivationPatching]:
    """Replace a state or a context vector of one run by that of another, at each step in turn, and measure.

    Args:
        clean, corrupt: ids of source and target, with a batch of one.
        site: a key of `RECURRENT_SITES`.
        part: see `RecurrentCausalNetwork.parts`; by default the first.

    The other arguments are those of `model.causal.activation_patching.patch_in_steps`.

    Raises:
        CausalError: a site, part, position or logit does not exist, or the inputs differ in length and are not aligned.
    """
    check_direction(direction)
    known = network.parts(site)
    part = part or known[0]
    if part not in known:
        raise CausalError(
            "{site} is not in {part!r}; choose one of {known}.", site=site, part=part, known=", ".join(known)
        )
    stack = stack_of(part)
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    receiver, donor = network.record(receive), network.record(give)
    lengths, other = network.lengths(receive), network.lengths(give)
    if alignment is not None:
        check_alignment(alignment, lengths, other)
    elif lengths != other:
        raise CausalError("The two inputs differ in length; give an alignment, or inputs of equal length.")
    metric.check(network, receiver.hidden.shape[1])
    metric.check(network, donor.hidden.shape[1])
    pairs = align_positions(stack, lengths[stack], positions, alignment)
    cases = [replace_step(site, part, pair, donor) for pair in pairs]
    values = yield from run_cases_in_steps(network, receiver, [(), *cases], metric)
    own_labels = (labels or number_positions(lengths))[stack]
    axes = (TableAxis("position", tuple(own_labels[receives] for receives, _ in pairs)),)
    return ActivationPatching(
        site=site,
        part=part,
        direction=direction,
        metric=metric,
        grid=Table(values.values[1:, 0], axes, metric.unit),
        receiver=float(values.unchanged[0]),
        donor=float(evaluate(network, donor.hidden, metric)[0]),
        check=_check(network, receiver, donor, metric, float(values.effects[0, 0]), values.drift),
    )


patch_recurrent = as_one_call(patch_recurrent_in_steps)


def stack_of(part: str) -> str:
    """The stack whose positions a part has: `encoder` of `encoder_forwards`."""
    return part.partition("_")[0]


def replace_step(site: str, part: str, pair: tuple[int, int], donor: RecordedRun) -> Case:
    """Replace what one step passes on.

    Args:
        pair: positions of the step that receives and of the one that gives.
        donor: the run that gives.
    """
    prefix, (receives, gives) = part.replace("_", "."), pair
    return tuple(
        Patch(f"{prefix}.{receives}.{quantity}", donor.tensors[f"{prefix}.{gives}.{quantity}"])
        for quantity in RECURRENT_SITES[site]
    )


def _check(
    network: RecurrentCausalNetwork,
    receiver: RecordedRun,
    donor: RecordedRun,
    metric: Metric,
    effect_of_nothing: float,
    drift: float,
) -> PatchingCheck:
    """Replace nothing, and all states and context vectors, in one batch."""
    endings = tuple(f".{step}" for steps in RECURRENT_SITES.values() for step in steps)
    whole = network.lengths(receiver.inputs) == network.lengths(donor.inputs)
    whole = whole and torch.equal(receiver.inputs[1], donor.inputs[1])  # the output layer may read the decoder's tokens
    cases: list[Case] = [()]
    if whole:
        cases.append(tuple(Patch(name, donor.tensors[name]) for name in donor.tensors if name.endswith(endings)))
    expected = output_logits(network, torch.cat([receiver.hidden, donor.hidden][: len(cases)]), metric)
    logits = output_logits(network, resume_cases(network, receiver, cases, (0, 0)), metric)
    largest = float(expected[-1].abs().max()) or 1.0
    apart = [float(row.abs().max()) / largest for row in logits - expected]
    return PatchingCheck(apart[1] if whole else None, apart[0], effect_of_nothing, drift)


# All states and context vectors of a recurrent network patched, and the translation with one of them patched.
#
# A state of the encoder is replaced before the first word, so that the whole translation is generated. What belongs to
# a step of the decoder was recorded while the translation was fed: its beginning up to the target is fed again, and the
# translation continues from there.

Place = tuple[str, str]  # a site and one of its parts


def patch_states_in_steps(
    network: RecurrentCausalNetwork,
    experiment: Experiment,
    *,
    direction: Direction = "denoising",
    alignment: Alignment | None = None,
) -> InSteps[dict[Place, ActivationPatching]]:
    """Patch every site that the network has in every part: (site, part) -> result.

    Args:
        alignment: of stacks whose positions correspond otherwise than each to itself.

    Raises:
        CausalError: as `patch_recurrent_in_steps`.
    """

    def patch(place: Place) -> InSteps[ActivationPatching]:
        return patch_recurrent_in_steps(
            network,
            experiment.clean,
            experiment.corrupt,
            experiment.measured(None),
            *place,
            direction=direction,
            labels=receiving_labels(experiment, direction),
            alignment=complete(network, experiment, direction, alignment),
        )

    places = [(site, part) for site, parts in network.sites.items() for part in parts]
    return (yield from patch_each_in_steps(places, patch))


@torch.inference_mode()
def translate_with_state_in_steps(
    network: RecurrentCausalNetwork,
    experiment: Experiment,
    site: str,
    part: str,
    cell: int,
    *,
    place: int,
    direction: Direction = "denoising",
    alignment: Alignment | None = None,
) -> InSteps[PatchedTranslation]:
    """Replace what one step passes on, and generate greedily; see the module.

    Args:
        cell: index in the grid of `patch_states_in_steps`.
        place: of the target in the translation that was fed, from 0.

    Raises:
        CausalError: as `patch_recurrent_in_steps`.
    """
    give, receive = runs_of(experiment, direction)
    stack = stack_of(part)
    own = complete(network, experiment, direction, alignment)
    pair = align_positions(stack, network.lengths(receive)[stack], None, own)[cell]
    case = replace_step(site, part, pair, network.record(give))
    value = evaluate(network, resume_cases(network, network.record(receive), [case], (0, 0)), experiment.measured(None))
    source, fed = receive
    forced = fed[0, 1 : place + 1].tolist() if stack == "decoder" else []
    translation = network.network
    config, recorder = translation.config, Recorder()
    tap = Intervention({patch.name: Replace(1, [(0, 0, patch)]) for patch in case})
    decoder = translation.begin_decoding(source, None, Chain(tap, recorder))
    most = min(MOST_TOKENS, translation.most_generated(source.shape[1]))
    ids, probabilities = [config.bos_id], []
    while len(ids) <= most:
        logits = decoder.step(torch.tensor(ids[-1:], device=source.device))[0]
        chances = logits.float().softmax(dim=-1)
        logits[list(config.never_generated)] = -torch.inf
        ids.append(forced[len(ids) - 1] if len(ids) <= len(forced) else int(logits.argmax()))
        probabilities.append(float(chances[ids[-1]]))
        yield Progress(len(ids) - 1, most)
        if ids[-1] == config.eos_id:
            break
    weights = [recorder.tensors.get(f"decoder.{step}.cross.weights") for step in range(len(ids) - 1)]
    cross = np.zeros((0, 0, len(ids) - 1, source.shape[1]), dtype=np.float32)
    if config.alignment != "none":
        cross = torch.cat([each for each in weights if each is not None], dim=2).float().cpu().numpy()
    return PatchedTranslation(tuple(ids[1:]), len(forced), float(value[0]), tuple(probabilities), cross)
