"""Swift, ScienceWorld's policy: collecting, fitting, measuring."""
