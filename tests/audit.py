"""`python -m tests.audit`: look up what is installed here in the list of known vulnerabilities.

Exit status 1 if a package has one, and 2 if nothing could be looked up: pip-audit itself would say that it found
nothing. Where the list is known to be out of reach, for instance behind a proxy that only passes packages, the option
`--may-be-offline` makes this a sentence and no failure.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE = 300  # seconds
OFFLINE = "--may-be-offline"
FINE, VULNERABLE, NOTHING_LOOKED_UP = range(3)  # exit status


def main(arguments: list[str] | None = None) -> int:
    """Audit, print what was found, and say how much of it was looked up at all; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument(OFFLINE, action="store_true", help="do not fail where the list cannot be reached")
    allowed = parser.parse_args(arguments).may_be_offline
    report = ask_pip_audit()
    if report is None:
        sentence, status = "the list of vulnerabilities could not be reached; nothing was looked up.", NOTHING_LOOKED_UP
    else:
        sentence, status = read(report)
    if status == NOTHING_LOOKED_UP:
        sentence += f" This is no failure because of {OFFLINE}." if allowed else f" If that is to be so, say {OFFLINE}."
        status = FINE if allowed else NOTHING_LOOKED_UP
    print(f"audit: {sentence}")
    return status


def ask_pip_audit() -> dict | None:
    """What pip-audit reports as JSON; None where it cannot answer."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.json"
        command = [sys.executable, "-m", "pip_audit", "--local", "--format=json", f"--output={file}"]
        try:
            subprocess.run([*command, "--progress-spinner=off"], capture_output=True, timeout=PATIENCE)
            return json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None


def read(report: dict) -> tuple[str, int]:
    """One sentence about a report, with a line for each vulnerability, and the exit status that it means."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [
        f"  {package['name']} {package['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'none'}"
        for package in packages
        for one in package.get("vulns", ())
    ]
    looked_up = len(packages) - len(skipped)
    sentence = f"{len(found)} known vulnerabilities in {looked_up} packages."
    status = VULNERABLE if found else FINE
    if not looked_up:
        status = NOTHING_LOOKED_UP
        sentence = f"the list could not be reached for any of {len(packages)} packages; nothing was looked up."
    elif skipped:
        sentence += f" Not looked up: {', '.join(skipped)}."
    return "\n".join([sentence, *found]), status


if __name__ == "__main__":
    sys.exit(main())
