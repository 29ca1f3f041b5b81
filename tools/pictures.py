"""Uploaded pictures, drawn anew: what is kept was made here, without what else a file may hold (places, programs)."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass

from tools.apart import Died, Unreadable, apart
from tools.desk import ToolFault
from tools.reading import LARGEST, file_name

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
MEDIA = "image/jpeg"
"""Of all that are kept."""
PATIENCE = 30.0
"""Seconds given to one."""


@dataclass(frozen=True)
class Drawn:
    """A picture as it is kept."""

    name: str
    data: bytes
    """JPEG."""
    width: int
    height: int


def is_picture(name: str) -> bool:
    """By its ending; what is inside is seen when it is read."""
    return name.lower().endswith(ENDINGS)


def read_picture(name: str, data: bytes) -> Drawn:
    """Decoded by a child process and drawn anew. Raises ToolFault with one sentence where it cannot be."""
    name = file_name(name)
    if len(data) > LARGEST:
        raise ToolFault(f"{name} is larger than 20 MB; upload a smaller picture.")
    try:
        made = apart("tools.apart:redrawn", data, seconds=PATIENCE)
    except Unreadable as wrong:
        raise ToolFault(f"{name} {wrong}.") from wrong
    except Died as died:
        raise ToolFault(f"{name} takes too much time or memory to read; upload a smaller picture.") from died
    return Drawn(name, b64decode(made["data"]), int(made["width"]), int(made["height"]))
