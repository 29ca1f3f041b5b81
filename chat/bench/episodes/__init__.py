"""Episodes of the text worlds, played by a strategy and counted as the papers count them."""
