"""What is checked once a whole deck is read."""
