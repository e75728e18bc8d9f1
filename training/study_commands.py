"""Commands that measure trained networks on held-out inputs and write the figures to the folder of the weights."""

import argparse
from pathlib import Path

from model.data.corpus import VALIDATION_SENTENCES, read_corpus, read_split
from model.recurrent_translator import SHIPPED as RECURRENT
from model.runtime.checkpoint import read_json
from model.translator import SHIPPED as TRANSLATOR

from .agreement_study import measure_agreement
from .card import card_markdown
from .doubt_study import measure_doubt
from .english_study import measure_english
from .forgetting_study import measure_forgetting
from .head_card import write_readable_card
from .head_means_study import measure_head_means
from .head_study import study_translator
from .network_comparison_study import compare_networks
from .one_stack_study import study_one_stack
from .raw_attention_study import study_raw_attention
from .recurrent_card import card_markdown as recurrent_markdown
from .written_sentences import read_written

Command = argparse.ArgumentParser


def add_text_studies(commands: argparse._SubParsersAction) -> tuple[tuple[Command, ...], Command]:
    """Add the commands on networks that translate; returns them, and the one that needs no network.

    The caller adds the options that all commands on text share.
    """
    agreement = commands.add_parser("agreement", help="compare explanations of a translator with leaving out words")
    agreement.set_defaults(run=_measure_agreement)
    agreement.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    agreement.add_argument("--sentences", type=int, default=200, help="held-out sentences to explain")
    heads = commands.add_parser("heads", help="measure what each head of the translator does over held-out sentences")
    heads.set_defaults(run=_study_translator)
    heads.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    heads.add_argument("--sentences", type=int, default=500, help="held-out sentences used; default %(default)s")
    means = commands.add_parser("head-means", help="measure the mean output of every head, for mean ablation")
    means.set_defaults(run=_measure_head_means)
    means.add_argument("--model", type=Path, required=True, help="folder of a translator or a decoder-only network")
    means.add_argument(
        "--sentences", type=int, default=VALIDATION_SENTENCES, help="validation sentences used; default %(default)s"
    )
    doubt = commands.add_parser("doubt", help="choose which probabilities count as low, on validation sentences")
    doubt.set_defaults(run=_measure_doubt)
    doubt.add_argument("--model", type=Path, required=True, help="folder of a translator or a recurrent network")
    doubt.add_argument(
        "--sentences", type=int, default=VALIDATION_SENTENCES, help="validation sentences used; default %(default)s"
    )
    english = commands.add_parser("english", help="count what tells English from other text, and measure how well")
    english.set_defaults(run=_measure_english)
    english.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    english.add_argument(
        "--other", action="append", default=[], metavar="NAME=FILE", help="pairs of English and a further language"
    )
    english.add_argument(
        "--written", type=Path, metavar="FILE", help="lines of a kind, a tab and a sentence that choose and report"
    )
    comparison = commands.add_parser("comparison", help="compare all five networks that translate")
    comparison.set_defaults(run=_compare_networks)
    comparison.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    comparison.add_argument("--recurrent", type=Path, default=RECURRENT, help="has a folder for each recurrent network")
    comparison.add_argument(
        "--scores-only",
        action="store_true",
        help="measure BLEU and chrF alone; retain what the file states of the rest",
    )
    stack = commands.add_parser("one-stack", help="compare the decoder-only network with the translator")
    stack.set_defaults(run=_study_one_stack)
    stack.add_argument("--model", type=Path, required=True, help="folder of the trained decoder-only network")
    stack.add_argument("--translator", type=Path, default=TRANSLATOR, help="by default the one that ships")
    raw = commands.add_parser("raw-attention", help="compare attention without W^Q and W^K with the trained heads")
    raw.set_defaults(run=_study_raw_attention)
    raw.add_argument("--model", type=Path, required=True, help="folder of the trained translator")
    raw.add_argument("--recurrent", type=Path, default=RECURRENT / "lstm-dot", help="folder of a recurrent network")
    raw.add_argument("--sentences", type=int, default=500, help="held-out sentences used; default %(default)s")
    forgetting = commands.add_parser("forgetting", help="measure how far back the networks with one vector remember")
    forgetting.set_defaults(run=_measure_forgetting)
    forgetting.add_argument("--recurrent", type=Path, default=RECURRENT, help="has a folder for each recurrent network")
    forgetting.add_argument("--sentences", type=int, default=500, help="held-out sentences used; default %(default)s")
    return (agreement, heads, means, doubt, comparison, stack, raw, forgetting), english


def _measure_agreement(options: argparse.Namespace) -> int:
    measure_agreement(options.model, read_corpus(options.data, options.heldout), options.sentences, options.device)
    write_readable_card(options.model, card_markdown)
    return 0


def _measure_english(options: argparse.Namespace) -> int:
    others = {}
    for pair in options.other:
        name, separator, path = pair.partition("=")
        if not (name and separator and path):
            raise ValueError(f"--other {pair} has no name or no file; give NAME=FILE, such as Korean=kor-eng.zip.")
        others[name] = read_corpus(path, heldout_sentences=1)
    written = read_written(options.written) if options.written else None
    measure_english(options.model, read_corpus(options.data, options.heldout), others, written)
    write_readable_card(options.model, card_markdown)
    return 0


def _compare_networks(options: argparse.Namespace) -> int:
    read_json(options.model / "config.json")
    corpus = read_corpus(options.data, options.heldout)
    compare_networks(options.recurrent, options.model, corpus, options.device, options.scores_only)
    return 0


def _study_one_stack(options: argparse.Namespace) -> int:
    read_json(options.model / "config.json")
    corpus = read_corpus(options.data, options.heldout)
    study = study_one_stack(options.model, options.translator, corpus, options.device)
    print(
        f"BLEU {study.bleu.value:.2f}, {study.step.value:+.2f} to the translator; {study.alignment_sentences:,} traced"
    )
    return 0


def _study_raw_attention(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to measure; give --sentences 1 or more.")
    read_json(options.model / "config.json")
    corpus = read_corpus(options.data, options.heldout)
    study_raw_attention(options.model, options.recurrent, corpus, options.sentences, options.device)
    return 0


def _measure_head_means(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to measure; give --sentences 1 or more.")
    read_json(options.model / "config.json")
    corpus = read_split(options.data, options.heldout, options.sentences)
    means = measure_head_means(options.model, corpus, options.device)
    print(f"{means.inputs:,} sentences, {means.vectors:,} positions of the first kind of attention")
    return 0


def _measure_doubt(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to choose on; give --sentences 1 or more.")
    sizes = read_json(options.model / "config.json")
    corpus = read_split(options.data, options.heldout, options.sentences)
    figures = measure_doubt(options.model, corpus, options.device)
    write_readable_card(options.model, recurrent_markdown if "cell" in sizes else card_markdown)
    print(", ".join(f"{name} below {value:g}" for name, value in figures["thresholds"].items()))
    return 0


def _measure_forgetting(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to measure; give --sentences 1 or more.")
    corpus = read_corpus(options.data, options.heldout)
    measure_forgetting(options.recurrent, corpus, options.sentences, options.device)
    return 0


def _study_translator(options: argparse.Namespace) -> int:
    if options.sentences < 1:
        raise ValueError(f"{options.sentences} sentences leave nothing to measure; give --sentences 1 or more.")
    read_json(options.model / "config.json")
    study_translator(options.model, read_corpus(options.data, options.heldout), options.sentences, options.device)
    write_readable_card(options.model, card_markdown)
    return 0
