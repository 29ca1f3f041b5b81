"""The two-level policy: collecting, fitting, measuring."""
