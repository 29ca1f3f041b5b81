"""Draws a picture of a stranger anew, in a child process (tools/apart.py): it imports little, to be there soon."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any

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
