"""Small learned policies: their labelled data, features, training, weights and cards."""
