"""No source unpickles, runs text as code, or sends unescaped text to a browser as markup."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("model", "views", "pages", "assets", "benchmarks", "tests", ".ci")
SOURCES = [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]
BUILT = ROOT / "views" / "viewer" / "static"  # from web/src, which is checked instead
SCRIPTS = [
    *(path for path in sorted((ROOT / "views").rglob("*.js")) if BUILT not in path.parents),
    *sorted((ROOT / "web" / "src").rglob("*.ts")),
]

MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml"}
# Names that are called on their own: `eval(...)`, but not `network.eval()`.
BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint"}
# Functions of modules, as written; torch's own format for tensors is a pickle.
CALLS = {
    "torch.load", "torch.save", "torch.jit.load", "torch.hub.load", "torch.package.PackageImporter", "os.system",
    "os.popen", "numpy.fromfile", "pandas.read_pickle", "importlib.import_module", "st.write_stream", "st.write",
}  # fmt: skip
KEYWORDS = {
    "unsafe_allow_html",
    "unsafe_allow_javascript",
    "allow_pickle",
    "shell",
    "weights_only",
    "trust_remote_code",
}
IN_SCRIPTS = (
    r"\beval\s*\(", r"new\s+Function\b", r"\.outerHTML\s*=", r"insertAdjacentHTML", r"document\.write",
    r"\.innerHTML\s*\+?=",
    r"setTimeout\s*\(\s*[\"'`]", r"https?://(?!www\.w3\.org/)", r"\bfetch\s*\(", r"XMLHttpRequest", r"\bimport\s*\(",
    r"\blocalStorage\b", r"\bsessionStorage\b", r"\bStorage\b", r"\bdocument\.cookie\b", r"javascript:",
)  # fmt: skip


# Which lessons are done is stored in the browser only, not on the server; so is the theme, by Streamlit. A tab stores a
# random token that stands for its own folder.
ALLOWED_IN_SCRIPTS = {
    "web/src/page/lessons.ts": {"localStorage"},
    "web/src/page/theme_choice.ts": {"Storage"},
    "web/src/views/course_lesson.ts": {"localStorage"},
    "web/src/views/tab_memory.ts": {"sessionStorage"},
}
# Tests that run programs that this project generated, and no typed text.
ALLOWED = {
    "tests/deploy/test_configuration.py": {"import yaml"},  # safe_load of our own file
    "tests/deploy/test_journeys.py": {"importlib.import_module()"},  # the files of tests/browser, by name
    "tests/pages/models/test_page.py": {"exec()"},  # the program that a page offers
    # the programs that the teaching parts offer, and the files of their settings, by name
    "tests/pages/shared/test_code.py": {"exec()", "importlib.import_module()"},
    "tests/pages/shared/test_old_saved.py": {"exec()"},  # a program that an earlier version offered
    "tests/pages/shared/test_changed_recipes.py": {"compile()", "exec()"},  # such programs, with changed values
    "tests/pages/recipes.py": {"exec()"},  # the program in the archive of a causal result
    "tests/pages/shared/test_saved_views.py": {"exec()"},  # the program that a saved view offers
    "tests/test_docs.py": {"importlib.import_module()"},  # the project's own modules, by name
}


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a chain of names, empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        front = dotted(node.value)
        return f"{front}.{node.attr}" if front else ""
    return ""


def offences(source: str) -> list[str]:
    """The forbidden calls and imports in a Python source, with their lines."""
    result = []
    aliases: dict[str, str] = {}
    nodes = list(ast.walk(ast.parse(source)))
    for node in nodes:
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            aliases |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        result += [f"{node.lineno}: import {name}" for name in modules if name.split(".")[0] in MODULES]
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        first, _, rest = dotted(node.func).partition(".")
        name = f"{aliases.get(first, first)}.{rest}".rstrip(".")
        name = name.replace("streamlit.", "st.", 1) if name.startswith("streamlit.") else name
        if name in CALLS or name in BUILTINS:
            result.append(f"{node.lineno}: {name}()")
        for keyword in node.keywords:
            harmless = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if keyword.arg in KEYWORDS and not harmless:
                result.append(f"{node.lineno}: {keyword.arg}=")
            if keyword.arg and keyword.arg.startswith("allow_dangerous"):
                result.append(f"{node.lineno}: {keyword.arg}=")
    return sorted(result)


def script_offences(source: str) -> list[str]:
    """The forbidden expressions in a browser script."""
    return [match.group() for pattern in IN_SCRIPTS for match in re.finditer(pattern, source)]


def test_no_source_has_forbidden_calls():
    assert len(SOURCES) > 100
    by_file = {str(path.relative_to(ROOT)): offences(path.read_text(encoding="utf-8")) for path in SOURCES}
    kinds = {name: {line.split(": ")[1] for line in lines} for name, lines in by_file.items() if lines}
    assert kinds == ALLOWED


def test_no_browser_script_has_forbidden_expressions():
    assert SCRIPTS
    by_file = {str(path.relative_to(ROOT)): set(script_offences(path.read_text(encoding="utf-8"))) for path in SCRIPTS}
    assert {name: parts for name, parts in by_file.items() if parts} == ALLOWED_IN_SCRIPTS


def test_weights_ship_as_safetensors_only():
    # `complete` is the empty file of a language in which nothing is missing
    files = [path for path in (ROOT / "assets").rglob("*") if path.is_file() and path.name != "complete"]
    kinds = {path.suffix for path in files if ROOT / "assets" / "code" not in path.parents}
    assert kinds <= {".safetensors", ".json", ".jsonl", ".md", ".model", ".po", ".png", ".jpg"}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import torch\ntorch.load('x')",
        "import torch as t\nt.load('x')",
        "from torch import load\nload('x')",
        "from torch import load as read\nread('x')",
        "eval('1')",
        "if 1:\n    exec(text)",
        "import streamlit as st\nst.markdown(text, unsafe_allow_html=True)",
        "from streamlit import write\nwrite(text)",
        "st.html(text, unsafe_allow_javascript=wanted)",
        "numpy.load(f, allow_pickle=True)",
        "subprocess.run(text, shell=True)",
        "f(allow_dangerous_deserialization=False)",
    ],
)
def test_forbidden_calls_are_reported(source):
    assert len(offences(source)) == 1


def test_other_calls_are_allowed():
    assert offences("network.eval()\nnumpy.load(f, allow_pickle=False)\nst.markdown(text)\nre.compile('x')") == []
    assert script_offences("box.innerHTML = text; eval('1')") == ["eval(", ".innerHTML ="]


def test_temporary_files_have_one_owner():
    """A file next to the one that it will replace apart, as what a server creates elsewhere outlives a kill."""
    folders = ("model", "server", "views", "pages", "attention_atlas")
    sources = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    using = {path.relative_to(ROOT).as_posix() for path in sources if "tempfile" in path.read_text(encoding="utf-8")}
    assert using == {"server/temporary_files.py", "model/runtime/checkpoint.py"}
