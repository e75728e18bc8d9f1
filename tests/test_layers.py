"""The house has four floors and imports only go down; files stay small enough to read in one go."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

parse = cache(ast.parse)  # a file is read by several tests
ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    "model": {"streamlit", "plotly", "pandas", "views", "pages", "server", "app"},
    "views": {"torch", "model", "pages", "server", "app", "sentencepiece", "safetensors"},
    "views/figures": {"streamlit"},
    "views/html": {"streamlit", "plotly"},
    "views/svg": {"streamlit", "plotly"},
    "tools": {"torch", "model", "pages", "server", "app"},
    "server": {"torch", "plotly", "pandas", "numpy", "model", "views", "pages", "app"},
    "pages": {"torch", "app"},
    "attention_atlas": {"streamlit", "plotly", "pages", "server", "app"},
    "benchmarks": set(),
}
LONGEST = {"app.py": 40, "pages": 350, "server": 350, "views": 350, "model": 350, "attention_atlas": 350}
LONGEST_PAGE = 150  # the file of a page itself: it reads the inputs, asks the model and shows


def sources(folder: str) -> list[Path]:
    path = ROOT / folder
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Names of the top packages that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(leads_to(node, path))
    return found


def leads_to(node: ast.ImportFrom, path: Path) -> str:
    """The top package that `from ... import` reads, relative or not; a relative one cannot leave its own."""
    if not node.level:
        return node.module.split(".")[0]
    package = path.relative_to(ROOT).parent.parts
    assert node.level <= len(package), f"{path}: `from {'.' * node.level}{node.module or ''}` leaves its package"
    names = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
    below = names[1] if names[0] == "attention_atlas" and len(names) > 1 else ""
    return below if below in ("model", "views") else names[0]  # the package for notebooks ships both inside itself


@pytest.mark.parametrize(
    "line, path, top",
    [
        ("from ..tracing.kinds import CROSS", "model/hub/hub_trace.py", "model"),
        ("from . import palette", "views/attention_maps.py", "views"),
        ("from .model.text.words import Word", "attention_atlas/attention_maps.py", "model"),
        ("from .looks import Look", "attention_atlas/notebook_view.py", "attention_atlas"),
        ("from pages.shared import files", "model/translator.py", "pages"),
    ],
)
def test_a_relative_import_is_followed(line: str, path: str, top: str):
    assert leads_to(ast.parse(line).body[0], ROOT / path) == top


def test_a_relative_import_stays_in_its_package():
    with pytest.raises(AssertionError, match="leaves its package"):
        leads_to(ast.parse("from ... import views").body[0], ROOT / "model/hub/hub_trace.py")


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_imports_only_go_down(folder: str):
    for path in sources(folder):
        climbing = imported(path) & FORBIDDEN[folder]
        assert not climbing, f"{path.relative_to(ROOT)} imports {sorted(climbing)}"


@pytest.mark.parametrize("folder", LONGEST)
def test_files_are_short(folder: str):
    for path in sources(folder):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        longest = LONGEST_PAGE if path.name == "page.py" else LONGEST[folder]
        assert lines <= longest, f"{path.relative_to(ROOT)} has {lines} lines"


REACHES = ("network", "translator", "classifier")
DOOR = ROOT / "pages" / "shared" / "service.py"  # the one file that hands a function the bare network


def test_no_page_reaches_into_a_network():
    for path in sources("pages"):
        for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in REACHES and path != DOOR:
                raise AssertionError(f"{path.relative_to(ROOT)}:{node.lineno} reaches .{node.attr}; use the service")


NETWORKS = {"Translator", "SentenceTranslator", "RecurrentTranslator", "VisionClassifier"}
LOADED = ROOT / "pages" / "shared" / "models.py"  # the one file that says which networks this process loads


def named(source: str) -> set[str]:
    """Networks that a file imports."""
    imports = [node for node in ast.walk(parse(source)) if isinstance(node, ast.ImportFrom)]
    return NETWORKS & {alias.name for node in imports for alias in node.names}


def test_no_page_names_a_network():
    found = {path: named(path.read_text(encoding="utf-8")) for path in sources("pages")}
    assert [path for path, names in found.items() if names] == [LOADED]


def test_a_network_that_is_named_is_found():
    assert named("from model import Trace, Translator\nfrom model.classifier import VisionClassifier as Seen") == {
        "Translator",
        "VisionClassifier",
    }


def test_app_knows_only_the_frame_the_server_and_how_to_warm_up():
    assert imported(ROOT / "app.py") == {"streamlit", "starlette", "pages", "server", "views"}


def test_nothing_hangs_on_a_cache_that_a_visitor_can_empty():
    for folder in ("app.py", "model", "pages", "server", "views"):
        for path in sources(folder):
            text = path.read_text(encoding="utf-8")
            assert "st.cache_" not in text.replace("`st.cache_resource`", ""), (
                f"{path.relative_to(ROOT)}: use server.singleton, or functools.cache in views"
            )


def test_every_run_of_a_page_takes_its_turn():
    for path in sources("pages"):
        text = path.read_text(encoding="utf-8")
        if path.name != "runs.py":
            assert "st.fragment" not in text, f"{path.relative_to(ROOT)}: use pages.shared.fragments.fragment"


def changeable(source: str) -> list[str]:
    """Names at the top of a module whose values are made to be changed: locks, queues, containers that begin empty."""
    made = {"Lock", "RLock", "Event", "Condition", "deque", "defaultdict", "OrderedDict", "Counter", "WeakSet", "count"}
    made |= {"list", "dict", "set", "WeakKeyDictionary", "WeakValueDictionary", "local"}
    found = []
    for node in parse(source).body:
        value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.AnnAssign) else None
        called = value.func if isinstance(value, ast.Call) and not value.args else None
        if (
            getattr(called, "attr", getattr(called, "id", "")) in made
            or (isinstance(value, ast.List | ast.Set) and not value.elts)
            or (isinstance(value, ast.Dict) and not value.keys)
        ):
            found.append(ast.unparse(node))
    return found + [ast.unparse(node) for node in ast.walk(parse(source)) if isinstance(node, ast.Global)]


@pytest.mark.parametrize("folder", ["app.py", "model", "pages", "views"])
def test_no_module_keeps_what_changes(folder: str):
    found = {path: changeable(path.read_text(encoding="utf-8")) for path in sources(folder)}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source", ["_lock = threading.Lock()", "seen = {}", "seen: list = []", "def f():\n    global a"]
)
def test_what_changes_is_found(source: str):
    assert changeable(source)


def hung_on(source: str) -> list[str]:
    """Attributes that a file sets on what it has imported."""
    tree = parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.asname or alias.name.split(".")[0] for node in imports for alias in node.names}
    targets = [target for node in ast.walk(tree) if isinstance(node, ast.Assign) for target in node.targets]
    targets = [target for target in targets if isinstance(target, ast.Attribute)]
    return [ast.unparse(target) for target in targets if getattr(target.value, "id", None) in names]


@pytest.mark.parametrize("folder", ["app.py", "model", "pages", "views"])
def test_nothing_hangs_on_what_others_made(folder: str):
    found = {str(path.relative_to(ROOT)): hung_on(path.read_text(encoding="utf-8")) for path in sources(folder)}
    allowed = {"views/streamlit_internals.py": ["MultiPartParser.spool_max_size"]}  # nowhere else can it be set
    assert {path: names for path, names in found.items() if names} == (allowed if folder == "views" else {})


def test_what_hangs_on_others_is_found():
    assert hung_on("import st\nfrom a import B\nst.x = 1\nB.y = 2\nown.z = 3") == ["st.x", "B.y"]
