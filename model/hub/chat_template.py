"""Render a chat by a template that nobody trusts: a program of its own, which may loop for ever or write without end.

The library's sandbox keeps a template from reading and changing anything, and sets no limit to its time and memory.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from .errors import OpenError
from .library_types import Tokenizer
from .limited_process import FORKS, Answer, limit_memory, run_in_fork

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
