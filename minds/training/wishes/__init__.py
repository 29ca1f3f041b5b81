"""Fits minds/policies/wishes.py: which turns are wishes or meant for an open world, and which actions are near."""
