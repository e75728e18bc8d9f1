"""Types of the library `transformers`, for annotations alone: the library itself is loaded when a model is opened."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from transformers import BaseImageProcessor, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    Network: TypeAlias = PreTrainedModel
    Tokenizer: TypeAlias = PreTrainedTokenizerBase
    ImageProcessor: TypeAlias = BaseImageProcessor
    Reader: TypeAlias = PreTrainedTokenizerBase | BaseImageProcessor  # converts the user's input to tensors
    Config: TypeAlias = PretrainedConfig
else:
    Network = Tokenizer = ImageProcessor = Reader = Config = Any
