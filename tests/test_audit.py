"""The audit's messages and exit status for reports of pip-audit; the list of vulnerabilities is not requested."""

import subprocess

import pytest

from tests import audit
from tests.processes import ROOT

FINE = {"name": "numpy", "version": "2.1.0", "vulns": []}
OLD = {"name": "pillow", "version": "8.0.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["8.1.1"]}]}
UNKNOWN = {"name": "torch", "skip_reason": "Dependency not found on PyPI and could not be audited: torch (2.13.0)"}


@pytest.mark.parametrize(
    ("report", "status", "message"),
    [
        ({"dependencies": [FINE]}, 0, "audit: 0 known vulnerabilities in 1 packages.\n"),
        ({"dependencies": [FINE, UNKNOWN]}, 0, "0 known vulnerabilities in 1 packages. Not looked up: torch.\n"),
        ({"dependencies": [FINE, OLD, UNKNOWN]}, 1, "  pillow 8.0.0: PYSEC-1, fixed in 8.1.1\n"),
        ({"dependencies": [UNKNOWN]}, 2, "could not be reached for any of 1 packages; nothing was looked up."),
        ({"dependencies": []}, 2, "nothing was looked up."),
        (None, 2, "could not be reached; nothing was looked up. To allow that, use --may-be-offline.\n"),
    ],
)
def test_known_vulnerabilities_and_an_unreachable_list_fail(monkeypatch, capsys, report, status, message):
    monkeypatch.setattr(audit, "ask_pip_audit", lambda: report)
    assert audit.main([]) == status
    assert message in capsys.readouterr().out


@pytest.mark.parametrize(
    ("report", "status"), [(None, 0), ({"dependencies": [UNKNOWN]}, 0), ({"dependencies": [OLD]}, 1)]
)
def test_an_unreachable_list_can_be_allowed_and_is_reported(monkeypatch, capsys, report, status):
    monkeypatch.setattr(audit, "ask_pip_audit", lambda: report)
    assert audit.main(["--may-be-offline"]) == status
    assert ("no failure because of --may-be-offline" in capsys.readouterr().out) == (status == 0)


def test_ci_may_be_offline_and_make_may_not():
    assert "make audit OPTIONS=--may-be-offline\n" in (ROOT / ".ci/run").read_text()
    recipe = (ROOT / "Makefile").read_text().split("\naudit:")[1].split("\n\n")[0]
    assert recipe.endswith("$(BIN)/python -m tests.audit $(OPTIONS)")  # without @, so that the command is printed


@pytest.mark.parametrize("trouble", ["nothing written", "no answer in time", "cannot start"])
def test_a_pip_audit_that_fails_does_not_count_as_a_good_report(monkeypatch, trouble):
    def run(command, **_):
        assert command[1:3] == ["-m", "pip_audit"]
        if trouble == "no answer in time":
            raise subprocess.TimeoutExpired(command, 1)
        if trouble == "cannot start":
            raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", run)
    assert audit.ask_pip_audit() is None
