"""The conversation and what surrounds it: settings, transcript, runs, the page, the terminal."""
