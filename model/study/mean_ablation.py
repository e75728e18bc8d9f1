"""Ablation by the mean over a study's own inputs: two passes, one for the means and one for the effects.

Wang et al. 2022 (section 2.2) replace what a head says about one input by what it says on average. The means of all
heads are measured first, over every position of every input that the network can use, and stored in the folder of the
study, where all processes read them.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..attribution.head_measures import HeadMeasurements
from ..causal.causal_error import CausalError
from ..causal.causal_methods import CausalMethods
from ..causal.head_outputs import HeadMeans, measure_means
from ..causal.metrics import Metric, TargetLoss
from ..causal.resumable import Inputs
from ..runtime.messages import UserError
from ..runtime.processes import ProcessGroup
from .networks import Measure, StudiedModel, known_class
from .study_data import StudyError, StudyInput, StudyInputs

TraceItem = Callable[[StudyInput], Any]


def with_mean_ablation(studied: StudiedModel, inputs: StudyInputs, out: Path, processes: ProcessGroup) -> StudiedModel:
    """The same network, whose heads are ablated by their means over `inputs`.

    The leading process measures them, unless the folder has them for these weights; the others wait.

    Raises:
        StudyError: this network's heads have no such means, or none of the inputs could be used.
        CheckpointError: a file cannot be written, or is damaged.
        ConnectionError: another process has ended.
    """
    model = studied.model
    if studied.trace is None or not studied.ablates or not isinstance(model, CausalMethods):
        raise StudyError(f"Heads of {studied.name} cannot be replaced by a mean; leave out --replacement.")
    if getattr(model, "form", "classes") != "classes":
        raise StudyError(f"The classes of {studied.name} do not exclude each other; leave out --replacement.")
    try:
        if processes.leads and HeadMeans.load(out, studied.model.weights_sha256) is None:
            measured = measure_means(model.resumable, _inputs(model, studied.trace, inputs))
            measured.save(out, studied.model.weights_sha256)
    except CausalError as error:
        raise StudyError(str(error)) from error
    processes.wait()
    means = HeadMeans.load(out, studied.model.weights_sha256)
    assert means is not None, "the leading process has written them"
    return replace(studied, measure=_MeanAblation(model, studied.trace, studied.measure, means))


def _inputs(model: CausalMethods, trace: TraceItem, inputs: StudyInputs) -> Iterator[Inputs]:
    """What the network reads for every input that it can use."""
    for place in tqdm(range(len(inputs)), desc="means", unit="input", mininterval=2):
        try:
            yield model.read_trace(trace(inputs[place])).inputs
        except (UserError, StudyError):  # skipped, as in the study itself
            continue


class _MeanAblation:
    """Measures an input as the study does, and the increase of the loss with each head at its mean."""

    def __init__(self, model: CausalMethods, trace: TraceItem, measure: Measure, means: HeadMeans) -> None:
        self.model, self.trace, self.measure, self.means = model, trace, measure, means

    def __call__(self, item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        measured = self.measure(item, kinds, False)
        if not ablates:
            return measured
        trace = self.trace(item)
        metric = self._metric(item, trace)
        ablation = self.model.replace_heads(trace, "mean", metric=metric, means=self.means, pairs_among=0)
        return {kind: replace(own, effect=ablation.effects[kind]) for kind, own in measured.items()}

    def _metric(self, item: StudyInput, trace: Any) -> Metric | None:
        """The loss of the class that the input's label names, else of the answer; of texts that of all tokens."""
        if getattr(trace, "classes", None) is None:
            return None  # what the model proposes
        known = known_class(item, trace.classes)
        return TargetLoss((int(trace.logits.argmax()) if known is None else known,))
