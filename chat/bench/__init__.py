"""Benchmarks: each is one `python main.py bench NAME`, its last line one JSON object with its figures."""
