"""The task of a network of the library, and the class that loads it: from its class, or from its configuration."""

from typing import Any, Literal

from ..tracing.traced_model import Capability
from .errors import OpenError
from .library_version import Config, Network

ModelTask = Literal["complete", "fill", "translate", "classify", "classify-text", "encode"]

AnswerForm = Literal["classes", "labels", "scores"]

# Table of the library with the class of each architecture for a task, and the class that chooses from it.
TABLES: dict[ModelTask, tuple[str, str]] = {
    "classify": ("MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES", "AutoModelForImageClassification"),
    "classify-text": ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES", "AutoModelForSequenceClassification"),
    "translate": ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", "AutoModelForSeq2SeqLM"),
    "fill": ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", "AutoModelForMaskedLM"),
    "complete": ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "AutoModelForCausalLM"),
    "encode": ("MODEL_MAPPING_NAMES", "AutoModel"),
}
CAPABILITIES: dict[ModelTask, tuple[Capability, ...]] = {
    "complete": ("complete",),
    "fill": ("fill",),
    "translate": ("translate",),
    "classify": ("classify",),
    "classify-text": ("classify",),
    "encode": (),
}
OPTIONS: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}  # of everything that is read
ENCODER = ("MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES", "AutoModelForTextEncoding")  # the encoder alone, as of T5
PICTURE_TEXT = ("MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES", "AutoModelForImageTextToText")  # also "complete"
PRETRAINING = "MODEL_FOR_PRETRAINING_MAPPING_NAMES"


def task_of(config: Config) -> ModelTask:
    """The task that a network was trained for, from its configuration.

    A class with another head, such as one for tags or questions, is "encode": its body alone. Where the configuration
    names no class, or one that the library does not know, a head for tokens is assumed; `model.hub.loading` opens the
    body alone where the weights lack it.

    Raises:
        OpenError: there is none among `TABLES`.
    """
    import transformers

    architecture = (config.architectures or [None])[0]
    for task in TABLES:
        if architecture in _classes(TABLES[task][0], config.model_type):
            return _correct_task(task, config)
    if _continues_text_with_pictures(config, architecture):
        return "complete"
    if config.model_type not in _table(TABLES["encode"][0]):
        raise OpenError("Models of type {type} cannot be opened here.", type=config.model_type)
    pretrained = _classes(PRETRAINING, config.model_type)
    if architecture in pretrained or architecture is None or not hasattr(transformers, architecture):
        tokens: tuple[ModelTask, ...] = ("fill", "complete", "translate")
        for task in reversed(tokens) if getattr(config, "is_encoder_decoder", False) else tokens:
            if _classes(TABLES[task][0], config.model_type):
                return task
    return "encode"


def _correct_task(task: ModelTask, config: Config) -> ModelTask:
    """The task of a class in a table: the library lists networks that go on with sound and text as translators too."""
    return "complete" if task == "translate" and not getattr(config, "is_encoder_decoder", False) else task


def task_of_network(network: Network) -> ModelTask | None:
    """The task of a live model: that of its class, or of the class of the library that it is derived from.

    "encode" for a class of the library with another head, None for a class that is derived from none.
    """
    for base in type(network).__mro__:
        for task in TABLES:
            if base.__name__ in _classes(TABLES[task][0], network.config.model_type):
                return _correct_task(task, network.config)
        if base.__name__ in _classes(ENCODER[0], network.config.model_type):
            return "encode"
        if _continues_text_with_pictures(network.config, base.__name__):
            return "complete"
        if base.__module__.startswith("transformers.models."):
            return "encode"
    return None


def body_of(network: Network) -> Network:
    """The body of a network with a head; a network of a class without one is its own body."""
    bodies = {
        *_classes(TABLES["encode"][0], network.config.model_type),
        *_classes(ENCODER[0], network.config.model_type),
    }
    if bodies & {base.__name__ for base in type(network).__mro__}:
        return network
    body: Network = network.base_model
    return body


def answer_form(config: Config) -> AnswerForm:
    """What the logits of a classifier are: of one class of several, of labels that each hold or not, or scores.

    One output is a score: a softmax over it would be 1 for every input.
    """
    if config.problem_type == "multi_label_classification":
        return "labels"
    return "scores" if config.problem_type == "regression" or len(config.id2label) == 1 else "classes"


def loading_class(config: Config, task: ModelTask) -> str:
    """Name of the library's class that loads a network for a task."""
    architecture = (config.architectures or [None])[0]
    known = architecture in _classes(TABLES[task][0], config.model_type)
    if task == "complete" and not known and _continues_text_with_pictures(config, architecture):
        return PICTURE_TEXT[1]
    if task == "complete" and not known and architecture in _classes(TABLES["translate"][0], config.model_type):
        return TABLES["translate"][1]
    if task == "encode" and set(config.architectures or ()) & set(_classes(ENCODER[0], config.model_type)):
        return ENCODER[1]
    return TABLES[task][1]


def _continues_text_with_pictures(config: Config, architecture: str | None) -> bool:
    """Whether a class goes on with a text, in whose sequence pictures may be; not one with an encoder of its own."""
    import transformers

    if architecture not in _classes(PICTURE_TEXT[0], config.model_type):
        return False
    paired = any(getattr(part, "is_encoder_decoder", False) for part in (config, config.get_text_config()))
    return not paired and getattr(getattr(transformers, str(architecture)), "main_input_name", "") == "input_ids"


def head_left_out(network: Network, config: Config) -> str | None:
    """Name of the class with the head that a body was saved with, or that its configuration names; None without."""
    named = (config.architectures or [None])[0]
    return None if named in (None, type(network).__name__) else named


def _table(name: str) -> dict[str, str | tuple[str, ...]]:
    from transformers.models.auto import modeling_auto

    return getattr(modeling_auto, name)


def _classes(table: str, type_: str) -> tuple[str, ...]:
    """Names of the classes of a type of model in a table."""
    classes = _table(table).get(type_, ())
    return (classes,) if isinstance(classes, str) else tuple(classes)
