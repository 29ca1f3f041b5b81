"""Scripted dialogues: played by several systems, graded with a rubric, put side by side."""
