"""Measure when heads form: labels, sent tokens and ablation of heads at a few steps of training, for several seeds."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.attribution.head_statistics import KindStatistics, StatisticsAccumulator
from model.causal.sent_tokens import NORMAL as LIMIT
from model.causal.sent_tokens import SentTokens, SentTokensAccumulator, above_the_others, upper_limits
from model.data.corpus import Corpus
from model.lessons.head_formation import (
    FILE,
    RAISING,
    ROLES,
    SENT,
    FormationRun,
    FormationStudy,
    FormingHead,
    Place,
    load_formation,
)
from model.lessons.network_comparison import BootstrapInterval
from model.networks.config import TransformerConfig
from model.networks.transformer import Transformer
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import (
    load_weights,
    read_json,
    read_snapshot,
    sha256_of,
    snapshot_file,
    write_atomically,
    write_json,
)
from model.runtime.device import choose_device, describe_hardware
from model.runtime.training_record import METRICS, read_metrics
from model.study.head_measurements import measure_translation
from model.text.tokenizer import Tokenizer
from model.text.word_alignment import AlignmentTable, find_links, learn_alignment
from model.tracing.kinds import CROSS, TRANSLATION
from model.translator import SHIPPED, Translator

from .positions_study import of_length
from .snapshots import read_losses, remove_others, select_steps
from .study import Study, check_count, counted, held_out_card, read_split_of_card
from .templates import fill, table_header, table_rows

FORMATION_SENTENCES = 200
NORMAL = 1.96  # 97.5th percentile of the normal distribution

Snapshot = tuple[dict[str, KindStatistics], SentTokens]  # what was measured at one step


def study_formation(
    folders: Sequence[Path], corpus: Corpus, sentences: int, device: str = "auto", removes: bool = False
) -> dict:
    """Measure all seeds at the same steps, and write `FILE` and its card into the first folder.

    Args:
        folders: of runs with snapshots. The first one's held-out losses select the steps.
        sentences: test sentences of the lengths of training, teacher-forced on their first translations.
        removes: remove the other snapshots of the first folder.

    Raises:
        CheckpointError: a folder cannot be read, or has no snapshot of a selected step.
        ValueError: too few snapshots or sentences, or a network was trained on other data.
    """
    cards = [held_out_card(folder, corpus) for folder in folders]
    steps = select_steps(read_losses(folders[0]))
    tokenizer = PositionTranslator.load(folders[0], "cpu").tokenizer
    longest = cards[0]["data"]["longest_tokens"]
    short = of_length(corpus.heldout, tokenizer, 1, longest, longest)
    pairs = [(english, french[0]) for english, french in short.items()][:sentences]
    if len(pairs) < 2:
        raise ValueError("There are fewer than two test sentences of these lengths; give a larger --heldout.")
    alignment = _alignment(tokenizer, corpus)
    measured = [measure_run(folder, steps, tokenizer, pairs, alignment, device) for folder in folders]
    seeds = [card["training"]["recipe"]["seed"] for card in cards]
    result = {
        "weights_sha256": cards[0]["weights_sha256"],
        "snapshots_sha256": {f"step-{step:06d}": sha256_of(snapshot_file(folders[0], step)) for step in steps},
        "steps": steps,
        "runs": [run | {"seed": seed} for (run, _), seed in zip(measured, seeds, strict=True)],
        "facts": {
            "hardware": describe_hardware(choose_device(device)),
            "data_sha256": corpus.sha256,
            "sentences": len(pairs),
            "links": measured[0][1],
        },
    }
    write_json(folders[0] / FILE, result)
    study = load_formation(folders[0], cards[0]["weights_sha256"])
    write_atomically(folders[0] / "formation.md", formation_markdown(study).encode())
    if removes:
        remove_others(folders[0], steps)
    return result


def measure_run(
    folder: Path,
    steps: Sequence[int],
    tokenizer: Tokenizer,
    pairs: Sequence[tuple[str, str]],
    alignment: AlignmentTable,
    device: str = "auto",
) -> tuple[dict, int]:
    """Measure one run at these steps: every head, the heads that form, and the curves of training; and count links."""
    config = TransformerConfig.from_dict(read_json(folder / "config.json"))
    losses, snapshots = read_losses(folder), list[Snapshot]()
    for step in tqdm(steps, desc=folder.name, mininterval=2):
        network = Transformer(config).to(choose_device(device))
        load_weights(network, read_snapshot(folder, step), str(folder))
        snapshots.append(measure_snapshot(Translator(network, tokenizer), pairs, alignment))
    run = {
        "heldout_nll": [losses[step] for step in steps],
        "heads": [_plain(snapshot, len(pairs)) for snapshot in snapshots],
        "forms": forming_heads(steps, snapshots, len(pairs)),
        "curves": training_curves(folder),
    }
    return run, snapshots[0][1].links


def measure_snapshot(translator: Translator, pairs: Sequence[tuple[str, str]], alignment: AlignmentTable) -> Snapshot:
    """Statistics of every kind of attention over the sentences, with ablation, and what cross-attention sends."""
    sent = SentTokensAccumulator(translator.network)
    gathered = {kind.name: StatisticsAccumulator() for kind in TRANSLATION}
    for english, french in pairs:
        trace = translator.trace(english, target=french)
        links = find_links(alignment, trace.source_ids, trace.next_ids)
        for name, measured in measure_translation(translator, trace, links).items():
            gathered[name].add(measured)
        sent.add(trace, links)
    return {name: accumulator.statistics() for name, accumulator in gathered.items()}, sent.result()


def roles_of(kinds: Mapping[str, KindStatistics], sent: SentTokens) -> dict[str, set[Place]]:
    """Role -> the heads that have it."""
    roles: dict[str, set[Place]] = {role: set() for role in (*ROLES, RAISING)}
    for kind, statistics in kinds.items():
        for layer, head in np.ndindex(*statistics.shape):
            name = statistics.label(layer, head).name
            for role, labels in ROLES.items():
                if name in labels:
                    roles[role].add((kind, layer, head))
    for layer, head in np.argwhere(above_the_others(sent.target_raised)).tolist():
        roles[RAISING].add((CROSS.name, layer, head))
    return roles


def forming_heads(
    steps: Sequence[int],
    snapshots: Sequence[Snapshot],
    sentences: int,
) -> dict[str, list[dict]]:
    """Role -> the heads that have it at the end, in the order in which they form.

    A head has formed at the first of these steps from which on it has the role at every step. It is needed at a step
    if the 95 % interval of the mean change of the loss without it lies above 0.

    Args:
        steps: of the snapshots.
        snapshots: results of `measure_snapshot`.
        sentences: number of sentences behind every mean.
    """
    roles = [roles_of(kinds, sent) for kinds, sent in snapshots]
    result: dict[str, list[dict]] = {}
    for role, at_end in roles[-1].items():
        heads = []
        for place in sorted(at_end):
            first = len(roles) - 1
            while first and place in roles[first - 1][role]:
                first -= 1
            effects = [_effect(kinds, place, sentences) for kinds, _ in snapshots]
            row = {"kind": place[0], "layer": place[1], "head": place[2], "step": steps[first], "effects": effects}
            heads.append(row | {"needed": effects[first]["low"] > 0, "needed_at_end": effects[-1]["low"] > 0})
        result[role] = sorted(heads, key=lambda head: head["step"])
    return result


def _effect(kinds: Mapping[str, KindStatistics], place: Place, sentences: int) -> dict[str, float]:
    """Mean change of the loss without a head, in nats per token, with its 95 % interval over the sentences."""
    kind, layer, head = place
    effect = kinds[kind].effect
    assert effect is not None, "heads are ablated at every step"
    mean, half = effect.mean[layer, head], NORMAL * effect.sd[layer, head] / (sentences - 1) ** 0.5
    return {"value": float(mean), "low": float(mean - half), "high": float(mean + half)}


def _plain(snapshot: Snapshot, sentences: int) -> dict[str, dict]:
    """What a page draws of one step: label and score of every head, its effect, and what cross-attention sends."""
    result: dict[str, dict] = {}
    kinds, sent = snapshot
    for kind, statistics in kinds.items():
        labels = [
            [statistics.label(layer, head) for head in range(statistics.shape[1])]
            for layer in range(statistics.shape[0])
        ]
        result[kind] = {
            "labels": [[label.name for label in row] for row in labels],
            "scores": [[label.score for label in row] for row in labels],
            "effects": [
                [_effect(kinds, (kind, layer, head), sentences) for head in range(statistics.shape[1])]
                for layer in range(statistics.shape[0])
            ],
        }
    tables = {name: table.tolist() for name, table in vars(sent).items() if name != "links"}
    result[CROSS.name][SENT] = tables
    return result


def training_curves(folder: Path) -> dict[str, list[float]]:
    """The curves of a run from its metrics: loss, learning rate and gradient norm by step."""
    rows = [row for row in read_metrics(folder / METRICS) if row["event"] == "step" and "gradient_norm" in row]
    return {name: [row[name] for row in rows] for name in ("step", "loss", "nll", "rate", "gradient_norm")}


def _alignment(tokenizer: Tokenizer, corpus: Corpus) -> AlignmentTable:
    """The word alignment that ships, if it is of this tokenizer; else learned from the training pairs."""
    own = sha256_of(tokenizer.path)
    if own == sha256_of(SHIPPED / "tokenizer.model"):
        return AlignmentTable.load(SHIPPED, own)
    pairs = [(tokenizer.encode(english), tokenizer.encode(french)) for english, french in corpus.train]
    return learn_alignment(pairs, len(tokenizer))


def formation_markdown(study: FormationStudy) -> str:
    """Format what `study_formation` measured."""
    runs, steps, falls = study.runs, study.steps, study.falls()
    before, after = study.widest_gap()
    losses = ([f"{step:,}", *(f"{run.heldout[number]:.3f}" for run in runs)] for number, step in enumerate(steps))
    heads = (_head_cells(run, role, head) for run in runs for role, forming in run.forms.items() for head in forming)
    text = fill(
        "formation",
        study=study,
        number=len(steps),
        trainings=_trainings(study),
        raising=RAISING,
        normal=LIMIT,
        unreachable=_unreachable(study),
        least_fall=min(falls),
        most_fall=max(falls),
        before=before,
        after=after,
        gap=(after - before) / steps[-1],
        header=table_header(["step", *(f"held-out loss, seed {run.seed}" for run in runs)]),
        losses=table_rows(losses),
        roles=table_rows(_role_cells(role, study) for role in runs[0].forms),
        heads=table_rows(heads),
        sent=table_rows(row for run in runs for row in _sent_rows(run)),
    )
    return text + "\n"


def _unreachable(study: FormationStudy) -> str:
    """A sentence where no head could be named, as the others differ too much; empty where some could."""
    limits = [upper_limits(steps[-1].target_raised) for run in study.runs for steps in run.sent.values()]
    if any((limit < 1).any() for limit in limits):
        return ""
    return " Here the heads differ so\nmuch that this limit is over 100 % for each of them: none can be named."


def interval_text(head: FormingHead) -> str:
    """The steps between which a head formed."""
    return f"{head.step:,}" if head.after is None else f"{head.after:,} and {head.step:,}"


def _trainings(study: FormationStudy) -> str:
    first, *others = (str(run.seed) for run in study.runs)
    if not others:
        return f"One training, seed {first}: how much another seed would change is not known."
    return (
        f"{len(study.runs)} trainings. The weights of seed {first} ship; those of seed {' and '.join(others)} do not, "
        "so their figures cannot be computed again from these files."
    )


def _role_cells(role: str, study: FormationStudy) -> list[str]:
    first = study.first_heads(role)
    heads = [head for run in study.runs for head in run.forms[role]]
    return [
        role,
        _count(sum(head is not None for head in first), len(study.runs)),
        "; ".join("\u2013" if head is None else interval_text(head) for head in first),
        _count(sum(head.needed for head in heads), len(heads)),
        _count(*study.rest_needed(role, at_end=False)),
        _count(sum(head.needed_at_end for head in heads), len(heads)),
        _count(*study.rest_needed(role, at_end=True)),
    ]


def _head_cells(run: FormationRun, role: str, head: FormingHead) -> list[object]:
    return [
        run.seed,
        role,
        f"{head.kind} {head.layer + 1}.{head.head + 1}",
        interval_text(head),
        head.later,
        _interval(head.change),
        _yes(head.needed),
        _interval(head.change_at_end),
        _yes(head.needed_at_end),
    ]


def _sent_rows(run: FormationRun) -> list[list[object]]:
    rows: list[list[object]] = []
    for kind, steps in run.sent.items():
        sent = steps[-1]
        shares, limits = sent.target_raised, upper_limits(sent.target_raised)
        for layer, head in np.ndindex(shares.shape):
            limit = f"{100 * limits[layer, head]:.0f} %" if limits[layer, head] < 1 else "over 100 %"
            cells = [f"{100 * shares[layer, head]:.0f} %", f"{100 * shares[layer].mean():.0f} %", limit]
            cells += [f"{sent.target_rank[layer, head]:,.0f}", f"{100 * sent.source_raised[layer, head]:.0f} %"]
            cells += [f"{sent.source_rank[layer, head]:,.0f}"]
            rows.append([run.seed, f"{kind} {layer + 1}.{head + 1}", *cells])
    return rows


def _count(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "\u2013"


def _interval(effect: BootstrapInterval) -> str:
    return f"{effect.value:+.4f} [{effect.low:+.4f}, {effect.high:+.4f}]"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _measure(options: argparse.Namespace) -> None:
    check_count(options.sentences, why="have no interval", least=2)
    corpus = read_split_of_card(options)
    study_formation(options.models, corpus, options.sentences, options.device, options.remove_others)


FORMATION = Study(
    "formation",
    "measure when heads form, over snapshots of training",
    _measure,
    {
        "--models": {
            "type": Path,
            "nargs": "+",
            "required": True,
            "help": "folders that `positions --snapshots` wrote, of several seeds; the first one selects the steps",
        },
        "--sentences": counted(FORMATION_SENTENCES),
        "--remove-others": {
            "action": "store_true",
            "help": "remove the snapshots of the first folder that are not selected",
        },
    },
)
