"""Small learned policies: their features, networks, weights and cards. They are fitted in minds/training."""
