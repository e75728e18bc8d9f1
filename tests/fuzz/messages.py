"""Socket messages of unauthenticated clients, from a seed: every message of the protocol, well-formed and not.

All typed text contains the mark of `texts`, so that it can be searched for where it must not be.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.fuzz.addresses import NUMBERS
from tests.fuzz.texts import MARK, sentence

MEGABYTE = 2**20
LARGEST = 2000  # characters of most texts; a sentence may be a megabyte, and some messages are
UUID = "00000000-0000-4000-8000-000000000000"


@dataclass
class KnownIds:
    """The ids that a client has received from the server on its own socket."""

    session: str = ""
    page_hashes: list[str] = field(default_factory=list)
    widgets: list[str] = field(default_factory=list)
    fragments: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FuzzMessage:
    """One message: its sort and content; a str is sent as a text frame."""

    sort: str
    content: bytes | str


def random_message(chances: random.Random, known_ids: KnownIds) -> FuzzMessage:
    """A random message."""
    sort = chances.choices(list(_MAKERS), [share for share, _ in _MAKERS.values()])[0]
    content = _MAKERS[sort][1](chances, known_ids)
    return FuzzMessage(sort, content if isinstance(content, bytes | str) else content.SerializeToString())


def text(chances: random.Random) -> str:
    """A typed text with the mark in it, as far as UTF-8 can encode it."""
    typed = sentence(chances)[: LARGEST if chances.random() < 0.98 else None]
    return (MARK + typed).encode("utf-8", "replace").decode()


def _name(chances: random.Random, known: list[str]) -> str:
    """A name that the server sent, or nearly, or another one."""
    kind = chances.random()
    if known and kind < 0.6:
        return chances.choice(known)
    if known and kind < 0.7:
        return chances.choice(known)[:-1] + MARK
    return chances.choice((MARK, "", UUID, f"$$ID-{MARK}-None", f"$$ID-{UUID}-{MARK}", f"{MARK}\nline", text(chances)))


def _number(chances: random.Random) -> int:
    return chances.choice((0, 1, -1, 7, 2**31 - 1, -(2**31), 2**53, chances.randrange(-(2**40), 2**40)))


def _query(chances: random.Random) -> str:
    names = ("text", "method", "head", "layer", "kind", "seed", "picture", MARK)
    count = chances.choice((0, 1, 2, 5, 40)) if chances.random() < 0.98 else 20_000
    values = (chances.choice((MARK, text(chances), chances.choice(NUMBERS))) for _ in range(min(count, 40)))
    return "&".join(f"{chances.choice(names)}={value}" for value in values) + "&a" * max(0, count - 40)


def _rerun(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    """A request for a page, with arbitrary values."""
    message = BackMsg()
    state = message.rerun_script
    state.SetInParent()
    if chances.random() < 0.7:
        state.query_string = _query(chances)
    if chances.random() < 0.4:
        state.page_script_hash = _name(chances, known_ids.page_hashes)
    if chances.random() < 0.2:
        state.page_name = _name(chances, ["vision", "attention", "", "../app"])
    if chances.random() < 0.2:
        state.fragment_id = _name(chances, known_ids.fragments)
    if chances.random() < 0.3:
        for _ in range(chances.choice((1, 3, 30))):
            _widget(chances, known_ids, state.widget_states.widgets.add())
    if chances.random() < 0.2:
        state.cached_message_hashes.extend(_name(chances, []) for _ in range(chances.choice((1, 50))))
    if chances.random() < 0.2:
        context = state.context_info
        context.timezone, context.locale, context.url = text(chances), text(chances), text(chances)
        context.color_scheme, context.is_embedded = text(chances), True
        context.timezone_offset = max(-(2**31), min(2**31 - 1, _number(chances)))
    state.is_auto_rerun, state.is_history_navigation = chances.random() < 0.1, chances.random() < 0.2
    return message


def _widget(chances: random.Random, known_ids: KnownIds, state: WidgetState) -> None:
    """A value of any type for a control that exists or not, mostly not of the control's type."""
    state.id = _name(chances, known_ids.widgets)
    kind = chances.choice([value.name for value in WidgetState.DESCRIPTOR.oneofs_by_name["value"].fields])
    if kind in ("trigger_value", "bool_value"):
        setattr(state, kind, True)
    elif kind == "double_value":
        state.double_value = chances.choice((float("nan"), float("inf"), -1e308, 0.5))
    elif kind == "int_value":
        state.int_value = _number(chances)
    elif kind in ("string_value", "json_value", "json_trigger_value"):
        values = (text(chances), f'{{"{MARK}": [1e999]}}', "[" * 3000, "null", MARK)
        setattr(state, kind, chances.choice(values))
    elif kind == "bytes_value":
        state.bytes_value = chances.randbytes(100)
    elif kind == "string_trigger_value":
        state.string_trigger_value.data = text(chances)
    elif kind == "int_array_value":
        state.int_array_value.data.extend(_number(chances) for _ in range(chances.choice((0, 1, 100))))
    elif kind == "double_array_value":
        state.double_array_value.data.extend((float("nan"), 1e308))
    elif kind == "string_array_value":
        state.string_array_value.data.extend(text(chances) for _ in range(3))
    elif kind == "file_uploader_state_value":
        file = state.file_uploader_state_value.uploaded_file_info.add()
        file.file_id, file.name, file.size = _name(chances, known_ids.files), text(chances), 2**62
        file.file_urls.upload_url = file.file_urls.delete_url = f"http://{MARK}.example/"
    else:
        getattr(state, kind).SetInParent()


def _files(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    """A request for upload addresses, mostly for more files than a user has."""
    message = BackMsg()
    message.file_urls_request.request_id = text(chances)
    message.file_urls_request.session_id = _name(chances, [known_ids.session])
    count = chances.choice((0, 1, 1, 1, 2, 100, 30_000))
    message.file_urls_request.file_names.extend([MARK] * count)
    return message


def _operation(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    """A request for a download, for rows of a table, or for an operation of developers."""
    message = BackMsg()
    request = message.backend_operation_request
    request.request_id, request.session_id = text(chances), _name(chances, [known_ids.session])
    kind = chances.choice(("deferred_file", "install_skills", "dismiss_skills_nudge", "dataframe_chunk", ""))
    if kind == "deferred_file":
        request.deferred_file.file_id = _name(chances, known_ids.files)
    elif kind == "dataframe_chunk":
        request.dataframe_chunk.source_id = _name(chances, [])
        request.dataframe_chunk.offset = request.dataframe_chunk.limit = 2**31 - 1
    elif kind:
        getattr(request, kind).SetInParent()
    return message


def _developer(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    kinds = ("clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket", "debug_shutdown_runtime")
    return BackMsg(**{chances.choice(kinds): chances.random() < 0.9})


def _small(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    return BackMsg(**{chances.choice(("stop_script", "app_heartbeat")): chances.random() < 0.9})


def _unknown(chances: random.Random, known_ids: KnownIds) -> bytes:
    """Fields that the protocol does not have, or an empty message."""
    return chances.choice((b"", b"\xa0\x06\x01", b"\xfa\x3f" + bytes([len(MARK)]) + MARK.encode()))


def _malformed(chances: random.Random, known_ids: KnownIds) -> bytes | str:
    """A message that is cut, changed in some bytes, or random from the start."""
    content = bytearray(_rerun(chances, known_ids).SerializeToString()[:5000])
    kind = chances.random()
    if kind < 0.4 and content:
        for _ in range(chances.randint(1, 8)):
            content[chances.randrange(len(content))] = chances.randrange(256)
    elif kind < 0.7:
        del content[chances.randrange(len(content) + 1) :]
    elif kind < 0.9:
        content[:] = MARK.encode() + chances.randbytes(chances.choice((1, 10, 3000)))
    else:
        return text(chances)
    return bytes(content)


def _oversized(chances: random.Random, known_ids: KnownIds) -> BackMsg:
    """A message of about the largest size, or larger."""
    message = BackMsg()
    size = chances.choice((MEGABYTE - 100, MEGABYTE, MEGABYTE + 1, 3 * MEGABYTE))
    kind = chances.random()
    if kind < 0.3:
        message.rerun_script.query_string = f"text={MARK}".ljust(size, "a")
    elif kind < 0.5:
        message.file_urls_request.file_names.extend([""] * (size // 2))
    elif kind < 0.8:
        for number in range(size // 24):
            message.rerun_script.widget_states.widgets.add(id=f"$$ID-{number}-{MARK}", int_value=number)
    else:
        message.rerun_script.cached_message_hashes.extend(f"{MARK}{number}" for number in range(size // 12))
    return message


_MAKERS: dict[str, tuple[float, Callable[[random.Random, KnownIds], BackMsg | bytes | str]]] = {
    "rerun": (34, _rerun),
    "stop, heartbeat": (14, _small),
    "files": (8, _files),
    "operation": (10, _operation),
    "developer's": (12, _developer),
    "unknown": (6, _unknown),
    "malformed": (15, _malformed),
    "oversized": (1, _oversized),
}
