#!/bin/sh
# Make sure that .venv can run this project: `sh environment.sh run`, or `dev` with the tools of developers as well.
#
# An environment is reused only while it is complete: its Python starts and has a supported version, the last
# installation finished, and no file of any package is missing. Otherwise it is created again.
set -eu
oldest=11 # Python 3.11
newest=14
PYTHON="${PYTHON:-python3}"
VENV="${VENV:-.venv}"
case "$1" in
run) lists="requirements.txt" ;;
dev) lists="requirements.txt requirements-dev.txt" ;;
*) echo "Say run or dev." >&2 && exit 2 ;;
esac

version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

suits() {
    case "$1" in
    3.[0-9] | 3.[0-9][0-9]) [ "${1#3.}" -ge "$oldest" ] && [ "${1#3.}" -le "$newest" ] ;;
    *) return 1 ;;
    esac
}

# whether every package of the lists is installed, with all files of its installation
complete() {
    "$VENV/bin/python" - "$@" <<'END'
import csv
import re
import sys
from importlib import metadata

wanted = [re.match(r"[\w.-]+", line) for path in sys.argv[1:] for line in open(path) if line[0] not in "-#\n"]
try:
    for package in [*metadata.distributions(), *(metadata.distribution(name[0]) for name in wanted if name)]:
        for file, *_ in csv.reader(package.read_text("RECORD").splitlines()):
            if not file.endswith(".pyc") and not package.locate_file(file).exists():
                sys.exit(1)
except (metadata.PackageNotFoundError, AttributeError):  # a missing package, or one without a record
    sys.exit(1)
END
}

# whether the environment is complete; the mark of an installation is removed before it starts and written at its end
whole() {
    [ -e "$VENV/.run-ready" ] && suits "$(version "$VENV/bin/python")" && "$VENV/bin/python" -m pip --version >/dev/null 2>&1
}

current() {
    for list in $lists; do
        if [ ! -e "$VENV/.$1-ready" ] || [ "$list" -nt "$VENV/.$1-ready" ]; then
            return 1
        fi
    done
    complete $lists
}

if whole && current "$1"; then
    exit 0
fi
if ! whole || ! complete; then
    found="$(version "$PYTHON" || true)"
    if ! suits "$found"; then
        echo "Python 3.$oldest to 3.$newest is needed; $PYTHON is ${found:-not to be found}." >&2
        echo "Install one of them and name it: make run PYTHON=python3.12" >&2
        exit 1
    fi
    rm -rf "$VENV"
    "$PYTHON" -m venv "$VENV"
fi
rm -f "$VENV/.run-ready" "$VENV/.dev-ready"
for list in $lists; do last="$list"; done
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check -r "$last"
touch "$VENV/.run-ready" "$VENV/.$1-ready"
