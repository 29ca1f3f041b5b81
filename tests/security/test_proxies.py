"""SECURITY.md's examples of a proxy with TLS, as they stand there: started before a real Duet, signed in through them.

Duet has no websockets; what streams are the page's server-sent events and the API's lines.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.security.people import PASSWORDS, People, people

PAPER = Path(__file__).parents[2] / "SECURITY.md"
NAME = "duet.example.org"
ORIGIN = {"origin": f"https://{NAME}"}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with people(tmp_path_factory.mktemp("proxied"), names=NAME) as everybody:
        yield everybody


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with duet.pem and duet.key, made by ourselves for NAME."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not here: no certificate can be made")
    folder = tmp_path_factory.mktemp("signed")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    command += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "duet.key", "-out", "duet.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def example(kind: str) -> str:
    [found] = re.findall(rf"```{kind}\n(.*?)```", PAPER.read_text("utf-8"), re.S)
    return str(found)


def put(text: str, *pairs: tuple[str, str]) -> str:
    """The example with what differs from machine to machine: ports and where the certificate lies."""
    for before, after in pairs:
        assert before in text, f"the example has no `{before}`"
        text = text.replace(before, after)
    return text


def nginx(folder: Path, duet: int, port: int) -> list[str]:
    server = put(
        example("nginx"), ("127.0.0.1:7860", f"127.0.0.1:{duet}"), ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/", f"{folder}/"),
    )  # fmt: skip
    paths = "".join(
        f"{each}_temp_path {folder}/{each};\n" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
    user = "user root;\n" if Path.home() == Path("/root") else ""
    (folder / "nginx.conf").write_text(f"{user}{head}events {{}}\nhttp {{\naccess_log off;\n{paths}{server}}}\n")
    return ["nginx", "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, duet: int, port: int) -> list[str]:
    own = f"bind 127.0.0.1\n\ttls {folder}/duet.pem {folder}/duet.key\n"
    site = put(
        example("caddy"),
        ("127.0.0.1:7860", f"127.0.0.1:{duet}"),
        (f"{NAME} {{\n", f"https://{NAME}:{port} {{\n\t{own}"),
    )
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + site)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@contextmanager
def proxied(kind: str, folder: Path, duet: int) -> Iterator[int]:
    """The proxy's port."""
    if not (shutil.which(kind) or Path(f"/usr/sbin/{kind}").exists()):
        pytest.skip(f"{kind} is not here: apt-get install {kind}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = {"nginx": nginx, "caddy": caddy}[kind](folder, duet, port)
    command[0] = shutil.which(kind) or f"/usr/sbin/{kind}"
    with (folder / f"{kind}.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"})
    try:
        until = time.monotonic() + 60
        while True:
            assert process.poll() is None, (folder / f"{kind}.log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.1)
        yield port
    finally:
        process.kill()  # asked kindly, Caddy waits for streams that never end
        process.wait(timeout=60)


def browser(there: People, folder: Path, port: int) -> httpx2.Client:
    """Types https://NAME, whose address is the proxy's."""

    def named(request: httpx2.Request) -> None:
        request.extensions["sni_hostname"] = NAME
        request.headers["host"] = NAME

    return there.server.another(
        base_url=f"https://127.0.0.1:{port}", timeout=60, event_hooks={"request": [named]},
        verify=ssl.create_default_context(cafile=str(folder / "duet.pem")),
    )  # fmt: skip


@pytest.mark.real
@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_the_example_signs_in_and_streams(kind: str, there: People, signed: Path) -> None:
    with proxied(kind, signed, there.server.port) as port:
        client = browser(there, signed, port)
        refused = client.get("/", headers={"accept": "text/html"})
        assert (refused.status_code, refused.headers["location"]) == (303, "/sign-in")
        entered = client.post("/sign-in", data={"name": "ada", "password": PASSWORDS["ada"]}, headers=ORIGIN)
        assert entered.status_code == 303 and "secure" in entered.headers["set-cookie"].lower()
        assert client.get("/conversations").status_code == 200
        assert client.post("/sign-out", headers={"origin": "https://evil.example"}).status_code == 403

        said = {"session": there.session, "text": f"hello through {kind}"}
        assert client.post("/act/send", json=said, headers=ORIGIN).status_code == 200
        with client.stream(
            "GET", "/follow", params={"c": there.session}
        ) as told:  # it never ends: nothing is held back
            assert any("hello through" in line for line in told.iter_lines())

        token = there.accounts.make_token("ada", kind)
        headers = {"authorization": f"Bearer {token}"}
        with client.stream("GET", f"/api/duet/events/{there.session}", headers=headers, timeout=300) as lines:
            events = (json.loads(line) for line in lines.iter_lines())
            assert any(event["kind"] == "turn" and "hello through" in event["data"]["text"] for event in events)


def test_what_they_need_of_duet_is_so() -> None:
    """The examples let as much through as Duet takes, and wait as long as a stream may be silent."""
    from chat.access.limits import UPLOADED

    size = re.search(r"client_max_body_size (\d+)m;", example("nginx"))
    assert size and int(size[1]) * 1_000_000 >= UPLOADED
    assert "proxy_buffering off" in example("nginx") and "flush_interval -1" in example("caddy")
