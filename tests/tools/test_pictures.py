"""Pictures are drawn anew by a child process: what is kept holds the picture and nothing else."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from struct import pack
from typing import Any
from zlib import crc32

import pytest
from PIL import Image

from tools.apart import EDGE, redrawn
from tools.desk import ToolFault
from tools.pictures import is_picture, read_picture


def file(kind: str, colour: Any = "red", size: tuple[int, int] = (60, 40), mode: str = "RGB", **more: Any) -> bytes:
    kept = BytesIO()
    Image.new(mode, size, colour).save(kept, kind, **more)
    return kept.getvalue()


def seen(data: bytes) -> Image.Image:
    return Image.open(BytesIO(b64decode(redrawn(data)["data"])))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_each_kind_becomes_a_jpeg(kind: str) -> None:
    drawn = read_picture("../a/red.x", file(kind))
    picture = Image.open(BytesIO(drawn.data))
    red, green, blue = picture.getpixel((30, 20))  # type: ignore[misc]
    assert (picture.format, picture.size, drawn.width, drawn.height) == ("JPEG", (60, 40), 60, 40)
    assert red > 220 and green < 40 and blue < 40 and drawn.name == "red.x"


def test_a_large_one_is_made_smaller_and_keeps_its_shape() -> None:
    picture = seen(file("JPEG", size=(4000, 1000)))
    assert picture.size == (EDGE, EDGE // 4)


def test_it_stands_upright_and_tells_nothing_of_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    exif.get_ifd(0x8825)[1] = "N"
    picture = seen(file("JPEG", exif=exif, comment=b"the secret"))
    assert picture.size == (40, 60) and not picture.getexif() and "comment" not in picture.info


def test_what_is_transparent_is_white() -> None:
    assert min(seen(file("PNG", (0, 0, 0, 0), mode="RGBA")).getpixel((5, 5))) > 250  # type: ignore[arg-type]


def bomb() -> bytes:
    """A PNG that says that it is 60,000 pixels wide and high."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)) + chunk(b"IDAT", b"x")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no picture that can be read"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture that can be read"),
        (file("PNG")[:60], "no picture that can be read"),
        (file("BMP"), "no picture that can be read"),
        (bomb(), "more than 50 million pixels"),
        (b"x" * (20 * 1024 * 1024 + 1), "larger than 20 MB"),
    ],
    ids=["empty", "svg", "cut off", "another kind", "too many pixels", "too many bytes"],
)
def test_what_cannot_be_read_is_told_in_a_sentence(data: bytes, why: str) -> None:
    with pytest.raises(ToolFault, match=rf"^odd\.png .*{why}.*\.$"):
        read_picture("odd.png", data)


def test_pictures_are_known_by_their_ending() -> None:
    assert all(map(is_picture, ("a.PNG", "b.jpeg", "c.webp", "d.gif"))) and not is_picture("png.txt")
