"""The time loop and what it leaves at samples."""
