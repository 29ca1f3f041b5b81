"""What only a small model needs: it adds to the two minds, and only the wiring imports it."""

AIDS = ("gate", "program", "check", "worlds", "english")
"""Those that can be left out, to see what each brings (`bench ... --without AID`)."""
