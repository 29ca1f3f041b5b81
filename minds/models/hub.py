"""The hub: a file of it from where an earlier download stopped, and what it publishes about a repository.

Nothing of the person's is sent: no key, no cookie, no name; a redirect is followed with the same few headers, and never
from https to http.
"""

from __future__ import annotations

import errno
import json
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx2

from minds.models.catalogue import Weights, hub, published, split_name
from minds.models.language import Missing

PIECE = 1 << 18
"""Bytes read at a time, at most."""
PATIENCE = 8.0
"""Seconds to wait for the hub, and for each piece from it."""
PAUSES = (1.0, 2.0, 4.0)
"""Seconds before a broken download goes on; after as many tries without a byte it is given up."""
LISTING = 4 << 20
"""Bytes that an answer about a repository may have."""

Progress = Callable[[int, int, str], None]
"""(bytes so far, bytes in all, where from); what it raises ends the download, and what came is kept."""


class NotThere(Exception):
    """This source cannot give the file: the next one is asked. The text is a clause."""


class _Broken(Exception):
    """The line broke, or the hub is busy: it may go on later."""


def from_hub(weights: Weights, partial: Path, tell: Progress) -> None:
    """The whole file into `partial`, gone on with where the line breaks. Raises NotThere, Missing."""
    tries, begun = 0, False
    while _size(partial) != weights.size:
        before = _size(partial)
        tell(before, weights.size, _host(weights.url))
        try:
            _go_on(weights, partial, tell)
        except _Broken as error:
            came = _size(partial) != before
            begun, tries = begun or came, 0 if came else tries
            if not begun or tries == len(PAUSES):
                raise NotThere(str(error)) from error
            time.sleep(PAUSES[tries])
            tries += 1


def ask(name: str) -> Weights:
    """What the hub publishes about `hf:OWNER/NAME/FILE.gguf`. Raises BadSpec, Missing."""
    repo, _ = split_name(name)
    url = f"{hub()}/api/models/{repo}?blobs=true"
    try:
        with _opened(url) as answer:
            told = json.loads(next(answer.iter_raw(LISTING), b""))
    except (NotThere, _Broken) as error:
        raise Missing(f"The hub cannot tell what {name} is ({error}): try again later, or use gguf:PATH.") from error
    except ValueError as error:
        raise Missing(f"{_host(url)} gave no readable answer about {name}: try again later.") from error
    return published(name, told)


def _go_on(weights: Weights, partial: Path, tell: Progress) -> None:
    """One request, from where the file ends."""
    have = _size(partial) if _size(partial) < weights.size else 0
    with _opened(weights.url, have) as answer:
        have = _begins(answer, have, weights)
        with partial.open("ab" if have else "wb") as file, suppress(httpx2.TransportError):  # what came is kept
            pour(answer.iter_raw(), file, have, weights.size, lambda now: tell(now, weights.size, _host(weights.url)))
    done = _size(partial)
    if done > weights.size:
        raise NotThere(f"{_host(weights.url)} sends more than the file has")
    if done < weights.size:
        raise _Broken(f"{_host(weights.url)} broke off after {done / 1e6:,.0f} of {weights.size / 1e6:,.0f} MB")


def _begins(answer: httpx2.Response, have: int, weights: Weights) -> int:
    """Where the bytes that come belong: what is promised must be this file's rest, or all of it."""
    if answer.status_code == 206:
        told = answer.headers.get("Content-Range", "")
        if told != f"bytes {have}-{weights.size - 1}/{weights.size}":
            raise NotThere(f"{_host(weights.url)} has another file of this name ({told or 'no range told'})")
        return have
    length = answer.headers.get("Content-Length")
    if length is not None and int(length) != weights.size:
        raise NotThere(f"{_host(weights.url)} answers with {length} bytes where the file has {weights.size}")
    return 0


@contextmanager
def _opened(url: str, have: int = 0) -> Iterator[httpx2.Response]:
    """Raises NotThere and _Broken."""
    host, scheme = _host(url), urlsplit(url).scheme
    if scheme not in ("https", "http") or not host:
        raise NotThere(f"{url} is no address of a hub: correct HF_ENDPOINT")
    # Compressed, its bytes could not be counted.
    headers = {"User-Agent": "duet", "Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})

    last = scheme

    def bare(request: httpx2.Request) -> None:
        """Also of each redirect."""
        nonlocal last
        if last == "https" != request.url.scheme:
            raise NotThere(f"{host} sends its callers on to an address that is not https")
        last, request.headers = request.url.scheme, httpx2.Headers({"Host": request.headers["Host"], **headers})

    try:
        with _client(bare) as client, client.stream("GET", url) as answer:
            if not answer.is_success:
                raise _refusal(host, answer.status_code)
            yield answer
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise _Broken(f"{host} cannot be reached: {error}") from error


def _client(hook: Callable[[httpx2.Request], None]) -> httpx2.Client:
    """It trusts the machine's own certificates, a company's among them. Raises _Broken."""
    trusted = ssl.create_default_context()
    try:
        return httpx2.Client(verify=trusted, timeout=PATIENCE, follow_redirects=True, event_hooks={"request": [hook]})
    except (ImportError, ValueError) as error:  # of ALL_PROXY, such as `socks5://`
        raise _Broken(f"the proxy that is set cannot be used ({error})") from error


def _refusal(host: str, code: int) -> Exception:
    if code in (401, 403):
        return NotThere(f"{host} gives this file to signed-in people only ({code})")
    if code == 404:
        return NotThere(f"{host} has no such file (404)")
    kind = _Broken if code in (408, 416, 429) or code >= 500 else NotThere
    return kind(f"{host} refused ({code})")


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def pour(source: Iterable[bytes], file: IO[bytes], done: int, most: int, tell: Callable[[int], None]) -> int:
    """Copies; stops at a source that gives more than was promised. Returns the bytes so far. Raises Missing."""
    for piece in source:
        try:
            file.write(piece)
            file.flush()
        except OSError as error:
            raise full(error, Path(file.name)) from error
        done += len(piece)
        tell(done)
        if done > most:
            break
    return done


def full(error: OSError, path: Path) -> Missing:
    """What cannot be written, in a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Missing(f"The disk of {path.parent} is full: free some space and fetch again; what came is kept.")
    return Missing(f"{path.parent} cannot be written ({error.strerror}): make it writable, or set DUET_HOME elsewhere.")
