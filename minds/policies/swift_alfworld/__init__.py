"""Swift for ALFWorld: a small learned policy that reads a household game, remembers, and chooses what to do."""
