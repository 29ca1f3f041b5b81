"""What only a small model needs: it adds to the two minds, and only the wiring imports it."""

AIDS = ("gate", "program", "check", "worlds", "english", "documents")  # each can be left out: `bench ... --without AID`
