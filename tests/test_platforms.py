"""What users import or run calls nothing that one operating system alone has, outside of the guarded places below.

Texts that are read or written without an encoding are found by ruff (PLW1514).
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("model", "server", "views", "pages", "attention_atlas", "assets")
SOURCES = [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]

MODULES = {
    "crypt", "fcntl", "grp", "msvcrt", "nt", "ntpath", "posix", "posixpath", "pty", "pwd", "resource", "spwd", "syslog",
    "termios", "tty", "winreg", "winsound", "_posixsubprocess", "_winapi",
}  # fmt: skip
# module -> names in it, as regular expressions
NAMES = {
    "os": (
        r"fork(pty)?|sysconf\w*|confstr\w*|(get|set)(re|res|e)?[ug]ids?|getgroups|getlogin|getp(gid|grp|riority)|setp\w+"
        r"|(get|set)sid|killpg|nice|sched_\w+|uname|getloadavg|mkfifo|mknod|l?chown|fchown|lchmod|chroot|f?statvfs"
        r"|pread\w*|pwrite\w*|readv|writev|sendfile|splice|wait([34]|id)?|W[A-Z]{2,}\w*|openpty|ctermid|posix_\w+"
        r"|register_at_fork|memfd_create|pidfd_open|fchdir|ttyname|tc[gs]etpgrp|copy_file_range|\w*xattr"
        r"|O_(NONBLOCK|CLOEXEC|NOFOLLOW|DIRECTORY|SYNC|DSYNC|NOCTTY|TMPFILE|PATH|BINARY|TEXT|TEMPORARY|NOINHERIT)"
        r"|startfile|add_dll_directory|P_(ALL|PID|PGID)|spawn[lv]p\w*|SCHED_\w+|PRIO_\w+|RTLD_\w+"
    ),
    "signal": (
        r"SIG(?!INT$|TERM$|ABRT$|FPE$|ILL$|SEGV$|_DFL$|_IGN$)\w+|CTRL_\w+|alarm|pause|[gs]etitimer|ITIMER_\w+|pthread_\w+"
        r"|sig(action|interrupt|pending|queue|wait\w*|timedwait)"
    ),
    "select": r"e?poll|kqueue|devpoll|EPOLL\w+|POLL\w+",
    "socket": (
        r"AF_(?!INET6?$)\w+|SO_(REUSEPORT|PEERCRED|BINDTODEVICE|EXCLUSIVEADDRUSE)|TCP_(?!NODELAY$)\w+|SCM_\w+|SIO_\w+"
    ),
    "time": r"tzset|clock_[gs]et\w+|CLOCK_\w+|pthread_\w+",
    "ctypes": r"windll|oledll|WinDLL|OleDLL|WinError|FormatError|wintypes|WINFUNCTYPE",
    "mmap": r"MAP_\w+|PROT_\w+|MADV_\w+",
    "subprocess": r"STARTUPINFO|CREATE_\w+|DETACHED_PROCESS",
    "asyncio": r"\w*UnixConnection|open_unix\w+|start_unix\w+|Windows\w+|\w*ChildWatcher",
}
METHODS = r"add_signal_handler|create_unix_\w+|is_mount|is_socket|get_inheritable"  # of objects of any module
KEYWORDS = {"preexec_fn", "start_new_session", "process_group", "pass_fds", "creationflags", "startupinfo", "umask"}
FORMATS = re.compile(r"%[-#][a-zA-Z]")  # of a date without leading zeros, on Unix or on Windows
PLACES = re.compile(r"(/(proc|sys|dev|etc|tmp|usr|var|home|root|opt)(/|$)|[A-Za-z]:[/\\])")
WORD = re.compile("|".join((*MODULES, *NAMES.values(), METHODS, *KEYWORDS)))

# Each of them is reached on its own system only, or has an answer for the others.
GUARDED = {
    "model/hub/limited_process.py": {  # forks on Linux alone, and limits memory where that is possible
        "/proc", "os.WIFSIGNALED", "os.WTERMSIG", "os.fork", "os.sysconf", "resource", "signal.SIGKILL",
    },
    "model/runtime/device.py": {"/proc", "os.sched_getaffinity"},  # asks whether they exist
    "model/runtime/free_memory.py": {"/proc", "ctypes.windll", "os.sysconf"},  # asks each system in its own way
    "server/memory_budget.py": {"/proc", "os.sysconf"},  # after a file of Linux was read
    "views/export/drawing.py": {"/usr", "drive"},  # folders of fonts, of each system, where they exist
}  # fmt: skip


@cache
def is_of_one_system(word: str) -> bool:
    """Whether a word may be a name of one operating system, in some module."""
    return WORD.fullmatch(word) is not None


def names_of_one_system(source: str) -> set[str]:
    """The modules, names, options and places of one operating system in a Python source."""
    # parsing takes long: most sources have none of the words, and no place
    words = {*re.findall(r"\w+", source)}
    if not ("strftime" in words or any(map(is_of_one_system, words)) or re.search(r"[\"'](/[a-z]|\w:)", source)):
        return set()
    nodes = list(ast.walk(ast.parse(source)))
    result: set[str] = set()
    modules = {}  # name in this file -> module
    texts = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
            result |= {alias.name for alias in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom) and not node.level:
            result |= {node.module} & MODULES
            result |= {f"{node.module}.{alias.name}" for alias in node.names if _matches(node.module, alias.name)}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            module = modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if module and _matches(module, node.attr):
                result.add(f"{module}.{node.attr}")
            elif re.fullmatch(METHODS, node.attr):
                result.add(node.attr)
        elif isinstance(node, ast.Call):
            result |= {f"{keyword.arg}=" for keyword in node.keywords if keyword.arg in KEYWORDS}
            result |= _named_without_default(node, modules)
            called = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
            result |= {"strftime"} if called == "strftime" and FORMATS.search(ast.unparse(node)) else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            match = PLACES.match(node.value)
            result |= {f"/{match[2]}" if match[2] else "drive"} if match else set()
    return result


def _named_without_default(node: ast.Call, modules: dict[str, str]) -> set[str]:
    """The name in `getattr(module, "name")`, which fails where there is none; with a default it does not."""
    if not (isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) == 2):
        return set()
    module, name = node.args
    known = modules.get(module.id) if isinstance(module, ast.Name) else None
    if known and isinstance(name, ast.Constant) and _matches(known, str(name.value)):
        return {f"{known}.{name.value}"}
    return set()


def _matches(module: str, name: str) -> bool:
    return module in NAMES and bool(re.fullmatch(NAMES[module], name))


def test_nothing_of_one_operating_system_is_called_unguarded():
    assert len(SOURCES) > 400
    by_file = {
        path.relative_to(ROOT).as_posix(): names_of_one_system(path.read_text(encoding="utf-8")) for path in SOURCES
    }
    assert {name: found for name, found in by_file.items() if found} == GUARDED


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nos.sysconf('SC_PAGE_SIZE')", {"os.sysconf"}),
        ("import os as system\nsystem.geteuid()", {"os.geteuid"}),
        ("from os import fork, path", {"os.fork"}),
        ("import os\nos.WIFSIGNALED(0), os.path, os.sep, os.kill, os.getpid", {"os.WIFSIGNALED"}),
        ("import signal\nsignal.SIGKILL, signal.SIGINT, signal.SIGTERM", {"signal.SIGKILL"}),
        ("def f():\n    import resource", {"resource"}),
        ("from fcntl import flock", {"fcntl"}),
        ("open('/proc/self/statm')", {"/proc"}),
        ("'''/proc is read'''\n'/processes', '/devices', 'a/dev/'", set()),
        ("Path('/tmp')", {"/tmp"}),
        (r"Path('C:\\Users')", {"drive"}),
        ("import os\nos.open('x', os.O_RDONLY | os.O_NOFOLLOW)", {"os.O_NOFOLLOW"}),
        ("import os\ngetattr(os, 'O_NONBLOCK', 0), getattr(os, 'getuid')", {"os.getuid"}),
        ("subprocess.Popen([], start_new_session=True)", {"start_new_session="}),
        ("loop.add_signal_handler(2, f)", {"add_signal_handler"}),
        ("import ctypes\nctypes.windll.kernel32", {"ctypes.windll"}),
        ("import os\nos.getuid(), os.killpg(1, 2), os.setsid()", {"os.getuid", "os.killpg", "os.setsid"}),
        ("from os import geteuid as who", {"os.geteuid"}),
        (
            "import signal\nsignal.alarm(1), signal.SIGHUP, signal.SIGBREAK",
            {"signal.alarm", "signal.SIGHUP", "signal.SIGBREAK"},
        ),
        ("import select\nselect.epoll(), select.select", {"select.epoll"}),
        ("import pwd, grp, os", {"pwd", "grp"}),
        ("import fcntl as locks", {"fcntl"}),
        ("import msvcrt", {"msvcrt"}),
        ("open('/dev/null', 'w')", {"/dev"}),
        ("f'/dev/{name}'", {"/dev"}),
        ("import time\ntime.tzset(), time.strftime('%d')", {"time.tzset"}),
        ("now.strftime('%-d %B'), now.strftime('%d %B %#H')", {"strftime"}),
        ("import socket\nsocket.AF_UNIX, socket.AF_INET", {"socket.AF_UNIX"}),
        ("import os\nos.startfile('a')", {"os.startfile"}),
    ],
)
def test_which_names_are_of_one_system(source: str, expected: set[str]):
    assert names_of_one_system(source) == expected


PATH = re.compile(r"\b(\w*path|\w*folder|\w*file|directory)\b(\.\w+)?", re.IGNORECASE)
_RELATIVE = re.compile(r"\.relative_to\([^()]*\)$")
# Compares a path as text with the separator of its own system.
BY_SYSTEM = {"model/hub/folder.py": {"os.sep"}}


def paths_by_hand(source: str) -> set[str]:
    """Expressions that write, split, join or compare a path as text, whose separator is another one on Windows."""
    if not re.search(r"relative_to|\bstr\(|os\.sep|\.parts\b|[})]/", source):
        return set()
    result = set()
    for node in ast.walk(ast.parse(source)):
        if _is_relative_text(node):
            result.add("str(relative_to)")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.sep", "os.altsep", "os.path.sep"):
            result.add("os.sep")
        elif isinstance(node, ast.Compare) and any(map(_is_path_text, [node.left, *node.comparators])):
            result.add("compared")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            result |= _of_method(node, node.func)
        elif isinstance(node, ast.JoinedStr):
            result |= _of_format(node)
    return result


def _is_relative_text(node: ast.AST) -> bool:
    """Whether a path below another is written as text."""
    if isinstance(node, ast.Call):
        return _is_path_text(node) and "relative_to" in ast.unparse(node)
    return isinstance(node, ast.FormattedValue) and bool(_RELATIVE.search(ast.unparse(node.value)))


def _is_path_text(node: ast.expr) -> bool:
    """Whether an expression is `str(path)`."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args
    if not called:
        return False
    text = ast.unparse(node.args[0])
    return bool(PATH.fullmatch(text)) or bool(_RELATIVE.search(text)) or text.startswith("Path(")


def _of_method(node: ast.Call, method: ast.Attribute) -> set[str]:
    if _is_path_text(method.value) and method.attr != "encode":
        return {method.attr}
    joined = method.attr == "join" and isinstance(method.value, ast.Constant) and method.value.value in ("/", "\\")
    return {"join"} if joined and ".parts" in ast.unparse(node) else set()


def _of_format(node: ast.JoinedStr) -> set[str]:
    """A path followed by a slash in a formatted text."""
    pairs = zip(node.values, node.values[1:], strict=False)
    return {
        "format"
        for value, after in pairs
        if isinstance(value, ast.FormattedValue)
        and PATH.fullmatch(ast.unparse(value.value))
        and isinstance(after, ast.Constant)
        and str(after.value).startswith(("/", "\\"))
    }


def test_no_path_is_split_joined_or_compared_as_text():
    by_file = {path.relative_to(ROOT).as_posix(): paths_by_hand(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {name: calls for name, calls in by_file.items() if calls} == BY_SYSTEM


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("str(path.relative_to(root))", {"str(relative_to)"}),
        ("f'{path.relative_to(root)}: x'", {"str(relative_to)"}),
        ("path.relative_to(root).as_posix()", set()),
        ("f'{path.relative_to(root).as_posix()}'", set()),
        ("str(path).split('/')", {"split"}),
        ("str(self_folder).startswith('/a')", {"startswith"}),
        ("str(path) == name", {"compared"}),
        ("'/' in str(Path(name))", {"compared"}),
        ("str(number) == name", set()),
        ("'/'.join(path.parts)", {"join"}),
        ("f'{folder}/model.bin'", {"format"}),
        ("f'{folder} / {count}'", set()),
        ("name.split(os.sep)", {"os.sep"}),
        ("open(str(path))", set()),
    ],
)
def test_which_paths_are_handled_by_hand(source: str, expected: set[str]):
    assert paths_by_hand(source) == expected
