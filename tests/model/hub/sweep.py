"""Open every type of model of the library that can be built tiny: `python -m tests.model.hub.sweep [TYPE ...]`.

Prints one line per type and a table of the results. A model may be refused; one whose answers or maps would differ
from its own must never open. Opening verifies that, and this program verifies it a second time, without and with
changed heads; what else people bring is tried by `tests.model.hub.sweep_inputs`.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers.models.auto import modeling_auto

from model import HeadInterventions, OpenError
from model.hub.opened_model import OpenedModel
from model.hub.tasks import TABLES, ModelTask
from model.open_model import open_model
from model.tracing.head_interventions import OneHot, Scale
from model.tracing.trace import Verification
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT
from tests.model.hub.sweep_inputs import try_inputs

SECONDS = 60  # for one type
LARGEST = 30_000_000  # parameters
TASKS: tuple[ModelTask, ...] = ("complete", "fill", "translate", "classify", "encode")
SMALL = {
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "embed_dim": 32, "embedding_size": 32, "emb_dim": 32,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "encoder_layers": 2, "decoder_layers": 2,
    "num_decoder_layers": 2, "num_encoder_layers": 2, "depth": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "d_kv": 8, "d_head": 8,
    "intermediate_size": 40, "d_ff": 40, "d_inner": 40, "n_inner": 40, "hidden_dim": 40, "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40, "ffn_dim": 40, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 24,
    "num_experts": 2, "num_local_experts": 2, "n_routed_experts": 2, "num_experts_per_tok": 1, "n_shared_experts": 1,
    "n_group": 1, "topk_group": 1, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "v_head_dim": 8, "vocab_size": tiny.VOCABULARY, "max_position_embeddings": 64, "n_positions": 64,
    "image_size": 32, "patch_size": 8, "sliding_window": 4, "rotary_dim": 4, "word_embed_proj_dim": 32,
    "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 2, "num_labels": 3,
    "pooler_hidden_size": 32, "qk_head_dim": 16, "attn_layer_period": 2, "attn_layer_offset": 1,
    "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1,
    "entity_vocab_size": tiny.VOCABULARY, "vocab_size_per_layer_input": tiny.VOCABULARY,
}  # fmt: skip
NOT_BUILT = "cannot be built tiny"
UNFIT = ("could not be run", "config.json", "cannot be loaded")  # in a refusal of sizes that do not fit together
Configuration = Callable[[type[transformers.PreTrainedConfig]], transformers.PreTrainedConfig]


class TooSlow(BaseException):
    """A type took more than `SECONDS`; not an `Exception`, which opening raises as a sentence."""


def types() -> dict[str, tuple[ModelTask, str]]:
    """Type of model -> its first task, and the name of its class, of the whole rather than of its text part."""
    first_tasks: dict[str, tuple[ModelTask, str]] = {}
    of_a_part: dict[str, tuple[ModelTask, str]] = {}
    for task in TASKS:
        for type_, names in getattr(modeling_auto, TABLES[task][0]).items():
            name = names if isinstance(names, str) else names[0]
            try:
                own = getattr(transformers, name).config_class is transformers.CONFIG_MAPPING[type_]
            except (AttributeError, ImportError):  # a library is missing
                own = False
            (first_tasks if own else of_a_part).setdefault(type_, (task, name))
    return of_a_part | first_tasks


def parts_of(config: transformers.PreTrainedConfig) -> list[transformers.PreTrainedConfig]:
    """A configuration, those of its parts, and those of theirs."""
    own = [getattr(config, sub, None) for sub in getattr(config, "sub_configs", {})]
    return [config, *(part for sub in own if sub is not None for part in parts_of(sub))]


def setting_of(config: transformers.PreTrainedConfig, name: str) -> object:
    """A setting; "" where there is none, None where it is empty or has a value for each layer."""
    try:
        return getattr(config, name, "")
    except RuntimeError:
        return None


def constructed(kind: type[transformers.PreTrainedConfig]) -> transformers.PreTrainedConfig:
    """A configuration with small sizes from its construction on, so that it derives its other settings from these."""
    default = kind()
    settings = {name: size for name, size in SMALL.items() if isinstance(setting_of(default, name), int | None)}
    own = {sub: getattr(default, sub, None) for sub in getattr(default, "sub_configs", {})}
    return kind(**settings, **{sub: constructed(type(part)) for sub, part in own.items() if part is not None})


def resized(kind: type[transformers.PreTrainedConfig]) -> transformers.PreTrainedConfig:
    """A type's default configuration with sizes, stages and layers replaced; its first and last kind of layer stay."""
    config = kind()
    for part in parts_of(config):
        for attribute, value in SMALL.items():
            try:
                if isinstance(getattr(part, attribute, None), int):
                    setattr(part, attribute, value)
            except Exception:  # computed from other settings, or with a value for each layer
                continue
        for attribute in ("out_indices", "out_features", "_out_indices", "_out_features"):
            if getattr(part, attribute, None) is not None and hasattr(part, "stage_names"):
                part.stage_names = ["stem", "stage1", "stage2"]
                part._out_features, part._out_indices = ["stage2"], [2]
        for attribute in ("layer_types", "mlp_layer_types"):
            types_ = getattr(part, attribute, None)
            if types_ and not isinstance(getattr(type(part), attribute, None), property):
                setattr(part, attribute, list(types_[:1]) + list(types_[-1:]))
    return config


def has_sections(part: transformers.PreTrainedConfig) -> bool:
    """Whether a part's network divides the frequencies of positions among time, rows and columns."""
    folder = Path(inspect.getfile(type(part))).parent
    return any("mrope_section" in file.read_text(encoding="utf-8") for file in folder.glob("modeling_*.py"))


def build(type_: str, name: str, configuration: Configuration = resized, **settings: object) -> torch.nn.Module:
    """A tiny network of this type with random weights; `settings` of its configuration."""
    config = configuration(transformers.CONFIG_MAPPING[type_])
    architecture = getattr(transformers, name)
    for part in parts_of(config):
        if setting_of(part, "kv_lora_rank") not in (None, ""):  # of keys and values that are one vector for all heads
            part.num_key_value_heads = SMALL["num_attention_heads"]
        rope = getattr(part, "rope_parameters", None) or {}
        for own in (rope, *rope.values()):  # of the network, or of each kind of layer
            if has_sections(part) and isinstance(own, dict) and own.get("rope_type") == "default":
                half = int(SMALL["head_dim"] * own.get("partial_rotary_factor", 1)) // 2
                own["mrope_section"] = [half - 2 * (half // 3), half // 3, half // 3]  # time, row, column
    for attribute in ("decoder_start_token_id", "eos_token_id") if getattr(config, "is_encoder_decoder", False) else ():
        if getattr(config, attribute, None) is None:
            setattr(config, attribute, SMALL[attribute])
    if type_ == "encoder-decoder":  # of two encoders: the second becomes a decoder
        config.decoder.is_decoder = config.decoder.add_cross_attention = True
    for attribute, value in settings.items():
        setattr(config, attribute, value)
    config.architectures = [name]
    with torch.device("meta"):
        size = sum(tensor.numel() for tensor in architecture(config).parameters())
    if size > LARGEST:
        raise ValueError(f"{size} parameters")
    torch.manual_seed(1)
    return architecture(config).eval()


def changes_of(model: OpenedModel) -> HeadInterventions:
    """Ablate a head of the first layer of every kind, and make one of the last attend to the first key only."""
    changes = []
    for kind, (_, heads, _) in model.proof.sizes.items():
        first, last = model.layers[kind][0], model.layers[kind][-1]
        changes += [Scale(kind, ((first, heads - 1),), 0.0), OneHot(kind, ((last, 0),), 0)]
    return HeadInterventions(tuple(changes))


def open_one(type_: str, name: str) -> tuple[str, str]:
    """Open a type; returns a word for the table, and details. Where sizes do not fit together, other ones are tried."""
    word, detail = open_with(type_, name, resized)
    if is_unfit(word, detail):
        other = open_with(type_, name, constructed)
        return (word, detail) if is_unfit(*other) else other
    return word, detail


def is_unfit(word: str, detail: str) -> bool:
    """Whether a type was not built, or refused, since its sizes do not fit together."""
    return word == NOT_BUILT or (word == "refused" and any(words in detail for words in UNFIT))


def open_with(type_: str, name: str, configuration: Configuration) -> tuple[str, str]:
    """Open a type with one way to make its configuration small."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            network = build(type_, name, configuration)
            network.save_pretrained(folder)
            vision = network.main_input_name == "pixel_values"
            (tiny.processor() if vision else tiny.tokenizer()).save_pretrained(folder)
        except TooSlow:
            raise
        except Exception as error:
            return NOT_BUILT, f"{type(error).__name__}: {str(error)[:80]}"
        try:
            model = open_model(Path(folder), dtype="float32", device="cpu")
            example, options = PICTURE if model.vision else TEXT, {"target": TEXT} if model.task == "translate" else {}
            trace = model.trace(example, **options)
            changed = model.trace(example, intervention=changes_of(model), **options)
            tried = try_inputs(model, type_, functools.partial(build, configuration=configuration))
        except OpenError as error:
            reason = re.sub(r"[\d.]+e[-+]\d+|\d+", "N", str(error))
            return "refused", reason[:110]
    verification = Verification.worst([trace.verify(), changed.verify()])
    sound = max(verification.max_difference, verification.row_sum_error) < 1e-4 and np.isfinite(trace.logits).all()
    way = "interface" if model.proof.by_interface else "softmax"
    word = f"opened by {way}" if sound and "WRONG" not in tried else "OPENED AND WRONG"
    return word, f"{verification.max_difference:.0e} {tried}"


def main(chosen: list[str]) -> int:
    """Open all or the named types; returns 1 if one opened with wrong maps or failed with an unexpected error."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)

    def alarm(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, alarm)
    counts: Counter[str] = Counter()
    for type_, (task, name) in sorted(types().items()):
        if chosen and type_ not in chosen:
            continue
        signal.alarm(SECONDS)
        try:
            word, detail = open_one(type_, name)
        except TooSlow:
            word, detail = "too slow", ""
        except Exception as error:
            word, detail = "FAILED", f"{type(error).__name__}: {str(error)[:90]}"
        finally:
            signal.alarm(0)
        counts[word] += 1
        print(f"{type_:32} {task:10} {word:22} {detail}", flush=True)
    print(f"\ntransformers {transformers.__version__}, torch {torch.__version__}")
    for word, count in counts.most_common():
        print(f"{count:4} {word}")
    return int(bool(counts["OPENED AND WRONG"] or counts["FAILED"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
