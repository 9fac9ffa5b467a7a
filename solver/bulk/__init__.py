"""Many runs at once, in worker processes."""
