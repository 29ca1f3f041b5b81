"""ALFWorld's policy: collecting, fitting, measuring."""
