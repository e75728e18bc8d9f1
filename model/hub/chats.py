"""A chat as the text that a model reads, by the tokenizer's own template, in the sandbox of the library."""

from collections.abc import Mapping, Sequence
from typing import Any

from .chat_template import apply_template
from .errors import OpenError, raised_as
from .library_types import Tokenizer

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
    texts = [_with_joined_texts(message) for message in checked]
    with raised_as(
        "The chat template of this tokenizer refuses these messages ({reason}); see their roles and their order."
    ):
        try:
            rendered = _render(tokenizer, checked, chosen)
        except Exception:
            if texts == checked:
                raise
            return _render(tokenizer, texts, chosen)  # a template that reads a content as one text
        written_as_list = any(str(message.get("content")) in rendered for message in checked if _parts(message))
        return _render(tokenizer, texts, chosen) if written_as_list else rendered


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


def _render(tokenizer: Tokenizer, messages: Sequence[Any], options: Mapping[str, Any]) -> str:
    return apply_template(tokenizer, list(messages), **options)


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
