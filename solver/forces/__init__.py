"""What pushes without a row: springs, loads, forces in joints."""
