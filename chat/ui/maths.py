r"""LaTeX as models write it, `$...$`, `\(...\)`, `$$...$$`, `\[...\]` and bare environments, as MathML.

The browser draws MathML by itself: no script, no fonts to fetch. Formulas are found while Markdown is read, so that
code keeps its dollars and formulas keep their underscores. What cannot be converted is shown as it was written.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from chat.ui.language import _

LONGEST, LINES, TRIES = 4_000, 200, 40
"""Characters and lines of a formula, and ends that are looked at for one: no text keeps the server busy."""
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:equation|align|alignat|gather|multline|flalign|eqnarray|[pbBvV]?matrix|cases)\*?)\}"
)
_MONEY = re.compile(r"\d[\d.,]*\s+(?:[^\W\d_]\s+)?[^\W\d_]{2,}\s")
_REWRITTEN = (
    (re.compile(r"\\(begin|end)\{(?:align|aligned|flalign|eqnarray)\*?\}"), r"\\\1{split}"),
    (re.compile(r"\\begin\{alignat(?:ed)?\*?\}\s*\{\d*\}"), r"\\begin{split}"),
    (re.compile(r"\\end\{alignat(?:ed)?\*?\}"), r"\\end{split}"),
    (re.compile(r"\\begin\{(?:gather|gathered|multline)\*?\}"), r"\\begin{array}{c}"),
    (re.compile(r"\\end\{(?:gather|gathered|multline)\*?\}"), r"\\end{array}"),
    (re.compile(r"\\(?:begin|end)\{equation\*?\}"), ""),
    (re.compile(r"(\\begin\{[pbBvV]?matrix\*?\})"), r"{\1"),
    (re.compile(r"(\\end\{[pbBvV]?matrix\*?\})"), r"\1}"),
)
"""In what the converter knows: no equation numbers that nobody asked for, and matrices that can bear an index."""
_ALIAS = re.compile(r"\\(bm|lvert|rvert|lVert|rVert|dotsc|dotsb|tfrac|nonumber|notag)(?![A-Za-z])|\\label\{[^{}]*\}")
_ALIASES = {
    "bm": r"\boldsymbol", "lvert": "|", "rvert": "|", "lVert": r"\|", "rVert": r"\|", "dotsc": r"\ldots",
    "dotsb": r"\cdots", "tfrac": r"\frac",
}  # fmt: skip
_TAGS = frozenset(
    {
        "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub", "msubsup", "mfrac", "msqrt", "mroot",
        "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "mmultiscripts",
        "mprescripts", "none",
    }
)  # fmt: skip
_ATTRIBUTES = frozenset(
    {
        "display", "stretchy", "fence", "form", "separator", "symmetric", "largeop", "movablelimits", "accent",
        "accentunder", "lspace", "rspace", "width", "height", "depth", "voffset", "minsize", "maxsize",
        "mathvariant", "displaystyle", "scriptlevel", "linethickness", "columnalign", "columnlines", "rowlines",
        "rowspacing", "columnspacing",
    }
)  # fmt: skip
_VALUE = re.compile(r"[\w .+%-]{1,60}")
_ENCLOSED = {"box": "boxed", "roundedbox": "boxed"}


def maths(parser: MarkdownIt) -> None:
    """Teaches a parser formulas. `env["coming"]`: the text is still being written, and so may be its last formula."""
    ahead = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "maths_block", _block, ahead)  # type: ignore[arg-type]
    parser.inline.ruler.before("escape", "maths", _inline)
    parser.add_render_rule("maths", _render)
    parser.add_render_rule("maths_block", _render)


@lru_cache(maxsize=2048)
def formula(tex: str, *, display: bool) -> str:
    """The formula as MathML; empty where that does not go."""
    from latex2mathml.converter import convert_to_element

    if len(tex) > LONGEST:
        return ""
    known = _known(tex)
    for way in (known, rf"\begin{{split}}{known}\end{{split}}"):  # lines that are broken outside of any environment
        try:
            return _written(convert_to_element(way, display="block" if display else "inline"))
        except Exception:  # whatever a model wrote: an unknown command, a brace too many, a thousand of them
            continue
    return ""


def _known(tex: str) -> str:
    for pattern, words in _REWRITTEN:
        tex = pattern.sub(words, tex)
    return _ALIAS.sub(lambda found: _ALIASES.get(found[1] or "", ""), tex)


def _written(element: Element) -> str:
    """Only what draws; a link, a style or an unknown element in it raises ValueError."""
    text = html.unescape(element.text or "")
    inner = html.escape(text) + "".join(_written(child) + html.escape(child.tail or "") for child in element)
    if element.tag == "menclose":  # browsers no longer know it
        css = _ENCLOSED.get(element.get("notation", ""), "struck")
        return f'<mrow class="{css}">{inner}</mrow>'
    if element.text == "&" or "linebreak" in element.attrib:
        raise ValueError("in no environment that aligns or breaks lines")
    if element.tag not in _TAGS or (text.startswith("\\") and len(text) > 1 and element.tag != "mtext"):
        raise ValueError(f"unknown: {element.tag} {text}")
    kept = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES and _VALUE.fullmatch(value)}
    named = "".join(f' {name}="{value}"' for name, value in kept.items())
    return f"<{element.tag}{named}>{inner}</{element.tag}>"


def _render(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    display = token.markup not in ("$", "\\(")
    drawn = "" if token.info == "coming" else formula(token.content.strip(), display=display)
    if not drawn:
        end = "" if token.info == "coming" else dict(DELIMITERS).get(token.markup, "")
        drawn = f'<code class="tex">{html.escape(token.markup + token.content + end)}</code>'
    what = f'class="maths" tabindex="0" role="group" aria-label="{_("Formula")}"'
    if token.type == "maths_block":
        return f"<div {what}>{drawn}</div>\n"
    return f"<span {what}>{drawn}</span>" if display else drawn


# -- in a line


def _inline(state: StateInline, silent: bool) -> bool:
    found = next((pair for pair in DELIMITERS if state.src.startswith(pair[0], state.pos)), None)
    if not found:
        return False
    opened, closed = found
    start = state.pos + len(opened)
    end = _end(state.src, closed, start)
    coming = end < 0 and bool(state.env.get("coming")) and opened != "$" and len(state.src) - start < LONGEST
    if coming:
        end = len(state.src)
    content = state.src[start:end] if end >= 0 else ""
    if not content.strip() or "`" in content or (opened == "$" and not _dollars(state, content, end)):
        return False
    if not silent:
        token = state.push("maths", "math", 0)
        token.content, token.markup, token.info = content, opened, "coming" if coming else ""
    state.pos = end + (0 if coming else len(closed))
    return True


def _end(text: str, closed: str, start: int) -> int:
    """Where the formula ends; -1 where it does not. A backslash takes the delimiter's meaning."""
    end = start - 1
    for _try in range(TRIES):
        end = text.find(closed, end + 1, start + LONGEST)
        if end < 0 or not _escaped(text, end):
            return end
    return -1


def _escaped(text: str, at: int) -> bool:
    before = text[max(0, at - 20) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _dollars(state: StateInline, content: str, end: int) -> bool:
    """Whether single dollars hold a formula and no amounts: `$5 and $10` do not."""
    before, after = state.src[: state.pos][-1:], state.src[end + 1 : end + 2]
    touched = any(c.isascii() and c.isalnum() for c in (before, after))  # many scripts put no space around a formula
    if touched or "\n\n" in content:
        return False
    return content.strip() == content and not _MONEY.match(content)


# -- on lines of its own


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    first = _line(state, start)
    opened, closed = _opening(first)
    if not opened:
        return False
    bare = opened.startswith("\\begin")
    from_ = 0 if bare else len(opened)
    endless: dict[tuple[str, int, int], int] = state.env.setdefault("endless", {})  # up to where it was looked for
    looked = (closed, state.blkIndent, state.level)
    if start < endless.get(looked, 0):
        return False
    within = _within(state, start, end)
    last = next((n for n in within if _closes(_line(state, n), closed, from_ * (n == start))), None)
    # Nothing but the formula being written comes behind its beginning.
    coming = last is None and bool(state.env.get("coming")) and len(within) == end - start < LINES
    if last is None and not coming:
        endless[looked] = within[-1] + 1
        return False
    if silent:
        return True
    state.line = end if last is None else last + 1
    content = state.getLines(start, state.line, state.sCount[start], False).strip()[from_:]
    if not coming and not bare:
        content = "".join(content.rpartition(closed)[::2])
    token = state.push("maths_block", "math", 0)
    token.block, token.map = True, [start, state.line]
    token.content, token.markup, token.info = content, "" if bare else opened, "coming" if coming else ""
    return True


def _opening(line: str) -> tuple[str, str]:
    """What begins and what ends the formula that the line begins with; empty where it begins none."""
    if found := _ENVIRONMENT.match(line):
        return found[0], f"\\end{{{found[1]}}}"
    return next(((a, b) for a, b in DELIMITERS[:2] if line.startswith(a)), ("", ""))


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _within(state: StateBlock, start: int, end: int) -> range:
    """The lines that a formula may go over: up to a blank one, or one that leaves the list or quotation."""
    over = (n for n in range(start + 1, end) if state.isEmpty(n) or state.sCount[n] < state.blkIndent)
    return range(start, min(next(over, end), start + LINES))


def _closes(line: str, closed: str, from_: int) -> bool:
    """Whether the formula ends with this line; a comma or full stop behind it belongs to it."""
    at = line.find(closed, from_)
    return at >= 0 and not _escaped(line, at) and re.fullmatch(r"[.,;:]?\s*", line[at + len(closed) :]) is not None
