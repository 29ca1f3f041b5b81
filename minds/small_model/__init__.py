"""What only a small model (0.5B to 2B, say) needs: it adds to the two minds, and only the wiring imports it."""
