"""Streamlit's internals are imported in one file per layer, and the installed version still has them."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.formparsers import MultiPartParser
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest

import server.streamlit_internals as server_inside
import views.streamlit_internals as views_inside

ROOT = Path(__file__).resolve().parents[1]
INSIDE = {ROOT / "server" / "streamlit_internals.py", ROOT / "views" / "streamlit_internals.py"}
PUBLIC = {"streamlit", "streamlit.delta_generator"}  # the second for the type of a container
SOURCES = [ROOT / "app.py", *(path for layer in ("server", "views", "pages") for path in (ROOT / layer).rglob("*.py"))]


def internal_imports(source: str) -> set[str]:
    """Modules of Streamlit, and of the upload parser, that a file imports and that are not public."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
            if node.module == "streamlit":
                modules |= {f"streamlit.{alias.name}" for alias in node.names}
    return {name for name in modules if name.split(".")[0] == "streamlit" or name.endswith("formparsers")} - PUBLIC


def test_internals_are_imported_in_one_file_per_layer():
    internals = {path: internal_imports(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path for path, names in internals.items() if names} == INSIDE


@pytest.mark.parametrize(
    "source", ["from streamlit import runtime", "import streamlit.runtime", "from streamlit.proto import x"]
)
def test_an_internal_import_is_reported(source: str):
    assert internal_imports(source)


def test_the_folder_of_static_files_exists():
    assert (server_inside.static_folder() / "index.html").is_file() and (
        server_inside.static_folder() / "static"
    ).is_dir()


def test_the_messages_of_a_run_have_the_expected_kinds():
    kinds = {field.name for field in ForwardMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    assert {"new_session", "delta", "ref_hash", "script_finished"} <= kinds
    assert "main_script_path" in ForwardMsg.DESCRIPTOR.fields_by_name["new_session"].message_type.fields_by_name


def test_allowed_hosts_are_those_of_the_setting(monkeypatch):
    options = []
    monkeypatch.setattr(st.config, "get_option", lambda name: options.append(name) or ["own.example"])
    assert server_inside.is_host_allowed("own.example") and not server_inside.is_host_allowed("other.example")
    assert set(options) == {"server.allowedHosts"}


@pytest.fixture
def running(monkeypatch) -> SimpleNamespace:
    """A runtime with Streamlit's own managers of files, uploads and sessions."""
    stored = []
    files = MediaFileManager(SimpleNamespace(load_and_get_id=lambda *what: stored.append(what) or "a", get_url=str))
    uploads = MemoryUploadedFileManager("/upload")
    storage = MemorySessionStorage()
    storage.save(SimpleNamespace(session=SimpleNamespace(id="visit")))
    sessions = WebsocketSessionManager(storage, uploads, None, None)
    instance = SimpleNamespace(media_file_mgr=files, uploaded_file_mgr=uploads, _session_mgr=sessions, stored=stored)
    monkeypatch.setattr(Runtime, "_instance", instance)
    return instance


def test_the_runtime_has_the_managers():
    assert isinstance(Runtime.media_file_mgr, property) and isinstance(Runtime.uploaded_file_mgr, property)
    assert "_session_mgr" in inspect.getsource(Runtime.__init__)


def test_a_file_is_stored(running):
    server_inside.store_file(b"1", "text/plain", "a place", "a.txt")
    assert len(running.stored) == 1 and running.stored[0][0] == b"1"


def test_an_upload_is_dropped(running):
    running.uploaded_file_mgr.add_file("visit", UploadedFileRec("file", "a.png", "image/png", b"1"))
    assert len(running.uploaded_file_mgr.get_files("visit", ["file"])) == 1
    server_inside.forget_upload("visit", "file")
    assert running.uploaded_file_mgr.get_files("visit", ["file"]) == []


def test_sessions_are_counted(running):
    assert server_inside.expire_sessions() == 1


def test_a_session_is_connected_while_its_socket_is_open():
    assert server_inside.is_connected("visit")  # no server runs
    assert list(inspect.signature(Runtime.is_active_session).parameters) == ["self", "session_id"]


def test_a_run_s_context_has_the_attributes_that_views_read(monkeypatch):
    assert {"is_history_navigation", "uploaded_file_mgr", "session_state", "session_id"} <= set(
        ScriptRunContext.__dataclass_fields__
    )
    monkeypatch.setattr(views_inside, "get_script_run_ctx", lambda: SimpleNamespace(is_history_navigation=True))
    assert views_inside.is_history_navigation() is True


def ids_before_and_after() -> None:
    """An app that shows which ids the server knows for a widget before and after it is rendered."""
    import streamlit as st

    from views import streamlit_internals

    widget_id = streamlit_internals.reported_widget_id("box")
    st.checkbox("Box", key="box")
    st.text(
        f"{bool(widget_id)} {bool(widget_id) and streamlit_internals.is_drawn(widget_id)} "
        f"{streamlit_internals.is_drawn('nothing')}"
    )
    st.text(f"{streamlit_internals.is_history_navigation()}")


def test_the_browser_s_state_of_a_widget_is_known_before_it_is_rendered():
    app = AppTest.from_function(ids_before_and_after).run()
    assert [text.value for text in app.text] == ["False False False", "False"]
    app.checkbox[0].check().run()
    assert [text.value for text in app.text] == ["True True False", "False"]


def test_ids_of_widgets_end_with_their_keys():
    states = WidgetStates(widgets=[WidgetState(id="$$ID-0123-a-key")])
    assert views_inside.user_key_from_element_id(states.widgets[0].id) == "a-key"


def test_uploads_have_a_limit_of_memory_that_can_be_set(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    views_inside.keep_uploads_in_memory()
    assert MultiPartParser.spool_max_size == st.get_option("server.maxUploadSize") * 2**20 + 1
    assert "self.spool_max_size" in inspect.getsource(MultiPartParser)


def test_the_font_of_the_pages_exists():
    assert views_inside.font_file().is_file()


def test_a_page_can_be_run_again_from_outside():
    """What `server.streamlit_internals.rerun` uses."""
    from streamlit.runtime.app_session import AppSession

    assert callable(WebsocketSessionManager.get_active_session_info) and callable(Runtime._get_async_objs)
    assert list(inspect.signature(AppSession.request_rerun).parameters) == ["self", "client_state"]
    assert "self._client_state = ClientState()" in inspect.getsource(AppSession.__init__)


def test_a_session_has_a_runner_from_the_request_of_a_run_to_its_end():
    """What `server.streamlit_internals.wait_for_runs` uses."""
    from streamlit.runtime.app_session import AppSession

    assert "self._scriptrunner: ScriptRunner | None = None" in inspect.getsource(AppSession.__init__)
    assert "self._scriptrunner = ScriptRunner(" in inspect.getsource(AppSession._create_scriptrunner)
    assert "self._scriptrunner = None" in inspect.getsource(AppSession._handle_scriptrunner_event_on_event_loop)
