"""Vision, through the layers: integrated gradients and leave-one-out, which take longer than the other methods."""

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.agreement import spearman
from model.attribution.rollout import INTEGRATED
from model.causal.causal_error import CausalError
from model.causal.integrated_gradients import FIRST_POINTS, IntegratedGradients
from model.causal.metrics import Logit
from model.causal.patching_estimate import PatchingEstimate, time_runs
from model.tracing.picture_trace import PatchTrace
from pages.shared.causes import integration_offer
from pages.shared.service import Service
from pages.shared.texts import caption
from pages.vision.faithfulness import PAGE
from views.text import literal
from views.text.catalogue import say_count, say_error
from views.text.class_names import class_name
from views.text.numbers import percent, three_digits

BACKWARD = 3  # a gradient takes about as long as so many runs
USUAL_POINTS = FIRST_POINTS + 2 * FIRST_POINTS  # of gradients: their number is doubled once for most pictures


@dataclass(frozen=True, eq=False)
class IntegratedPicture:
    """What is computed when it is asked for."""

    gradients: IntegratedGradients  # of the logit of a class
    drops: np.ndarray  # `(patch,)` float64, the probability of the class minus that with the patch covered

    @property
    def scores(self) -> dict[str, np.ndarray]:
        """The method's name -> `(patch,)` float32."""
        return {INTEGRATED: self.gradients.attributions["patches"].astype(np.float32)}

    def agreement(self, scores: dict[str, np.ndarray]) -> dict[str, float | None]:
        """Rank correlation of the scores of every method with `drops`; None where it is not defined."""
        return {method: spearman(score.ravel().astype(float), self.drops) for method, score in scores.items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """For `numpy.load`, besides the scores of the patches."""
        return {"pixels, integrated gradients": self.gradients.attributions["pixels"], "leave-one-out": self.drops}


def integrate(service: Service, key: str, trace: PatchTrace, class_index: int) -> IntegratedPicture | None:
    """Compute both if the user has asked for them; otherwise render the offer, or why there is none."""
    runs = BACKWARD * USUAL_POINTS + trace.grid[0] * trace.grid[1]
    try:
        seconds = math.ceil(service.network_result(("integration", runs), _estimate, trace, runs).seconds)
        if not integration_offer.is_wanted(seconds):
            label = say_count(
                "vision.integrate",
                "Add integrated gradients and leave-one-out (about {count} second)",
                "Add integrated gradients and leave-one-out (about {count} seconds)",
                seconds,
            )
            integration_offer.render_button(label, seconds)
            return None
        gradients: IntegratedGradients = service.analysis_in_steps(
            ("integrated picture", key, class_index),
            lambda model: model.integrated_gradients_in_steps(trace, Logit(class_index)),
        )
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
        return None
    without: np.ndarray = service.analysis_in_steps(
        ("patches left out", key), lambda model: model.leave_out_patches_in_steps(trace)
    )
    return IntegratedPicture(gradients, float(trace.probabilities[class_index]) - without[:, class_index])


def _estimate(model, trace: PatchTrace, runs: int) -> PatchingEstimate:
    return time_runs(model.resumable, model.read_trace(trace).experiment(), runs)


def render_completeness(integrated: IntegratedPicture, trace: PatchTrace, class_index: int) -> None:
    """State how far the attributions are from summing to the change of the logit."""
    gradients = integrated.gradients
    change = gradients.value - gradients.baseline
    caption(
        PAGE,
        "completeness",
        name=literal.markdown(class_name(trace.classes[class_index])),
        total=three_digits(float(gradients.attributions["patches"].sum())),
        value=three_digits(gradients.value),
        baseline=three_digits(gradients.baseline),
        missing=percent(abs(gradients.gap / change)) if change else three_digits(abs(gradients.gap)),
        points=gradients.points,
    )
