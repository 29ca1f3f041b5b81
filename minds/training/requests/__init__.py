"""The request reader: collecting, fitting, measuring."""
