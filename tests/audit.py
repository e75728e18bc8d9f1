"""`python -m tests.audit`: check the installed packages for known vulnerabilities.

Exit status 1 if a package has one, and 2 if nothing could be checked: pip-audit itself would report no vulnerability.
If the list is known to be unreachable, for instance behind a proxy that only passes packages, the option
`--may-be-offline` makes this a message instead of a failure.
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
OK, VULNERABLE, NOTHING_LOOKED_UP = range(3)  # exit status


def main(arguments: list[str] | None = None) -> int:
    """Audit, print the vulnerabilities and the number of checked packages; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument(OFFLINE, action="store_true", help="do not fail if the list cannot be reached")
    allowed = parser.parse_args(arguments).may_be_offline
    report = ask_pip_audit()
    if report is None:
        sentence, status = "the list of vulnerabilities could not be reached; nothing was looked up.", NOTHING_LOOKED_UP
    else:
        sentence, status = read(report)
    if status == NOTHING_LOOKED_UP:
        sentence += f" This is no failure because of {OFFLINE}." if allowed else f" To allow that, use {OFFLINE}."
        status = OK if allowed else NOTHING_LOOKED_UP
    print(f"audit: {sentence}")
    return status


def ask_pip_audit() -> dict | None:
    """The JSON report of pip-audit; None if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.json"
        command = [sys.executable, "-m", "pip_audit", "--local", "--format=json", f"--output={file}"]
        try:
            subprocess.run([*command, "--progress-spinner=off"], capture_output=True, timeout=PATIENCE)
            return json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None


def read(report: dict) -> tuple[str, int]:
    """A summary of a report, with a line for each vulnerability, and the exit status."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    lines = [
        f"  {package['name']} {package['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'none'}"
        for package in packages
        for vulnerability in package.get("vulns", ())
    ]
    looked_up = len(packages) - len(skipped)
    sentence = f"{len(lines)} known vulnerabilities in {looked_up} packages."
    status = VULNERABLE if lines else OK
    if not looked_up:
        status = NOTHING_LOOKED_UP
        sentence = f"the list could not be reached for any of {len(packages)} packages; nothing was looked up."
    elif skipped:
        sentence += f" Not looked up: {', '.join(skipped)}."
    return "\n".join([sentence, *lines]), status


if __name__ == "__main__":
    sys.exit(main())
