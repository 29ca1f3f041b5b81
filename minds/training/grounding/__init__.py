"""Words to actions: collecting, fitting, measuring."""
