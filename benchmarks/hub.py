"""Speed of an opened model compared with bertviz and TransformerLens: a GPT-2 with random weights, 128 tokens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from playwright.sync_api import sync_playwright
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from benchmarks import bertviz_page
from benchmarks.microscope import PageServer, ViewCandidate, compare, files
from benchmarks.timing import Measurement, summarise
from model.hub.opened_model import OpenedModel
from model.open_model import open_model
from tests.browser.chromium import launch_chromium
from views import kind_labels
from views.components import attention_grid, component
from views.map_weights import reduce_to_blocks
from views.viewer.attention_maps import from_trace

TOKENS = 128
LENS = "transformer-lens==4.3.0"
TORCH = f"torch=={torch.__version__.partition('+')[0]}"
ROUNDS = 15
VIEWS = 5  # rounds of what a browser draws


def hub() -> list[Measurement]:
    """Recording, interleaved, then from the text to the drawn view."""
    with tempfile.TemporaryDirectory() as folder:
        model = checkpoint(Path(folder), 12, 12, 768, 50257)
        rows = recording(model, folder)
    text = text_of(TOKENS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, PageServer() as site:
        browser = launch_chromium(playwright)
        candidates = {
            "ours": _ours(model, text),
            "bertviz model view": _bertviz(model, text, "model_view"),
            "bertviz head view": _bertviz(model, text, "head_view"),
        }
        rows += compare(browser, site, f"from text to view, 12 x 12 heads, {TOKENS} tokens", candidates, VIEWS)
        many = checkpoint(Path(folder), 32, 32, 64, 1000)
        alone = {"ours": _ours(many, text)}
        rows += compare(browser, site, f"from text to view, 32 x 32 heads, {TOKENS} tokens", alone, VIEWS)
        browser.close()
    return rows


def checkpoint(folder: Path, layers: int, heads: int, width: int, vocabulary: int) -> OpenedModel:
    """A GPT-2 with random weights, written to `folder` and opened; every word "w1", "w2" ... is one token."""
    torch.manual_seed(0)
    words = {f"w{number}": number for number in range(min(vocabulary, 1000) - 1)} | {"[UNK]": 999}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    config = GPT2Config(vocab_size=vocabulary, n_embd=width, n_layer=layers, n_head=heads, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    return open_model(folder, device="cpu", dtype="float32")


def text_of(tokens: int) -> str:
    """A text of so many tokens."""
    return " ".join(f"w{number + 1}" for number in range(tokens))


def recording(model: OpenedModel, folder: str) -> list[Measurement]:
    """One pass over the same ids: fused, everything recorded, and the peers; logits must agree before any is timed."""
    text = text_of(TOKENS)
    trace = model.trace(text)
    ids = torch.tensor([trace.source.ids])
    fused, eager = (GPT2LMHeadModel.from_pretrained(folder, attn_implementation=n).eval() for n in ("sdpa", "eager"))
    with Lens(folder) as lens, torch.inference_mode():
        answers = {"fused": fused(ids).logits[0, -1].numpy(), "lens": lens.ask(trace.source.ids)}
        for name, logits in answers.items():
            difference = float(np.abs(logits - trace.logits[-1]).max())
            if difference > 1e-3:
                raise AssertionError(f"{name} does not compute the same: logits differ by {difference}.")
        candidates: dict[str, Callable[[], object]] = {
            "transformers, fused": lambda: fused(ids, use_cache=False),
            "ours, everything recorded and checked": lambda: model.trace(text),
            "ours, weights": lambda: model.trace(text, keep="weights"),
            "transformers, with attentions": lambda: eager(ids, output_attentions=True, use_cache=False),
        }
        times: dict[str, list[float]] = {name: [] for name in (*candidates, "TransformerLens, run_with_cache")}
        for number in range(2 + ROUNDS):
            for name, call in candidates.items():
                started = time.perf_counter()
                call()
                if number >= 2:
                    times[name].append(1000 * (time.perf_counter() - started))
            took = lens.run()
            if number >= 2:
                times["TransformerLens, run_with_cache"].append(took)
    return summarise(f"GPT-2's size, 12 x 12 heads, {TOKENS} tokens", times)


class Lens:
    """TransformerLens in its own process and environment, which is created on first use."""

    def __init__(self, folder: str) -> None:
        program = Path(__file__).with_name("lens_peer.py")
        self._command = [str(environment()), str(program), folder, str(torch.get_num_threads())]

    def __enter__(self) -> Lens:
        quiet = os.environ | {"HF_HUB_OFFLINE": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": quiet}
        self._process = subprocess.Popen(self._command, **pipes)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()

    def ask(self, ids: tuple[int, ...]) -> np.ndarray:
        """The last logits for these ids, which all further runs use."""
        return np.array(json.loads(self._say(json.dumps(ids))))

    def run(self) -> float:
        """Milliseconds of one pass with everything cached."""
        return float(self._say("again"))

    def _say(self, line: str) -> str:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        if not (answer := self._process.stdout.readline()):
            raise RuntimeError("TransformerLens has ended; its messages are printed above.")
        return answer


def environment() -> Path:
    """Python of the environment with TransformerLens, next to the other downloads of the benchmarks."""
    folder = bertviz_page.cache().parent / LENS.replace("==", "-")
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", TORCH, LENS], check=True, stdout=sys.stderr)
        (folder / "ready").touch()
    return python


def _ours(model: OpenedModel, text: str) -> ViewCandidate:
    """From the text to the overview, as the page sends it: in blocks, since there are many maps."""

    def make() -> dict[str, bytes]:
        trace = model.trace(text)
        maps = from_trace(trace, {"decoder": kind_labels.KINDS["decoder"]})["decoder"]
        sheet = attention_grid.block_sheet(maps, *reduce_to_blocks(maps.weights), "shared", (0, 0))
        return files(
            "attention_grid", "grid-root", attention_grid.payload(sheet, "light"), component.selection_mark((0, 0))
        )

    return ViewCandidate(make, 'document.querySelector(".grid-root")?.dataset.drawn', ".tile")


def _bertviz(model: OpenedModel, text: str, view: str) -> ViewCandidate:
    """From the text to a view of bertviz, as in its documentation: with the maps of the eager implementation."""
    network = GPT2LMHeadModel(deepcopy(model.config)).eval()
    network.load_state_dict(model.network.state_dict())
    network.set_attn_implementation("eager")
    count = {"head_view": 'document.querySelector(".headAttention line")'}
    heads = model.config.n_layer * model.config.n_head
    count["model_view"] = f'document.querySelectorAll(".attn_background").length === {heads}'

    @torch.inference_mode()
    def make() -> dict[str, bytes]:
        inputs = model.reader(text, return_tensors="pt")
        output = network(inputs["input_ids"], output_attentions=True, use_cache=False)
        names = model.reader.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
        attention = torch.cat(output.attentions).numpy()  # (layer, head, query, key)
        return {"/": bertviz_page.page(view, attention, names)}

    targets = {"head_view": "#left text, #right text", "model_view": ".attn_background"}[view]
    return ViewCandidate(make, count[view], targets)
