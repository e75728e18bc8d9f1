"""Settings that were saved with a model for the runs of its author: ours state their own, and read none of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import OpenError
from .library_types import Config
from .tasks import OPTIONS

NO_OUTPUTS = {"output_attentions": False, "output_hidden_states": False}
_RETURNED = {"return_dict", "use_return_dict", *NO_OUTPUTS}
# which form of attention, and of experts, the author's machine computed; some need libraries, or code of the hub
_FORMS = {
    f"{_}{part}_implementation{end}" for _ in ("", "_") for part in ("attn", "experts") for end in ("", "_internal")
}
_PRECISION = {"dtype", "torch_dtype"}
FLOATS = ("float16", "half", "bfloat16", "float32", "float", "float64", "double")
LONGEST_SHOWN = 40  # characters of a text of config.json in a message


def read_config(folder: Path) -> Config:
    """Read a folder's configuration without such settings; raises whatever the library does."""
    from transformers import CONFIG_MAPPING, PretrainedConfig

    described, _ = PretrainedConfig.get_config_dict(folder, **OPTIONS)
    type_ = described["model_type"]
    if type_ == "mistral" and "layer_types" in described and "ministral" in CONFIG_MAPPING:  # as AutoConfig reads it
        type_ = described["model_type"] = "ministral"
    config = CONFIG_MAPPING[type_].from_dict(without_run_settings(described), name_or_path=str(folder))
    return_outputs_by_default(config)
    return config


def without_run_settings(described: Mapping[str, Any]) -> dict[str, Any]:
    """A described configuration, and those inside it, without what decides how its author ran it.

    Raises:
        OpenError: it states a precision that no network can have, such as "auto".
    """
    kept = {name: value for name, value in described.items() if name not in _RETURNED | _FORMS | _PRECISION}
    for name in _PRECISION & described.keys():
        stated = described[name].get("") if isinstance(described[name], dict) else described[name]
        if stated is not None and stated not in FLOATS:
            raise OpenError(
                "config.json states the precision {stated}, in which the library builds no network; write float32, "
                "float16 or bfloat16 there.",
                stated=str(stated)[:LONGEST_SHOWN],
            )
        kept[name] = stated
    for name, value in kept.items():
        if isinstance(value, dict) and ("model_type" in value or _names_a_part(name)):
            kept[name] = without_run_settings(value)
    return kept


def _names_a_part(name: str) -> bool:
    return name.endswith("_config") and name != "quantization_config"


def return_outputs_by_default(config: Config) -> None:
    """Undo what a configuration and its parts ask every run to return; runs state it.

    A network passes its arguments on to the networks inside it only in part: one whose configuration has
    `return_dict=False` gets a tuple from its own body.
    """
    config.return_dict = True
    for name in NO_OUTPUTS:
        setattr(config, name, False)
    for part in (getattr(config, name, None) for name in config.sub_configs):
        if part is not None:
            return_outputs_by_default(part)
