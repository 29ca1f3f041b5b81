"""The invoke gate: collecting, fitting, measuring."""
