"""Compare networks that differ in their positions: loss and BLEU by length, and the loss when positions are shuffled.

Sentences within the lengths of training are test sentences. Longer ones are all pairs of the file with so many English
tokens: none of these networks was trained on any of them.
"""

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from model.data.corpus import Corpus
from model.lessons.network_comparison import BootstrapInterval
from model.lessons.position_effects import STACKS, position_losses_in_steps
from model.lessons.positions_compared import FILE, Extremes, PositionComparison, read_comparison
from model.networks.losses import token_cross_entropy
from model.networks.transformer import Transformer
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import write_atomically, write_json
from model.runtime.device import choose_device, describe_hardware
from model.runtime.progress import run_to_end
from model.text.tokenizer import Tokenizer
from model.translator import Translator

from .evaluate import decode_all
from .network_comparison_study import RESAMPLES, SEED, bootstrap_interval, corpus_bleu, sentence_counts
from .study import Study, check_count, counted, held_out_card, read_split_of_card
from .templates import fill, table_header, table_rows
from .translation import EncodedPair, collate, plan_epoch

GROUPS = ((1, 6), (7, 9), (10, 12), (13, 16), (17, 20), (21, 24), (25, 30), (31, 40))  # English tokens, ends included
FEWEST_PAIRS = 100  # below, only the loss is claimed
SHUFFLED_SENTENCES = 200
BATCH_TOKENS = 2000
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # 97.5th percentile of Student's t, by number of seeds

Sentences = dict[str, list[str]]


def compare_positions(
    folders: Sequence[Path], out: Path, corpus: Corpus, shuffled: int = SHUFFLED_SENTENCES, device: str = "auto"
) -> dict:
    """Measure networks, several seeds of one kind among them if there are any; write `FILE` and its card into `out`.

    Args:
        shuffled: test sentences on which positions are shuffled.

    Raises:
        CheckpointError: a folder cannot be read.
        ValueError: the data is not what a network was trained on, or networks differ in the lengths of training.
    """
    cards = {folder.name: held_out_card(folder, corpus) for folder in folders}
    lengths = {card["data"].get("longest_tokens", 0) for card in cards.values()}
    if len(lengths) != 1 or not all(lengths):
        raise ValueError("These networks were not trained on pairs of the same lengths; give those of `positions`.")
    longest = lengths.pop()
    networks = {folder.name: PositionTranslator.load(folder, device) for folder in folders}
    tokenizer = next(iter(networks.values())).tokenizer
    short = of_length(corpus.heldout, tokenizer, 1, longest, longest)
    everything = all_sentences(corpus)
    groups: list[dict] = []
    for shortest, most in GROUPS:
        chosen = short if most <= longest else everything
        limit = longest if most <= longest else None
        sentences = of_length(chosen, tokenizer, max(shortest, longest + 1) if limit is None else shortest, most, limit)
        if sentences:
            groups.append({"shortest": shortest, "longest": most, **measure_group(networks, sentences)})
    chosen_ids = [encode_pairs(tokenizer, {english: french[:1]})[0] for english, french in short.items()][:shuffled]
    facts = {
        "hardware": describe_hardware(choose_device(device)),
        "data_sha256": corpus.sha256,
        "longest_tokens": longest,
        "resamples": RESAMPLES,
        "fewest_pairs": FEWEST_PAIRS,
        "shuffled_sentences": len(chosen_ids),
    }
    described = {
        name: {
            "kind": network.config.positions,
            "seed": cards[name]["training"]["recipe"]["seed"],
            "weights_sha256": network.weights_sha256,
            "positions": network.config.max_positions,
        }
        for name, network in networks.items()
    }
    for group in groups:
        group["seeds"] = over_seeds(group["networks"], described)
    shown: dict[str, str] = {}  # kind -> its first network
    for name, of in described.items():
        shown.setdefault(of["kind"], name)
    result = {
        "weights_sha256": {kind: described[name]["weights_sha256"] for kind, name in shown.items()},
        "shown": shown,
        "networks": described,
        "groups": groups,
        "shuffled": {name: shuffled_losses(network.network, chosen_ids) for name, network in networks.items()},
        "facts": facts,
    }
    write_json(out / FILE, result)
    write_atomically(out / "positions.md", comparison_markdown(result).encode())
    return result


def all_sentences(corpus: Corpus) -> Sentences:
    """Every English sentence of the file with all its translations."""
    sentences = {english: list(french) for english, french in corpus.heldout.items()}
    for english, french in corpus.outside_test:
        sentences.setdefault(english, []).append(french)
    return sentences


def of_length(
    sentences: Sentences, tokenizer: Tokenizer, shortest: int, longest: int, longest_french: int | None
) -> Sentences:
    """Sentences with so many English tokens, special tokens not counted.

    Args:
        longest_french: tokens of the longest translation that is retained; None retains all.
    """
    result: Sentences = {}
    for english, translations in sentences.items():
        if shortest <= len(tokenizer.encode(english)) <= longest:
            fitting = [
                french
                for french in translations
                if longest_french is None or len(tokenizer.encode(french)) <= longest_french
            ]
            if fitting:
                result[english] = fitting
    return result


def encode_pairs(tokenizer: Tokenizer, sentences: Sentences) -> list[EncodedPair]:
    """Every sentence with each of its translations, in their order."""
    return [
        EncodedPair(tokenizer.encode_source(english), tokenizer.encode_target(french))
        for english, translations in sentences.items()
        for french in translations
    ]


@torch.inference_mode()
def pair_losses(network: Transformer, pairs: Sequence[EncodedPair]) -> np.ndarray | None:
    """Sum of -ln p over the tokens of every target, and their number: `(pair, 2)` float64.

    None if the network has no positions for some pair.
    """
    if any(pair.cost > network.config.max_positions for pair in pairs):
        return None
    result = np.zeros((len(pairs), 2))
    for batch in plan_epoch(list(pairs), BATCH_TOKENS, 0, 0):
        padded = collate([pairs[index] for index in batch], network.config.pad_id)
        source, target = (ids.to(network.device) for ids in padded)
        labels = target[:, 1:]
        real = labels != network.config.pad_id
        losses = token_cross_entropy(network(source, target[:, :-1]), labels) * real  # (pair, target - 1)
        result[batch, 0] = losses.double().sum(dim=1).cpu().numpy()
        result[batch, 1] = real.sum(dim=1).cpu().numpy()
    return result


def measure_group(networks: Mapping[str, Translator], sentences: Sentences) -> dict:
    """Loss of all pairs and BLEU of all sentences with intervals, for each network on the same resampled sentences.

    A network without positions for them has None; so has BLEU with fewer than `FEWEST_PAIRS` pairs.
    """
    counts = np.array([len(translations) for translations in sentences.values()])
    owner = np.repeat(np.arange(len(counts)), counts)  # (pair,) number of the sentence
    number = len(counts)
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), RESAMPLES)  # (resample, n)
    figures: dict[str, dict] = {}
    for name, network in networks.items():
        losses = pair_losses(network.network, encode_pairs(network.tokenizer, sentences))
        if losses is None:
            figures[name] = {"loss": None, "bleu": None}
            continue
        sums = np.zeros((number, 2))
        np.add.at(sums, owner, losses)
        figures[name] = {"loss": asdict(interval_of_ratio(sums, times)), "bleu": None}
        if len(owner) >= FEWEST_PAIRS:
            texts = [network.tokenizer.decode(ids) for ids in decode_all(network, list(sentences))]
            table = sentence_counts(texts, Corpus([], sentences, ""))
            drawn = np.array([corpus_bleu(row) for row in times @ table])
            figures[name]["bleu"] = asdict(bootstrap_interval(corpus_bleu(table.sum(axis=0)), drawn))
    return {"sentences": number, "pairs": len(owner), "networks": figures}


def interval_of_ratio(sums: np.ndarray, times: np.ndarray) -> BootstrapInterval:
    """The first column's sum divided by the second's, with its interval over resampled rows.

    Args:
        sums: `(sentence, 2)`.
        times: `(resample, sentence)`, how often each is drawn.
    """
    drawn = times @ sums
    return bootstrap_interval(sums[:, 0].sum() / sums[:, 1].sum(), drawn[:, 0] / drawn[:, 1])


def over_seeds(figures: Mapping[str, dict], networks: Mapping[str, dict]) -> dict[str, dict]:
    """Kind -> figure -> mean over its seeds, with the 95 % interval of the mean by Student's t; two seeds at least."""
    result: dict[str, dict] = {}
    for kind in {facts["kind"] for facts in networks.values()}:
        names = [name for name, facts in networks.items() if facts["kind"] == kind]
        for figure in ("loss", "bleu"):
            values = [figures[name][figure]["value"] for name in names if figures[name][figure] is not None]
            if len(values) in STUDENT:
                half = STUDENT[len(values)] * float(np.std(values, ddof=1)) / len(values) ** 0.5
                mean = float(np.mean(values))
                interval = BootstrapInterval(mean, mean - half, mean + half)
                result.setdefault(kind, {})[figure] = asdict(interval) | {"seeds": len(values)}
    return result


def shuffled_losses(network: Transformer, pairs: Collection[EncodedPair]) -> dict[str, dict]:
    """Stack -> mean increase of -ln p per token when the positions of its tokens are shuffled.

    Every sentence has another order. The tokens stay in their places, and so does the decoder's mask.
    """
    rows: dict[str, list[tuple[float, int]]] = {where: [] for where in STACKS}
    for number, pair in enumerate(tqdm(pairs, desc="shuffled", mininterval=2)):
        losses = run_to_end(
            position_losses_in_steps(network, pair.source, pair.target[1:], seed=number, shift=0)
        ).per_token
        for where in STACKS:
            change = losses[where, "shuffled"].astype(np.float64) - losses[where, "kept"]
            rows[where].append((float(change.sum()), len(change)))
    times = np.random.default_rng(SEED).multinomial(len(pairs), np.full(len(pairs), 1 / len(pairs)), RESAMPLES)
    return {where: asdict(interval_of_ratio(np.array(table), times)) for where, table in rows.items()}


def comparison_markdown(result: dict) -> str:
    """Format what `compare_positions` measured."""
    facts, networks, study = result["facts"], result["networks"], read_comparison(result)
    stacks = ("encoder", "decoder", "both")
    shuffled = (
        [name, *(_interval(by_stack[where], 3) for where in stacks)] for name, by_stack in result["shuffled"].items()
    )
    hashes = "\n".join(
        f"- {name}: {of['kind']}, seed {of['seed']}, {of['positions']} positions, weights SHA-256 "
        f"`{of['weights_sha256']}`{'' if name in result['shown'].values() else ', which do not ship'}"
        for name, of in networks.items()
    )
    text = fill(
        "positions-study",
        facts=facts,
        hashes=hashes,
        header=table_header(["English tokens", "pairs", *networks]),
        losses=_length_rows(result, "loss", 3),
        bleu=_length_rows(result, "bleu", 1),
        trained_once=", ".join(study.trained_once),
        seeds=_seed_rows(study),
        rule=_order_rule(study),
        orders="\n".join(
            f"- {group.shortest} to {group.longest} tokens: {_order(extremes)}"
            for group in study.lengths
            if (extremes := study.loss_extremes(group)) is not None
        ),
        shuffled=table_rows(shuffled),
        both=_order(study.shuffled_extremes("both")),
    )
    return text + "\n"


def _length_rows(result: dict, figure: str, digits: int) -> str:
    """Rows of the table of a figure by length."""
    fewest = result["facts"]["fewest_pairs"]
    return table_rows(
        [
            f"{group['shortest']} to {group['longest']}",
            f"{group['pairs']:,}",
            *(_cell(group, name, figure, digits, fewest) for name in result["networks"]),
        ]
        for group in result["groups"]
    )


def _interval(figure: dict, digits: int) -> str:
    return f"{figure['value']:.{digits}f} [{figure['low']:.{digits}f}, {figure['high']:.{digits}f}]"


def _cell(group: dict, name: str, figure: str, digits: int, fewest: int) -> str:
    value = group["networks"][name][figure]
    if value is not None:
        return _interval(value, digits)
    few = figure == "bleu" and group["pairs"] < fewest and group["networks"][name]["loss"] is not None
    return "not claimed" if few else "\u2013"


def _seed_rows(study: PositionComparison) -> str:
    """Means over seeds of the kinds with several."""
    rows = []
    for group in study.lengths:
        for kind, loss in group.loss_over_seeds.items():
            bleu = group.bleu_over_seeds.get(kind)
            cells = [_interval(asdict(loss.mean), 3)]
            cells += [f"{group.loss_apart[kind]:.3f}" if kind in group.loss_apart else "\u2013"]
            cells += [_interval(asdict(bleu.mean), 1) if bleu else "\u2013"]
            cells += [f"{group.bleu_apart[kind]:.1f}" if kind in group.bleu_apart else "\u2013"]
            rows.append([f"{group.shortest} to {group.longest}", kind, loss.seeds, *cells])
    return table_rows(rows)


def _order_rule(study: PositionComparison) -> str:
    """By how much kinds have to differ for their order to be a finding."""
    if study.loss_apart is None:
        return "No kind has several seeds, so no order is stated."
    several = ", ".join(kind for kind in study.kinds if study.seeds[kind] > 1)
    rule = f"Seeds of one kind, of {several}, differ by up to {study.loss_apart:.3f} nats at one of these lengths"
    rule += f", and by up to {study.bleu_apart:.1f} BLEU" if study.bleu_apart is not None else ""
    return rule + ": at every length, an order within that of the same measure is no finding."


def _order(extremes: Extremes) -> str:
    low, high = min(extremes.values.values()), max(extremes.values.values())
    if not extremes.lowest:
        why = "no kind has several seeds" if extremes.apart is None else f"seeds differ by {extremes.apart:.3f}"
        return f"from {low:.3f} to {high:.3f}; no order, as {why}."
    lowest, highest = (
        ", ".join(f"{kind} {extremes.values[kind]:.3f}" for kind in kinds)
        for kinds in (extremes.lowest, extremes.highest)
    )
    return f"lowest {lowest}; highest {highest}."


def _measure(options: argparse.Namespace) -> None:
    check_count(options.sentences, why="leave nothing to shuffle")
    compare_positions(options.models, options.out, read_split_of_card(options), options.sentences, options.device)


POSITIONS_STUDY = Study(
    "positions-study",
    "compare networks that differ in their positions, by length",
    _measure,
    {
        "--out": {"type": Path, "required": True, "help": "folder for positions.json and positions.md"},
        "--sentences": counted(SHUFFLED_SENTENCES, "shuffled ones"),
        "--models": {"type": Path, "nargs": "+", "required": True, "help": "folders that `positions` wrote"},
    },
)
