"""Who thinks: the fast mind, the gate, the slow mind, their strategies and their models."""
