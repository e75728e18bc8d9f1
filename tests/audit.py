"""`python -m tests.audit`: look up what is installed here in the list of known vulnerabilities.

Exit status 1 if a package has one. Where the list cannot be reached, for instance behind a proxy that only passes
packages, pip-audit itself says that it found nothing; this program says that nothing was looked up, and exits with 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE = 300  # seconds


def main() -> int:
    """Audit, print what was found, and say how much of it was looked up at all."""
    report = ask_pip_audit()
    if report is None:
        print("audit: the list of vulnerabilities could not be reached; nothing was looked up.")
        return 0
    sentence, vulnerable = read(report)
    print(f"audit: {sentence}")
    return int(vulnerable)


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


def read(report: dict) -> tuple[str, bool]:
    """One sentence about a report, with a line for each vulnerability, and whether there is one."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [
        f"  {package['name']} {package['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'none'}"
        for package in packages
        for one in package.get("vulns", ())
    ]
    looked_up = len(packages) - len(skipped)
    sentence = f"{len(found)} known vulnerabilities in {looked_up} packages."
    if not looked_up:
        sentence = f"the list could not be reached for any of {len(packages)} packages; nothing was looked up."
    elif skipped:
        sentence += f" Not looked up: {', '.join(skipped)}."
    return "\n".join([sentence, *found]), bool(found)


if __name__ == "__main__":
    sys.exit(main())
