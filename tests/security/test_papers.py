"""SECURITY.md, the lock file and the examples for proxies say what is so."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from chat.access import limits
from chat.settings import DOTENV, SHORTEST_TOKEN

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")


def example(language: str) -> str:
    return str(re.findall(rf"```{language}\n(.*?)```", SECURITY, re.DOTALL)[0])


def test_what_is_locked_is_what_is_required() -> None:
    wanted = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    lock = (ROOT / "requirements.lock").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE))
    plain = {name.lower().replace("_", "-"): version for name, version in wanted.items() if name != "torch"}
    assert {name: locked.get(name) for name in plain} == plain
    for block in re.split(r"\n(?=\S)", lock.strip()):
        assert block.startswith("#") or "--hash=sha256:" in block, block[:80]


def test_the_settings_that_are_named_exist() -> None:
    of_tests = {"DUET_REQUESTS", "DUET_EXAMPLES", "DUET_KILLS"}
    named = set(re.findall(r"DUET_[A-Z_]+", SECURITY)) - {"DUET_HOME"} - of_tests
    beginnings = {name for name in named if name.endswith("_")}
    assert named - beginnings <= DOTENV and f"{SHORTEST_TOKEN} characters" in SECURITY
    assert all(any(one.startswith(name) for one in DOTENV) for name in beginnings)


def test_the_proxies_let_through_what_duet_takes() -> None:
    nginx, caddy = example("nginx"), example("caddy")
    assert f"client_max_body_size {limits.UPLOADED // 1_000_000}m" in nginx
    assert "proxy_buffering off" in nginx and "flush_interval -1" in caddy
    assert "Host $host" in nginx and "X-Forwarded-Proto $scheme" in nginx


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
def test_caddy_takes_its_example(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text(example("caddy"))
    command = ["caddy", "adapt", "--config", str(tmp_path / "Caddyfile")]
    assert subprocess.run(command, capture_output=True, timeout=20).returncode == 0


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_takes_its_example(tmp_path: Path) -> None:
    plain = re.sub(r"\n +ssl_certificate.*", "", example("nginx")).replace("443 ssl", "8443")
    whole = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {plain} }}"
    (tmp_path / "nginx.conf").write_text(whole)
    command = ["nginx", "-t", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
