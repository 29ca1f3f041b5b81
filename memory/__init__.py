"""The dialogue memory: what was said and what the slow mind found, so that it thinks only once (DUMA 2.4)."""
