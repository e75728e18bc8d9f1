"""All states and context vectors of a recurrent network patched, and the translation with one of them patched.

A state of the encoder is replaced before the first word, so that the whole translation is generated. What belongs to a
step of the decoder was recorded while the translation was fed: its beginning up to the target is fed again, and the
translation continues from there. See `model.causal.recurrent_patching` for what is replaced.
"""

import numpy as np
import torch

from ..networks.tap import Chain, Intervention, Recorder
from ..runtime.progress import InSteps, Progress
from .activation_patching import ActivationPatching, Direction
from .experiments import MOST_TOKENS, Experiment
from .metrics import evaluate
from .patched_runs import Replace, resume_cases
from .patched_translation import PatchedTranslation, complete, patch_each_in_steps, receiving_labels, runs_of
from .recurrent_patching import RecurrentCausalNetwork, patch_recurrent_in_steps, replace_step, stack_of
from .sites import Alignment, align_positions

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
