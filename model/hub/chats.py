"""A chat as the text that a model reads, by the tokenizer's own template, in the sandbox of the library."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .errors import OpenError, raised_as
from .library_version import Tokenizer
from .limited_process import FORKS, Answer, limit_memory, run_in_fork

EXAMPLE = '{"role": "user", "content": "Hi"}'
ANSWERED = ("user", "tool")  # roles after whose message the model writes
OURS = {  # arguments of the library's method that decide in which form it returns the text
    "conversation", "tokenize", "return_dict", "return_tensors", "padding", "truncation", "max_length",
    "return_assistant_tokens_mask", "tokenizer_kwargs", "processor_kwargs",
}  # fmt: skip


def render_chat(tokenizer: Tokenizer, messages: object, options: Mapping[str, Any] | None = None) -> str:
    """A chat as the text that the model reads.

    After a message of the user or of a tool, the template's beginning of an answer follows, unless options choose.

    Args:
        options: of the library's `apply_chat_template`, such as `tools`, `add_generation_prompt`,
            `continue_final_message`, or names that the template itself reads.

    Raises:
        OpenError: there is no template, or it cannot render these messages.
    """
    chosen = dict(options or {})
    checked = check_messages(messages, chosen.get("chat_template") or getattr(tokenizer, "chat_template", None))
    check_options(chosen)
    begins_answer = checked[-1]["role"] in ANSWERED and not chosen.get("continue_final_message")
    if chosen.get("add_generation_prompt") is None:
        chosen["add_generation_prompt"] = begins_answer
    joined, parted = [_with_joined_texts(message) for message in checked], [_as_parts(message) for message in checked]
    with raised_as(
        "The chat template of this tokenizer refuses these messages ({reason}); see their roles and their order, and "
        "the options."
    ):
        return render_fullest([checked, joined], partial(apply_template, tokenizer, **chosen), parted)


def render_fullest(forms: Sequence[list[Any]], render: Callable[[list[Any]], str], last: list[Any]) -> str:
    """Render messages in the form of which the template writes most texts, and the first one among equals.

    Some templates read contents as one text, and leave parts out or write them as a list; others read parts alone.

    Args:
        forms: the messages as they are given, and with other forms of their contents.
        last: another form, only for a template that writes no text of the others.

    Raises:
        Exception: the template refuses all of them; this is the error of the first one.
    """
    texts = [text for message in forms[0] for text in _texts(message)]
    best, most, refusal = None, -2, None
    for form in (*forms, last):
        if (form is not forms[0] and form == forms[0]) or (form is last and (most > 0 or not texts)):
            continue
        try:
            rendered = render(form)
        except Exception as error:
            refusal = refusal or error
            continue
        lists = [message["content"] for message in form if _parts(message)]
        is_list = any(str(content) in rendered for content in lists)
        written = -1 if is_list else sum(map(rendered.count, texts))
        if written > most and (written > 0 or form is not last):
            best, most = rendered, written
    if best is None:
        assert refusal is not None, "a form was rendered, or refused"
        raise refusal
    return best


def check_messages(messages: object, template: object) -> list[Any]:
    """The messages of a chat; a content is needed only where the template reads it.

    Args:
        template: that of the tokenizer or processor; None without one.

    Raises:
        OpenError: they are no messages, or there is no template, or one that is no text.
    """
    well_formed = isinstance(messages, list | tuple) and all(
        isinstance(message, Mapping) and "role" in message for message in messages
    )
    if not well_formed or not messages:
        raise OpenError("A chat is a list of messages, such as [{example}].", example=EXAMPLE)
    if template is None:
        raise OpenError("This tokenizer has no template for chats; write the whole text yourself and give that.")
    named = template.values() if isinstance(template, Mapping) else [template]
    other = next((each for each in named if not isinstance(each, str)), None)
    if other is not None or not named:
        raise OpenError(
            "The chat template of this model is a value of type {type} and no text; save its files again, or write the "
            "whole text yourself and give that.",
            type=type(template if other is None else other).__name__,
        )
    assert isinstance(messages, list | tuple)
    return list(messages)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that change the form in which the text is returned.

    Raises:
        OpenError: with the first of them.
    """
    if unused := next((name for name in options if name in OURS), None):
        raise OpenError("A chat is traced as the text of its template; leave {name} out.", name=unused)


def _texts(message: Mapping[str, Any]) -> list[str]:
    """The texts of a message, without the white space that templates leave out."""
    content = message.get("content")
    parts = [part.get("text") for part in _parts(message) if isinstance(part, Mapping)]
    texts = [content] if isinstance(content, str) else [text for text in parts if isinstance(text, str)]
    return [text.strip() for text in texts if text.strip()]


def _as_parts(message: Any) -> Any:
    """A message whose text is a part of its content."""
    content = message.get("content")
    return {**message, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else message


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _with_joined_texts(message: Any) -> Any:
    """A message whose content of text parts is one text; others are as they are.

    Raises:
        OpenError: a part is something else than text.
    """
    parts = _parts(message)
    if not parts:
        return message
    other = next(
        (part for part in parts if not isinstance(part, Mapping) or not isinstance(part.get("text"), str)), None
    )
    if other is not None:
        kind = other.get("type", "another kind") if isinstance(other, Mapping) else type(other).__name__
        raise OpenError(
            "A message has a part of type {kind}, and this is read as text alone; give pictures as `picture`, or leave "
            "the part out.",
            kind=kind,
        )
    return {**message, "content": "\n".join(part["text"] for part in parts)}


# Render a chat by a template that nobody trusts: a program of its own, which may loop for ever or write without end.
#
# The library's sandbox keeps a template from reading and changing anything, and sets no limit to its time and memory.

SECONDS = 10.0
MEMORY = 500_000_000  # bytes
LONGEST = 1_000_000  # characters, more than any model reads


def apply_template(tokenizer: Tokenizer, chat: Sequence[Any], **options: Any) -> str:
    """The text that a tokenizer's template makes of a chat.

    On Linux a process of its own renders it, within limits. Elsewhere this one does, and its length alone is limited.

    Args:
        options: of the library's `apply_chat_template`.

    Raises:
        OpenError: it takes more time or memory than the limits, or is longer.
        Exception: the template refuses the chat; the class and the text are the library's.
    """
    work = partial(_render, tokenizer, list(chat), options)
    answer = run_in_fork(partial(_limited, work), SECONDS, 12 * LONGEST) if FORKS else work()
    if "stage" in answer or len(answer.get("text", "")) > LONGEST:
        raise OpenError(
            "The chat template of this tokenizer takes more than {seconds:.0f} seconds or {memory:.1f} GB for these "
            "messages, or makes more than {most} characters of them; write the whole text yourself and give that.",
            seconds=SECONDS,
            memory=MEMORY / 1e9,
            most=LONGEST,
        )
    if "error" in answer:
        raise type(answer["error"], (Exception,), {})(answer["message"])
    return answer["text"]


def _limited(work: partial[Answer]) -> Answer:
    limit_memory(MEMORY)
    return work()


def _render(tokenizer: Any, chat: list[Any], options: dict[str, Any]) -> Answer:
    try:
        return {"text": tokenizer.apply_chat_template(chat, tokenize=False, **options)}
    except MemoryError:
        return {"stage": "limits"}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)[:1000]}
