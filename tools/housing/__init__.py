"""An estate agency's online desk, the scenario of DUMA (section 3): homes, loans, ways to work, viewings."""

from __future__ import annotations

from tools.domains import About

ABOUT = About(
    "housing",
    "Aldermere Homes",
    "The online desk of an estate agency: homes for sale, prices, ways to work, loans and viewings.",
    "Hello, this is Aldermere Homes. Are you looking for a home, or do you have one in mind already?",
)
