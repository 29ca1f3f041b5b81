"""What the paper reports (DUMA, table 2): mean scores of 80 dialogues each, graded by people, in Chinese."""

from __future__ import annotations

METRICS = (
    "house_expertise",
    "tool_calling",
    "industry_familiarity",
    "service_attitude",
    "demand_mining",
    "promote_invitation",
)
"""In the order of the table's columns."""
TABLE = {
    "ChatGPT (ReAct)": (0.733, 0.615, 0.769, 1.067, 0.800, 0.667),
    "DUMA, stage I": (0.826, 1.481, 1.091, 1.571, 1.407, 1.214),
    "DUMA": (1.550, 1.417, 1.125, 1.810, 1.357, 1.471),
}
"""System -> scores."""
NOTE = (
    "The paper's scores were given by people to 80 dialogues of each system with Chinese customers and larger models. "
    "They stand here for comparison of shape, not of level: other people, other dialogues, another language."
)
