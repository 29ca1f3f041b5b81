"""A town library's desk: a second, small domain, made of the same files."""

from __future__ import annotations

from tools.domains import About

ABOUT = About(
    "library",
    "Aldermere Town Library",
    "The desk of a town library: books, opening hours and reservations.",
    "Welcome to the town library. Which book or subject are you looking for?",
)
