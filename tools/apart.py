"""Work on files of strangers, done by a child process with limits of time and memory: what ends it ends nothing else.

The child is handed bytes and answers with one JSON line; nothing that it says is run. It writes no files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MEMORY = 1_500_000_000
"""Bytes of address space, libraries included."""
ANSWER = 80_000_000
"""Bytes that a child may answer with."""
FILES = 64
BEHIND = 10
"""A file of one person is not to keep the turns of others waiting."""


class Died(Exception):
    """The child ended without an answer: by its limits, by its parser, or by the file."""


class Unreadable(Exception):
    """The child's own word on why the file cannot be read: what its function raised ValueError with."""


def apart(work: str, data: bytes, *, seconds: float, memory: int = MEMORY) -> Any:
    """What `work` ("module:function", bytes to JSON) makes of the data. Raises Died, Unreadable."""
    try:
        done = subprocess.run(
            command("tools.apart", work, str(int(seconds) + 1), str(memory)),
            input=data, capture_output=True, timeout=seconds, env=bare_environment(), cwd="/", check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout[:ANSWER])
    except (subprocess.TimeoutExpired, ValueError, OSError) as error:
        raise Died(work) from error
    if not isinstance(answer, dict) or "made" not in answer:
        raise Unreadable(str(answer.get("wrong", "")) if isinstance(answer, dict) else "")
    return answer["made"]


def command(module: str, *words: str) -> list[str]:
    """Runs a module of ours in a Python of its own, whatever folder one is in."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import child; child(sys.argv[1:])"
    return [sys.executable, "-P", "-c", start, *words]


def bare_environment() -> dict[str, str]:
    """Without keys and tokens."""
    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV", "HOME", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ}


def limit(seconds: int, memory: int, *, writes: bool = False) -> None:
    """Of this process, for good: seconds of the processor, bytes of memory; without `writes` no file grows."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # Windows has none
        import resource

        os.nice(BEHIND)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
        if not writes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        if sys.platform != "darwin":  # which refuses it
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def child(words: Sequence[str]) -> None:
    """The other side."""
    from importlib import import_module

    work, seconds, memory = words
    module, _, function = work.partition(":")
    limit(int(seconds), int(memory))
    try:
        answer = {"made": getattr(import_module(module), function)(sys.stdin.buffer.read())}
    except ValueError as error:
        answer = {"wrong": str(error)}
    text = json.dumps(answer)
    if len(text) <= ANSWER:
        print(text, flush=True)
    os._exit(0)


# -- what a child does; it imports little, to be there soon


MOST_PAGES = 2_000
MOST_CHARACTERS = 20_000_000


def pages(data: bytes) -> list[str]:
    """One text a page. Raises ValueError with one word: locked, long or damaged."""
    import logging

    from pypdf import PdfReader

    logging.disable(logging.CRITICAL)
    texts, total = list[str](), 0
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not _opened(reader):
            raise ValueError("locked")
        for page in reader.pages:
            texts.append(page.extract_text())
            total += len(texts[-1])
            if len(texts) > MOST_PAGES or total > MOST_CHARACTERS:
                raise ValueError("long")
    except MemoryError:
        raise ValueError("long") from None
    except (Exception, RecursionError) as error:  # a broken file breaks pypdf in many ways
        raise ValueError(str(error) if str(error) in ("locked", "long") else "damaged") from None
    return texts


def _opened(reader: object) -> bool:
    """Some files are locked with an empty password."""
    try:
        return bool(reader.decrypt(""))  # type: ignore[attr-defined]
    except Exception:
        return False


EDGE = 1536
"""Pixels of the longer side; models are shown no more of a picture."""
PIXELS = 50_000_000
"""Of an uploaded one."""
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_UNKNOWN = "is no picture that can be read: PNG, JPEG, WebP and GIF files can"
_TOO_LARGE = f"has more than {PIXELS // 1_000_000} million pixels; upload a smaller picture"


def redrawn(data: bytes) -> dict[str, Any]:
    """In the child: upright, on white, at most EDGE pixels wide and high; of one that moves the first. Raises
    ValueError."""
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > PIXELS:
                raise ValueError(_TOO_LARGE)
            opened.draft("RGB", (2 * EDGE, 2 * EDGE))  # a large JPEG need not be decoded whole
            upright = ImageOps.exif_transpose(opened).convert("RGBA")
    except Image.DecompressionBombError:
        raise ValueError(_TOO_LARGE) from None
    except (OSError, SyntaxError, EOFError) as broken:  # Pillow's words for what it cannot read
        raise ValueError(_UNKNOWN) from broken
    upright.thumbnail((EDGE, EDGE))
    sheet = Image.new("RGB", upright.size, "white")
    sheet.paste(upright, mask=upright.getchannel("A"))
    kept = BytesIO()
    sheet.save(kept, "JPEG", quality=88)
    return {"data": b64encode(kept.getvalue()).decode(), "width": sheet.width, "height": sheet.height}
