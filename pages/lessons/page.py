"""The page *Lessons*: a course of twelve lessons, each with a prediction, what came out, and one more question."""

from collections.abc import Callable, Mapping

import streamlit as st

from model import CheckpointError, InputError
from model.course.sentences import FIXED, PICTURE
from pages.lessons import attention_lessons, decoder_lessons, network_lessons, vector_lessons
from pages.lessons.lesson_parts import MOST_TOKENS, PAGE, LessonContent, LessonInput
from pages.shared.models import open_service
from pages.shared.service import Service
from pages.shared.texts import block
from views import navigation
from views.components import stage_examples
from views.components.course_lesson import END, LessonView, course_lesson
from views.controls import samples, sentence_input, widgets
from views.lessons import BY_ID, LESSONS, skip_data
from views.text import literal, prose
from views.text.catalogue import Message, say, say_error
from views.url_state import bound_settings
from views.url_state.codecs import OneOf

CONTENTS: Mapping[str, Callable[[LessonInput], LessonContent]] = {
    "attention-ribbons": attention_lessons.ribbons,
    "tokens-step-by-step": vector_lessons.word_vectors,
    "history-one-word": network_lessons.one_vector,
    "inside-one-query": attention_lessons.one_query,
    "positions-table": vector_lessons.order,
    "inside-heads": attention_lessons.heads,
    "masks-causality": decoder_lessons.mask,
    "inside-add-norm": vector_lessons.layer,
    "decoding-step": decoder_lessons.next_token,
    "loss-tokens": decoder_lessons.loss,
    "vision-cls": network_lessons.pictures,
    "attention-limits": attention_lessons.limits,
}
OURS, YOURS = "ours", "yours"
WAYS = (
    (Message("course.way.pull", "Pull a ribbon of your own sentence"), "."),
    (Message("course.way.patch", "Find what causes a word"), "circuits"),
    (Message("course.way.model", "Open a model of your own"), "models"),
)


def render() -> None:
    """Render the open lesson, and below it the choice of the sentence."""
    st.title(prose.title(PAGE), anchor=False)
    service = open_service()
    names = (*BY_ID, END)
    id = bound_settings.component_setting("lesson", OneOf(names), names[0])
    titles = {lesson.id: lesson.name() for lesson in LESSONS}
    st.html(skip_data())
    place = st.container(key="course")
    if id == END:
        with place:
            course_lesson(LessonView(END, titles, links=[(label(), page) for label, page in WAYS]), "lesson")
        return
    lesson = _choose_input(id, service)
    with place:
        _render_lesson(lesson, titles)


def _choose_input(id: str, service: Service) -> LessonInput:
    """Let the user replace the lesson's sentence or picture by another one."""
    if id not in FIXED:
        names = {name: sample() for name, sample in zip(samples.NAMES, samples.SAMPLES, strict=True)}
        picture = widgets.pick(say("picture.strip", "Picture"), names, "lesson_picture", PICTURE)
        return LessonInput(id, service, "", False, picture)
    labels = {OURS: say("course.ours", "The lesson\u2019s sentence"), YOURS: say("course.yours", "Your own sentence")}
    fixed = LessonInput(id, service, FIXED[id], False)
    if widgets.pick(say("course.sentence", "The lesson reads"), labels, "sentence") == OURS:
        return fixed
    own = LessonInput(id, service, sentence_input.sentence(), True)
    reason = _refusal(own)
    if reason:
        st.warning(reason)
    return fixed if reason else own


def _refusal(lesson: LessonInput) -> str:
    """Return why a lesson cannot use the user's sentence; empty if it can."""
    try:
        count = lesson.service.tokens(lesson.text)
    except InputError as error:
        return literal.markdown(say_error(error))
    if count > MOST_TOKENS:
        return block(PAGE, "too-long", most=MOST_TOKENS, count=count)
    return vector_lessons.refusal(lesson) if lesson.id == "tokens-step-by-step" else ""


def _render_lesson(lesson: LessonInput, titles: Mapping[str, str]) -> None:
    """Render the figure and the questions of a lesson."""
    try:
        content = CONTENTS[lesson.id](lesson)
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    page = BY_ID[lesson.id]
    pages = {each.id: each.label() for each in navigation.PAGES}
    view = LessonView(
        lesson.id,
        titles,
        content.aim,
        content.figures,
        content.ask,
        content.last,
        content.misconception,
        [
            (say("course.open", "More in {name}", name=pages[page.page]), page.address),
            *(stage_examples.links() if lesson.id == "attention-limits" else ()),
        ],
    )
    course_lesson(view, "lesson")


render()
