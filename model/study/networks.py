"""Open any network for a study, and measure its heads on one input."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..attribution.head_statistics import HeadMeasurements
from ..classifier import VisionClassifier
from ..hub.errors import OpenError
from ..hub.hub_trace import HubTrace
from ..hub.model_inputs import has_decoder
from ..hub.opened_model import OpenedModel, TraceInput
from ..hub.source import folder_of
from ..hub.tasks import ModelTask
from ..language_model import LanguageModel
from ..networks.recurrent_config import VARIANTS
from ..open_model import SPREAD, open_model
from ..position_translator import PositionTranslator
from ..recurrent_translator import RecurrentTranslator
from ..runtime.checkpoint import CheckpointError, read_json
from ..text.word_alignment import AlignmentTable, find_links
from ..tracing.language_trace import LanguageTrace
from ..tracing.trace import SentenceTrace
from ..tracing.traced_model import TracedModel
from ..translator import SHIPPED as TRANSLATOR
from ..translator import SentenceTranslator, Translator
from .head_measurements import (
    measure_alignment,
    measure_language,
    measure_opened,
    measure_picture,
    measure_translation,
)
from .study_data import InputForm, StudyError, StudyInput, StudyInputs

OwnModel = Translator | LanguageModel | RecurrentTranslator | VisionClassifier
SHIPPED: dict[str, type[Translator] | type[LanguageModel] | type[VisionClassifier]] = {
    "translator": Translator,
    "language": LanguageModel,
    "vision": VisionClassifier,
}
ALIGNING = [name for name, sizes in VARIANTS.items() if sizes.get("alignment", "none") != "none"]
OWN_SIZES: Mapping[str, type[OwnModel]] = MappingProxyType(
    {  # that a network's configuration has, and none before it
        "cell": RecurrentTranslator,
        "classes": VisionClassifier,
        "positions": PositionTranslator,
        "n_encoder_layers": Translator,
        "n_layers": LanguageModel,
    }
)

Measure = Callable[[StudyInput, Collection[str], bool], dict[str, HeadMeasurements]]


@dataclass(frozen=True, eq=False)
class StudiedModel:
    """A network that is studied."""

    name: str  # its source
    model: TracedModel  # the network itself
    forms: tuple[InputForm, ...]  # of the inputs that it accepts
    ablates: bool  # whether its heads can be ablated, which needs a score
    # `(input, kinds, whether to ablate)` -> kind -> measurements. Raises a `UserError` or a `StudyError` where the
    # network cannot use the input.
    measure: Measure
    # input -> its trace, for the causal methods of the network; None where it has none of heads
    trace: Callable[[StudyInput], Any] | None = None

    def kinds(self, names: Collection[str] | None, inputs: StudyInputs) -> tuple[str, ...]:
        """The kinds of attention to measure, in the network's order; checks that it accepts the inputs.

        Raises:
            StudyError: it has none, or none of a requested name; or it accepts inputs of another form only.
        """
        available = [kind.name for kind in self.model.kinds]
        if not available:
            raise StudyError(f"{self.name} has no attention to measure; give another network.")
        for kind in names or ():
            if kind not in available:
                raise StudyError(f"{self.name} has no attention {kind!r}; choose from {', '.join(available)}.")
        if inputs.form not in self.forms:
            raise StudyError(f"{self.name} reads {' or '.join(self.forms)}, and these are {inputs.form}; give others.")
        return tuple(kind for kind in available if not names or kind in names)


def open_studied_model(
    source: str,
    device: str = "auto",
    *,
    task: ModelTask | None = None,
    dtype: str = "auto",
    memory: int | None = None,
    download: bool = False,
) -> StudiedModel:
    """Open one of the networks that ship, a folder that training wrote, or any checkpoint `open_model` opens.

    Args:
        source: "translator", "language", "vision", "lstm-additive" or another recurrent network's name, a folder, or
            an id of the hub.
        device: "auto", a device's name, or "spread" for a checkpoint too large for one; see `open_model`.
        task, dtype, memory, download: as of `open_model`.

    Raises:
        StudyError: the source does not exist, or the network has no attention.
        CheckpointError, OpenError, ValueError: it cannot be opened; the message states why.
    """
    folder = Path(source).expanduser()
    load: Callable[[], OwnModel]
    if source in SHIPPED:
        load = partial(SHIPPED[source].load, None, device)
    elif source in VARIANTS:
        load = partial(RecurrentTranslator.load, source, device)
    elif (own := _own_class(folder, source)) is not None:
        load = partial(own.load, folder, device)
    else:
        if not download:
            _check_exists(source)
        opened = open_model(source, task=task, device=device, dtype=dtype, memory=memory, download=download)
        return studied_checkpoint(opened, opened.pinned)
    if device == SPREAD:
        raise StudyError(f"{source} fits on one device; only checkpoints of the hub are spread.")
    model = load()
    if isinstance(model, VisionClassifier):
        return studied_classifier(model, source)
    if isinstance(model, LanguageModel):
        return studied_language_model(model, source)
    return studied_translator(model, source)


def _own_class(folder: Path, source: str) -> type[OwnModel] | None:
    """The class of a folder that training wrote, by the sizes in its configuration; None of any other source.

    Raises:
        StudyError: training has not finished it, or it is a network without attention.
        CheckpointError: its configuration cannot be read.
    """
    if not (folder / "config.json").is_file() or "model_type" in (config := read_json(folder / "config.json")):
        return None
    if "widths" in config:
        raise StudyError(f"{source} is a convolutional network, which has no attention; give another network.")
    own = next((network for size, network in OWN_SIZES.items() if size in config), None)
    if own is not None and not (folder / "card.json").is_file():
        if set(config) - {field.name for field in fields(own.config_type)}:  # of another program
            return None
        raise StudyError(f"{source} has no card.json, which training writes last; finish the training first.")
    return own


def _check_exists(source: str) -> None:
    """Refuse a source that is neither a folder nor an id in this machine's cache."""
    try:
        folder_of(source, download=False)
    except OpenError:
        raise StudyError(
            f"There is no model {source} here; give {', '.join([*SHIPPED, *ALIGNING])}, a folder, or an id of the hub "
            "with --download."
        ) from None


def studied_translator(model: Translator | RecurrentTranslator, name: str) -> StudiedModel:
    """A network that translates, as a studied model."""
    alignment = _load_alignment(model)

    def links(trace: SentenceTrace) -> np.ndarray | None:
        return None if alignment is None else find_links(alignment, trace.source_ids, trace.next_ids)

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        if isinstance(model, Translator):
            trace = model.trace(item.text(), item.second)
            measured = measure_translation(model, trace, links(trace), ablates=ablates)
        else:
            aligned = model.trace(item.text(), item.second)
            measured = measure_alignment(model, aligned, links(aligned), ablates=ablates)
        return {kind: measured[kind] for kind in kinds}

    trace = (lambda item: model.trace(item.text(), item.second)) if isinstance(model, Translator) else None
    return StudiedModel(name, model, ("texts", "pairs"), True, measure, trace)


def studied_language_model(model: LanguageModel, name: str) -> StudiedModel:
    """The decoder-only network, as a studied model: on an English sentence and its translation, whose loss counts."""

    def trace_of(item: StudyInput) -> LanguageTrace:
        return model.trace(item.text(), item.second)

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        measured = measure_language(model, trace_of(item), ablates=ablates)
        return {kind: measured[kind] for kind in kinds}

    return StudiedModel(name, model, ("texts", "pairs"), True, measure, trace_of)


def _load_alignment(model: SentenceTranslator) -> AlignmentTable | None:
    """Load the word alignment of the network's folder, else of the translator with its tokenizer; None without one."""
    for folder in (model.folder, TRANSLATOR):
        with suppress(CheckpointError):
            return AlignmentTable.load(folder, model.card.get("tokenizer_sha256", ""))
    return None


def studied_classifier(model: VisionClassifier, name: str) -> StudiedModel:
    """The Vision Transformer, as a studied model."""

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        trace = model.trace(item.picture())
        return measure_picture(model, trace, known_class(item, trace.classes), ablates=ablates)

    return StudiedModel(name, model, ("pictures",), True, measure, lambda item: model.trace(item.picture()))


def studied_checkpoint(model: OpenedModel, name: str) -> StudiedModel:
    """An opened checkpoint, as a studied model."""
    paired = "target" if has_decoder(model.network) else "second" if model.takes_two_texts else None

    def read(item: StudyInput) -> tuple[TraceInput, dict[str, Any]]:
        trace_input: TraceInput = item.picture() if model.vision else item.text()
        return trace_input, {paired: item.second} if paired and item.second is not None else {}

    def trace_of(item: StudyInput) -> HubTrace:
        trace_input, options = read(item)
        return model.trace(trace_input, **options)

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        trace_input, options = read(item)
        trace = model.trace(trace_input, **options)
        return measure_opened(
            model, trace, trace_input, options, kinds, known_class(item, trace.classes), ablates=ablates
        )

    forms: tuple[InputForm, ...] = ("pictures",) if model.vision else ("texts", "pairs") if paired else ("texts",)
    return StudiedModel(name, model, forms, "ablate" in model.capabilities, measure, trace_of)


def known_class(item: StudyInput, classes: tuple[str, ...] | None) -> int | None:
    """Index of an input's label among the network's classes; None where either is missing."""
    if classes is None or item.label is None:
        return None
    if isinstance(item.label, int):
        return item.label if 0 <= item.label < len(classes) else None
    return classes.index(item.label) if item.label in classes else None
