"""The layers: imports only go down, state has an owner, and a file has one subject."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

parse = cache(ast.parse)  # a file is read by several tests
ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    "model": {"streamlit", "plotly", "pandas", "views", "pages", "server", "app", "training"},
    "views": {"torch", "model", "pages", "server", "app", "training", "sentencepiece", "safetensors"},
    "views/figures": {"streamlit"},
    "views/html": {"streamlit", "plotly"},
    "views/svg": {"streamlit", "plotly"},
    "tools": {"torch", "model", "pages", "server", "app"},
    "server": {"torch", "plotly", "pandas", "numpy", "model", "views", "pages", "app", "training"},
    "pages": {"torch", "app", "training"},
    "attention_atlas": {"streamlit", "plotly", "pages", "server", "app", "training"},
    "training": {"streamlit", "plotly", "pandas", "views", "pages", "server", "app"},
    "benchmarks": set(),
}
LONGEST = {
    "app.py": 40,
    "pages": 800,
    "server": 800,
    "views": 800,
    "model": 800,
    "attention_atlas": 800,
    "training": 800,
}
LONGEST_PAGE = 150  # the file of a page itself: it reads the inputs, calls the model and renders


def sources(folder: str) -> list[Path]:
    path = ROOT / folder
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Names of the top packages that a file imports, wherever in the file."""
    packages = set()
    for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            packages.add(source_package(node, path))
    return packages


def source_package(node: ast.ImportFrom, path: Path) -> str:
    """The top package that `from ... import` reads, relative or not; a relative one cannot leave its own."""
    if not node.level:
        return node.module.split(".")[0]
    package = path.relative_to(ROOT).parent.parts
    assert node.level <= len(package), f"{path}: `from {'.' * node.level}{node.module or ''}` leaves its package"
    names = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
    below = names[1] if names[0] == "attention_atlas" and len(names) > 1 else ""
    return below if below in ("model", "views") else names[0]  # the installed package contains both


@pytest.mark.parametrize(
    "line, path, top",
    [
        ("from ..tracing.kinds import CROSS", "model/hub/hub_trace.py", "model"),
        ("from . import palette", "views/map_labels.py", "views"),
        ("from .model.text.words import Word", "attention_atlas/notebook_view.py", "model"),
        ("from .looks import Look", "attention_atlas/notebook_view.py", "attention_atlas"),
        ("from pages.shared import files", "model/translator.py", "pages"),
    ],
)
def test_a_relative_import_is_followed(line: str, path: str, top: str):
    assert source_package(ast.parse(line).body[0], ROOT / path) == top


def test_a_relative_import_stays_in_its_package():
    with pytest.raises(AssertionError, match="leaves its package"):
        source_package(ast.parse("from ... import views").body[0], ROOT / "model/hub/hub_trace.py")


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_imports_only_go_down(folder: str):
    for path in sources(folder):
        upward = imported(path) & FORBIDDEN[folder]
        assert not upward, f"{path.relative_to(ROOT)} imports {sorted(upward)}"


@pytest.mark.parametrize("folder", LONGEST)
def test_files_are_short(folder: str):
    for path in sources(folder):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        longest = LONGEST_PAGE if path.name == "page.py" else LONGEST[folder]
        assert lines <= longest, f"{path.relative_to(ROOT)} has {lines} lines"


REACHES = ("network", "translator", "classifier")
SERVICE = ROOT / "pages" / "shared" / "service.py"  # the only file that passes the bare network to a function


def test_no_page_uses_the_bare_network():
    for path in sources("pages"):
        for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in REACHES and path != SERVICE:
                raise AssertionError(f"{path.relative_to(ROOT)}:{node.lineno} reaches .{node.attr}; use the service")


NETWORKS = {"Translator", "SentenceTranslator", "RecurrentTranslator", "VisionClassifier"}
MODELS = ROOT / "pages" / "shared" / "models.py"  # the only file that imports the networks by name


def imported_networks(source: str) -> set[str]:
    """Classes of networks that a file imports."""
    imports = [node for node in ast.walk(parse(source)) if isinstance(node, ast.ImportFrom)]
    return NETWORKS & {alias.name for node in imports for alias in node.names}


def test_no_page_names_a_network():
    by_path = {path: imported_networks(path.read_text(encoding="utf-8")) for path in sources("pages")}
    assert [path for path, names in by_path.items() if names] == [MODELS]


def test_an_imported_network_is_found():
    assert imported_networks(
        "from model import Trace, Translator\nfrom model.classifier import VisionClassifier as Seen"
    ) == {
        "Translator",
        "VisionClassifier",
    }


def test_app_imports_only_pages_server_and_views():
    assert imported(ROOT / "app.py") == {"streamlit", "starlette", "pages", "server", "views"}


def test_no_streamlit_cache_is_used_because_a_visitor_can_clear_it():
    for folder in ("app.py", "model", "pages", "server", "views"):
        for path in sources(folder):
            text = path.read_text(encoding="utf-8")
            assert "st.cache_" not in text.replace("`st.cache_resource`", ""), (
                f"{path.relative_to(ROOT)}: use server.singleton, or functools.cache in views"
            )


def test_every_fragment_waits_in_the_run_queue():
    for path in sources("pages"):
        text = path.read_text(encoding="utf-8")
        if path.name != "fragments.py":
            assert "st.fragment" not in text, f"{path.relative_to(ROOT)}: use pages.shared.fragments.fragment"


def mutable_globals(source: str) -> list[str]:
    """Module-level names with mutable values (locks, queues, empty containers), and `global` statements."""
    constructors = {"Lock", "RLock", "Event", "Condition", "deque", "defaultdict", "OrderedDict", "Counter", "count"}
    constructors |= {"list", "dict", "set", "WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "local"}
    statements = []
    for node in parse(source).body:
        value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.AnnAssign) else None
        called = value.func if isinstance(value, ast.Call) and not value.args else None
        if (
            getattr(called, "attr", getattr(called, "id", "")) in constructors
            or (isinstance(value, ast.List | ast.Set) and not value.elts)
            or (isinstance(value, ast.Dict) and not value.keys)
        ):
            statements.append(ast.unparse(node))
    return statements + [ast.unparse(node) for node in ast.walk(parse(source)) if isinstance(node, ast.Global)]


@pytest.mark.parametrize("folder", ["app.py", "model", "pages", "views"])
def test_no_module_has_mutable_globals(folder: str):
    by_path = {path: mutable_globals(path.read_text(encoding="utf-8")) for path in sources(folder)}
    assert {path: names for path, names in by_path.items() if names} == {}


@pytest.mark.parametrize(
    "source", ["_lock = threading.Lock()", "seen = {}", "seen: list = []", "def f():\n    global a"]
)
def test_a_mutable_global_is_found(source: str):
    assert mutable_globals(source)


def test_a_class_name_has_one_meaning():
    defined = [
        (node.name, str(path.relative_to(ROOT)))
        for folder in ("model", "server", "views", "pages", "attention_atlas")
        for path in sources(folder)
        for node in ast.walk(parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    names = [name for name, _ in defined]
    assert [each for each in defined if names.count(each[0]) > 1] == []


@pytest.mark.parametrize("folder", ["model", "server", "views", "pages"])
def test_a_file_name_has_one_meaning_in_its_layer(folder: str):
    older = {"model/words.py", "views/pictures.py"}  # what earlier versions saved imports these
    files = [path for path in sources(folder) if str(path.relative_to(ROOT)) not in older]
    stems = [path.stem for path in files if path.stem not in ("__init__", "__main__", "page")]
    repeated = {stem for stem in stems if stems.count(stem) > 1}
    assert repeated <= {"what_if"}  # the same question to a checkpoint and to the Vision Transformer


def declared_attributes(source: str) -> set[str]:
    """Names of the attributes that the classes of a file declare in their bodies or set on `self`."""
    declared = set()
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.ClassDef):
            declared |= {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            declared |= {node.attr} if getattr(node.value, "id", "") == "self" else set()
    return declared


def foreign_attributes(source: str, declared: set[str]) -> list[str]:
    """Attributes that a file sets on objects other than `self` and that no class of this project declares."""
    targets = []
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr" and ast.unparse(node.args[0]) != "self":
            targets.append(f"setattr({ast.unparse(node.args[0])})")
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store) or node.attr in declared:
            continue
        if getattr(node.value, "id", "") not in ("self", "cls"):
            targets.append(ast.unparse(node))
    return sorted(set(targets))


# Attributes that libraries define to be set, and parameters of a network that the same function copied.
SET_ON_LIBRARIES = {
    "model/attribution/intervention_result.py": ["setattr(attention.query)"],
    "model/hub/forward_run.py": ["config.return_dict", "setattr(config)"],  # of our own copy of a model
    "model/hub/generation.py": ["network.generation_config", "setattr(settings)"],  # of our own copy, for one call
    "model/hub/live_network.py": ["module._compiled_call_impl", "setattr(module)"],  # the same
    "model/study/run.py": ["bar.n"],
    "training/__main__.py": ["commands.metavar"],
    "server/logs.py": ["LOG.propagate", "threading.excepthook"],
    "server/run_order.py": ["rerun.fragment_id"],
    "server/websocket_messages.py": [
        "message.new_session.main_script_path",
        "start.environment_info.streamlit_version",
    ],
    "server/connections.py": [
        "config.encoded_headers",
        "config.http_protocol_class",
        "config.ws_protocol_class",
        "connection.max_message_size",
    ],
    "views/controls/pictures.py": ["strip.info"],
    "views/export/downloads.py": ["entry.compress_type", "entry.external_attr"],
    "views/streamlit_internals.py": ["MultiPartParser.spool_max_size"],
}


def test_no_attribute_is_added_to_an_object_of_another_module():
    files = [
        path
        for folder in ("app.py", "model", "pages", "server", "training", "views", "attention_atlas")
        for path in sources(folder)
    ]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}
    declared = set().union(*map(declared_attributes, texts.values()))
    by_module = {name: foreign_attributes(text, declared) for name, text in texts.items()}
    assert {name: attributes for name, attributes in by_module.items() if attributes} == SET_ON_LIBRARIES


def test_a_foreign_attribute_is_found():
    source = "import st\nclass A:\n    own: int\nst.x = 1\na.own = 2\nweight.packed = 3\nsetattr(network, 'left', 4)"
    assert foreign_attributes(source, declared_attributes(source)) == [
        "setattr(network)",
        "st.x",
        "weight.packed",
    ]
