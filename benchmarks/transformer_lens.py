"""`make parity-causal`: causal methods of opened models beside TransformerLens, on the same weights of GPT-2's size.

The weights are random. Every table of both is compared, relative to its largest number, in double and in single
precision; then the time that both take for the same patching grids. TransformerLens runs its own network, with its
folding and centring of weights off.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
import torch
import transformers

from benchmarks.timing import interleave, table
from model.causal.activation_patching import patch
from model.causal.composition import composition
from model.causal.logit_lens import logit_lens
from model.causal.metrics import LogitDifference
from model.hub.causal.opened_causal import attribute_logit
from model.hub.causal.resumable_model import ResumableModel
from model.open_model import open_model
from model.runtime.device import describe_hardware

LIMITS = {torch.float64: 1e-8, torch.float32: 1e-4}  # largest |difference|, relative to the largest number of a table
TOKENS = 12
INDEX, OTHER = 11, 7


class Pair:
    """The same random weights in both libraries, and two inputs."""

    def __init__(self, dtype: torch.dtype, layers: int) -> None:
        from transformer_lens import HookedTransformer, HookedTransformerConfig
        from transformer_lens.pretrained.weight_conversions import convert_gpt2_weights

        self.dtype = dtype
        torch.manual_seed(0)
        network = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=layers)).eval()
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            for parameter in network.parameters():  # far enough from those of a new network that no part vanishes
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))
        network.to(dtype)  # TransformerLens rounds the weights that it loads to single precision
        own = network.config
        config = HookedTransformerConfig(
            n_layers=own.n_layer,
            d_model=own.n_embd,
            n_ctx=own.n_positions,
            d_head=own.n_embd // own.n_head,
            n_heads=own.n_head,
            d_mlp=4 * own.n_embd,
            d_vocab=own.vocab_size,
            act_fn="gelu_new",
            eps=own.layer_norm_epsilon,
            normalization_type="LN",
            dtype=dtype,
            device="cpu",
        )
        self.peer = HookedTransformer(config).eval()
        self.peer.load_and_process_state_dict(
            convert_gpt2_weights(network, config),
            fold_ln=False,
            center_writing_weights=False,
            center_unembed=False,
            fold_value_biases=False,
        )
        self.peer.set_use_split_qkv_input(False)
        for parameter in self.peer.parameters():
            parameter.requires_grad_(False)
        self.model: ResumableModel = open_model(network.requires_grad_(False), reader=_Reader()).resumable
        ids = torch.randint(own.vocab_size, (2, TOKENS), generator=torch.Generator().manual_seed(1))
        ids[1, :3], ids[1, 5:] = ids[0, :3], ids[0, 5:]
        self.clean, self.corrupt = ids[:1], ids[1:]
        self.metric = LogitDifference(INDEX, OTHER)

    def peer_metric(self, logits: torch.Tensor) -> torch.Tensor:
        """The same metric of TransformerLens's logits."""
        return logits[0, -1, INDEX] - logits[0, -1, OTHER]

    def patched(self, site: str) -> np.ndarray:
        """Our grid."""
        return patch(self.model, (self.clean,), (self.corrupt,), self.metric, site).grid.values

    def patched_by_peer(self, name: str) -> np.ndarray:
        """Their grid; `name` is that of a function of `transformer_lens.patching`."""
        from transformer_lens import patching

        _, cache = self.peer.run_with_cache(self.clean)
        before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype)  # that of the table which it fills
        try:
            grid = getattr(patching, f"get_act_patch_{name}")(self.peer, self.corrupt, cache, self.peer_metric)
        finally:
            torch.set_default_dtype(before)
        return grid.double().numpy()


class _Reader(transformers.PreTrainedTokenizerFast):
    """A tokenizer of GPT-2's size without any text: only ids are read here."""

    def __init__(self) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers

        words = {f"word{number}": number for number in range(transformers.GPT2Config().vocab_size)}
        backend = Tokenizer(models.WordLevel(words, unk_token="word0"))
        backend.pre_tokenizer = pre_tokenizers.Whitespace()
        super().__init__(tokenizer_object=backend, unk_token="word0")


GRIDS = {  # our site -> their function
    "residual": "resid_pre",
    "attention_output": "attn_out",
    "feed_forward_output": "mlp_out",
    "head_output": "attn_head_out_all_pos",
    "attention_weights": "attn_head_pattern_all_pos",
}


@torch.inference_mode()
def compare(pair: Pair) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, our numbers and theirs of every method."""
    for site, name in GRIDS.items():
        own, theirs = pair.patched(site), pair.patched_by_peer(name)
        yield site, own[: len(theirs)], theirs  # we have the last stream besides
    peer = pair.peer
    logits, cache = peer.run_with_cache(pair.clean)
    ids = [*pair.clean[0, 1:].tolist(), int(logits[0, -1].argmax())]
    lens = logit_lens(pair.model, (pair.clean,), ids, [str(id_) for id_ in ids])
    streams = cache.accumulated_resid(layer=-1, incl_mid=False)[:, 0]  # (row, position, width)
    read = peer.unembed(peer.ln_final(streams)).double().softmax(dim=-1)
    rows = read[:, torch.arange(TOKENS), ids].numpy()
    yield "logit lens", lens.probabilities[: len(rows)], rows
    parts = attribute_logit(pair.model, (pair.clean,), INDEX, OTHER)
    direction = (peer.W_U[:, INDEX] - peer.W_U[:, OTHER]) * peer.ln_final.w
    heads = cache.apply_ln_to_stack(cache.stack_head_results(layer=-1), layer=-1)[:, 0, -1] @ direction
    yield "logit attribution, heads", parts.heads["decoder"].reshape(-1), heads.double().numpy()
    blocks, labels = cache.decompose_resid(layer=-1, return_labels=True, mode="mlp")
    written = (cache.apply_ln_to_stack(blocks, layer=-1)[:, 0, -1] @ direction).double().numpy()
    layers = [place for place, label in enumerate(labels) if label.endswith("mlp_out")]
    # theirs contain the bias of each output, ours state the sum of these biases apart
    yield (
        "logit attribution, feed-forward",
        np.array([parts.feed_forward.sum() + parts.biases["feed_forward"]]),
        written[layers].sum(keepdims=True),
    )
    scores = composition(pair.model).scores
    for connection, table_ in scores.items():
        theirs = peer.all_composition_scores(connection.input[0].upper()).double().numpy()
        yield f"composition, {connection.input}", np.nan_to_num(table_), theirs


def main() -> int:
    """Compare, print, and return the number of tables that differ too much."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transformer_lens", description=__doc__)
    parser.add_argument("--layers", type=int, default=12, help="of the network; default %(default)s, as GPT-2")
    parser.add_argument("--rounds", type=int, default=3, help="of the timing; 0 leaves it out; default %(default)s")
    parser.add_argument("--single", action="store_true", help="leave double precision out, which takes twice as long")
    options = parser.parse_args()
    wrong = 0
    pair = None
    for dtype, limit in LIMITS.items():
        if options.single and dtype == torch.float64:
            continue
        pair = Pair(dtype, options.layers)
        for name, own, theirs in compare(pair):
            difference = float(np.abs(own - theirs).max()) / float(np.abs(theirs).max())
            wrong += not difference <= limit
            mark = "" if difference <= limit else f"  more than {limit:.0e}"
            print(f"{str(dtype).removeprefix('torch.'):8} {name:32} {difference:.1e}{mark}", flush=True)
    assert pair is not None
    if options.rounds:
        print(describe_hardware(torch.device("cpu")))
        rows = []
        for site in ("residual", "head_output"):
            calls: dict[str, Callable[[], object]] = {
                "TransformerLens": lambda site=site: pair.patched_by_peer(GRIDS[site]),  # type: ignore[misc]  # the site
                "ours": lambda site=site: pair.patched(site),  # type: ignore[misc]  # of this round
            }
            with torch.inference_mode():
                rows += interleave(f"{site}, {TOKENS} tokens", calls, options.rounds, warm_up=1)
        print(table(rows))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
