"""Line icons as inline SVG: 24 x 24, drawn with the colour of the text around them."""

# ruff: noqa: E501
from __future__ import annotations

_SHAPES = {
    "bolt": '<path d="M13 2 4.5 13.5H11L10 22l8.5-11.5H12z"/>',
    "spiral": '<path d="M12 12a1.500 1.500 0 0 1 3 0 3.500 3.500 0 0 1-7 0 5.500 5.500 0 0 1 11 0 7.500 7.500 0 0 1-7.500 7.500"/>',
    "book": '<path d="M5 4.500h10a3 3 0 0 1 3 3V20H8a3 3 0 0 1-3-3z"/><path d="M5 17a3 3 0 0 1 3-3h10"/><path d="M9 8.500h5"/>',
    "world": '<circle cx="12" cy="12" r="8.500"/><path d="m15.500 8.500-2 5-5 2 2-5z"/>',
    "person": '<circle cx="12" cy="8" r="3.700"/><path d="M4.500 20a7.500 7.500 0 0 1 15 0"/>',
    "pin": '<path d="M12 21s-6.500-6-6.500-11a6.500 6.500 0 0 1 13 0c0 5-6.500 11-6.500 11z"/><circle cx="12" cy="10" r="2.300"/>',
    "plus": '<path d="M12 5v14M5 12h14"/>',
    "search": '<circle cx="11" cy="11" r="6.500"/><path d="m16 16 4.500 4.500"/>',
    "menu": '<path d="M4 7h16M4 12h16M4 17h10"/>',
    "gear": '<path d="M4 7h9m5 0h2M4 17h2m5 0h9"/><circle cx="15.500" cy="7" r="2.300"/><circle cx="8.500" cy="17" r="2.300"/>',
    "sun": '<circle cx="12" cy="12" r="4"/><path d="M12 3v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400"/>',
    "pen": '<path d="m4 20 1-4.500L16 4.500l3.500 3.500L8.500 19z"/>',
    "copy": '<rect x="8" y="8" width="12" height="12" rx="2.500"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
    "retry": '<path d="M19 12a7 7 0 1 1-2-5"/><path d="M19 3.500V8h-4.500"/>',
    "undo": '<path d="M9 6 4.500 10.500 9 15"/><path d="M4.500 10.500H15a4.500 4.500 0 0 1 0 9h-3"/>',
    "up": '<path d="M7 11v9H4v-9zM7 11l4-7.500c1.500 0 2.500 1 2.200 2.500L12.600 9H18a2 2 0 0 1 2 2.300l-1 6.500A2.500 2.500 0 0 1 16.500 20H7"/>',
    "down": '<path d="M17 13V4h3v9zM17 13l-4 7.500c-1.500 0-2.500-1-2.200-2.500l.6-3H6a2 2 0 0 1-2-2.300l1-6.500A2.500 2.500 0 0 1 7.500 4H17"/>',
    "stop": '<rect x="6.500" y="6.500" width="11" height="11" rx="2"/>',
    "pause": '<path d="M9 6v12M15 6v12"/>',
    "play": '<path d="M8 5.500v13l10.500-6.500z"/>',
    "trash": '<path d="M5 7h14M10 7V4.500h4V7m-7.500 0 1 12.500h9l1-12.500"/>',
    "more": '<circle cx="5.500" cy="12" r="1"/><circle cx="12" cy="12" r="1"/><circle cx="18.500" cy="12" r="1"/>',
    "file": '<path d="M6 3.500h8l4 4V20.500H6z"/><path d="M14 3.500v4h4"/>',
    "close": '<path d="m6 6 12 12M18 6 6 18"/>',
    "chevron": '<path d="m9 6 6 6-6 6"/>',
    "link": '<path d="M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1"/><path d="M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1"/>',
    "import": '<path d="M12 4v11m-4.500-4.500L12 15l4.500-4.500"/><path d="M4.500 19.500h15"/>',
    "swap": '<path d="M4 8.500h14m-4-4 4 4-4 4M20 15.500H6m4-4-4 4 4 4"/>',
    "share": '<circle cx="6" cy="12" r="2.300"/><circle cx="17.500" cy="5.500" r="2.300"/><circle cx="17.500" cy="18.500" r="2.300"/><path d="m8 10.900 7.500-4.300M8 13.100l7.500 4.300"/>',
    "folder": '<path d="M3.500 6.500h6l2 2.500h9v10.500h-17z"/>',
    "archive": '<path d="M4 8.500v11h16v-11M3 4.500h18v4H3z"/><path d="M10 12.500h4"/>',
    "tack": '<path d="M9 4h6l-.7 6 3.200 3v1.500h-11V13l3.200-3z"/><path d="M12 14.500V20"/>',
    "voice": '<path d="M4 9.500v5h3.500L12 19V5L7.500 9.500z"/><path d="M15.500 9a4.200 4.200 0 0 1 0 6M18 6.500a7.800 7.800 0 0 1 0 11"/>',
    "microphone": '<rect x="9" y="3.500" width="6" height="11" rx="3"/><path d="M5.500 11.500a6.500 6.500 0 0 0 13 0M12 18v3"/>',
    "left": '<path d="m15 6-6 6 6 6"/>',
    "warn": '<path d="M12 4 2.500 20h19z"/><path d="M12 10v4.500m0 2.500v.2"/>',
}

_WAYS = ("chevron", "left", "undo")
"""They point along the line: where that runs from right to left, the other way."""


def icon(name: str) -> str:
    """The icon, hidden from screen readers: what carries it has a label."""
    way = " way" if name in _WAYS else ""
    return f'<svg class="i{way}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{_SHAPES[name]}</svg>'


def button(
    do: str, label: str, name: str, *, css: str = "", words: str = "", off: bool = False, pressed: bool | None = None,
    **data: object,
) -> str:  # fmt: skip
    """A button that asks for `do`; `label` is read to a screen reader and shown as a hint. Values of `data` are trusted.

    `pressed`: of one that stays down.
    """
    state = " disabled" if off else "" if pressed is None else f' aria-pressed="{"true" if pressed else "false"}"'
    extra = "".join(f' data-{key}="{value}"' for key, value in data.items())
    return (
        f'<button{state} type="button" class="b {css}" data-do="{do}"{extra} aria-label="{label}" title="{label}">'
        f"{icon(name)}{f'<span>{words}</span>' if words else ''}</button>"
    )
