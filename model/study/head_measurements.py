"""Measure the heads of any traced network on one input."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..attribution.head_ablation import ablate_translation_heads
from ..attribution.head_labels import head_scores, vision_scores
from ..attribution.head_statistics import HeadMeasurements, picture_measures, text_measures
from ..attribution.intervention_result import token_losses
from ..classifier import VisionClassifier, VisionTrace
from ..hub.ablation import ablate, measure_heads, score_heads
from ..hub.hub_trace import HubTrace
from ..hub.opened_model import OpenedModel, TraceInput
from ..language_model import LanguageModel
from ..networks.recurrent_trace import RecurrentTrace
from ..networks.tap import AtEveryStep
from ..recurrent_translator import RecurrentTranslator
from ..tracing.kinds import VISION, kind_of
from ..tracing.language_trace import LanguageTrace
from ..tracing.trace import Trace
from ..translator import Translator


def measure_translation(
    translator: Translator, trace: Trace, links: np.ndarray | None = None, *, ablates: bool = True
) -> dict[str, HeadMeasurements]:
    """Measure the heads of the Transformer on one sentence pair.

    Args:
        links: word alignment of the tokens that are generated; see `model.text.word_alignment.find_links`.
        ablates: whether each head is ablated.

    Returns:
        kind -> measurements.
    """
    effects = ablate_translation_heads(translator.network, trace).changes if ablates else {}
    return {
        name: HeadMeasurements(scores, effects.get(name), text_measures(trace.attention(name), kind_of(name)))
        for name, scores in head_scores(trace, links).items()
    }


def measure_language(
    model: LanguageModel, trace: LanguageTrace, *, ablates: bool = True
) -> dict[str, HeadMeasurements]:
    """Measure the heads of the decoder-only network on one sequence; the loss is that of what follows its prompt."""
    effects = model.replace_heads(trace, "zero", pairs_among=0).effects if ablates else {}
    return {
        name: HeadMeasurements(scores, effects.get(name), text_measures(trace.attention(name), kind_of(name)))
        for name, scores in head_scores(trace).items()
    }


def measure_alignment(
    translator: RecurrentTranslator, trace: RecurrentTrace, links: np.ndarray | None = None, *, ablates: bool = True
) -> dict[str, HeadMeasurements]:
    """Measure a recurrent network's alignment as one layer with one head; its ablation sets context vectors to zero."""
    effect = None
    if ablates:
        without = AtEveryStep({"decoder.cross.outputs": lambda outputs: outputs * 0})
        ids = list(trace.source_ids), list(trace.target_ids), list(trace.next_ids)
        ablated = translator.record(translator.network, translator.tokenizer, *ids, without)
        effect = np.array([[float(token_losses(ablated).mean() - token_losses(trace).mean())]])
    return {
        name: HeadMeasurements(scores, effect, text_measures(trace.attention(name), kind_of(name)))
        for name, scores in head_scores(trace, links).items()
    }


def measure_picture(
    classifier: VisionClassifier, trace: VisionTrace, answer: int | None = None, *, ablates: bool = True
) -> dict[str, HeadMeasurements]:
    """Measure the heads of the Vision Transformer on one picture.

    Args:
        answer: the class whose -ln p is measured; by default the most probable one.
        ablates: whether each head is ablated.
    """
    chosen = int(trace.logits.argmax()) if answer is None else answer
    effect = classifier.ablate_heads(trace).loss_changes(chosen) if ablates else None
    scores = vision_scores(trace.attention, trace.grid, trace.pixels)
    return {
        VISION.name: HeadMeasurements(
            scores, effect, picture_measures(trace.attention, trace.grid, classifier.config.patch_size)
        )
    }


def measure_opened(
    model: OpenedModel,
    trace: HubTrace,
    trace_input: TraceInput,
    options: Mapping[str, Any],
    kinds: Collection[str],
    answer: int | None = None,
    *,
    ablates: bool = True,
) -> dict[str, HeadMeasurements]:
    """Measure the heads of an opened model on one input.

    Args:
        trace: of the whole network.
        trace_input, options: the input and keyword arguments of that trace.
        kinds: kinds of attention to measure.
        answer: as of `measure_picture`, for a classifier.
        ablates: whether each head is ablated.
    """
    if answer is None and trace.classes is not None:
        answer = int(trace.answers.reshape(-1).argmax())
    effects = ablate(model, trace, trace_input, options, answer, kinds) if ablates else {}
    return {
        kind: HeadMeasurements(score_heads(trace, kind), effects.get(kind), measure_heads(trace, kind))
        for kind in kinds
    }
