"""Uploaded files -> chunks that can be searched and quoted. What a file says is data, never an instruction."""

from __future__ import annotations

import logging
import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterable, Iterator
from typing import Any

from tools.apart import Died, Unreadable, apart
from tools.desk import Chunk, ToolFault
from tools.plain import UNSPACED, normal

log = logging.getLogger(__name__)

LARGEST = 20 * 1024 * 1024
"""Bytes of a file."""
MOST_WORDS = 300_000
"""And lines."""
OFFICE = (".docx", ".xlsx", ".pptx", ".odt", ".epub")
"""Endings of what tools/office.py reads."""
LINED = (
    ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".xml", ".html", ".css", ".sql", ".log",
    ".tex", ".py", ".js", ".ts", ".java", ".c", ".h", ".cpp", ".cs", ".go", ".rs", ".rb", ".php", ".kt", ".swift",
    ".sh", ".r",
)  # fmt: skip
"""Endings of tables and of program text, whose lines stay as they are."""
FURTHER = ", further on"
"""Behind the place of a line that began in the chunk before."""
PATIENCE = 120.0
"""Seconds given to one PDF: as many pages as have MOST_WORDS take long where others compute as well."""
LONGEST = 120
"""Characters of a place."""
SAMPLE = 100_000
"""Bytes that tell in which encoding a text is."""
_WORDS, _AT_MOST = 100, 140
"""Words of a chunk: begun anew beyond the first where a paragraph ends, beyond the second anywhere."""
_WORD = re.compile(rf"(?:[{UNSPACED}]{{1,2}}|[^\s{UNSPACED}]{{1,16}})\s*")
"""One of those, with the blanks behind it: two signs where there are no blanks, and no more than 16 of anything."""

Block = tuple[str, str]
"""A paragraph with the place it stands at."""
Path = tuple[str, ...]
"""The headings that a paragraph stands under, the outermost first."""


def read_document(name: str, data: bytes) -> list[Chunk]:
    """Markdown, plain text, PDF, office files, books, tables or program text as chunks of about 120 words, each with
    its page, heading, sheet, slide or lines.

    Raises ToolFault with one sentence when the file cannot be used.
    """
    name = file_name(name)
    if len(data) > LARGEST:
        raise ToolFault(f"{name} is larger than 20 MB; upload a smaller file or a part of it.")
    if not data.strip():
        raise ToolFault(f"{name} is empty; upload a file with text in it.")
    if b"%PDF-" in data[:1024] and not is_lined(name):
        blocks = _pages(name, data)
    elif name.lower().endswith(".pdf"):
        raise ToolFault(f"{name} is not a PDF inside; save it as PDF again and upload that.")
    elif data.startswith(b"PK\3\4"):
        made = ((level, printable(text).strip()) for level, text in _by_child("tools.office:blocks", name, data))
        blocks = _placed(list(_sections(part for part in made if part[1])))
    elif is_lined(name):
        blocks = list(_lines(_decoded(name, data)))
    else:
        markdown = name.lower().endswith((".md", ".markdown"))
        blocks = _placed(list(_sections(_outlined(_decoded(name, data), markdown), nested=markdown)))
    if sum(max(len(pieces(text)), text.count("\n") + 1) for _, text in blocks) > MOST_WORDS:
        raise ToolFault(f"{name} {_WRONG['words']}.")
    parts = blocks if is_lined(name) else [block for block in _chunked(blocks) if re.search(r"\w", block[1])]
    chunks = [Chunk(name, place, text) for place, text in parts]
    if not any(re.search(r"\w", chunk.text) for chunk in chunks):
        raise ToolFault(f"{name} has no readable text; if it is a scan, run text recognition on it first.")
    return chunks


def file_name(name: str) -> str:
    """What a file is called here: without folders and signs that nobody sees."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return in_a_line(base)[:120].rstrip() or "document"


def is_lined(name: str) -> bool:
    """Whether a file's lines stay as they are."""
    return name.lower().endswith(LINED)


_BREAK = re.compile("\r\n|[\r\x0b\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ue000-\uf8ff\U000e0000-\U000e007f]"
)


def _means_more(character: str) -> bool:
    """In plain form it would say something else: 2½ would be 21⁄2, 10⁶ 106 and H₂O H2O."""
    return unicodedata.decomposition(character).startswith(("<fraction>", "<super>", "<sub>"))


_FOLDED = re.compile(f"[^{''.join(c for c in map(chr, range(0x80, 0x10000)) if _means_more(c))}]+")


def printable(text: str) -> str:
    """Without control and invisible characters (they could hide or forge something), every line break a plain one;
    ligatures, wide letters plain."""
    text = _BREAK.sub("\n", text).replace("\f", "\n\n")
    return _FOLDED.sub(lambda found: normal(found[0]), _UNSEEN.sub("", text))


def in_a_line(text: str) -> str:
    """The same without line breaks: for a name, and a place."""
    return " ".join(printable(text).split())


def _decoded(name: str, data: bytes) -> str:
    text = _unicode(data)
    shown = data.decode("cp1252", "replace") if text is None else text
    unseen = len(_UNSEEN.findall(shown[:20_000].replace("\r", " ")))
    if "\0" in shown[:20_000] or unseen > 3 + len(shown[:20_000]) / 50:
        raise ToolFault(f"{name} {_WRONG['unknown']}.")
    if text is None and (text := shown if _western(shown) else _foreign(data)) is None:
        raise ToolFault(f"{name} is in an encoding that is not known; save it as UTF-8 and upload that.")
    return printable(text)


def _unicode(data: bytes) -> str | None:
    """The text, if that is how it is written; a byte that is spoilt or cut off does not spoil a UTF-8 text."""
    wide = {BOM_UTF32_LE: "utf-32", BOM_UTF32_BE: "utf-32", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
    marked = next((encoding for mark, encoding in wide.items() if data.startswith(mark)), "")
    if not marked and 0 in data[:2] and any(data[:2]):  # without a mark
        marked = "utf-16-le" if data[1] == 0 else "utf-16-be"
    try:
        text = data.decode(marked or "utf-8-sig", "strict" if marked else "replace")
    except UnicodeDecodeError:
        return None
    wrong = text.count("\ufffd")
    return text if marked or not wrong or 2 * wrong <= sum(not sign.isascii() for sign in text) - wrong else None


def _foreign(data: bytes) -> str | None:
    """The text, where other letters than Latin ones are plain from how often each comes: of those one code page is
    easily taken for another."""
    from charset_normalizer import from_bytes

    begins = data[:SAMPLE]
    found = from_bytes(begins[: begins.rfind(b"\n")] if len(data) > SAMPLE and b"\n" in begins else begins).best()
    if not found or not found.coherence:
        return None
    letters = [sign for sign in str(found) if sign.isalpha()]
    latin = sum(sign < "\u0370" for sign in letters)
    return data.decode(found.encoding, "replace") if 2 * latin < len(letters) else None


def _western(text: str) -> bool:
    """Whether it reads as one: mostly plain letters, and no signs such as `¿` or `³` amid words."""
    letters, foreign = len(re.findall(r"[A-Za-z]", text)), len(re.findall(r"[^\W\d_A-Za-z]", text))
    amid = len(re.findall(r"[^\W\d_](?=[¡-©«¬®-¶¸¹»-¿×÷\ufffd][^\W\d_])", text))
    return foreign <= 3 + letters / 3 and amid <= 1 + len(text) / 200


def _outlined(text: str, markdown: bool) -> Iterator[tuple[int, str]]:
    """Paragraphs and headings, each with its level; 0 is a paragraph."""
    lines, fence = list[str](), ""
    for line in [*text.splitlines(), ""]:
        fence = _fence(line.strip(), fence) if markdown else ""
        heading = None if fence else _heading(line.rstrip(), lines, markdown)
        if line.strip() and heading is None:
            lines.append(line.strip())
            continue
        if lines and not (heading and "#" not in line):  # what is underlined is the heading itself
            yield 0, _joined(lines)
        lines = []
        if heading:
            yield heading


def _sections(parts: Iterable[tuple[int, str]], nested: bool = True) -> Iterator[tuple[Path, str]]:
    """Paragraphs, each with the headings it stands under."""
    path = list[tuple[int, str]]()
    under: Path = ()  # where the text before stands
    bare = False  # whether nothing stands below the last heading yet
    for level, text in parts:
        if not level:
            under, bare = _titles(path), False
            yield under, text
            continue
        if bare and level <= path[-1][0]:
            yield _titles(path[:-1]) if nested else under, path[-1][1]
        path, bare = [*(one for one in path if one[0] < level), (level, text)], True
    if bare:  # what has nothing below it is text itself, such as the lines of a list
        yield _titles(path[:-1]) if nested else under, path[-1][1]


def _titles(path: list[tuple[int, str]]) -> Path:
    return tuple(title for _, title in path)


def _fence(line: str, fence: str) -> str:
    """What closes the code that a line of Markdown stands in; empty outside."""
    if fence:
        return "" if line.startswith(fence) else fence
    return line[:3] if line.startswith(("```", "~~~")) else ""


def _placed(blocks: list[tuple[Path, str]]) -> list[Block]:
    """With the headings as one place, without the title of the whole."""
    titled = len({path[0] for path, _ in blocks if path}) == 1
    return [(_place(path[titled:] or path), text) for path, text in blocks]


def _place(path: Path) -> str:
    """`Pro plan > Price`"""
    whole = " > ".join(path)
    return whole if len(whole) <= LONGEST else " > ".join(title[: LONGEST // len(path) - 3] for title in path)


def _heading(line: str, before: list[str], markdown: bool) -> tuple[int, str] | None:
    """The heading in `line` and its level: `## Refunds`, an underline below one line, or a short line that is no
    sentence."""
    if len(line) > 200:
        return None
    if markdown:
        if found := re.match(r" {0,3}(#{1,6})\s+(\S.*)", line):
            title, _, last = found[2].rpartition(" ")
            title = found[2] if last.strip("#") else title.rstrip()
            return (len(found[1]), re.sub(r"[*_`]", "", title)) if title else None
        underlined = len(before) == 1 and re.fullmatch(r"\s*(=+|-{3,})", line)
        return (1 if "=" in line else 2, before[0]) if underlined else None
    short = line.strip()
    if before or not 2 < len(short) <= 60 or len(short.split()) > 8 or short[-1] in ".,;!?\"'":
        return None
    titled = re.match(r"(?:\d+(?:\.\d+)*[.)]?|[IVX]+\.|§\s*\d+)\s+\S", short) or short.isupper()
    return (1, short.rstrip(":")) if titled or (short.endswith(":") and len(short.split()) <= 5) else None


def _joined(lines: list[str]) -> str:
    """Lines of a paragraph as one; items of a list and rows of a table stay apart."""
    text = ""
    for line in lines:
        item = re.match(r"(?:[-*+•]|\d+[.)])\s|\|", line)
        text += ("\n" if item else " ") + line
    return text.strip()


def _lines(text: str) -> Iterator[Block]:
    """Whole lines, as many as make a chunk; of one that is longer than a chunk its parts."""
    held, first, count = list[str](), 1, 0
    for number, line in enumerate(text.rstrip().split("\n"), 1):
        length = max(1, len(pieces(line)))
        if held and (count >= _WORDS or count + length > _AT_MOST):
            yield _numbers(first, number - 1), "\n".join(held)
            held, count = [], 0
        if length > _AT_MOST:
            yield from _parts(number, line)
            continue
        first = first if held else number
        held.append(line)
        count += length
    if held:
        yield _numbers(first, first + len(held) - 1), "\n".join(held)


def _parts(number: int, line: str) -> Iterator[Block]:
    indent, words, place = line[: len(line) - len(line.lstrip())], pieces(line), _numbers(number, number)
    yield place, indent + "".join(words[:_AT_MOST])
    for at in range(_AT_MOST, len(words), _AT_MOST):
        yield place + FURTHER, "".join(words[at : at + _AT_MOST])


def _numbers(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}–{last}"


def as_it_was(chunks: Iterable[Chunk]) -> str:
    """The text that chunks of lines were cut from."""
    return "".join(("" if chunk.place.endswith(FURTHER) else "\n") + chunk.text for chunk in chunks)[1:]


_WRONG = {
    "unknown": "cannot be read; save it as PDF or text, a table as CSV, and upload that",
    "locked": "is protected by a password; upload it without one",
    "words": f"has more than {MOST_WORDS} words or lines; upload the part you need",
    "long": "takes too long to read; upload the pages you need",
    "damaged": "is damaged and cannot be read; save it as PDF again and upload that",
}


def _by_child(work: str, name: str, data: bytes) -> Any:
    """What a process of its own makes of a file. Raises ToolFault."""
    try:
        return apart(work, data, seconds=PATIENCE)
    except Unreadable as wrong:
        raise ToolFault(f"{name} {_WRONG.get(str(wrong), _WRONG['damaged'])}.") from wrong
    except Died as died:
        log.info("%s ended the process that read it", name)
        raise ToolFault(f"{name} {_WRONG['long']}.") from died


def _pages(name: str, data: bytes) -> list[Block]:
    texts = _by_child("tools.apart:pages", name, data)
    blocks = [(f"page {n}", part) for n, text in enumerate(texts, 1) for part in _paragraphs(printable(str(text)))]
    if not blocks:
        raise ToolFault(f"{name} has no text, only pictures; run text recognition on it and upload the result.")
    return blocks


def _paragraphs(text: str) -> list[str]:
    """A page's lines put together again: a line that ends early, or a sentence, ends its paragraph."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    widest = max((len(line) for line in lines), default=0)
    paragraphs, current = list[str](), ""
    for line in lines:
        hyphenated = current.endswith("-") and line[:1].islower()
        current = current[:-1] + line if hyphenated else f"{current} {line}".strip()
        if len(line) < 0.7 * widest:
            paragraphs.append(current)
            current = ""
    return [*paragraphs, current] if current else paragraphs


def pieces(text: str) -> list[str]:
    """The words that a text is measured in; together they are the text again."""
    return _WORD.findall(text)


_ENDS = re.compile(rf"\n+|(?<=[.!?…])[\"')\]]?\s+(?=[\"'(\[]?[A-Z0-9ÄÖÜÀ-Þ])|(?<=[。!?])(?=[{UNSPACED}])")


def sentences(text: str) -> list[str]:
    """The sentences and list items of a passage, none longer than a chunk."""
    cut = [pieces(" ".join(part.split())) for part in _ENDS.split(text)]
    return ["".join(w[at : at + _AT_MOST]).strip() for w in cut for at in range(0, len(w), _AT_MOST)]


def _chunked(blocks: list[Block]) -> Iterator[Block]:
    """Neighbouring paragraphs of one place put together, long ones cut at a sentence."""
    place, held, count = "", list[str](), 0
    for where, paragraph in blocks:
        length = len(pieces(paragraph))
        if held and (where != place or count + length > _AT_MOST or count >= _WORDS):
            yield place, "\n".join(held)
            held, count = [], 0
        place = where
        if length <= _AT_MOST:
            held, count = [*held, paragraph], count + length
            continue
        for sentence in sentences(paragraph):
            if held and count + len(pieces(sentence)) > _WORDS:
                yield place, " ".join(held)
                held, count = [], 0
            held, count = [*held, sentence], count + len(pieces(sentence))
    if held:
        yield place, "\n".join(held)
