"""Commands beside the run."""
