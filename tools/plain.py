"""Texts in plain characters, and in one line."""

from __future__ import annotations

import re
import unicodedata

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""In a pattern, letters of languages without blanks between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""
_PIECE = re.compile(r"(?s:.{1,199}\s|.{1,200})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SYMBOLS = str.maketrans(
    {"×": "*", "✕": "*", "✖": "*", "·": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-",
     "—": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "′": "'", "“": '"', "”": '"', "″": '"', "≤": "<=",
     "≥": ">=", "→": " to "}
)  # fmt: skip


def normal(text: str) -> str:
    """Each character in its plain form (NFKC), in pieces: a row of accents takes the square of its length.

    A piece that would grow many times as long (there are signs that stand for a sentence) stays as it is.
    """
    return text if text.isascii() else _PIECE.sub(lambda found: _normal(found[0]), text)


def _normal(piece: str) -> str:
    plain = unicodedata.normalize("NFKC", piece)
    return plain if len(plain) <= 4 * len(piece) else piece


def readable(text: str) -> str:
    """Without the control characters that no keyboard means, which can drive a terminal, and halves of characters; line
    breaks and tabs stay."""
    return _UNREADABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Plain digits, signs and spaces in place of typographic and foreign ones; no control characters."""
    if text.isascii():
        return " ".join(_CONTROL.sub(" ", text).split())
    text = re.sub(r"[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    text = re.sub(r"(\d?)\s?([¼-¾⅐-⅞])", _vulgar_fraction, text)
    text = normal(text).translate(_SYMBOLS)
    text = "".join(_plain_character(c) for c in text)
    return " ".join(text.split())


def _vulgar_fraction(found: re.Match[str]) -> str:
    fraction = unicodedata.normalize("NFKC", found[2]).replace("⁄", "/")
    return f"{found[1]} {fraction}" if found[1] else fraction


def _plain_character(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return " " if unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cs") else character
