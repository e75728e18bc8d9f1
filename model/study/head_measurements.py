"""All that is measured of the heads on one traced input, of every network that can be looked into."""

from collections.abc import Collection, Mapping

import numpy as np

from ..attribution.head_ablation import ablate_translation_heads
from ..attribution.head_labels import head_scores, vision_scores
from ..attribution.head_measures import Measured, picture_measures, text_measures
from ..attribution.intervention_result import losses_of
from ..classifier import VisionClassifier, VisionTrace
from ..hub.ablation import ablate
from ..hub.head_scores import measure_heads, score_heads
from ..hub.hub_trace import HubTrace
from ..hub.opened_model import OpenedModel
from ..networks.recurrent_trace import RecurrentTrace
from ..networks.tap import AtEveryStep
from ..recurrent_translator import RecurrentTranslator
from ..tracing.kinds import KINDS, VISION
from ..tracing.trace import Trace
from ..translator import Translator


def measure_translation(
    translator: Translator, trace: Trace, links: np.ndarray | None = None, *, ablates: bool = True
) -> dict[str, Measured]:
    """Of the Transformer that translates.

    Args:
        links: word alignment of the tokens that are generated; see `model.text.word_alignment.links_of`.
        ablates: whether each head is ablated.

    Returns:
        kind -> what was measured.
    """
    effects = ablate_translation_heads(translator.network, trace).changes if ablates else {}
    return {
        name: Measured(scores, effects.get(name), text_measures(trace.attention(name), KINDS[name]))
        for name, scores in head_scores(trace, links).items()
    }


def measure_alignment(
    translator: RecurrentTranslator, trace: RecurrentTrace, links: np.ndarray | None = None, *, ablates: bool = True
) -> dict[str, Measured]:
    """Of a recurrent network's alignment, as one layer with one head; ablated, every context vector is zero."""
    effect = None
    if ablates:
        without = AtEveryStep({"decoder.cross.outputs": lambda outputs: outputs * 0})
        network, read = translator.network, (list(trace.source_ids), list(trace.target_ids), list(trace.next_ids))
        ablated = translator.record(network, translator.tokenizer, *read, without)
        effect = np.array([[float(losses_of(ablated).mean() - losses_of(trace).mean())]])
    return {
        name: Measured(scores, effect, text_measures(trace.attention(name), KINDS[name]))
        for name, scores in head_scores(trace, links).items()
    }


def measure_picture(
    classifier: VisionClassifier, trace: VisionTrace, answer: int | None = None, *, ablates: bool = True
) -> dict[str, Measured]:
    """Of the Vision Transformer.

    Args:
        answer: the class whose -ln p is measured; the network's own answer where nothing is given.
        ablates: whether each head is ablated.
    """
    chosen = int(trace.logits.argmax()) if answer is None else answer
    effect = classifier.ablate_heads(trace).loss_changes(chosen) if ablates else None
    scores = vision_scores(trace.attention, trace.grid, trace.pixels)
    return {
        VISION.name: Measured(
            scores, effect, picture_measures(trace.attention, trace.grid, classifier.config.patch_size)
        )
    }


def measure_opened(
    model: OpenedModel,
    trace: HubTrace,
    given,
    options: Mapping[str, str],
    kinds: Collection[str],
    answer: int | None = None,
    *,
    ablates: bool = True,
) -> dict[str, Measured]:
    """Of an opened model.

    Args:
        trace: of the whole network.
        given, options: what it was traced for.
        kinds: those that are measured.
        answer: as of `measure_picture`, for a classifier.
        ablates: whether each head is ablated.
    """
    if answer is None and trace.classes is not None:
        answer = int(trace.probabilities.reshape(-1).argmax())
    effects = ablate(model, trace, given, options, answer, kinds) if ablates else {}
    return {kind: Measured(score_heads(trace, kind), effects.get(kind), measure_heads(trace, kind)) for kind in kinds}
