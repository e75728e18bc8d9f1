"""The proxy's configuration is rendered for its replicas; nothing is started."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from server.clients import trusted_proxies
from server.headers import HEADERS
from tests.deploy.image import ROOT
from tests.deploy.proxy import NGINX, render

REPLICAS = "one:8501 two:8502 three:8503"


def block(text: str, head: str) -> str:
    """The lines between a block's braces."""
    return re.search(rf"^{re.escape(head)} \{{.*?\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("proxy")
    assert render(folder, REPLICAS=REPLICAS, SERVER_NAME="atlas.example").returncode == 0
    return folder


def test_each_replica_has_a_group_with_the_others_as_backups(rendered: Path):
    text = (rendered / "replicas.conf").read_text()
    for mine in ("one:8501", "two:8502", "three:8503"):
        servers = re.findall(r"server (\S+) (.*);", block(text, f"upstream replica_{mine[-4:]}"))
        assert [name for name, options in servers if "backup" not in options] == [mine]
        assert {name for name, _ in servers} == set(REPLICAS.split())
        assert all("max_fails=0" in options for _, options in servers)
        others = re.findall(r"server (\S+) .*5s(.*);", block(text, f"upstream in_turn_but_{mine[-4:]}"))
        assert dict(others) == {name: " backup" if name == mine else "" for name in REPLICAS.split()}
    cookies = block(text, "map $cookie_atlas_replica $group")
    assert all(f"    {port} replica_{port};" in cookies for port in (8501, 8502, 8503))
    assert "default $new_visitors;" in cookies


def test_one_replica_needs_no_others(tmp_path: Path):
    assert render(tmp_path, REPLICAS="one:8501").returncode == 0
    text = (tmp_path / "replicas.conf").read_text()
    assert "backup" not in text  # nginx would refuse a group of nothing but backups
    assert "in_turn_but" not in text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "name them"),
        ({"REPLICAS": " "}, "is empty"),
        ({"REPLICAS": "one:8501 two:8501"}, "two replicas have port 8501"),
        ({"REPLICAS": "one"}, "one is not host:port"),
    ],
)
def test_invalid_settings_are_refused(tmp_path: Path, settings: dict, message: str):
    refused = render(tmp_path, **settings)
    assert refused.returncode == 2
    assert message in refused.stderr


def test_with_a_certificate_http_redirects_and_cookies_are_secure(tmp_path: Path):
    render(tmp_path, REPLICAS=REPLICAS, TLS_CERTIFICATE="/c.pem", TLS_KEY="/k.pem", SERVER_NAME="atlas.example")
    site = (tmp_path / "site.conf").read_text()
    assert "return 308 https://$server_name$request_uri;" in site
    assert site.count("ssl_certificate /c.pem;") == 2  # the site's own name, and every other
    assert "proxy_cookie_flags ~ secure;" in site


@pytest.mark.parametrize("embed", ["", "https://lms.example.edu"])
@pytest.mark.parametrize("certificate", ["", "/c.pem"])
def test_the_replica_s_cookie_works_in_frames_of_listed_sites(tmp_path: Path, embed: str, certificate: str):
    render(tmp_path, REPLICAS=REPLICAS, ATLAS_EMBED=embed, TLS_CERTIFICATE=certificate, TLS_KEY=certificate)
    (flags,) = re.findall(
        r"map \$scheme \$cookie_flags \{\n(.*?)\}", (tmp_path / "replicas.conf").read_text(), re.DOTALL
    )
    assert flags.count("HttpOnly") == flags.count("Path=/;") == flags.count("SameSite") == flags.count(";\n")
    assert ("SameSite=None; Secure; Partitioned" in flags, "SameSite=Lax" in flags) == (bool(embed), not embed)
    (secure,) = re.findall(r"https +\"(.*)\"", flags) or [flags]
    assert "Secure" in secure


def test_no_location_drops_the_headers():
    headers = (ROOT / "deploy/nginx/headers.conf").read_text()
    assert all(
        line.split("  #")[0].endswith(" always;") for line in headers.splitlines() if line.startswith("add_header")
    )
    for name in ("nginx.conf", "locations.conf", "render.sh"):
        assert "add_header" not in (ROOT / "deploy/nginx" / name).read_text(), name


def test_the_app_s_headers_are_written_in_one_place():
    headers = (ROOT / "deploy/nginx/headers.conf").read_text()
    for name in (*HEADERS, "Content-Security-Policy"):
        (line,) = re.findall(rf"^add_header {name} (.*) always;$", headers, re.MULTILINE)
        settings = (ROOT / "deploy/nginx/nginx.conf").read_text()
        variable = "$upstream_http_" + name.lower().replace("-", "_").replace("resource_policy", "opener_policy")
        variable = variable.replace("x_frame_options", "content_security_policy")
        # the app's own value is passed on unchanged
        assert f'map {variable} {line} {{\n        default  "";' in settings
    for name in ("nginx.conf", "locations.conf", "headers.conf", "render.sh"):
        text = (ROOT / "deploy/nginx" / name).read_text()
        assert "sha256" not in text and "proxy_hide_header" not in text, name


def test_compose_sets_allowed_hosts_and_trusted_proxies():
    compose = (ROOT / "deploy/compose.yaml").read_text()
    named = re.search(r"ALLOWED_HOSTS: (.*)", compose)[1].split()
    services = re.findall(r"^  (app\d+):", compose, re.MULTILINE)
    assert named == ["${SERVER_NAME:-localhost}", *services, "127.0.0.1"]  # the last one for the health check
    assert "http://127.0.0.1:" in (ROOT / "deploy/Dockerfile").read_text()
    (network,) = trusted_proxies(re.search(r"TRUSTED_PROXIES: \$\{SUBNET:-(.*?)\}(\S+)", compose).expand(r"\1\2"))
    assert str(network) == "10.211.77.0/24"


@pytest.mark.parametrize("given", ["", "/class/atlas"])
def test_compose_passes_the_path_to_every_replica_and_to_the_proxy(tmp_path: Path, given: str):
    written = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))
    shell = os.environ | {"BASE_PATH": given}
    for name, service in written["services"].items():
        read = {
            key: re.sub(r"\$\{(\w+):?-([^}]*)\}", lambda match: shell.get(match[1]) or match[2], str(value))
            for key, value in service["environment"].items()
        }
        if name == "proxy":
            settings = {key: read[key] for key in ("REPLICAS", "SERVER_NAME", "BASE_PATH")}
            assert render(tmp_path, **settings).returncode == 0
            assert f"location ^~ {given}/_stcore/ {{" in (tmp_path / "locations.conf").read_text()
        else:  # tests/deploy/test_below_path.py starts replicas with this value
            assert read["STREAMLIT_SERVER_BASE_URL_PATH"] == given, name


def test_the_upload_limit_is_the_app_s():
    size = re.search(r"maxUploadSize = (\d+)", (ROOT / ".streamlit/config.toml").read_text())[1]
    assert f"client_max_body_size {size}m;" in (ROOT / "deploy/nginx/locations.conf").read_text()


def test_compose_starts_the_replicas_of_the_proxy():
    compose = (ROOT / "deploy/compose.yaml").read_text()
    named = re.search(r"REPLICAS: (.*)", compose)[1].split()
    services = re.findall(r'^  (app\d+):\n.*\n.*SERVER_PORT: "(\d+)"', compose, re.MULTILINE)
    assert named == [f"{name}:{port}" for name, port in services]
    assert "REPLICAS:=" + " ".join(named) + '}"' in (ROOT / "deploy/rolling_restart.sh").read_text()
    assert "COOKIE_SECRET:?" in compose  # no start without one


@pytest.mark.skipif(not Path(NGINX).exists(), reason="nginx is not installed")
@pytest.mark.parametrize("replicas", ["127.0.0.1:8501", "127.0.0.1:8501 127.0.0.1:8502 [::1]:8503"])
def test_nginx_accepts_the_configuration(tmp_path: Path, replicas: str):
    render(tmp_path, REPLICAS=replicas)
    checked = subprocess.run(
        [NGINX, "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr


def test_the_locations_are_below_a_path_and_unchanged_without_one(tmp_path):
    shipped = (ROOT / "deploy/nginx/locations.conf").read_text()
    assert render(tmp_path / "root", REPLICAS="a:1").returncode == 0
    assert (tmp_path / "root/locations.conf").read_text() == shipped
    assert (tmp_path / "root/nginx.conf").read_text() == (ROOT / "deploy/nginx/nginx.conf").read_text()
    assert render(tmp_path / "below", REPLICAS="a:1", BASE_PATH="/class/atlas").returncode == 0
    below = (tmp_path / "below/locations.conf").read_text()
    pattern = re.compile(r"^location [=^~ ]*(/\S*)", re.MULTILINE)
    paths = [f"/class/atlas{path}" for path in pattern.findall(shipped)]
    assert pattern.findall(below) == [*paths, "/class/atlas", "/"]
    assert "/class/atlas/static/" in (tmp_path / "below/nginx.conf").read_text()


@pytest.mark.parametrize("path", ["tools", "/", "/a b", "/a/", "/a;b"])
def test_a_path_that_is_none_is_refused(tmp_path, path):
    refused = render(tmp_path, REPLICAS="a:1", BASE_PATH=path)
    assert refused.returncode == 2 and "is not a path like /class/atlas" in refused.stderr
