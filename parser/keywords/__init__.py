"""One file a family of keywords."""
