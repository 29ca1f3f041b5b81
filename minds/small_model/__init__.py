"""What only a small model needs (about 0.5B to 2B): it adds to the two minds and takes nothing away.

Only the wiring (chat/app.py) imports it, and only where a model is not strong (`Abilities.strong`, `?strong=1`).
"""
