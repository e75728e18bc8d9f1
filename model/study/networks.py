"""The network that is studied, whichever it is: how it is opened, and what is measured of it on one input."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..attribution.head_measures import Measured
from ..classifier import VisionClassifier
from ..hub.errors import OpenError
from ..hub.opened_model import OpenedModel
from ..hub.source import folder_of
from ..networks.recurrent_config import VARIANTS
from ..open_model import SPREAD, open_model
from ..recurrent_translator import RecurrentTranslator
from ..runtime.checkpoint import CheckpointError, read_json
from ..text.word_alignment import AlignmentTable, links_of
from ..tracing.traced_model import TracedModel
from ..translator import SHIPPED as TRANSLATOR
from ..translator import SentenceTranslator, Translator
from .head_measurements import measure_alignment, measure_opened, measure_picture, measure_translation
from .study_data import InputForm, StudyError, StudyInput, StudyInputs

SHIPPED = {"translator": Translator, "vision": VisionClassifier}
ALIGNING = [name for name, sizes in VARIANTS.items() if sizes.get("alignment", "none") != "none"]

Measure = Callable[[StudyInput, Collection[str], bool], dict[str, Measured]]


@dataclass(frozen=True, eq=False)
class StudiedModel:
    """A network, ready to be studied.

    Attributes:
        name: what it was opened as.
        model: the network itself.
        forms: of the inputs that it takes.
        ablates: whether its heads can be ablated: something must be scored.
        measure: an item, the kinds wanted, and whether to ablate -> kind -> what was measured. Raises a `ReaderError`
            or a `StudyError` where the network cannot take the item.
    """

    name: str
    model: TracedModel
    forms: tuple[InputForm, ...]
    ablates: bool
    measure: Measure

    def kinds(self, wanted: Collection[str] | None, inputs: StudyInputs) -> tuple[str, ...]:
        """The kinds of attention to measure, in the network's order, after a look at whether it takes the inputs.

        Raises:
            StudyError: it has none, or not one that is wanted; or it takes inputs of another form.
        """
        there = [kind.name for kind in self.model.kinds]
        if not there:
            raise StudyError(f"{self.name} has no attention to measure; give another network.")
        for kind in wanted or ():
            if kind not in there:
                raise StudyError(f"{self.name} has no attention {kind!r}; choose from {', '.join(there)}.")
        if inputs.form not in self.forms:
            raise StudyError(f"{self.name} reads {' or '.join(self.forms)}, and these are {inputs.form}; give others.")
        return tuple(kind for kind in there if not wanted or kind in wanted)


def open_studied_model(
    source: str,
    device: str = "auto",
    *,
    task: str | None = None,
    dtype: str = "auto",
    memory: int | None = None,
    download: bool = False,
) -> StudiedModel:
    """Open one of the networks that ship, a folder that training wrote, or any checkpoint `open_model` opens.

    Args:
        source: "translator", "vision", "lstm-additive" or another recurrent network's name, a folder, or an id of the
            hub.
        device: "auto", a device's name, or "spread" for a checkpoint too large for one; see `open_model`.
        task, dtype, memory, download: as of `open_model`.

    Raises:
        StudyError: nothing is there, or the network has no attention.
        CheckpointError, OpenError, ValueError: it cannot be opened; the sentence says why.
    """
    folder = Path(source).expanduser()
    if source in SHIPPED or source in VARIANTS:
        network: type = SHIPPED.get(source, RecurrentTranslator)
    elif (folder / "card.json").is_file() and "model_type" not in (config := read_json(folder / "config.json")):
        if "widths" in config:
            raise StudyError(f"{source} is a convolutional network, which has no attention; give another network.")
        network = RecurrentTranslator if "cell" in config else VisionClassifier if "classes" in config else Translator
    else:
        if not download:
            _check_exists(source)
        opened = open_model(source, task=task, device=device, dtype=dtype, memory=memory, download=download)
        return studied_checkpoint(opened, opened.pinned)
    if device == SPREAD:
        raise StudyError(f"{source} fits on one device; only checkpoints of the hub are spread.")
    where = None if source in SHIPPED else source if source in VARIANTS else folder
    model = network.load(where, device)
    return (
        studied_classifier(model, source) if isinstance(model, VisionClassifier) else studied_translator(model, source)
    )


def _check_exists(source: str) -> None:
    """Refuse what is no folder and no id in this machine's cache."""
    try:
        folder_of(source, download=False)
    except OpenError:
        raise StudyError(
            f"There is no model {source} here; give {', '.join([*SHIPPED, *ALIGNING])}, a folder, or an id of the hub "
            "with --download."
        ) from None


def studied_translator(model: SentenceTranslator, name: str) -> StudiedModel:
    measured_by = measure_translation if isinstance(model, Translator) else measure_alignment
    alignment = _load_alignment(model)

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, Measured]:
        trace = model.trace(item.content, item.second)
        links = None if alignment is None else links_of(alignment, trace.source_ids, trace.next_ids)
        found = measured_by(model, trace, links, ablates=ablates)
        return {kind: found[kind] for kind in kinds}

    return StudiedModel(name, model, ("texts", "pairs"), True, measure)


def _load_alignment(model: SentenceTranslator) -> AlignmentTable | None:
    """Beside the network, or beside the translator whose tokenizer it shares; not every folder has one."""
    for folder in (model.folder, TRANSLATOR):
        with suppress(CheckpointError):
            return AlignmentTable.load(folder, model.card.get("tokenizer_sha256", ""))
    return None


def studied_classifier(model: VisionClassifier, name: str) -> StudiedModel:
    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, Measured]:
        trace = model.trace(item.picture())
        return measure_picture(model, trace, _known_class(item, trace.classes), ablates=ablates)

    return StudiedModel(name, model, ("pictures",), True, measure)


def studied_checkpoint(model: OpenedModel, name: str) -> StudiedModel:
    paired = "target" if model.config.is_encoder_decoder else "second" if model.takes_two_texts else None

    def measure(item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, Measured]:
        given = item.picture() if model.vision else item.content
        options = {paired: item.second} if paired and item.second is not None else {}
        trace = model.trace(given, **options)
        return measure_opened(model, trace, given, options, kinds, _known_class(item, trace.classes), ablates=ablates)

    forms: tuple[InputForm, ...] = ("pictures",) if model.vision else ("texts", "pairs") if paired else ("texts",)
    return StudiedModel(name, model, forms, "ablate" in model.capabilities, measure)


def _known_class(item: StudyInput, classes: tuple[str, ...] | None) -> int | None:
    """The class that a picture is known to show, where the network has it too."""
    if classes is None or item.label is None:
        return None
    if isinstance(item.label, int):
        return item.label if 0 <= item.label < len(classes) else None
    return classes.index(item.label) if item.label in classes else None
