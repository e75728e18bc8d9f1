"""Recipes of causal results: lines of Python that compute the arrays of a saved file again, as `arrays`, by name.

Lines that prepare an input define `model` and `experiment`, which the lines of a method read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .recipes import OTHER, Lines

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class OpenedName:
    """An opened model, as a recipe opens it again."""

    name: str  # the folder's path, or the id
    precision: str
    weights_sha256: str
    sample: str | None = None  # the name of the picture that its texts have; empty for a user's own, None for none
    count: int = 1  # how many pictures of the user's own there are
    other: str = ""  # the name of the sample that the second of two texts has, if it has another picture


def of_sentences(texts: tuple[str, str], place: int, metric: str, loaded_by: str, weights_sha256: str) -> Lines:
    """Prepare two sentences.

    Args:
        texts: clean and corrupt.
        place: of the target in the clean translation, from 0.
        metric: a `model.causal.sentence_pairs.MetricName`.
        loaded_by: the expression that loads the network, such as `Translator.load()`.
    """
    return (
        f"from model import {loaded_by.partition('.')[0]}",
        "from model.causal.sentence_pairs import pair_sentences, prepare_pair",
        "",
        f"model = {loaded_by}",
        f"assert model.weights_sha256 == {weights_sha256!r}, {OTHER}",
        f"texts = {_texts(texts)}",
        "pair = pair_sentences(model.resumable, model.tokenizer, *map(model.read_ids, texts))",
        f"experiment = prepare_pair(model.resumable, model.tokenizer, pair, {place}, {metric!r})",
    )


def of_sentence(
    sentence: str, target_ids: Sequence[int], place: int, metric: str, loaded_by: str, weights_sha256: str
) -> Lines:
    """Prepare one sentence with the tokens of its translation; arguments as of `of_sentences`."""
    return (
        f"from model import {loaded_by.partition('.')[0]}",
        "from model.causal.sentence_pairs import prepare_sentence",
        "",
        f"model = {loaded_by}",
        f"assert model.weights_sha256 == {weights_sha256!r}, {OTHER}",
        f"trace = model.trace({ascii(sentence)}, target_ids={tuple(map(int, target_ids))!r})",
        f"experiment = prepare_sentence(model.resumable, trace, {place}, {metric!r})",
    )


def of_texts(texts: tuple[str, str], metric: str, opened: OpenedName) -> Lines:
    """Prepare two texts of an opened model.

    Args:
        metric: a `model.hub.causal.opened_pair.PairMetric`.
    """
    return (
        *_opened(opened, "from model.hub.causal.opened_pair import pair_texts"),
        f"pair = pair_texts(model, *{_texts(texts)})",
        f"experiment = pair.experiments[{metric!r}]",
    )


def of_traced_text(sentence: str, options: Mapping[str, str], place: int | None, opened: OpenedName) -> Lines:
    """Prepare one text of an opened model.

    Args:
        options: keyword arguments of its trace.
        place: output position, from 0, whose answer's probability is measured; None for what the model proposes.
    """
    given = "".join(f", {key}={ascii(value)}" for key, value in options.items())
    return (
        *_opened(opened),
        f"trace = model.trace({ascii(sentence)}{given})",
        f"experiment = model.read_trace(trace).experiment({'' if place is None else place})",
    )


def of_pictures(samples: tuple[str, str], weights_sha256: str, opened: tuple[str, str] | None = None) -> Lines:
    """Prepare two pictures.

    Args:
        samples: names of both; empty for a user's own picture, which is read from a path to fill in.
        opened: name and precision of an opened model; None for the classifier of this project.
    """
    return (
        *_of_pixels(weights_sha256, opened),
        f"paths = {list(map(_picture_path, samples))!r}",
        "pictures = [model.receive(read_picture(Path(path).read_bytes()).image) for path in paths]",
        "experiment = model.prepare_experiment(*pictures)",
    )


def of_picture(sample: str, weights_sha256: str, opened: tuple[str, str] | None = None) -> Lines:
    """Trace one picture; arguments as of `of_pictures`."""
    return (
        *_of_pixels(weights_sha256, opened),
        f"trace = model.trace(read_picture(Path({_picture_path(sample)!r}).read_bytes()).image)",
    )


def _of_pixels(weights_sha256: str, opened: tuple[str, str] | None) -> Lines:
    """Load a model that reads pictures."""
    read = "from views.controls.pictures import read_picture"
    loading: Lines = (
        "from model import VisionClassifier",
        read,
        "",
        "model = VisionClassifier.load()",
        f"assert model.weights_sha256 == {weights_sha256!r}, {OTHER}",
    )
    if opened is not None:
        loading = _opened(OpenedName(*opened, weights_sha256), read)
    return ("from pathlib import Path", "", *loading)


def of_grids(sites: Sequence[Mapping[str, object]], direction: str, alignment: str) -> Lines:
    """Patch sites of two sentences.

    Args:
        sites: arguments of `patch_parts_in_steps`, for each site.
        alignment: name of the alignment.
    """
    return (
        "from model.causal.patched_translation import patch_parts_in_steps",
        "from model.runtime.progress import run_to_end",
        "",
        f"direction = {direction!r}",
        f"alignment = pair.alignment({alignment!r}, direction)",
        "arrays = {}",
        f"for site in {_list(sites)}:",
        "    steps = patch_parts_in_steps(",
        "        model.resumable, experiment, direction=direction, alignment=alignment, **site",
        "    )",
        "    for part, result in run_to_end(steps).items():",
        "        arrays[f\"{site['site']}_{part}\"] = result.grid.values",
    )


def of_states(direction: str, alignment: str) -> Lines:
    """Patch states and context vectors of a recurrent network; arguments as of `of_grids`."""
    return (
        "from model.causal.recurrent_patching import patch_states_in_steps",
        "from model.runtime.progress import run_to_end",
        "",
        f"direction = {direction!r}",
        f"alignment = pair.alignment({alignment!r}, direction)",
        "steps = patch_states_in_steps(model.resumable, experiment, direction=direction, alignment=alignment)",
        "arrays = {",
        '    f"{site}_{part}": result.grid.values for (site, part), result in run_to_end(steps).items()',
        "}",
    )


def of_noisy_grids(sites: Sequence[str], noisy: Mapping[str, Sequence[int]], samples: int, seed: int) -> Lines:
    """Patch sites of one sentence with noise; see `model.causal.patched_translation.patch_noise_parts_in_steps`."""
    return (
        "from model.causal.patched_translation import patch_noise_parts_in_steps",
        "from model.runtime.progress import run_to_end",
        "",
        f"noisy = {dict(noisy)!r}",
        "arrays = {}",
        f"for site in {list(sites)!r}:",
        "    steps = patch_noise_parts_in_steps(",
        f"        model.resumable, experiment, site, noisy, samples={samples}, seed={seed}",
        "    )",
        "    for part, result in run_to_end(steps).items():",
        '        arrays[f"{site}_{part}"] = result.grid.values',
    )


def of_picture_grids(sites: Mapping[str, Mapping[str, object]], direction: str) -> Lines:
    """Patch sites of two pictures.

    Args:
        sites: name of an array -> arguments of `model.patch`.
    """
    return (
        "arrays = {",
        *(
            f"    {name!r}: model.patch(*pictures, direction={direction!r}, **{dict(options)!r}).grid.values,"
            for name, options in sites.items()
        ),
        "}",
    )


def of_noisy_picture(
    sites: Mapping[str, Mapping[str, object]], noisy: Sequence[int], metric: str, samples: int, seed: int
) -> Lines:
    """Patch sites of a picture with noise on some patches.

    Args:
        sites: name of an array -> arguments of `model.patch_noise`.
        noisy: positions of the patches.
        metric: as an expression of Python, such as `Probability(index=4)`.
    """
    return (
        f"from model import {metric.partition('(')[0]}",
        "",
        f"noisy = {list(noisy)!r}",
        f"options = {{'metric': {metric}, 'samples': {samples}, 'seed': {seed}}}",
        "arrays = {",
        *(
            f"    {name!r}: model.patch_noise(trace, noisy, **options, **{dict(arguments)!r}).grid.values,"
            for name, arguments in sites.items()
        ),
        "}",
    )


def of_paths(cut: Sequence[str], count: int, least: float, by_token: bool, place: int | None = None) -> Lines:
    """Measure all edges, select those that a graph shows, and run with some cut.

    Args:
        cut: ids of cut edges.
        count: of the strongest edges in the graph.
        least: their smallest effect, as a share of the strongest one's.
        place: of the target in the translation; None where nothing is generated.
    """
    function = "cut_pass_in_steps" if place is None else "cut_edges_in_steps"
    end = ")" if place is None else f", {place})"
    generated = () if place is None else ("print(model.tokenizer.decode(run.ids))",)
    return (
        f"from model.causal.path_edges import {function}",
        "from model.causal.path_edges import path_edges_in_steps",
        "from model.runtime.progress import run_to_end",
        "",
        f"edges = run_to_end(path_edges_in_steps(model.resumable, experiment, by_token={by_token}))",
        "arrays = {name: table.values for name, table in edges.heads.tables.items()}",
        f"smallest = {least} * abs(edges.edges[0].effect)",
        f"graph = [edge for edge in edges.edges[:{count}] if abs(edge.effect) >= smallest]",
        "for edge in graph:",
        "    print(edge.id, edge.effect)",
        f"cut = edges.find({list(cut)!r})",
        f"run = run_to_end({function}(model.resumable, experiment, cut{end})",
        "print(run.value)  # with these edges cut",
        *generated,
    )


def _opened(opened: OpenedName, *imported: str) -> Lines:
    loading = (
        f"model = open_model({opened.name!r}, dtype={opened.precision!r})  # the folder's path, or the id",
        f"assert model.weights_sha256 == {opened.weights_sha256!r}, {OTHER}",
    )
    if opened.sample is None:
        return "from model import open_model", *imported, "", *loading
    path = _picture_path(opened.sample)
    reading = f"picture = read_picture(Path({path!r}).read_bytes()).image"
    if opened.count > 1:
        paths = [f"{path} {number}" for number in range(1, opened.count + 1)]
        reading = f"picture = [read_picture(Path(path).read_bytes()).image for path in {paths!r}]"
    changing: Lines = ("model = model.with_picture(picture)",)
    if opened.other:
        changing = (
            f"other = read_picture(Path({_picture_path(opened.other)!r}).read_bytes()).image  # of the second text",
            "model = model.with_picture(picture, other)",
        )
    return (
        "from pathlib import Path",
        "",
        "from model import open_model",
        *imported,
        "from views.controls.pictures import read_picture",
        "",
        *loading,
        reading,
        *changing,
    )


def _picture_path(sample: str) -> str:
    """The path of a sample; of a user's own picture, one to fill in."""
    return f"assets/samples/{sample}.jpg" if sample else "the picture"


def _texts(texts: tuple[str, str]) -> str:
    return f"({', '.join(map(ascii, texts))})"


def _list(sites: Sequence[Mapping[str, object]]) -> str:
    return f"[{', '.join(repr(dict(site)) for site in sites)}]"
