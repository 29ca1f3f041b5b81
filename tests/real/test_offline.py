"""Nothing phones home: a chat on the embedded default opens no connection beyond loopback.

Counted in three ways: by Python's own audit events in every process (which libuv's loop under the page does not raise),
by the kernel (strace), and by taking the network away (a namespace with loopback alone). The last two are left out
where the machine does not permit them.
"""

from __future__ import annotations

import ipaddress
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.real.process import ask, environment, final, serving

pytestmark = pytest.mark.real

COUNTER = """
import json, os, sys

def count(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        address = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
        line = json.dumps([event, address if isinstance(address, (str, list, tuple)) else repr(address)], default=repr)
        file = os.open(os.environ["DUET_TEST_COUNT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, (line + "\\n").encode())
        os.close(file)

sys.addaudithook(count)
"""
"""Put as sitecustomize.py, this runs in every Python process before anything else."""

ONLY_LOOPBACK = """
import fcntl, os, socket, struct, sys

lo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flags = struct.unpack("16sH", fcntl.ioctl(lo, 0x8913, struct.pack("16sH", b"lo", 0)) [:18])[1]
fcntl.ioctl(lo, 0x8914, struct.pack("16sH", b"lo", flags | 1))
lo.close()
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Switches loopback on in a new network namespace, then becomes the command."""


def beyond(event: str, address: object) -> bool:
    """True where this is neither loopback nor a socket within the machine."""
    if event == "socket.connect" and isinstance(address, str):
        return False  # a path
    host = str(address[0] if isinstance(address, list | tuple) else address).strip("'").partition("%")[0]
    if host in ("", "None", "localhost"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def test_the_count_tells_loopback_from_the_rest() -> None:
    assert not any(beyond("socket.connect", a) for a in (["127.0.0.1", 1], ["::1", 1, 0, 0], "/run/socket"))
    assert all(beyond("socket.connect", [a, 1]) for a in ("8.8.8.8", "0.0.0.0", "192.168.0.1", "2001:db8::1"))
    assert beyond("socket.getaddrinfo", "huggingface.co") and not beyond("socket.getaddrinfo", "localhost")


def test_python_connects_to_loopback_alone(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(COUNTER)
    count = tmp_path / "count.jsonl"
    env = {**environment(tmp_path), "PYTHONPATH": str(tmp_path / "site"), "DUET_TEST_COUNT": str(count)}
    assert "17802" in final(ask(tmp_path, "What is 387 times 46?", env=env))["text"].replace(",", "")
    counted = [json.loads(line) for line in count.read_text().splitlines()]
    assert counted, "the model's server was never connected to, so nothing was counted"
    assert [line for line in counted if beyond(*line)] == []


def page_loads(url: str) -> None:
    """The page and what it names come from this server, and name no other."""
    with httpx2.Client(base_url=url, timeout=60, trust_env=False, follow_redirects=True) as browser:
        page = browser.get("/")
        assert page.status_code == 200 and "text/html" in page.headers["content-type"]
        named = re.findall(r"""(?:src|href|action)=["']([^"'#]+)["']|url\(["']?([^"')]+)""", page.text)
        links = {a or b for a, b in named if not (a or b).startswith("data:")}
        foreign = {link for link in links if re.match(r"(?:https?:)?//", link) and not link.startswith(url)}
        assert foreign == set()
        for link in links:
            assert browser.get(link).status_code < 500, link


def test_the_kernel_sees_none_while_a_page_is_served_and_talked_to(tmp_path: Path) -> None:
    strace, trace = shutil.which("strace"), tmp_path / "trace.txt"
    before = [
        str(strace),
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-e",
        "trace=connect,sendto,sendmsg,sendmmsg",
        "-o",
        str(trace),
    ]
    if not strace or subprocess.run([*before, "true"], capture_output=True, timeout=60).returncode:
        pytest.skip("strace is not here or may not trace")
    with serving(tmp_path, before) as server:
        page_loads(server.address.url)
        session = server.post("/sessions", user="ada")["session"]
        turn = server.post("/turns", session=session, text="What is 387 times 46?")["turn"]
        events = server.until(session, turn, "end")
        assert "17802" in str([e["data"] for e in events]).replace(",", "")
    inet = [line for line in trace.read_text().splitlines() if "AF_INET" in line]
    assert inet, "the model's server was never connected to, so nothing was counted"
    home = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|sin6_addr=in6addr_loopback')
    assert [line for line in inet if not home.search(line)] == []


def test_it_talks_with_the_network_taken_away(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    before = (str(unshare), "-rn", sys.executable, "-c", ONLY_LOOPBACK)
    alone = [*before, sys.executable, "-c", "import socket; socket.create_server(('127.0.0.1', 0))"]
    if not unshare or subprocess.run(alone, capture_output=True, timeout=60).returncode:
        pytest.skip("a network namespace is not permitted here")
    routes = subprocess.run(
        [*before, sys.executable, "-c", "import socket; print(len(socket.if_nameindex()))"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert routes.stdout.strip() == "1", "there is more than loopback"
    assert "17802" in final(ask(tmp_path, "What is 387 times 46?", before=before))["text"].replace(",", "")
